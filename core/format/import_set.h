/* import_set.h - what the importers share; not for others.
 *
 * An importer is one ImportFormat: it recognises bytes, lists the sentences (quickly, without
 * reading their numbers) and makes a trace of one when asked. Tokens from files beside the
 * dump, the file's lifetime and the axes of a source-target matrix are handled here.
 */
#ifndef FOVEA_FORMAT_IMPORT_SET_H
#define FOVEA_FORMAT_IMPORT_SET_H
#include <jansson.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "format/import.h"
#include "format/lines.h"

/* ---- the file ---- */

/* Counted: the set and every trace that reads from it hold a reference. Small files are
 * copied into memory, so that one that shrinks cannot hurt; large ones are mapped. */
typedef struct ImportFile ImportFile;

#define IMPORT_COPIED_BYTES ((size_t)8 << 20)

ImportFile *import_file_open(const char *path, Error *error) FOVEA_MUST_USE;
ImportFile *import_file_copy(const char *data, size_t n, const char *name, Error *error);
ImportFile *import_file_retain(ImportFile *file);
void import_file_release(void *file);
bool import_file_check(const ImportFile *file, Error *error);
/* Makes the file live until `release(state)` has been called, too: for parsed archives. */
void import_file_keep(ImportFile *file, void *state, void (*release)(void *state));
/* The builder's trace keeps the file. */
void import_file_own(TraceBuilder *builder, ImportFile *file);

const char *import_file_name(const ImportFile *file);
const char *import_file_data(const ImportFile *file, size_t *n);

/* ---- tokens beside the dump ---- */

typedef enum { IMPORT_BOTH, IMPORT_SOURCE, IMPORT_TARGET, IMPORT_N_SIDES } ImportSide;

typedef struct ImportTokens {
    json_t *json[IMPORT_N_SIDES]; /* a list of strings, or of such lists, or NULL */
    Bytes text[IMPORT_N_SIDES];   /* whole files                                  */
    Slice *lines[IMPORT_N_SIDES]; /* their lines, or NULL                         */
    size_t n_lines[IMPORT_N_SIDES];
    json_t *labels; /* of classes: {"0": {"name": ..}} or {"0": ".."}, or NULL */
    LinksFile gold; /* n 0: none */
} ImportTokens;

/* Reads what the options name, or what stands beside `path` (which may be NULL). */
bool import_tokens_load(ImportTokens *tokens, const char *path, const ImportOptions *options,
                        Error *error);
void import_tokens_free(ImportTokens *tokens);
/* Takes what a JSON value says about tokens; false if it says nothing that is understood. */
bool import_tokens_take(ImportTokens *tokens, const json_t *value);
/* The list of one side (not of IMPORT_BOTH unless asked); n is -1 when there is none. */
Words import_tokens_get(const ImportTokens *tokens, ImportSide side, int32_t sentence);
/* The name of a class, or NULL. */
const char *import_tokens_label(const ImportTokens *tokens, const char *number);
/* Gold links of a sentence, or NULL. */
const AlignLinks *import_tokens_gold(const ImportTokens *tokens, int32_t sentence);
/* How many sentences there are tokens for; 1 for a single list, 0 for none. */
int32_t import_tokens_sentences(const ImportTokens *tokens);

/* ---- the set ---- */

typedef struct ImportItem {
    char *label;
    size_t begin, end; /* of the sentence in the text; what an importer makes of it */
    int64_t number;    /* of the sentence among the files beside, from 0           */
} ImportItem;

typedef struct ImportFormat {
    const char *name;
    bool (*recognise)(const char *data, size_t n); /* of the beginning at least */
    bool (*open)(ImportSet *set, Error *error);    /* fills items and state */
    const Trace *(*build)(ImportSet *set, int32_t i, Error *error);
    void (*close)(ImportSet *set); /* frees state; may be NULL */
} ImportFormat;

struct ImportSet {
    const ImportFormat *format;
    ImportFile *file;
    ImportOptions options;
    char *axes; /* owned copy of options.axes */
    ImportTokens tokens;
    ImportItem *items;
    size_t n, capacity;
    void *state;
    bool is_stated; /* the file says which axes are which: there is nothing to swap */
};

/* A new item at the end. `label` is shortened to what a list shows. */
ImportItem *import_add_item(ImportSet *set, Slice label);
/* Appends what a list shows of tokens to a label: their text without the marks of tokenizers; " | "
 * before it where something stands already. */
void import_label_add(StrBuf *label, const Words *words);
/* The same with "source | target" for a label; either may be empty. */
ImportItem *import_add_pair(ImportSet *set, Slice source, Slice target);
bool import_too_many(const ImportSet *set, Error *error); /* sets the error when it is so */

/* A builder with the attributes that every trace of the set has. */
TraceBuilder *import_begin_trace(const ImportSet *set, int32_t i);

/* How links of the dump itself are to be read; the builder is told where that was asked for. */
LinksOptions import_links_options(const ImportSet *set, TraceBuilder *builder);

/* ---- axes with tokens ---- */

/* How tokens meet the items of an axis. */
typedef struct ImportAxis {
    const char *name;   /* "source"                                                      */
    const char *text;   /* name of the running text that is made of the tokens: "input"  */
    const char *items;  /* for notes: "columns"                                          */
    const Words *words; /* n < 0: none                                                   */
    int32_t n;          /* items                                                         */
    int32_t used;       /* leading items that are not all zero; n when not known         */
} ImportAxis;

/* Adds the axis and returns its index; *n becomes its length, which is shorter when padding
 * was cut. What did not fit is noted. */
int32_t import_add_axis(TraceBuilder *builder, const ImportAxis *axis, int32_t *n);

/* Adds gold.sure and gold.possible over [target, source] axes of these lengths; links beyond
 * them are left out and noted. NULL: nothing. */
void import_add_gold(TraceBuilder *builder, const AlignLinks *gold, const int32_t axes[2],
                     const int32_t lengths[2]);

/* ---- one source-target matrix ---- */

typedef struct ImportMatrix {
    int32_t rows, cols; /* target, source */
    float *data;        /* [rows, cols]   */
    Words target, source;
    TraceRole role;
    const AlignLinks *gold; /* or NULL; borrowed */
} ImportMatrix;

/* Adds axes "target" and "source" and the tensor "attention.weights", or "alignment.links" if
 * the role is not weights (without the padding that zeros beyond the tokens show), seals, and
 * frees the matrix. A builder that has failed is sealed as it is. */
const Trace *import_finish_matrix(TraceBuilder *builder, ImportMatrix *matrix, Error *error);
void import_matrix_free(ImportMatrix *matrix);
/* Rows become columns; the words stay those of target and source. */
void import_matrix_turn(ImportMatrix *matrix);
/* The note where a person asked for it. */
#define IMPORT_EXCHANGED "rows and columns exchanged, as asked"

/* Adds a number to a growing row-major matrix. */
typedef struct ImportNumbers {
    float *at;
    size_t n, capacity;
} ImportNumbers;

void import_numbers_add(ImportNumbers *numbers, float value);

/* Numbers separated by any of " \t,": appended; false when the slice holds anything else. */
bool import_numbers_parse(ImportNumbers *numbers, Slice line);

#endif
