/* import_marian.c - Marian's alignments, one line a sentence.
 *
 *   das Haus . ||| 0-0 1-1 2-2                            hard, source first
 *   das Haus . ||| 0.9,0.1,0 0.1,0.8,0.1 0,0.1,0.9        soft: for every target word a list
 *                                                         over the source and its end mark
 *   0 ||| das Haus . ||| ALIGNMENT ||| F0= -1.2 ||| -0.4  n-best
 *   ALIGNMENT                                             marian-scorer
 *
 * amun fills the lists with zeros up to the longest sentence of the batch. The source is in
 * another file: name.src beside it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "format/import_formats.h"
#include "format/import_text.h"

#define RECOGNISE_LINES 20

typedef struct Line {
    Slice text, alignment, score;
    int64_t sentence; /* -1: that of the line */
} Line;

static bool all_words(Slice slice, bool (*accepts)(Slice))
{
    Slice word;
    bool any = false;
    while (slice_next_word(&slice, &word)) {
        if (!accepts(word))
            return false;
        any = true;
    }
    return any;
}

static bool is_link(Slice word)
{
    AlignLink link;
    return links_parse_one(word.text, word.n, &link) == word.n;
}

/* "0.9,0.1,0" */
static bool is_list(Slice word)
{
    size_t i = 0, numbers = 0;
    double value;
    while (i < word.n) {
        size_t length = number_parse(word.text + i, word.n - i, &value);
        i += length;
        numbers++;
        if (length == 0 || (i < word.n && word.text[i] != ','))
            return false;
        i += i < word.n;
    }
    return numbers > 1 && word.text[word.n - 1] != ',';
}

static bool is_alignment(Slice field)
{
    return all_words(field, is_link) || all_words(field, is_list);
}

static bool is_sentence_number(Slice field, int64_t *number)
{
    int32_t value;
    if (field.n == 0 || number_parse_index(field.text, field.n, &value) != field.n)
        return false;
    *number = value;
    return true;
}

static bool names_a_score(Slice field)
{
    return field.n > 0 && memchr(field.text, '=', field.n) != NULL;
}

/* Takes a line apart: the alignment is the last field that is one; before it the text, which
 * may hold "|||"; behind it scores, if this is an n-best list. */
static bool parse_line(Slice line, Line *out)
{
    Slice fields[64], rest = line;
    int32_t n = 0, alignment = -1;
    while (n < 64 && slice_next_field(&rest, &fields[n]))
        n++;
    for (int32_t i = 0; i < n && !names_a_score(fields[i]); i++)
        if (is_alignment(fields[i]))
            alignment = i;
    *out = (Line){.sentence = -1};
    if (alignment < 0 && n == 2 && fields[1].n == 0)
        alignment = 1; /* no links at all */
    if (alignment < 0)
        return false;
    int32_t first = 0;
    bool n_best = n > alignment + 1 && is_sentence_number(fields[0], &out->sentence);
    if (n_best) {
        first = 1;
        out->score = fields[n - 1];
    }
    if (alignment > first)
        out->text =
            (Slice){fields[first].text, (size_t)(fields[alignment - 1].text +
                                                 fields[alignment - 1].n - fields[first].text)};
    out->alignment = fields[alignment];
    return true;
}

static bool recognise(const char *data, size_t n)
{
    Lines lines = lines_begin(data, n);
    Slice line;
    Line parsed;
    int seen = 0;
    while (seen < RECOGNISE_LINES && lines_next(&lines, &line)) {
        if (slice_is_blank(line))
            continue;
        /* The last line may be cut off where only a beginning is looked at. */
        if (!parse_line(line, &parsed))
            return seen > 1 && lines.at == n;
        seen++;
    }
    return seen > 0;
}

static bool open_marian(ImportSet *set, Error *error)
{
    size_t n;
    const char *data = import_file_data(set->file, &n);
    Lines lines = lines_begin(data, n);
    Slice line;
    while (lines_next(&lines, &line)) {
        Line parsed;
        if (slice_is_blank(line))
            continue;
        if (!parse_line(line, &parsed))
            return error_set(
                error, ERROR_FORMAT,
                "%s: line %lld: text ||| alignment was expected, with links like 0-1 or "
                "lists like 0.9,0.1",
                import_file_name(set->file), (long long)lines.number);
        if (import_too_many(set, error))
            return false;
        ImportItem *item = import_add_item(set, parsed.text.n ? parsed.text : parsed.alignment);
        item->begin = (size_t)(line.text - data);
        item->end = item->begin + line.n;
        item->number = parsed.sentence >= 0 ? parsed.sentence : lines.number - 1;
    }
    return true;
}

static const Trace *build(ImportSet *set, int32_t i, Error *error)
{
    size_t n;
    const char *data = import_file_data(set->file, &n);
    const ImportItem *item = &set->items[i];
    Line line;
    if (!parse_line((Slice){data + item->begin, item->end - item->begin}, &line))
        return NULL; /* open_marian has parsed it */
    ImportMatrix matrix = {.target = {.n = -1}};
    if (line.text.n > 0)
        matrix.target = words_split(line.text);
    matrix.source = import_tokens_get(&set->tokens, IMPORT_SOURCE, (int32_t)item->number);
    if (matrix.target.n < 0)
        matrix.target = import_tokens_get(&set->tokens, IMPORT_TARGET, (int32_t)item->number);
    TraceBuilder *builder = import_begin_trace(set, i);
    double score;
    if (line.score.n && number_parse(line.score.text, line.score.n, &score) == line.score.n)
        trace_set_score(builder, score);
    const LinksOptions links = import_links_options(set, builder);
    Error fault = {0};
    bool ok = import_text_alignment(builder, line.alignment, &links, &matrix, &fault);
    if (!ok) {
        error_prefix(&fault, "%s: sentence %d", import_file_name(set->file), i + 1);
        trace_builder_fail(builder, &fault);
    }
    matrix.gold = import_tokens_gold(&set->tokens, (int32_t)item->number);
    return import_finish_matrix(builder, &matrix, error);
}

const ImportFormat IMPORT_MARIAN = {"Marian alignments", recognise, open_marian, build, NULL};
