/* The same scores under another alignment, through the operations that models use. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "attention/attention.h"
#include "base/random.h"
#include "views/pipeline.h"

typedef struct Reader {
    Tape *tape;
    Ragged keys;
    Span span;
    unsigned char *keep;
    AttendTo to;
    Var *scores;
} Reader;

static Reader *reader_new(const PipelinePlan *plan, const float *scores, Span span)
{
    Tape *tape = tape_new_inference(NULL);
    Arena *arena = tape_arena(tape);
    Reader *r = arena_get_zeroed(arena, 1, sizeof *r);
    int n = plan->n;
    r->tape = tape;
    r->keys = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, 1, &n);
    r->span = span;
    r->keep = arena_get(arena, (size_t)n, 1);
    Real *values = arena_get(arena, (size_t)n, sizeof *values);
    for (int i = 0; i < n; i++) {
        r->keep[i] = !isnan(scores[i]);
        values[i] = r->keep[i] ? (Real)scores[i] : 0;
    }
    r->to = (AttendTo){.keys = &r->keys, .span = &r->span, .keep = r->keep};
    r->scores = tape_borrow(tape, 1, n, values);
    return r;
}

/* Copies a result out and ends the reading. */
static const float *reader_finish(const PipelinePlan *plan, Reader *r, const Var *result)
{
    float *out = arena_get(plan->arena, (size_t)plan->n, sizeof *out);
    for (int i = 0; i < plan->n; i++)
        out[i] = (float)result->value[i];
    tape_free(r->tape);
    return out;
}

const float *reading_softmax(const PipelinePlan *plan, const float *scores, double temperature)
{
    Reader *r = reader_new(plan, scores, (Span){0, plan->n});
    return reader_finish(plan, r, op_align_softmax(r->tape, r->scores, (Real)temperature, &r->to));
}

static Span window_span(const PipelinePlan *plan, const TraceWindow *window)
{
    int low = window->low > 0 ? window->low : 0;
    int high = window->high + 1 < plan->n ? window->high + 1 : plan->n;
    return (Span){low, high > low ? high : low};
}

const float *reading_local(const PipelinePlan *plan, const float *scores, const TraceWindow *window,
                           double temperature)
{
    Reader *r = reader_new(plan, scores, window_span(plan, window));
    Var *weights = op_align_softmax(r->tape, r->scores, (Real)temperature, &r->to);
    if (window->sigma > 0) {
        Real centre = (Real)window->centre;
        weights = op_align_gaussian(r->tape, weights, tape_constant(r->tape, 1, 1, &centre),
                                    (Real)window->sigma, &r->to);
    }
    return reader_finish(plan, r, weights);
}

const float *reading_hard(const PipelinePlan *plan, const float *scores)
{
    float *out = arena_get_zeroed(plan->arena, (size_t)plan->n, sizeof *out);
    int best = -1;
    for (int i = 0; i < plan->n; i++)
        if (!isnan(scores[i]) && (best < 0 || scores[i] > scores[best]))
            best = i;
    if (best >= 0)
        out[best] = 1;
    return out;
}

uint64_t reading_seed(const PipelinePlan *plan)
{
    uint64_t seed;
    return sscanf(view_attribute(plan->frame->trace, "seed"), "%" SCNu64, &seed) == 1 ? seed : 1;
}

const float *reading_draws(const PipelinePlan *plan, const float *soft, int n_draws)
{
    float *share = arena_get_zeroed(plan->arena, (size_t)plan->n, sizeof *share);
    Real *weights = arena_get(plan->arena, (size_t)plan->n, sizeof *weights);
    for (int32_t i = 0; i < plan->n; i++)
        weights[i] = (Real)soft[i];
    /* A stream for every row: stepping back shows the same draws again. */
    Random random = random_seed(reading_seed(plan), RANDOM_EXPLORE + 1 + (uint64_t)plan->row);
    for (int k = 0; k < n_draws; k++) {
        int at = align_sample(weights, plan->n, random_uniform(&random));
        if (at >= 0)
            share[at] += 1;
    }
    for (int32_t i = 0; i < plan->n; i++)
        share[i] /= (float)n_draws;
    return share;
}
