#include "models/beam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/kernels.h"

/* A hypothesis that is still being written. */
typedef struct Live {
    int node; /* its last, or -1 */
    double total;
    double best;  /* of its continuations at this step */
    bool is_kept; /* one of them */
} Live;

typedef struct Continuation {
    int from; /* live hypothesis */
    int token;
    double log_probability, total;
} Continuation;

typedef struct Beam {
    const BeamSpec *spec;
    BeamResult *result;
    size_t capacity;
    Live *live;
    int *from, *last; /* of the live ones, for the decoder */
    int n_live, n_finished;
    Continuation *best; /* [width] */
    int n_best;
    Real *scratch;
} Beam;

/* (5 + n)^a / 6^a (Wu et al. 2016, eq. 14), or the length itself. */
static double normalised(const BeamSpec *spec, double total, int length)
{
    if (spec->length_penalty > 0)
        return total / pow((5.0 + length) / 6.0, spec->length_penalty);
    return total / length;
}

static int add_node(Beam *beam, int parent, int step, const Continuation *c)
{
    BeamResult *r = beam->result;
    r->nodes = memory_grow(r->nodes, &beam->capacity, (size_t)r->n_nodes + 1, sizeof *r->nodes);
    r->nodes[r->n_nodes] = (BeamNode){
        .parent = parent,
        .step = step,
        .token = c->token,
        .log_probability = c->log_probability,
        .total = c->total,
        .score = normalised(beam->spec, c->total, step + 1),
        .state = TRACE_BEAM_PRUNED,
    };
    return r->n_nodes++;
}

/* Keeps the `most` best by total; earlier hypotheses and lower tokens win ties. */
static void offer(Beam *beam, int most, Continuation c)
{
    if (beam->n_best == most && c.total <= beam->best[most - 1].total)
        return;
    int place = beam->n_best < most ? beam->n_best++ : most - 1;
    while (place > 0 && c.total > beam->best[place - 1].total) {
        beam->best[place] = beam->best[place - 1];
        place--;
    }
    beam->best[place] = c;
}

/* log of the sum of exponentials of a row. */
static double log_sum(Beam *beam, const Real *row, int n)
{
    Real max = kernels()->max((size_t)n, row);
    beam->scratch = memory_resize(beam->scratch, (size_t)n, sizeof *beam->scratch);
    return (double)max + log((double)kernels()->exp_sum((size_t)n, row, max, beam->scratch));
}

static void collect(Beam *beam, const Var *logits, int step)
{
    int most = beam->spec->width - beam->n_finished;
    beam->n_best = 0;
    for (int i = 0; i < beam->n_live; i++) {
        const Real *row = var_row(logits, i);
        double log_z = log_sum(beam, row, logits->cols), total = beam->live[i].total;
        double best = -INFINITY;
        if (step < beam->spec->n_prefix) {
            int token = beam->spec->prefix[step];
            double lp = (double)row[token] - log_z;
            offer(beam, most, (Continuation){i, token, lp, total + lp});
            continue;
        }
        for (int v = 0; v < logits->cols; v++) {
            double lp = (double)row[v] - log_z;
            best = fmax(best, total + lp);
            if (beam->n_best < most || total + lp > beam->best[most - 1].total)
                offer(beam, most, (Continuation){i, v, lp, total + lp});
        }
        beam->live[i].best = best;
    }
}

/* Every live hypothesis whose continuations were all too bad; of equal length, so totals rank
 * as scores do. */
static void note_dropped(Beam *beam, int step)
{
    for (int k = 0; k < beam->n_best; k++)
        beam->live[beam->best[k].from].is_kept = true;
    double worst = beam->best[beam->n_best - 1].total;
    for (int i = 0; i < beam->n_live; i++) {
        const Live *live = &beam->live[i];
        if (live->is_kept || live->node < 0 || step < beam->spec->n_prefix)
            continue;
        BeamNode *node = &beam->result->nodes[live->node];
        node->dropped_at = step;
        node->dropped_score = normalised(beam->spec, live->best, step + 1);
        node->kept_score = normalised(beam->spec, worst, step + 1);
    }
}

static void advance(Beam *beam, int step)
{
    int n = 0;
    Live live[RUN_MAX_BEAM];
    note_dropped(beam, step);
    for (int k = 0; k < beam->n_best; k++) {
        const Continuation *c = &beam->best[k];
        int node = add_node(beam, beam->live[c->from].node, step, c);
        if (c->token == beam->spec->end_token) {
            beam->result->nodes[node].state = TRACE_BEAM_FINISHED;
            beam->n_finished++;
            continue;
        }
        beam->from[n] = c->from;
        beam->last[n] = c->token;
        live[n++] = (Live){.node = node, .total = c->total};
    }
    memcpy(beam->live, live, (size_t)n * sizeof *live);
    beam->n_live = n;
}

/* An inner node is what the best of its continuations became. */
static void inherit_states(BeamResult *r)
{
    static const int rank[] = {
        [TRACE_BEAM_PRUNED] = 0, [TRACE_BEAM_LIVE] = 1, [TRACE_BEAM_FINISHED] = 2};
    for (int i = r->n_nodes; i-- > 0;) {
        int parent = r->nodes[i].parent;
        if (parent >= 0 && rank[r->nodes[i].state] > rank[r->nodes[parent].state])
            r->nodes[parent].state = r->nodes[i].state;
    }
}

/* The best finished hypothesis, or the best unfinished one when none finished. */
static void conclude(Beam *beam)
{
    BeamResult *r = beam->result;
    int best = -1;
    for (int i = 0; i < beam->n_live; i++)
        r->nodes[beam->live[i].node].state = TRACE_BEAM_LIVE;
    for (int pass = 0; pass < 2 && best < 0; pass++)
        for (int i = 0; i < r->n_nodes; i++) {
            TraceBeamState wanted = pass == 0 ? TRACE_BEAM_FINISHED : TRACE_BEAM_LIVE;
            if (r->nodes[i].state == wanted &&
                (best < 0 || r->nodes[i].score > r->nodes[best].score))
                best = i;
        }
    r->score = r->nodes[best].score;
    r->n_tokens = r->nodes[best].step + 1;
    r->tokens = memory_new((size_t)r->n_tokens, sizeof *r->tokens);
    for (int node = best; node >= 0; node = r->nodes[node].parent)
        r->tokens[r->nodes[node].step] = r->nodes[node].token;
    inherit_states(r);
}

bool beam_search(const BeamDecoder *decoder, const BeamSpec *spec, BeamResult *result, Error *error)
{
    FOVEA_CHECK(spec->width >= 1 && spec->width <= RUN_MAX_BEAM, "beam of %d", spec->width);
    *result = (BeamResult){0};
    Live live[RUN_MAX_BEAM] = {{.node = -1}};
    Continuation best[RUN_MAX_BEAM];
    int from[RUN_MAX_BEAM], last[RUN_MAX_BEAM] = {spec->begin_token};
    Beam beam = {spec, result, 0, live, from, last, 1, 0, best, 0, NULL};
    bool stopped = false;
    for (int step = 0; step < spec->max_steps && beam.n_live > 0 && !stopped; step++) {
        collect(&beam,
                decoder->logits(decoder->context, step, beam.n_live, step ? from : NULL, last),
                step);
        advance(&beam, step);
        if (beam.n_finished >= spec->width)
            break;
        stopped = stop_requested(spec->stop);
    }
    free(beam.scratch);
    if (stopped)
        return error_set(error, ERROR_CANCELLED, "the search was stopped");
    conclude(&beam);
    return true;
}

void beam_result_free(BeamResult *result)
{
    free(result->nodes);
    free(result->tokens);
    *result = (BeamResult){0};
}
