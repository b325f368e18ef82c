#include "train/documents.h"

#include <stdlib.h>
#include <string.h>

#include "text/vocabulary.h"

void document_plan(BatchPlan *plan, const Documents *documents, const BatchPlanSpec *spec,
                   Random *random)
{
    int *length = memory_new((size_t)documents->n + 1, sizeof *length);
    for (int i = 0; i < documents->n; i++)
        length[i] = documents->items[i].n_words;
    batch_plan(plan, documents->n, length, spec, random);
    free(length);
}

void documents_free(Documents *documents)
{
    free(documents->items);
    free(documents->numbers);
    *documents = (Documents){0};
}

/* ---- encoding ---- */

typedef struct Filling {
    Documents out;
    size_t n, capacity;
} Filling;

static void fill(Filling *f, int label, const HanText *text)
{
    size_t n = text->sentences.n + text->words.n;
    f->out.numbers = memory_grow(f->out.numbers, &f->capacity, f->n + n + 1, sizeof(int));
    f->out.items[f->out.n++] = (Document){
        .label = label, .n_sentences = (int)text->sentences.n, .n_words = (int)text->words.n};
    for (size_t i = 0; i < text->sentences.n; i++)
        f->out.numbers[f->n++] = text->sentences.items[i].n_words;
    for (size_t i = 0; i < text->words.n; i++)
        f->out.numbers[f->n++] = text->words.items[i].id;
}

Documents documents_encode(const Labelled *labelled, const HanClassifier *classifier)
{
    Filling f = {.out = {.items = memory_new((size_t)labelled->n + 1, sizeof(Document))}};
    HanText text = {0};
    for (int i = 0; i < labelled->n; i++) {
        const LabelledItem *item = &labelled->items[i];
        han_text_read(classifier, item->text, item->n, &text);
        fill(&f, item->label, &text);
    }
    han_text_free(&text);
    const int *at = f.out.numbers; /* it no longer moves */
    for (int i = 0; i < f.out.n; i++) {
        Document *d = &f.out.items[i];
        d->length = at;
        d->ids = at + d->n_sentences;
        at = d->ids + d->n_words;
    }
    return f.out;
}

/* ---- batches ---- */

static void forget_words(int *ids, int n, double share, Random *random)
{
    for (int i = 0; share > 0 && i < n; i++)
        if (random_uniform(random) < share)
            ids[i] = VOCABULARY_UNKNOWN;
}

static HanLayout lay_words(Arena *arena, const Documents *documents, int n, const int *order,
                           double unknown, Random *random)
{
    int n_sentences = 0, n_words = 0;
    for (int i = 0; i < n; i++) {
        n_sentences += documents->items[order[i]].n_sentences;
        n_words += documents->items[order[i]].n_words;
    }
    int *length = arena_get(arena, (size_t)n_sentences + 1, sizeof *length);
    int *ids = arena_get(arena, (size_t)n_words + 1, sizeof *ids);
    int sentences = 0, words = 0;
    for (int i = 0; i < n; i++) {
        const Document *d = &documents->items[order[i]];
        memcpy(length + sentences, d->length, (size_t)d->n_sentences * sizeof *length);
        memcpy(ids + words, d->ids, (size_t)d->n_words * sizeof *ids);
        sentences += d->n_sentences;
        words += d->n_words;
    }
    forget_words(ids, n_words, unknown, random);
    return han_layout(arena, n_sentences, length, ids, NULL);
}

DocumentBatch document_batch(Arena *arena, const Documents *documents, int n, const int *order,
                             double unknown, Random *random)
{
    DocumentBatch batch = {.n = n};
    batch.words = lay_words(arena, documents, n, order, unknown, random);
    int n_sentences = batch.words.batch.n;
    int *length = arena_get(arena, (size_t)n + 1, sizeof *length);
    int *sentence = arena_get(arena, (size_t)n_sentences + 1, sizeof *sentence);
    int *target = arena_get(arena, (size_t)n + 1, sizeof *target);
    for (int i = 0; i < n; i++)
        length[i] = documents->items[order[i]].n_sentences;
    for (int i = 0; i < n_sentences; i++)
        sentence[i] = i;
    batch.sentences = han_layout(arena, n, length, sentence, &batch.words);
    for (int i = 0; i < n; i++)
        target[i] = documents->items[order[batch.sentences.order[i]]].label;
    batch.target = target;
    return batch;
}
