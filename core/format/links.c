#include "format/links.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "format/sniff.h"

#define RECOGNISE_LINES 50

size_t links_parse_one(const char *text, size_t n, AlignLink *link)
{
    size_t i = number_parse_index(text, n, &link->source);
    if (i == 0 || i >= n || (text[i] != '-' && text[i] != 'p' && text[i] != '?'))
        return 0;
    link->possible = text[i] != '-';
    size_t second = number_parse_index(text + i + 1, n - i - 1, &link->target);
    return second ? i + 1 + second : 0;
}

/* "12<TAB>0-0 1-1": the number goes. */
static Slice without_number(Slice line)
{
    int32_t number;
    size_t i = number_parse_index(line.text, line.n, &number);
    if (i > 0 && i < line.n && line.text[i] == '\t')
        return (Slice){line.text + i + 1, line.n - i - 1};
    return line;
}

static bool is_link_line(Slice line)
{
    Slice rest = without_number(line), word;
    AlignLink link;
    while (slice_next_word(&rest, &word))
        if (links_parse_one(word.text, word.n, &link) != word.n)
            return false;
    return true;
}

/* "18 1 2 S 0.5" */
static bool parse_naacl(Slice line, int32_t *sentence, AlignLink *link)
{
    int32_t *const numbers[] = {sentence, &link->source, &link->target};
    Slice word;
    double confidence;
    for (int i = 0; i < 3; i++)
        if (!slice_next_word(&line, &word) ||
            number_parse_index(word.text, word.n, numbers[i]) != word.n)
            return false;
    link->possible = false;
    if (!slice_next_word(&line, &word))
        return true;
    if (slice_equals(word, "S") || slice_equals(word, "P")) {
        link->possible = word.text[0] == 'P';
        if (!slice_next_word(&line, &word))
            return true;
    }
    return number_parse(word.text, word.n, &confidence) == word.n && slice_is_blank(line);
}

static bool is_naacl(const char *text, size_t n)
{
    Lines lines = lines_begin(text, n);
    Slice line;
    int32_t sentence, seen = 0;
    AlignLink link;
    for (int i = 0; i < RECOGNISE_LINES && lines_next(&lines, &line); i++) {
        if (slice_is_blank(line))
            continue;
        if (!parse_naacl(line, &sentence, &link))
            return seen > 0 && lines.at == n && text[n - 1] != '\n';
        seen++;
    }
    return seen > 0;
}

bool links_recognise(const char *text, size_t n)
{
    Lines lines = lines_begin(text, n);
    Slice line;
    int seen = 0;
    if (is_naacl(text, n))
        return true;
    for (int i = 0; i < RECOGNISE_LINES && lines_next(&lines, &line); i++) {
        /* Of a beginning the last line may be cut off. */
        if (!is_link_line(line))
            return seen > 0 && lines.at == n && text[n - 1] != '\n';
        seen += !slice_is_blank(without_number(line));
    }
    return seen > 0;
}

/* ---- reading ---- */

typedef struct Reader {
    LinksFile *out;
    size_t capacity;
    const char *name;
    bool swap;
    int32_t least; /* position met anywhere */
    Error *error;
} Reader;

static AlignLinks *sentence_at(Reader *reader, int32_t index)
{
    LinksFile *out = reader->out;
    out->at = memory_grow(out->at, &reader->capacity, (size_t)index + 1, sizeof *out->at);
    while (out->n <= index)
        out->at[out->n++] = (AlignLinks){0};
    return &out->at[index];
}

static bool add_link(Reader *reader, int32_t sentence, AlignLink link, int64_t line)
{
    if (link.source > LINKS_MAX_POSITION || link.target > LINKS_MAX_POSITION)
        return error_set(reader->error, ERROR_LIMIT, "%s: line %lld: a position above %d",
                         reader->name, (long long)line, LINKS_MAX_POSITION);
    int32_t lower = link.source < link.target ? link.source : link.target;
    reader->least = lower < reader->least ? lower : reader->least;
    if (reader->swap) {
        int32_t source = link.target;
        link.target = link.source;
        link.source = source;
    }
    align_links_add(sentence_at(reader, sentence), link);
    return true;
}

static bool read_pharaoh(Reader *reader, Lines lines)
{
    Slice line, word;
    while (lines_next(&lines, &line)) {
        Slice rest = without_number(line);
        int32_t sentence = (int32_t)lines.number - 1;
        if (lines.number > LINKS_MAX_SENTENCES)
            return error_set(reader->error, ERROR_LIMIT, "%s: more than %d lines", reader->name,
                             LINKS_MAX_SENTENCES);
        sentence_at(reader, sentence);
        while (slice_next_word(&rest, &word)) {
            AlignLink link;
            if (links_parse_one(word.text, word.n, &link) != word.n)
                return error_set(reader->error, ERROR_FORMAT,
                                 "%s: line %lld: \"%.*s\" is no link like 0-0 or 1p2", reader->name,
                                 (long long)lines.number, word.n < 40 ? (int)word.n : 40,
                                 word.text);
            if (!add_link(reader, sentence, link, lines.number))
                return false;
        }
    }
    return true;
}

static bool read_naacl(Reader *reader, Lines lines)
{
    Slice line;
    while (lines_next(&lines, &line)) {
        int32_t sentence;
        AlignLink link;
        if (slice_is_blank(line))
            continue;
        if (!parse_naacl(line, &sentence, &link) || sentence < 1)
            return error_set(reader->error, ERROR_FORMAT,
                             "%s: line %lld: \"%.*s\" is no link like \"18 1 2 S\"", reader->name,
                             (long long)lines.number, line.n < 40 ? (int)line.n : 40, line.text);
        if (sentence > LINKS_MAX_NUMBER)
            return error_set(reader->error, ERROR_LIMIT,
                             "%s: line %lld: a sentence number above %d", reader->name,
                             (long long)lines.number, LINKS_MAX_NUMBER);
        if (!add_link(reader, sentence - 1, link, lines.number))
            return false;
    }
    return true;
}

static bool count_from_zero(const Reader *reader)
{
    LinksFile *out = reader->out;
    for (int32_t i = 0; i < out->n; i++) {
        for (size_t k = 0; k < out->at[i].n; k++) {
            AlignLink *link = &out->at[i].at[k];
            if (link->source < 1 || link->target < 1)
                return error_set(reader->error, ERROR_FORMAT,
                                 "%s: sentence %d has a position 0, but the file is said to count "
                                 "from 1",
                                 reader->name, i + 1);
            link->source--;
            link->target--;
        }
    }
    return true;
}

bool links_parse(const char *text, size_t n, const char *name, const LinksOptions *options,
                 LinksFile *out, Error *error)
{
    static const LinksOptions DEFAULTS = {0};
    options = options ? options : &DEFAULTS;
    *out = (LinksFile){.naacl = is_naacl(text, n)};
    Reader reader = {
        .out = out, .name = name, .swap = options->swap, .least = INT32_MAX, .error = error};
    Lines lines = lines_begin(text, n);
    bool ok = out->naacl ? read_naacl(&reader, lines) : read_pharaoh(&reader, lines);
    bool guess = reader.least >= 1 && reader.least != INT32_MAX;
    out->one_based = options->base == LINKS_BASE_ONE ||
                     (options->base == LINKS_BASE_GUESS && (out->naacl || guess));
    if (ok && out->one_based)
        ok = count_from_zero(&reader);
    if (!ok)
        links_free(out);
    return ok;
}

bool links_read(const char *path, const LinksOptions *options, LinksFile *out, Error *error)
{
    Bytes bytes;
    *out = (LinksFile){0};
    if (!file_read(path, FILE_MAX_READ_BYTES, &bytes, error))
        return false;
    bool ok = !sniff_impostor(bytes.data, bytes.size, path, error) &&
              links_parse(bytes.data, bytes.size, path, options, out, error);
    bytes_free(&bytes);
    return ok;
}

void links_free(LinksFile *file)
{
    for (int32_t i = 0; i < file->n; i++)
        align_links_free(&file->at[i]);
    free(file->at);
    *file = (LinksFile){0};
}

void links_add_line(const AlignLinks *links, StrBuf *out)
{
    for (size_t i = 0; i < links->n; i++)
        strbuf_addf(out, "%s%d%c%d", i ? " " : "", links->at[i].source,
                    links->at[i].possible ? 'p' : '-', links->at[i].target);
}
