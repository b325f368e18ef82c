#include "train/caption_loss.h"

#include <math.h>

/* Everything that the decoder left behind, by step. */
typedef struct Decoded {
    int steps;
    Var **embedded, **states, **contexts, **aligned;
    const int **chosen;
    Real *soft_share; /* [n]: 1 where the expectation was taken       */
    int *row;         /* words, sentence by sentence: row of the stack */
    int *target;      /* their ids                                     */
    int n_words;
} Decoded;

static Decoded new_decoded(Arena *arena, const CaptionBatch *batch)
{
    Decoded d = {0};
    for (int i = 0; i < batch->n; i++) {
        d.steps = batch->length[i] > d.steps ? batch->length[i] : d.steps;
        d.n_words += batch->length[i];
    }
    size_t t = (size_t)d.steps;
    d.embedded = arena_get(arena, t, sizeof(Var *));
    d.states = arena_get(arena, t, sizeof(Var *));
    d.contexts = arena_get(arena, t, sizeof(Var *));
    d.aligned = arena_get(arena, t, sizeof(Var *));
    d.chosen = arena_get(arena, t, sizeof(int *));
    d.soft_share = arena_get_zeroed(arena, (size_t)batch->n, sizeof(Real));
    d.row = arena_get(arena, (size_t)d.n_words, sizeof(int));
    d.target = arena_get(arena, (size_t)d.n_words, sizeof(int));
    int k = 0;
    for (int i = 0; i < batch->n; i++)
        for (int step = 0; step < batch->length[i]; step++, k++) {
            d.row[k] = step * batch->n + i;
            d.target[k] = batch->ids[i * CAPTION_MAX_WORDS + step];
        }
    return d;
}

/* The word before each of step's, or -1 at the start and after the end. */
static const int *inputs(Arena *arena, const CaptionBatch *batch, int step)
{
    int *ids = arena_get(arena, (size_t)batch->n, sizeof *ids);
    for (int i = 0; i < batch->n; i++)
        ids[i] =
            step > 0 && step < batch->length[i] ? batch->ids[i * CAPTION_MAX_WORDS + step - 1] : -1;
    return ids;
}

static CaptionControl control_at(Arena *arena, const CaptionBatch *batch,
                                 const CaptionLossSpec *spec, const Decoded *d, int step,
                                 Random *random)
{
    CaptionControl control = {.temperature = 1};
    if (!random)
        return control;
    double *draws = arena_get(arena, (size_t)batch->n, sizeof *draws);
    for (int i = 0; i < batch->n; i++)
        draws[i] = random_uniform(random);
    control.draws = draws;
    control.soft_share = d->soft_share;
    if (spec->cells)
        control.chosen = spec->cells + step * batch->n;
    return control;
}

static Decoded decode(const Caption *net, Tape *tape, const CaptionBatch *batch,
                      const CaptionLossSpec *spec, Random *random)
{
    Arena *arena = tape_arena(tape);
    CaptionSource source = caption_encode(net, tape, batch->pictures);
    Decoded d = new_decoded(arena, batch);
    bool draws = random && caption_get_shape(net)->is_hard;
    for (int i = 0; draws && i < batch->n; i++)
        d.soft_share[i] = random_uniform(random) < spec->expectation ? 1 : 0;
    Var *state = source.first_state;
    for (int step = 0; step < d.steps; step++) {
        CaptionControl control = control_at(arena, batch, spec, &d, step, draws ? random : NULL);
        d.embedded[step] = caption_embed(net, tape, batch->n, inputs(arena, batch, step));
        CaptionStep s = caption_step(net, tape, &source, d.embedded[step], state, &control);
        state = d.states[step] = s.state;
        d.contexts[step] = s.context;
        d.aligned[step] = s.aligned;
        d.chosen[step] = s.chosen;
    }
    return d;
}

/* The rows of real words out of all steps. */
static Var *words_of(Tape *tape, const Decoded *d, Var *const *steps)
{
    return op_gather(tape, op_stack(tape, d->steps, steps), d->n_words, d->row);
}

/* [n]: 1 while sentence i has a word at this step. */
static Real *running(Arena *arena, const CaptionBatch *batch, int step)
{
    Real *is_real = arena_get(arena, (size_t)batch->n, sizeof *is_real);
    for (int i = 0; i < batch->n; i++)
        is_real[i] = step < batch->length[i] ? 1 : 0;
    return is_real;
}

static Var *coverage_term(Tape *tape, const CaptionBatch *batch, const Decoded *d, Real scale)
{
    Var *sum = NULL;
    for (int step = 0; step < d->steps; step++) {
        Var *real = tape_borrow(tape, batch->n, 1, running(tape_arena(tape), batch, step));
        Var *part = op_multiply(tape, d->aligned[step], real);
        sum = sum ? op_add(tape, sum, part) : part;
    }
    Real *ones = tape_scratch(tape, var_size(sum));
    for (size_t i = 0; i < var_size(sum); i++)
        ones[i] = 1;
    return op_squared_error(tape, sum, ones, NULL, scale);
}

/* Weights [n] of the log-probabilities of a step's choices. after [n] holds the sum of log p
 * of the words after this one, and receives this one's too. */
static Real *advantages(Arena *arena, const CaptionBatch *batch, const CaptionLossSpec *spec,
                        const Decoded *d, const Real *const *nll, int step, double *after)
{
    Real *advantage = arena_get_zeroed(arena, (size_t)batch->n, sizeof *advantage);
    for (int i = 0; i < batch->n; i++) {
        if (step >= batch->length[i])
            continue;
        double reward = 0, expected = spec->baseline;
        if (spec->reward == REWARD_WORD) {
            reward = -(double)nll[i][step];
        } else if (spec->reward == REWARD_TO_GO) {
            reward = after[i] -= (double)nll[i][step];
            expected *= batch->length[i] - step;
        } else {
            for (int t = 0; t < batch->length[i]; t++)
                reward -= (double)nll[i][t];
        }
        advantage[i] = d->soft_share[i] != 0 ? 0 : (Real)(reward - expected);
    }
    return advantage;
}

static Var *policy_terms(Tape *tape, const CaptionBatch *batch, const Decoded *d,
                         const CaptionLossSpec *spec, const Real *nll, Real scale)
{
    Arena *arena = tape_arena(tape);
    double *after = arena_get_zeroed(arena, (size_t)batch->n, sizeof *after);
    const Real **of_sentence = arena_get(arena, (size_t)batch->n, sizeof *of_sentence);
    for (int i = 0; i < batch->n; i++) {
        of_sentence[i] = nll;
        nll += batch->length[i];
    }
    int n_terms = 2 * d->steps;
    Var **terms = arena_get(arena, (size_t)n_terms, sizeof *terms);
    Real *ones = arena_get(arena, (size_t)n_terms, sizeof *ones);
    for (int step = d->steps; step-- > 0;) {
        Real *advantage = advantages(arena, batch, spec, d, of_sentence, step, after);
        terms[2 * step] = op_log_chosen(tape, d->aligned[step], d->chosen[step], advantage,
                                        -scale * spec->policy);
        terms[2 * step + 1] =
            op_entropy(tape, d->aligned[step], running(arena, batch, step), -scale * spec->entropy);
    }
    for (int i = 0; i < n_terms; i++)
        ones[i] = 1;
    return op_weighted_sum(tape, n_terms, terms, ones);
}

static double mean_entropy(const CaptionBatch *batch, const Decoded *d)
{
    double sum = 0;
    for (int step = 0; step < d->steps; step++)
        for (int i = 0; i < batch->n; i++) {
            const Real *a = var_row(d->aligned[step], i);
            for (int j = 0; step < batch->length[i] && j < d->aligned[step]->cols; j++)
                sum -= a[j] > 0 ? (double)a[j] * log((double)a[j]) : 0;
        }
    return sum / d->n_words;
}

Var *caption_loss(const Caption *net, Tape *tape, const CaptionBatch *batch,
                  const CaptionLossSpec *spec, Random *random, Real scale, Measures *measures,
                  const Real **nll)
{
    Decoded d = decode(net, tape, batch, spec, random);
    Var *logits =
        caption_logits(net, tape, words_of(tape, &d, d.embedded), words_of(tape, &d, d.states),
                       words_of(tape, &d, d.contexts), spec->dropout, random);
    CrossEntropy ce = op_cross_entropy(tape, logits, d.target, NULL, 0, scale);
    measures_add(measures, "loss", ce.sum_nll / d.n_words, d.n_words);
    measures_add(measures, "accuracy", (double)ce.n_correct / d.n_words, d.n_words);
    measures_add(measures, "entropy", mean_entropy(batch, &d), d.n_words);
    measures_add(measures, "sentence", -ce.sum_nll / batch->n, batch->n);
    if (nll)
        *nll = ce.nll;
    if (!random)
        return ce.loss;
    Var *terms[2] = {ce.loss, NULL};
    const Real ones[2] = {1, 1};
    if (d.chosen[0])
        terms[1] = policy_terms(tape, batch, &d, spec, ce.nll, scale);
    else
        terms[1] = coverage_term(tape, batch, &d, scale * spec->coverage);
    return op_weighted_sum(tape, 2, terms, ones);
}
