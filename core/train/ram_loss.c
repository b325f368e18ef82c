#include "train/ram_loss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/session_tools.h"

/* ---- terms of the loss ---- */

enum { MOST_TERMS = 3 * RAM_MAX_GLIMPSES };

typedef struct Terms {
    int n;
    Var *item[MOST_TERMS];
    Real weight[MOST_TERMS];
} Terms;

static void add_term(Terms *terms, Var *term)
{
    terms->item[terms->n] = term;
    terms->weight[terms->n++] = 1;
}

static Real is_right(const Var *logits, int i, int truth)
{
    const Real *row = var_row(logits, i);
    int best = 0;
    for (int c = 1; c < logits->cols; c++)
        best = row[c] > row[best] ? c : best;
    return best == truth ? 1 : 0;
}

/* R: [N - 1, n]. answers: logits after each of the N glimpses; all but the last may be NULL when
 * only that counts. */
static const Real *rewards(Tape *tape, int n_glimpses, Var *const *answers, const int *labels,
                           RewardKind kind)
{
    int last = n_glimpses - 1, n = answers[last]->rows;
    Real *reward = tape_scratch(tape, (size_t)last * (size_t)n);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int t = last - 1; t >= 0; t--) {
            if (kind == REWARD_CHANCE)
                sum += softmax_probability(var_row(answers[t + 1], i), RAM_N_CLASSES, labels[i]);
            reward[t * n + i] = kind == REWARD_CHANCE ? (Real)(sum / (last - t))
                                                      : is_right(answers[last], i, labels[i]);
        }
    }
    return reward;
}

/* -(R - b) log N(l; m, s) = (R - b) |l - m|^2 / (2 s^2) + what does not depend on m. */
static Var *policy_term(Tape *tape, const RamLossSpec *spec, Var *mean, const Var *baseline,
                        const Real *sample, const Real *reward, Real scale)
{
    int n = mean->rows;
    Real *weight = tape_scratch(tape, 2 * (size_t)n);
    for (int i = 0; i < n; i++) {
        Real expected = spec->baseline == BASELINE_LEARNED  ? baseline->value[i]
                        : spec->baseline == BASELINE_MOVING ? (Real)spec->moving
                                                            : 0;
        weight[2 * i] = weight[2 * i + 1] = reward[i] - expected;
    }
    Real factor = spec->policy * scale / (Real)(2 * spec->sigma * spec->sigma);
    return op_squared_error(tape, mean, sample, weight, factor);
}

static void add_decisions(Terms *terms, const Ram *net, Tape *tape, const RamPaths *paths,
                          const RamLossSpec *spec, const Real *reward, Real scale, Measures *m)
{
    int n_decisions = ram_get_shape(net)->glimpses - 1, n = paths->state[0]->rows;
    double error = 0, sum = 0;
    for (int t = 0; t < n_decisions; t++, reward += n) {
        Var *b = paths->baseline[t];
        Real share = scale * spec->value / (Real)n_decisions;
        add_term(terms, op_squared_error(tape, b, reward, NULL, share));
        if (spec->sigma > 0)
            add_term(terms, policy_term(tape, spec, paths->mean[t], b, paths->sample[t + 1], reward,
                                        scale));
        for (int i = 0; i < n; i++) {
            error += pow((double)(b->value[i] - reward[i]), 2) / n_decisions;
            sum += (double)reward[i] / n_decisions;
        }
    }
    measures_add(m, "baseline.error", error / n, n);
    measures_add(m, "reward", sum / n, n);
}

static double mean_distance(const RamPaths *paths, int glimpses, int n)
{
    double sum = 0;
    for (int t = 0; t < glimpses; t++)
        for (int i = 0; i < n; i++)
            sum += hypot((double)paths->sample[t][2 * i], (double)paths->sample[t][2 * i + 1]);
    return sum / (glimpses * n);
}

Var *ram_loss(const Ram *net, Tape *tape, const RamBatch *batch, const RamLossSpec *spec,
              Random *random, Real scale, Measures *measures)
{
    const RamShape *shape = ram_get_shape(net);
    RamPaths paths =
        ram_walk(net, tape, batch->n, batch->pictures, spec->sigma, spec->places, random);
    Terms terms = {0};
    int last = shape->glimpses - 1;
    Var *answers[RAM_MAX_GLIMPSES] = {0};
    for (int t = 0; t <= last; t++)
        if (t == last || spec->early > 0 || spec->reward == REWARD_CHANCE)
            answers[t] = ram_classify(net, tape, paths.state[t]);
    CrossEntropy ce = op_cross_entropy(tape, answers[last], batch->labels, NULL, 0, scale);
    add_term(&terms, ce.loss);
    for (int t = 0; t < last && spec->early > 0; t++) {
        Real share = scale * spec->early / (Real)last;
        add_term(&terms, op_cross_entropy(tape, answers[t], batch->labels, NULL, 0, share).loss);
    }
    measures_add(measures, "loss", ce.sum_nll / batch->n, batch->n);
    measures_add(measures, "accuracy", (double)ce.n_correct / batch->n, batch->n);
    measures_add(measures, "distance", mean_distance(&paths, shape->glimpses, batch->n), batch->n);
    if (shape->looking == LOOKING_LEARNED && last > 0)
        add_decisions(&terms, net, tape, &paths, spec,
                      rewards(tape, shape->glimpses, answers, batch->labels, spec->reward), scale,
                      measures);
    return op_weighted_sum(tape, terms.n, terms.item, terms.weight);
}

/* ---- variance of the estimate ---- */

typedef struct Moments {
    double *sum, *square;
} Moments;

static void add_policy_gradient(const ParamSet *params, const Real *gradient, Moments *m)
{
    for (int k = 0; k < param_count(params); k++) {
        const Param *p = param_at(params, k);
        for (int j = 0; p->group == PARAM_GROUP_POLICY && j < p->rows * p->cols; j++) {
            size_t at = p->offset + (size_t)j;
            m->sum[at] += (double)gradient[at];
            m->square[at] += (double)gradient[at] * (double)gradient[at];
        }
    }
}

void ram_gradient_variance(const Ram *net, const ParamSet *params, const RamBatch *batch,
                           const RamLossSpec *like, int draws, uint64_t seed,
                           double variance[BASELINE_N_KINDS])
{
    size_t size = param_set_size(params);
    Real *gradient = memory_new(size, sizeof *gradient);
    Tape *tape = tape_new(params, gradient);
    for (int kind = 0; kind < BASELINE_N_KINDS; kind++) {
        Moments m = {memory_new(size, sizeof(double)), memory_new(size, sizeof(double))};
        RamLossSpec spec = *like;
        spec.baseline = (BaselineKind)kind;
        spec.policy = 1;
        for (int draw = 0; draw < draws; draw++) {
            Random random = random_seed(seed, (uint64_t)draw);
            Measures ignored = {0};
            memset(gradient, 0, size * sizeof *gradient);
            tape_reset(tape);
            tape_backward(tape, ram_loss(net, tape, batch, &spec, &random, (Real)1 / (Real)batch->n,
                                         &ignored));
            add_policy_gradient(params, gradient, &m);
        }
        variance[kind] = 0;
        for (size_t i = 0; i < size; i++)
            variance[kind] += (m.square[i] - m.sum[i] * m.sum[i] / draws) / (draws - 1);
        free(m.sum);
        free(m.square);
    }
    tape_free(tape);
    free(gradient);
}
