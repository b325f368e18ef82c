/* What the verdict owes to each sentence and word: left out one at a time, and by gradient.
 *
 * A document without something is a document of its own, read anew; a sentence that did not
 * change keeps its vector. All are read in a few batches: below the changed sentences, above
 * one document for each item left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/han_session.h"

#define ROWS_AT_ONCE 4000   /* words and sentences read in one batch, then stops are seen */
#define ROWS_AT_MOST 150000 /* of one document; what is heaviest is left out first */

/* An input whose rows are named by their place. */
static HanLayout identity_layout(Arena *arena, int n)
{
    int *column = arena_get(arena, (size_t)n + 1, sizeof *column);
    for (int i = 0; i < n; i++)
        column[i] = i;
    return (HanLayout){.column = column};
}

/* ---- documents with one sentence left out or another in its place ---- */

typedef struct Change {
    int sentence;
    int instead; /* row of the changed sentences, or -1: left out */
} Change;

/* changed [n_changed,2h]; p [n]: probability of the best class after each change. */
static void read_changes(const HanSession *s, Tape *tape, const Var *changed, int n,
                         const Change *changes, double *p)
{
    const Han *net = s->classifier->net;
    Arena *arena = tape_arena(tape);
    int m = s->n_sentences, d = 2 * han_get_shape(net)->hidden;
    int n_changed = changed ? changed->rows : 0;
    Var *x = tape_zeros(tape, m + n_changed, d);
    memcpy(x->value, s->run.vectors, (size_t)m * (size_t)d * sizeof(Real));
    if (changed)
        memcpy(var_row(x, m), changed->value, var_size(changed) * sizeof(Real));
    HanLayout below = identity_layout(arena, x->rows);
    int *length = arena_get(arena, (size_t)n + 1, sizeof *length);
    int *items = arena_get(arena, (size_t)n * (size_t)m + 1, sizeof *items);
    for (int k = 0, at = 0; k < n; k++) {
        length[k] = changes[k].instead < 0 ? m - 1 : m;
        for (int i = 0; i < m; i++)
            if (i != changes[k].sentence)
                items[at++] = i;
            else if (changes[k].instead >= 0)
                items[at++] = m + changes[k].instead;
    }
    HanLayout layout = han_layout(arena, n, length, items, &below);
    const HanControl control = {.temperature = (Real)s->options.temperature};
    HanReading r = han_read(net, tape, HAN_SENTENCES, &layout, x, NULL, &control);
    Var *logits = han_classify(net, tape, r.vectors, NULL);
    for (int k = 0; k < n; k++)
        p[k] = softmax_probability(var_row(logits, layout.column[k]), logits->cols, s->run.best);
}

static bool stopped(const HanSession *s, Error *error)
{
    return stop_requested(s->options.stop) && !error_set(error, ERROR_CANCELLED, "stopped");
}

/* ---- sentences ---- */

typedef struct Order {
    float weight;
    int sentence;
} Order;

static int heavier_first(const void *a, const void *b)
{
    const Order *x = a, *y = b;
    return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight)
                                  : x->sentence - y->sentence;
}

static const Order *by_weight(const HanSession *s, Arena *arena)
{
    Order *order = arena_get(arena, (size_t)s->n_sentences, sizeof *order);
    for (int i = 0; i < s->n_sentences; i++)
        order[i] = (Order){s->run.sentence_weights ? s->run.sentence_weights[i] : 0, i};
    qsort(order, (size_t)s->n_sentences, sizeof *order, heavier_first);
    return order;
}

static bool leave_sentences_out(HanSession *s, Arena *arena, const Order *order, Error *error)
{
    int most = ROWS_AT_ONCE / s->n_sentences + 1;
    int n = ROWS_AT_MOST / s->n_sentences + 1;
    n = n < s->n_sentences ? n : s->n_sentences;
    s->effects.is_partial = n < s->n_sentences;
    Change *changes = arena_get(arena, (size_t)most, sizeof *changes);
    double *p = arena_get(arena, (size_t)most, sizeof *p);
    bool ok = true;
    for (int from = 0; ok && from < n; from += most) {
        int part = n - from < most ? n - from : most;
        for (int k = 0; k < part; k++)
            changes[k] = (Change){order[from + k].sentence, -1};
        Tape *tape = tape_new_inference(s->base.model->params);
        read_changes(s, tape, NULL, part, changes, p);
        for (int k = 0; k < part; k++)
            s->effects.sentence[changes[k].sentence] =
                (float)(s->run.probability[s->run.best] - p[k]);
        tape_free(tape);
        ok = !stopped(s, error);
    }
    return ok;
}

/* ---- words ---- */

/* The sentence of each word in words[0..n) without it. */
static Var *read_shortened(const HanSession *s, Tape *tape, int n, const int *words)
{
    Arena *arena = tape_arena(tape);
    const Han *net = s->classifier->net;
    int *length = arena_get(arena, (size_t)n, sizeof *length), total = 0;
    for (int k = 0; k < n; k++) {
        length[k] = s->length[s->sentence_of[words[k]]] - 1;
        total += length[k];
    }
    int *ids = arena_get(arena, (size_t)total + 1, sizeof *ids);
    for (int k = 0, at = 0; k < n; k++)
        for (int i = s->first[s->sentence_of[words[k]]], t = 0; t <= length[k]; t++)
            if (i + t != words[k])
                ids[at++] = s->ids[i + t];
    HanLayout layout = han_layout(arena, n, length, ids, NULL);
    const HanControl control = {.temperature = (Real)s->options.temperature};
    HanReading r = han_read(net, tape, HAN_WORDS, &layout, han_embed(net, tape, &layout, NULL),
                            NULL, &control);
    return op_gather(tape, r.vectors, n, layout.column);
}

/* words[0..n) are not alone in their sentences. */
static void leave_words_out(HanSession *s, int n, const int *words)
{
    Tape *tape = tape_new_inference(s->base.model->params);
    Change *changes = arena_get(tape_arena(tape), (size_t)n, sizeof *changes);
    double *p = arena_get(tape_arena(tape), (size_t)n, sizeof *p);
    for (int k = 0; k < n; k++)
        changes[k] = (Change){s->sentence_of[words[k]], k};
    read_changes(s, tape, read_shortened(s, tape, n, words), n, changes, p);
    for (int k = 0; k < n; k++)
        s->effects.word[words[k]] = (float)(s->run.probability[s->run.best] - p[k]);
    tape_free(tape);
}

static bool leave_words_of_all(HanSession *s, Arena *arena, const Order *order, Error *error)
{
    int *words = arena_get(arena, (size_t)s->n_words, sizeof *words), n = 0;
    long rows = 0, all = 0;
    bool ok = true;
    for (int k = 0; ok && k < s->n_sentences; k++) {
        int i = order[k].sentence, length = s->length[i];
        long cost = (long)length * (length + s->n_sentences);
        if (length == 1) {
            s->effects.word[s->first[i]] = s->effects.sentence[i];
            continue;
        }
        if (all + cost > ROWS_AT_MOST) {
            s->effects.is_partial = true;
            continue;
        }
        for (int t = 0; t < length; t++)
            words[n++] = s->first[i] + t;
        rows += cost;
        all += cost;
        if (rows > ROWS_AT_ONCE) {
            leave_words_out(s, n, words);
            n = 0;
            rows = 0;
            ok = !stopped(s, error);
        }
    }
    if (ok && n > 0)
        leave_words_out(s, n, words);
    return ok;
}

/* ---- gradient ---- */

/* Rows of the embedding, one for each word of the document. */
static Var *embed_places(const HanSession *s, Tape *tape)
{
    Var *table = tape_param(tape, param_find(s->base.model->params, "embedding"));
    Var *x = op_gather(tape, table, s->n_words, s->ids);
    return tape_input(tape, x->rows, x->cols, x->value);
}

/* d p / d e_c = p (1[c = best] - p_c) for the logits e. */
static void gradient_times_input(HanSession *s)
{
    const Han *net = s->classifier->net;
    Tape *tape = tape_new(s->base.model->params, NULL);
    Arena *arena = tape_arena(tape);
    Var *x = embed_places(s, tape);
    int most = s->n_words > s->n_sentences ? s->n_words : s->n_sentences;
    HanLayout places = identity_layout(arena, most);
    HanLayout words = han_layout(arena, s->n_sentences, s->length, places.column, &places);
    HanLayout sentences = han_layout(arena, 1, &s->n_sentences, places.column, &words);
    const HanControl control = {.temperature = (Real)s->options.temperature};
    HanReading w = han_read(net, tape, HAN_WORDS, &words, x, NULL, &control);
    HanReading v = han_read(net, tape, HAN_SENTENCES, &sentences, w.vectors, NULL, &control);
    Var *logits = han_classify(net, tape, v.vectors, NULL);
    Real *slope = arena_get(arena, (size_t)logits->cols, sizeof *slope);
    const double *p = s->run.probability;
    int best = s->run.best;
    for (int c = 0; c < logits->cols; c++)
        slope[c] = (Real)(p[best] * ((c == best ? 1 : 0) - p[c]));
    tape_backward_from(tape, logits, slope);
    for (int i = 0; x->grad && i < s->n_words; i++) {
        double sum = 0;
        for (int j = 0; j < x->cols; j++)
            sum +=
                (double)x->grad[(size_t)i * (size_t)x->cols + (size_t)j] * (double)var_row(x, i)[j];
        s->effects.gradient[i] = (float)sum;
    }
    tape_free(tape);
}

/* ---- all ---- */

static float *not_computed(Arena *arena, int n)
{
    float *out = arena_get(arena, (size_t)n, sizeof *out);
    for (int i = 0; i < n; i++)
        out[i] = NAN;
    return out;
}

bool han_has_effects(const HanSession *s)
{
    return !s->visible && !s->weights && !s->word_weights;
}

bool han_run_effects(HanSession *s, Error *error)
{
    if (s->has_effects || !han_has_effects(s))
        return true;
    s->effects =
        (HanEffects){not_computed(s->arena, s->n_sentences), not_computed(s->arena, s->n_words),
                     not_computed(s->arena, s->n_words), false};
    gradient_times_input(s);
    Arena *arena = arena_new();
    const Order *order = by_weight(s, arena);
    bool ok =
        leave_sentences_out(s, arena, order, error) && leave_words_of_all(s, arena, order, error);
    arena_free(arena);
    s->has_effects = ok;
    return ok;
}
