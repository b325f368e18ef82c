/* import_fairseq.c - the output of fairseq-generate with --print-alignment.
 *
 *   S-7<TAB>the house          the source
 *   H-7<TAB>-0.3<TAB>das Haus  a hypothesis; several with a beam, each with its own A line
 *   A-7<TAB>...                its alignment, in one of three dialects:
 *       0-0 1-1                    links, source first, without the end marks
 *       0.7,0.3 0.1,0.9            a list over the source for every target token and its end
 *       0 2 2                      the largest source position for each of these
 *
 * Sentences are not in the order of the corpus; here they are, by their numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/strmap.h"
#include "format/import_formats.h"
#include "format/import_text.h"

#define RECOGNISE_LINES 200

/* "A-7<TAB>rest" */
typedef struct Record {
    char letter;
    int32_t id;
    Slice rest;
} Record;

static bool parse_record(Slice line, Record *out)
{
    if (line.n < 4 || line.text[1] != '-' || !strchr("STHDPAIE", line.text[0]) ||
        line.text[0] == '\0')
        return false;
    size_t digits = number_parse_index(line.text + 2, line.n - 2, &out->id);
    if (digits == 0 || 2 + digits >= line.n || line.text[2 + digits] != '\t')
        return false;
    out->letter = line.text[0];
    out->rest = (Slice){line.text + 3 + digits, line.n - 3 - digits};
    return true;
}

static bool recognise(const char *data, size_t n)
{
    Lines lines = lines_begin(data, n);
    Slice line;
    Record record;
    bool others = false;
    for (int i = 0; i < RECOGNISE_LINES && lines_next(&lines, &line); i++) {
        if (!parse_record(line, &record))
            continue; /* log lines stand between */
        if (record.letter == 'A')
            return true;
        others = others || record.letter == 'H';
    }
    return others;
}

/* What is known about a sentence when its alignment comes. */
typedef struct Sentence {
    Slice source, hypothesis, alignment;
    double score;
    int32_t id;
    int64_t line;
} Sentence;

typedef struct State {
    Sentence *found; /* one for each A line */
    size_t n, capacity;
    Sentence *latest; /* by id, while the file is read */
    size_t n_latest, latest_capacity;
    StrMap *ids;
} State;

static Sentence *latest_of(State *state, int32_t id)
{
    int index = strmap_get(state->ids, (const char *)&id, sizeof id);
    if (index >= 0)
        return &state->latest[index];
    state->latest = memory_grow(state->latest, &state->latest_capacity, state->n_latest + 1,
                                sizeof *state->latest);
    strmap_put(state->ids, (const char *)&id, sizeof id, (int)state->n_latest);
    Sentence *sentence = &state->latest[state->n_latest++];
    *sentence = (Sentence){.id = id};
    return sentence;
}

/* "-0.3<TAB>das Haus" */
static void take_hypothesis(Sentence *sentence, Slice rest)
{
    size_t digits = number_parse(rest.text, rest.n, &sentence->score);
    sentence->hypothesis = rest;
    if (digits > 0 && digits < rest.n && rest.text[digits] == '\t')
        sentence->hypothesis = (Slice){rest.text + digits + 1, rest.n - digits - 1};
}

static void take_record(State *state, const Record *record, int64_t line)
{
    Sentence *sentence = latest_of(state, record->id);
    if (record->letter == 'S') {
        sentence->source = record->rest;
    } else if (record->letter == 'H') {
        take_hypothesis(sentence, record->rest);
    } else if (record->letter == 'A') {
        state->found =
            memory_grow(state->found, &state->capacity, state->n + 1, sizeof *state->found);
        state->found[state->n] = *sentence;
        state->found[state->n].alignment = record->rest;
        state->found[state->n++].line = line;
    }
}

static int by_id(const void *a, const void *b)
{
    const Sentence *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static bool open_fairseq(ImportSet *set, Error *error)
{
    size_t n;
    const char *data = import_file_data(set->file, &n);
    Lines lines = lines_begin(data, n);
    Slice line;
    Record record;
    State *state = memory_new(1, sizeof *state);
    set->state = state;
    state->ids = strmap_new();
    while (lines_next(&lines, &line))
        if (parse_record(line, &record))
            take_record(state, &record, lines.number);
    if (state->n == 0)
        return error_set(error, ERROR_FORMAT,
                         "%s: output of fairseq without A- lines; generate with --print-alignment",
                         import_file_name(set->file));
    qsort(state->found, state->n, sizeof *state->found, by_id);
    for (size_t i = 0; i < state->n; i++) {
        if (import_too_many(set, error))
            return false;
        const Sentence *sentence = &state->found[i];
        if (sentence->source.n || sentence->hypothesis.n)
            import_add_pair(set, sentence->source, sentence->hypothesis);
        else
            import_add_item(set, sentence->alignment);
    }
    return true;
}

static const Trace *build(ImportSet *set, int32_t i, Error *error)
{
    const State *state = set->state;
    const Sentence *sentence = &state->found[i];
    ImportMatrix matrix = {.source = {.n = -1}, .target = {.n = -1}};
    if (sentence->source.text)
        matrix.source = words_split(sentence->source);
    if (sentence->hypothesis.text)
        matrix.target = words_split(sentence->hypothesis);
    TraceBuilder *builder = import_begin_trace(set, i);
    trace_set_attribute(builder, "id", "%d", sentence->id);
    if (sentence->hypothesis.text)
        trace_set_score(builder, sentence->score);
    const LinksOptions links = import_links_options(set, builder);
    Error fault = {0};
    if (!import_text_alignment(builder, sentence->alignment, &links, &matrix, &fault)) {
        error_prefix(&fault, "%s: line %lld", import_file_name(set->file),
                     (long long)sentence->line);
        trace_builder_fail(builder, &fault);
    }
    matrix.gold = import_tokens_gold(&set->tokens, sentence->id);
    return import_finish_matrix(builder, &matrix, error);
}

static void close_fairseq(ImportSet *set)
{
    State *state = set->state;
    if (!state)
        return;
    strmap_free(state->ids);
    free(state->latest);
    free(state->found);
    free(state);
}

const ImportFormat IMPORT_FAIRSEQ = {"fairseq output", recognise, open_fairseq, build,
                                     close_fairseq};
