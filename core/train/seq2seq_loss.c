#include "train/seq2seq_loss.h"

#include <math.h>

/* Everything that the decoder left behind, by step. */
typedef struct Decoded {
    Var **outputs, **contexts, **readouts, **aligned;
    const int **chosen;
    Real *soft_share; /* [n]: 1 where the expectation was taken */
} Decoded;

static Decoded new_decoded(Arena *arena, int steps, int n)
{
    size_t t = (size_t)steps;
    return (Decoded){
        arena_get_zeroed(arena, t, sizeof(Var *)), arena_get_zeroed(arena, t, sizeof(Var *)),
        arena_get_zeroed(arena, t, sizeof(Var *)), arena_get_zeroed(arena, t, sizeof(Var *)),
        arena_get_zeroed(arena, t, sizeof(int *)), arena_get_zeroed(arena, (size_t)n, sizeof(Real)),
    };
}

/* How the positions of one step are drawn. */
static void draw_positions(Arena *arena, const PairBatch *batch, const Seq2SeqLossSpec *spec,
                           const Decoded *d, Random *random, Seq2SeqControl *control)
{
    double *draws = arena_get(arena, (size_t)batch->n, sizeof *draws);
    for (int i = 0; i < batch->n; i++)
        draws[i] = random_uniform(random);
    control->hard = CHOOSE_SAMPLE;
    control->hard_draws = draws;
    control->soft_share = d->soft_share;
    if (spec->positions)
        control->hard_position = spec->positions + control->step * batch->n;
}

static Decoded decode(const Seq2Seq *net, Tape *tape, const Seq2SeqSource *source,
                      const PairBatch *batch, Var *projected, const Seq2SeqLossSpec *spec,
                      Random *random)
{
    Arena *arena = tape_arena(tape);
    Decoded d = new_decoded(arena, batch->steps, batch->n);
    bool draws = random && seq2seq_get_shape(net)->alignment == ALIGNMENT_HARD;
    for (int i = 0; draws && i < batch->n; i++)
        d.soft_share[i] = random_uniform(random) < spec->expectation ? 1 : 0;
    Seq2SeqState state = {source->first_state, NULL};
    for (int step = 0; step < batch->steps; step++) {
        Seq2SeqControl control = {.step = step, .temperature = 1};
        if (draws)
            draw_positions(arena, batch, spec, &d, random, &control);
        Var *x = op_slice_rows(tape, projected, step * batch->n, (step + 1) * batch->n);
        Seq2SeqStep s = seq2seq_step(net, tape, source, x, &state, &control);
        state = s.next;
        d.outputs[step] = s.output;
        d.contexts[step] = s.context;
        d.readouts[step] = s.next.attentional;
        d.aligned[step] = s.aligned;
        d.chosen[step] = s.chosen;
    }
    return d;
}

/* The rows of the real target positions out of all steps. */
static Var *real_rows(Tape *tape, const PairBatch *batch, Var *const *steps)
{
    return op_gather(tape, op_stack(tape, batch->steps, steps), batch->n_rows, batch->row);
}

static Var *logits_of(const Seq2Seq *net, Tape *tape, const PairBatch *batch, const Decoded *d,
                      Var *embedded, const Dropout *dropout)
{
    Var *readout;
    if (d->readouts[0])
        readout = real_rows(tape, batch, d->readouts);
    else
        readout = seq2seq_readout(net, tape, real_rows(tape, batch, d->outputs),
                                  d->contexts[0] ? real_rows(tape, batch, d->contexts) : NULL,
                                  op_gather(tape, embedded, batch->n_rows, batch->row));
    return seq2seq_logits(net, tape, readout, dropout);
}

/* Both terms of one step; to_go [n] holds G_{t+1} and receives G_t. */
static void policy_step(Tape *tape, const PairBatch *batch, const Decoded *d,
                        const Seq2SeqLossSpec *spec, const Real *nll, int step, double *to_go,
                        Real scale, Var *terms[2])
{
    Arena *arena = tape_arena(tape);
    Real *advantage = arena_get_zeroed(arena, (size_t)batch->n, sizeof *advantage);
    Real *is_real = arena_get_zeroed(arena, (size_t)batch->n, sizeof *is_real);
    for (int i = 0; i < batch->n; i++) {
        int row = batch->row_of[step * batch->n + i];
        if (row < 0)
            continue;
        to_go[i] -= (double)nll[row];
        double expected = spec->baseline * (batch->length[i] - step);
        advantage[i] = d->soft_share[i] != 0 ? 0 : (Real)(to_go[i] - expected);
        is_real[i] = 1;
    }
    terms[0] =
        op_log_chosen(tape, d->aligned[step], d->chosen[step], advantage, -scale * spec->policy);
    terms[1] = op_entropy(tape, d->aligned[step], is_real, -scale * spec->entropy);
}

static Var *policy_terms(Tape *tape, const PairBatch *batch, const Decoded *d,
                         const Seq2SeqLossSpec *spec, const Real *nll, Real scale)
{
    Arena *arena = tape_arena(tape);
    double *to_go = arena_get_zeroed(arena, (size_t)batch->n, sizeof *to_go);
    int n_terms = 2 * batch->steps;
    Var **terms = arena_get(arena, (size_t)n_terms, sizeof *terms);
    Real *ones = arena_get(arena, (size_t)n_terms, sizeof *ones);
    for (int step = batch->steps; step-- > 0;)
        policy_step(tape, batch, d, spec, nll, step, to_go, scale, terms + 2 * step);
    for (int i = 0; i < n_terms; i++)
        ones[i] = 1;
    return op_weighted_sum(tape, n_terms, terms, ones);
}

static double mean_entropy(const PairBatch *batch, const Decoded *d)
{
    double sum = 0;
    for (int step = 0; step < batch->steps; step++)
        for (int i = 0; i < batch->n; i++) {
            if (batch->row_of[step * batch->n + i] < 0)
                continue;
            const Real *a = var_row(d->aligned[step], i);
            for (int j = 0; j < d->aligned[step]->cols; j++)
                sum -= a[j] > 0 ? (double)a[j] * log((double)a[j]) : 0;
        }
    return sum / batch->n_rows;
}

Var *seq2seq_loss(const Seq2Seq *net, Tape *tape, const PairBatch *batch,
                  const Seq2SeqLossSpec *spec, Random *random, Real scale, Measures *measures,
                  const Real **nll)
{
    Dropout dropout = spec->dropout;
    dropout.random = random;
    const Dropout *drop = random ? &dropout : NULL;
    Seq2SeqSource source = seq2seq_encode(net, tape, &batch->sources, batch->source_ids, drop);
    Var *embedded =
        seq2seq_embed_target(net, tape, batch->steps * batch->n, batch->input_ids, drop);
    Var *projected = seq2seq_project_target(net, tape, embedded);
    Decoded d = decode(net, tape, &source, batch, projected, spec, random);
    Var *logits = logits_of(net, tape, batch, &d, embedded, drop);
    CrossEntropy ce = op_cross_entropy(tape, logits, batch->target_ids, NULL,
                                       random ? spec->smoothing : 0, scale);
    measures_add(measures, "loss", ce.sum_nll / ce.n_counted, ce.n_counted);
    measures_add(measures, "accuracy", (double)ce.n_correct / ce.n_counted, ce.n_counted);
    if (d.aligned[0])
        measures_add(measures, "entropy", mean_entropy(batch, &d), ce.n_counted);
    if (nll)
        *nll = ce.nll;
    if (!random || !d.chosen[0])
        return ce.loss;
    Var *terms[2] = {ce.loss, policy_terms(tape, batch, &d, spec, ce.nll, scale)};
    const Real ones[2] = {1, 1};
    return op_weighted_sum(tape, 2, terms, ones);
}
