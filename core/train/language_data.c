#include "train/language_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strmap.h"
#include "base/utf8.h"

/* ---- lines ---- */

static size_t length_of_text(const char *line, size_t n)
{
    const char *tab = memchr(line, '\t', n);
    n = tab ? (size_t)(tab - line) : n;
    return n > 0 && line[n - 1] == '\r' ? n - 1 : n;
}

static bool add_lines(const char *name, LanguageLines *lines, StrMap *seen, Error *error)
{
    const char *data = lines->bytes.data;
    size_t size = lines->bytes.size, capacity = 0;
    int number = 0;
    size_t at = size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* byte-order mark */
    while (at < size) {
        const char *line = data + at, *newline = memchr(line, '\n', size - at);
        size_t length = newline ? (size_t)(newline - line) : size - at;
        at += length + 1;
        number++;
        if (!utf8_is_valid(line, length))
            return error_set(error, ERROR_FORMAT, "%s, line %d: not valid UTF-8", name, number);
        size_t n = length_of_text(line, length);
        if (n == 0 || strmap_get(seen, line, n) >= 0)
            continue;
        strmap_put(seen, line, n, 0);
        lines->items =
            memory_grow(lines->items, &capacity, (size_t)lines->n + 1, sizeof *lines->items);
        lines->items[lines->n].text = line;
        lines->items[lines->n++].n = n;
    }
    return lines->n > 0 || error_set(error, ERROR_FORMAT, "%s: no text in it", name);
}

bool language_lines_parse(const char *name, Bytes bytes, LanguageLines *lines, Error *error)
{
    *lines = (LanguageLines){.bytes = bytes};
    StrMap *seen = strmap_new();
    bool ok = add_lines(name, lines, seen, error);
    strmap_free(seen);
    if (!ok)
        language_lines_free(lines);
    return ok;
}

bool language_lines_read(const char *path, LanguageLines *lines, Error *error)
{
    Bytes bytes;
    *lines = (LanguageLines){0};
    return file_read_gzip(path, FILE_MAX_READ_BYTES, &bytes, error) &&
           language_lines_parse(path, bytes, lines, error);
}

void language_lines_free(LanguageLines *lines)
{
    free(lines->items);
    bytes_free(&lines->bytes);
    *lines = (LanguageLines){0};
}

/* ---- ids ---- */

Pairs *language_encode(const LanguageLines *lines, const char *path, const Tokenizer *tokenizer,
                       int max_pieces, Error *error)
{
    Pairs *p = memory_new(1, sizeof *p);
    p->pairs = memory_new((size_t)lines->n + 1, sizeof *p->pairs);
    size_t *first = memory_new((size_t)lines->n + 1, sizeof *first), n_ids = 0, capacity = 0;
    TokenList tokens = {0};
    for (int i = 0; i < lines->n; i++) {
        token_list_clear(&tokens);
        tokenizer_encode(tokenizer, lines->items[i].text, lines->items[i].n, &tokens);
        if (tokens.n == 0 || (max_pieces > 0 && tokens.n > (size_t)max_pieces)) {
            p->n_skipped++;
            continue;
        }
        p->ids = memory_grow(p->ids, &capacity, n_ids + tokens.n + 1, sizeof *p->ids);
        first[p->n] = n_ids;
        p->pairs[p->n++] = (Pair){.n_target = (int)tokens.n + 1};
        for (size_t k = 0; k < tokens.n; k++)
            p->ids[n_ids++] = tokens.items[k].id;
        p->ids[n_ids++] = TOKENIZER_END;
    }
    for (int i = 0; i < p->n; i++)
        p->pairs[i].target = p->pairs[i].source = p->ids + first[i];
    token_list_free(&tokens);
    free(first);
    if (p->n > 0)
        return p;
    error_set(error, ERROR_FORMAT, "%s: no usable sentence in %d", path, lines->n);
    pairs_free(p);
    return NULL;
}

/* ---- batches ---- */

LanguageBatch language_batch(Arena *arena, const Pairs *sentences, const BatchPlan *plan, int batch,
                             int shard, int n_shards)
{
    int begin = plan->start[batch], size = plan->start[batch + 1] - begin;
    int from = begin + (int)((long)size * shard / n_shards);
    int to = begin + (int)((long)size * (shard + 1) / n_shards), n = to - from;
    LanguageBatch b = {.n_tokens_in_batch = 0};
    for (int i = begin; i < begin + size; i++)
        b.n_tokens_in_batch += sentences->pairs[plan->order[i]].n_target;
    int *length = arena_get(arena, (size_t)n + 1, sizeof *length);
    int *rank = arena_get(arena, (size_t)n + 1, sizeof *rank);
    int *sorted = arena_get(arena, (size_t)n + 1, sizeof *sorted);
    for (int i = 0; i < n; i++)
        length[i] = sentences->pairs[plan->order[from + i]].n_target;
    ragged_sort(n, length, rank);
    for (int i = 0; i < n; i++)
        sorted[i] = length[rank[i]];
    b.rows = ragged_new(arena, RAGGED_STEP_MAJOR, n, sorted);
    int *input = arena_get(arena, (size_t)b.rows.rows + 1, sizeof *input);
    int *target = arena_get(arena, (size_t)b.rows.rows + 1, sizeof *target);
    for (int i = 0; i < n; i++) {
        const Pair *pair = &sentences->pairs[plan->order[from + rank[i]]];
        for (int t = 0; t < pair->n_target; t++) {
            int row = ragged_row(&b.rows, i, t);
            input[row] = t == 0 ? TOKENIZER_BEGIN : pair->target[t - 1];
            target[row] = pair->target[t];
        }
    }
    b.input_ids = input;
    b.target_ids = target;
    return b;
}
