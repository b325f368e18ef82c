/* import.h - attention that another tool has written, as traces.
 *
 * One door for every kind of dump. What a file is, is told from its bytes, never from its
 * name; a file holds one sentence or thousands, and each becomes a Trace when it is asked
 * for, drawn by the same views as a model's own run. Large arrays stay where they are on
 * the disk and only what is drawn is read.
 *
 * Kinds:
 *   numpy .npy, .npz        [.., target, source]; members by layer or by sentence
 *   safetensors             the same, with tokens in the metadata if the writer was kind
 *   torch .pt               tensors in tuples, lists and dictionaries; nothing is executed
 *   trace JSON              what `fovea run --json` prints: one trace, or one a line
 *   dump lines              {"src": [..], "tgt": [..], "att": [[..]]}, one object a line
 *   neat-vision             [{"text": [..], "attention": [..], ...}]
 *   Nematus, Sockeye, OpenNMT   blocks: a header line, the matrix, a blank line
 *   Marian                  text ||| alignment, hard or soft, also n-best lists
 *   fairseq                 S-, H-, A- lines in three dialects
 *   OpenNMT-py              the table of -attn_debug
 *   Pharaoh, TALP, NAACL    links only (links.h)
 *
 * Tokens come from the file, else from files beside it: for attn.npz
 *   attn.tokens.json   a list of tokens; or of lists, one a sentence; or an object with
 *                      "source" and "target" (or "tokens") holding either
 *   attn.src attn.tgt  one sentence a line, tokens separated by spaces
 *   attn.src-tgt       source ||| target
 *   attn.labels.json   names of a classifier's labels: {"0": {"name": "joy"}, ..}
 *   attn.gold          gold links (links.h), one line a sentence: they become the tensors
 *                      gold.sure and gold.possible over [target, source]
 * else the items are numbered. More than one extension may be dropped to find them.
 *
 * Nothing is guessed silently: how axes were taken, what was appended or cut, which tokens
 * did not fit, is in the trace's notes, with the way to say otherwise. Nothing is mended:
 * what is odd about the numbers is trace_check.h's to tell.
 *
 * Attributes of a trace: "format", "file", "sentence" (from 0), and what the tool gave.
 *
 * Memory: traces live on after import_close. Threads: a set belongs to one.
 * Depends on: trace, and everything in this folder.
 */
#ifndef FOVEA_FORMAT_IMPORT_H
#define FOVEA_FORMAT_IMPORT_H
#include "format/links.h"
#include "trace/confidence.h"
#include "trace/trace.h"

typedef struct ImportOptions {
    /* The axes of the arrays, outermost first, separated by commas, spaces or "-":
     * layer, batch (or sentence), head, step, target (query, tgt, row), source (key, src,
     * column); any other name makes an axis of that name. NULL: by shape and row sums. */
    const char *axes;
    bool swap;               /* rows and columns the other way than they would be taken */
    const char *tokens_path; /* instead of the files beside the dump; NULL: look there */
    const char *source_path, *target_path;
    const char *labels_path; /* the same for the names of classes */
    const char *gold_path;   /* the same for gold links           */
    /* Tokens of one sentence as they would stand in the files, for a dump that has none: typed
     * by a person. */
    const char *source_text, *target_text;
    int32_t typed_sentence; /* which, from 0 */
    LinksOptions links;
} ImportOptions;

typedef struct ImportSet ImportSet;

#define IMPORT_MAX_SENTENCES (1 << 22)
#define IMPORT_MAX_JSON      ((size_t)256 << 20)

/* Whether the first bytes of a file look like a kind that is read: its name ("numpy .npz"),
 * or NULL. 64 KB suffice. */
const char *import_recognise(const char *data, size_t n);

/* `options` may be NULL. */
ImportSet *import_open(const char *path, const ImportOptions *options, Error *error) FOVEA_MUST_USE;
/* The same from memory, which is copied; there are no files beside it. */
ImportSet *import_open_memory(const char *data, size_t n, const char *name,
                              const ImportOptions *options, Error *error) FOVEA_MUST_USE;
void import_close(ImportSet *set); /* NULL is fine */

const char *import_format(const ImportSet *set); /* as import_recognise says */
int32_t import_count(const ImportSet *set);
/* Whether ImportOptions.swap changes anything: not where the file states what lies where. */
bool import_can_swap(const ImportSet *set);

/* What a list of sentences shows and a search looks through: the first words. Borrowed. */
const char *import_label(ImportSet *set, int32_t i);
/* The first sentence from `from` on whose label holds the text (letters of either case), or
 * -1. */
int32_t import_find(ImportSet *set, const char *text, int32_t from);

/* One reference. An error concerns this sentence only; the others can still be read. */
const Trace *import_trace(ImportSet *set, int32_t i, Error *error) FOVEA_MUST_USE;

/* For sorting a list of sentences: sizes, and measures of the first tensor of weights (all
 * layers and heads averaged); NaN where there is none. */
typedef struct ImportMeasures {
    int32_t rows, cols;    /* target and source tokens, padding left out */
    double length_ratio;   /* rows / cols */
    double entropy;        /* nats, mean over rows */
    double largest;        /* mean of the rows' largest weights */
    double distance;       /* positions, as in measure.h */
    Confidence confidence; /* confidence.h */
    double error_rate;     /* of alignment, where there are gold links: align_score.h */
} ImportMeasures;

bool import_measure(ImportSet *set, int32_t i, ImportMeasures *out, Error *error) FOVEA_MUST_USE;
/* The same of a trace that is there already. */
bool import_measure_trace(const Trace *trace, ImportMeasures *out, Error *error) FOVEA_MUST_USE;

/* The same by name, for tables: what a list shows, sorts and writes. */
#define IMPORT_N_MEASURES 10

const char *import_measure_name(int k); /* "length", "ratio", "entropy", ... */
double import_measure_value(const ImportMeasures *measures, int k);

#endif
