#include "train/sentence_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Class and words of all sentences one after the other; the pairs point there at the end,
 * when the array no longer moves. */
typedef struct Filling {
    Pairs *pairs;
    size_t *first;
    size_t n_ids, capacity;
} Filling;

static void fill(Filling *f, int class, const TokenList *words)
{
    Pairs *p = f->pairs;
    p->ids = memory_grow(p->ids, &f->capacity, f->n_ids + words->n + 1, sizeof *p->ids);
    f->first[p->n] = f->n_ids;
    p->pairs[p->n++] = (Pair){.n_source = 1, .n_target = (int)words->n};
    p->ids[f->n_ids++] = class;
    for (size_t k = 0; k < words->n; k++)
        p->ids[f->n_ids++] = words->items[k].id;
}

static void point(Filling *f)
{
    for (int i = 0; i < f->pairs->n; i++) {
        f->pairs->pairs[i].source = f->pairs->ids + f->first[i];
        f->pairs->pairs[i].target = f->pairs->ids + f->first[i] + 1;
    }
    free(f->first);
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
        vocabulary_encode(vocabulary, item->text, item->n, &words);
        if (words.n == 0 || (max_words > 0 && words.n > (size_t)max_words))
            f.pairs->n_skipped++;
        else
            fill(&f, item->label, &words);
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
    SentenceBatch b = {.n = (to - from) * copies, .n_in_batch = size};
    size_t n = (size_t)b.n + 1;
    int *length = arena_get(arena, n, sizeof *length), *classes = arena_get(arena, n, sizeof(int));
    for (int i = 0; i < b.n; i++) {
        const Pair *pair = &sentences->pairs[plan->order[from + i / copies]];
        length[i] = pair->n_target;
        classes[i] = pair->source[0];
    }
    b.rows = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, b.n, length);
    int *ids = arena_get(arena, (size_t)b.rows.rows + 1, sizeof *ids);
    for (int i = 0; i < b.n; i++)
        memcpy(ids + b.rows.start[i], sentences->pairs[plan->order[from + i / copies]].target,
               (size_t)length[i] * sizeof *ids);
    b.ids = ids;
    b.classes = classes;
    return b;
}
