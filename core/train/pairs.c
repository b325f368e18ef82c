#include "train/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

bool pair_lines(const char *path, const char *data, size_t n, PairLine **lines, int *count,
                Error *error)
{
    size_t capacity = 0;
    *lines = NULL;
    *count = 0;
    if (n >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) { /* byte-order mark */
        data += 3;
        n -= 3;
    }
    for (size_t at = 0; at < n;) {
        const char *line = data + at;
        const char *newline = memchr(line, '\n', n - at);
        size_t length = newline ? (size_t)(newline - line) : n - at;
        at += length + 1;
        if (length > 0 && line[length - 1] == '\r')
            length--;
        const char *tab = memchr(line, '\t', length);
        const char *why = NULL;
        if (!tab || memchr(tab + 1, '\t', length - (size_t)(tab + 1 - line)))
            why = "exactly one TAB between source and target was expected";
        else if (!utf8_is_valid(line, length))
            why = "not valid UTF-8";
        if (why) {
            free(*lines);
            *lines = NULL;
            return error_set(error, ERROR_FORMAT, "%s, line %d: %s", path, *count + 1, why);
        }
        *lines = memory_grow(*lines, &capacity, (size_t)*count + 1, sizeof **lines);
        (*lines)[(*count)++] =
            (PairLine){line, tab + 1, (size_t)(tab - line), length - (size_t)(tab + 1 - line)};
    }
    if (*count == 0)
        return error_set(error, ERROR_FORMAT, "%s: no sentence pairs in it", path);
    return true;
}

static int count_words(const char *text, size_t n)
{
    int words = 0;
    bool inside = false;
    for (size_t i = 0; i < n; i++) {
        bool space = text[i] == ' ';
        words += inside == space && !space;
        inside = !space;
    }
    return words;
}

typedef struct IdList {
    int *ids;
    size_t n, capacity;
} IdList;

static int append_tokens(IdList *list, const TokenList *tokens, int end_mark)
{
    size_t n = tokens->n + (end_mark >= 0);
    list->ids = memory_grow(list->ids, &list->capacity, list->n + n, sizeof *list->ids);
    for (size_t i = 0; i < tokens->n; i++)
        list->ids[list->n++] = tokens->items[i].id;
    if (end_mark >= 0)
        list->ids[list->n++] = end_mark;
    return (int)n;
}

Pairs *pairs_encode(const PairLine *lines, int n, const Tokenizer *source, const Tokenizer *target,
                    int max_words)
{
    Pairs *pairs = memory_new(1, sizeof *pairs);
    pairs->pairs = memory_new((size_t)n, sizeof *pairs->pairs);
    IdList list = {0};
    TokenList tokens = {0};
    for (int i = 0; i < n; i++) {
        const PairLine *line = &lines[i];
        token_list_clear(&tokens);
        tokenizer_encode(source, line->source, line->n_source, &tokens);
        bool long_source = max_words && count_words(line->source, line->n_source) > max_words;
        if (tokens.n == 0 || long_source || line->n_target == 0) {
            pairs->n_skipped++;
            continue;
        }
        Pair *pair = &pairs->pairs[pairs->n++];
        pair->n_source = append_tokens(&list, &tokens, -1);
        token_list_clear(&tokens);
        tokenizer_encode(target, line->target, line->n_target, &tokens);
        pair->n_target = append_tokens(&list, &tokens, TOKENIZER_END);
    }
    token_list_free(&tokens);
    const int *at = list.ids; /* final now: the list no longer moves */
    for (int i = 0; i < pairs->n; i++) {
        Pair *pair = &pairs->pairs[i];
        pair->source = at;
        pair->target = at + pair->n_source;
        at += pair->n_source + pair->n_target;
    }
    pairs->ids = list.ids;
    return pairs;
}

void pairs_free(Pairs *pairs)
{
    if (!pairs)
        return;
    free(pairs->pairs);
    free(pairs->ids);
    free(pairs);
}

/* ---- plan ---- */

/* Target first: decoding steps run for the longest target of the batch. */
static int length_key(const Pair *pair)
{
    int target = pair->n_target < 4095 ? pair->n_target : 4095;
    int source = pair->n_source < 4095 ? pair->n_source : 4095;
    return target << 12 | source;
}

void pair_plan(BatchPlan *plan, const Pairs *pairs, int batch_size, Random *random)
{
    int *length = memory_new((size_t)pairs->n + 1, sizeof *length);
    for (int i = 0; i < pairs->n; i++)
        length[i] = length_key(&pairs->pairs[i]);
    batch_plan(plan, pairs->n, length, &(BatchPlanSpec){.size = batch_size}, random);
    free(length);
}
