#include "train/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

#define POOL_BATCHES 100 /* so many batches are sorted by length together */

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

typedef struct Keyed {
    int key, index;
} Keyed;

static int by_key(const void *a, const void *b)
{
    const Keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Target first: decoding steps run for the longest target of the batch. */
static void sort_pool(const Pairs *pairs, int *order, int n, Keyed *scratch)
{
    for (int i = 0; i < n; i++) {
        const Pair *p = &pairs->pairs[order[i]];
        int target = p->n_target < 4095 ? p->n_target : 4095;
        int source = p->n_source < 4095 ? p->n_source : 4095;
        scratch[i] = (Keyed){target << 12 | source, order[i]};
    }
    qsort(scratch, (size_t)n, sizeof *scratch, by_key);
    for (int i = 0; i < n; i++)
        order[i] = scratch[i].index;
}

static void cut_batches(PairPlan *plan, int n, int batch_size)
{
    plan->n_batches = (n + batch_size - 1) / batch_size;
    plan->start = memory_resize(plan->start, (size_t)plan->n_batches + 1, sizeof *plan->start);
    for (int b = 0; b <= plan->n_batches; b++)
        plan->start[b] = b * batch_size < n ? b * batch_size : n;
}

static void shuffle_batches(PairPlan *plan, int n, Random *random)
{
    int *sequence = memory_new((size_t)plan->n_batches + 1, sizeof *sequence);
    int *order = memory_new((size_t)n + 1, sizeof *order);
    int *start = memory_new((size_t)plan->n_batches + 1, sizeof *start);
    for (int b = 0; b < plan->n_batches; b++)
        sequence[b] = b;
    random_shuffle(random, sequence, plan->n_batches);
    for (int b = 0; b < plan->n_batches; b++) {
        int from = plan->start[sequence[b]], size = plan->start[sequence[b] + 1] - from;
        memcpy(order + start[b], plan->order + from, (size_t)size * sizeof *order);
        start[b + 1] = start[b] + size;
    }
    free(plan->order);
    free(plan->start);
    free(sequence);
    plan->order = order;
    plan->start = start;
}

void pair_plan(PairPlan *plan, const Pairs *pairs, int batch_size, Random *random)
{
    int n = pairs->n;
    plan->order = memory_resize(plan->order, (size_t)n + 1, sizeof *plan->order);
    for (int i = 0; i < n; i++)
        plan->order[i] = i;
    if (random)
        random_shuffle(random, plan->order, n);
    int pool = random ? batch_size * POOL_BATCHES : n;
    Keyed *scratch = memory_new((size_t)n + 1, sizeof *scratch);
    for (int at = 0; at < n; at += pool)
        sort_pool(pairs, plan->order + at, n - at < pool ? n - at : pool, scratch);
    free(scratch);
    cut_batches(plan, n, batch_size);
    if (random)
        shuffle_batches(plan, n, random);
}

void pair_plan_free(PairPlan *plan)
{
    free(plan->order);
    free(plan->start);
    *plan = (PairPlan){0};
}
