/* sentence_tiny.h - a sentence classifier of a few units with its sentences, for tests in double
 * precision. */
#ifndef FOVEA_TESTS_SENTENCE_TINY_H
#define FOVEA_TESTS_SENTENCE_TINY_H
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/sentence.h"
#include "train/optimiser.h"
#include "train/sentence_loss.h"

enum { MOST_SENTENCES = 8, MOST_WORDS = 64 };

typedef struct Tiny {
    Settings *settings;
    ParamSet *params;
    SentenceNet *net;
    Real *gradient;
    Pair pairs[MOST_SENTENCES];
    Pairs list;
    BatchPlan plan;
    int ids[MOST_WORDS], classes[MOST_SENTENCES][2], order[MOST_SENTENCES], start[2];
    int n_ids;
} Tiny;

static inline void set(Tiny *tiny, const char *assignment)
{
    Error error = {0};
    if (!tiny->settings)
        tiny->settings = settings_new(sentence_settings);
    assert_ok(settings_assign(tiny->settings, assignment, &error));
}

static inline void build(Tiny *tiny, int vocabulary, int classes, uint64_t seed, double scale)
{
    Error error = {0};
    SentenceShape shape;
    assert_ok(sentence_shape(tiny->settings, vocabulary, classes, &shape, &error));
    tiny->params = param_set_new();
    tiny->net = sentence_new(&shape, tiny->params);
    assert_ok(param_set_allocate(tiny->params, &error));
    tiny->gradient = calloc(param_set_size(tiny->params), sizeof(Real));
    Random random = random_seed(seed, 0);
    for (int i = 0; i < param_count(tiny->params); i++) {
        const Param *p = param_at(tiny->params, i);
        for (int j = 0; j < p->rows * p->cols; j++)
            param_value(tiny->params, p)[j] = (Real)(scale * random_normal(&random));
    }
}

/* Of two sentences the first has n_first words; one sentence: 0. */
static inline void add_example(Tiny *tiny, int class, int n_first, int n, const int *ids)
{
    int k = tiny->list.n;
    assert_true(k < MOST_SENTENCES && tiny->n_ids + n <= MOST_WORDS);
    memcpy(tiny->ids + tiny->n_ids, ids, (size_t)n * sizeof *ids);
    tiny->classes[k][0] = class;
    tiny->classes[k][1] = n_first;
    tiny->pairs[k] = (Pair){tiny->classes[k], tiny->ids + tiny->n_ids, n_first > 0 ? 2 : 1, n};
    tiny->order[k] = k;
    tiny->n_ids += n;
    tiny->list = (Pairs){.pairs = tiny->pairs, .n = k + 1};
    tiny->start[1] = k + 1;
    tiny->plan = (BatchPlan){tiny->order, tiny->start, 1};
}

static inline void add_sentence(Tiny *tiny, int class, int n, const int *ids)
{
    add_example(tiny, class, 0, n, ids);
}

static inline void tiny_free(Tiny *tiny)
{
    sentence_free(tiny->net);
    param_set_free(tiny->params);
    settings_free(tiny->settings);
    free(tiny->gradient);
}

/* Loss and gradient of all sentences; in shards only when nothing is given. */
static inline double loss_of(Tiny *tiny, const SentenceLossSpec *spec, int n_shards)
{
    memset(tiny->gradient, 0, param_set_size(tiny->params) * sizeof(Real));
    Tape *tape = tape_new(tiny->params, tiny->gradient);
    double total = 0;
    for (int shard = 0; shard < n_shards; shard++) {
        tape_reset(tape);
        SentenceBatch batch = sentence_batch(tape_arena(tape), &tiny->list, &tiny->plan, 0, shard,
                                             n_shards, spec->copies);
        if (batch.n == 0)
            continue;
        Measures measures = {0};
        Var *loss = sentence_loss(tiny->net, tape, &batch, spec, NULL,
                                  (Real)1 / (Real)batch.n_in_batch, &measures, NULL);
        total += (double)loss->value[0];
        tape_backward(tape, loss);
    }
    tape_free(tape);
    return total;
}

#endif
