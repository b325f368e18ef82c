#include "train/sentence_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Class, length of a first sentence and words of all examples one after the other; the pairs
 * point there at the end, when the array no longer moves. */
typedef struct Filling {
    Pairs *pairs;
    size_t *first;
    size_t n_ids, capacity;
} Filling;

/* n_first 0: there is one sentence. */
static void fill(Filling *f, int class, int n_first, const TokenList *words)
{
    Pairs *p = f->pairs;
    p->ids = memory_grow(p->ids, &f->capacity, f->n_ids + words->n + 2, sizeof *p->ids);
    f->first[p->n] = f->n_ids;
    p->pairs[p->n++] = (Pair){.n_source = n_first > 0 ? 2 : 1, .n_target = (int)words->n};
    p->ids[f->n_ids++] = class;
    if (n_first > 0)
        p->ids[f->n_ids++] = n_first;
    for (size_t k = 0; k < words->n; k++)
        p->ids[f->n_ids++] = words->items[k].id;
}

static void point(Filling *f)
{
    for (int i = 0; i < f->pairs->n; i++) {
        Pair *pair = &f->pairs->pairs[i];
        pair->source = f->pairs->ids + f->first[i];
        pair->target = pair->source + pair->n_source;
    }
    free(f->first);
}

/* Appends the words of a sentence; false when they are none or too many. */
static bool encode(const Vocabulary *vocabulary, const char *text, size_t n, int max_words,
                   TokenList *words)
{
    size_t before = words->n;
    vocabulary_encode(vocabulary, text, n, words);
    size_t count = words->n - before;
    return count > 0 && (max_words == 0 || count <= (size_t)max_words);
}

Pairs *sentences_encode(const Labelled *labelled, const char *path, const Vocabulary *vocabulary,
                        int max_words, Error *error)
{
    size_t n = (size_t)labelled->n + 1;
    Filling f = {memory_new(1, sizeof(Pairs)), memory_new(n, sizeof(size_t)), 0, 0};
    f.pairs->pairs = memory_new(n, sizeof(Pair));
    TokenList words = {0};
    for (int i = 0; i < labelled->n; i++) {
        const LabelledItem *item = &labelled->items[i];
        token_list_clear(&words);
        bool fits = encode(vocabulary, item->text, item->n, max_words, &words);
        int n_first = item->second ? (int)words.n : 0;
        if (item->second)
            fits = encode(vocabulary, item->second, item->n_second, max_words, &words) && fits;
        if (fits)
            fill(&f, item->label, n_first, &words);
        else
            f.pairs->n_skipped++;
    }
    token_list_free(&words);
    point(&f);
    if (f.pairs->n > 0)
        return f.pairs;
    error_set(error, ERROR_FORMAT, "%s: no usable sentence in %d", path, labelled->n);
    pairs_free(f.pairs);
    return NULL;
}

/* ---- batches ---- */

SentenceBatch sentence_batch(Arena *arena, const Pairs *sentences, const BatchPlan *plan, int batch,
                             int shard, int n_shards, int copies)
{
    int begin = plan->start[batch], size = plan->start[batch + 1] - begin;
    int from = begin + (int)((long)size * shard / n_shards);
    int to = begin + (int)((long)size * (shard + 1) / n_shards);
    int parts = sentences->pairs[0].n_source;
    SentenceBatch b = {.n = (to - from) * copies, .n_in_batch = size, .n_parts = parts};
    size_t n = (size_t)b.n + 1;
    int *length = arena_get(arena, n * (size_t)parts, sizeof *length);
    int *classes = arena_get(arena, n, sizeof *classes);
    for (int i = 0; i < b.n; i++) {
        const Pair *pair = &sentences->pairs[plan->order[from + i / copies]];
        int n_first = parts == 2 ? pair->source[1] : pair->n_target;
        length[i * parts] = n_first;
        if (parts == 2)
            length[i * parts + 1] = pair->n_target - n_first;
        classes[i] = pair->source[0];
    }
    b.rows = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, b.n * parts, length);
    int *ids = arena_get(arena, (size_t)b.rows.rows + 1, sizeof *ids);
    for (int i = 0; i < b.n; i++) {
        const Pair *pair = &sentences->pairs[plan->order[from + i / copies]];
        memcpy(ids + b.rows.start[i * parts], pair->target, (size_t)pair->n_target * sizeof *ids);
    }
    b.ids = ids;
    b.classes = classes;
    return b;
}
