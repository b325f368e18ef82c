/* How long a sentence classifier takes: what hard selection saves when words are many, and what
 * deciding costs when they are few. Processor time of one thread, the least of several runs, a
 * sentence alone as `fovea run` takes it. */
#include <math.h>
#include <time.h>

#include "train/evaluate_tasks.h"
#include "train/sentence_loss.h"

enum { ROUNDS = 5, LEAST_WORDS = 16, MOST_WORDS = 512 };

/* One example, its words anywhere. */
typedef struct Timed {
    const SentenceNet *net;
    Tape *tape;
    Ragged rows;
    const int *ids;
    double share; /* of pairs that the last selection left */
} Timed;

static void run_all(Timed *t)
{
    tape_reset(t->tape);
    sentence_run(t->net, t->tape, &t->rows, sentence_embed(t->net, t->tape, &t->rows, t->ids), NULL,
                 NULL);
}

/* The selectors decide first; only what they keep is gathered and computed. */
static void run_selected(Timed *t)
{
    tape_reset(t->tape);
    Var *x = sentence_embed(t->net, t->tape, &t->rows, t->ids);
    Selection likely =
        sentence_draw(tape_arena(t->tape), sentence_select(t->net, t->tape, &t->rows, x), NULL);
    sentence_run(t->net, t->tape, &t->rows, x, &likely, NULL);
    t->share = 0;
    for (int i = 0; i < t->rows.n; i++)
        t->share += sentence_shares(&t->rows, i, &likely).pairs / t->rows.n;
}

static double milliseconds(Timed *t, void (*once)(Timed *t))
{
    double least = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        clock_t start = clock();
        once(t);
        least = fmin(least, (double)(clock() - start));
    }
    return 1e3 * least / CLOCKS_PER_SEC;
}

/* ---- the sentences as they are ---- */

static void time_sentences(Timed *t, const Pairs *sentences, bool selects, json_t *scores)
{
    double all = 0, selected = 0;
    for (int i = 0; i < sentences->n; i++) {
        const Pair *pair = &sentences->pairs[i];
        int n_first = pair->n_source == 2 ? pair->source[1] : pair->n_target;
        const int length[2] = {n_first, pair->n_target - n_first};
        Arena *arena = arena_new();
        t->rows = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, pair->n_source, length);
        t->ids = pair->target;
        all += milliseconds(t, run_all);
        selected += selects ? milliseconds(t, run_selected) : 0;
        arena_free(arena);
    }
    json_object_set_new(scores, "ms", json_real((selects ? selected : all) / sentences->n));
    if (selects)
        json_object_set_new(scores, "all.ms", json_real(all / sentences->n));
}

/* ---- by length: the words of the data in their order, as one long sentence ---- */

static int take_words(const Pairs *sentences, int *ids)
{
    int n = 0;
    for (int i = 0; i < sentences->n; i++)
        for (int k = 0; k < sentences->pairs[i].n_target && n < MOST_WORDS; k++)
            ids[n++] = sentences->pairs[i].target[k];
    return n;
}

static void time_lengths(Timed *t, const Pairs *sentences, bool selects, json_t *scores)
{
    int ids[MOST_WORDS], n_ids = take_words(sentences, ids);
    json_t *cost = json_array();
    t->ids = ids;
    for (int n = LEAST_WORDS; n <= n_ids; n *= 2) {
        Arena *arena = arena_new();
        t->rows = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, 1, &n);
        json_t *point = json_pack("{s:i, s:f}", "words", n, "all_ms", milliseconds(t, run_all));
        if (selects) {
            json_object_set_new(point, "selected_ms", json_real(milliseconds(t, run_selected)));
            json_object_set_new(point, "share_pairs", json_real(t->share));
        }
        json_array_append_new(cost, point);
        arena_free(arena);
    }
    json_object_set_new(scores, "cost", cost);
}

void evaluate_sentence_cost(const Model *model, const Pairs *sentences, json_t *scores)
{
    const SentenceClassifier *classifier = model->network;
    const SentenceShape *shape = sentence_get_shape(classifier->net);
    bool selects = sentence_n_selectors(shape) > 0;
    Timed t = {.net = classifier->net, .tape = tape_new_inference(model->params)};
    time_sentences(&t, sentences, selects, scores);
    if (!shape->pair)
        time_lengths(&t, sentences, selects, scores);
    tape_free(t.tape);
}
