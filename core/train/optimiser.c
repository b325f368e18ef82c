#include "train/optimiser.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "math/kernels.h"

Optimiser *optimiser_new(ParamSet *params)
{
    Optimiser *optimiser = memory_new(1, sizeof *optimiser);
    optimiser->params = params;
    optimiser->mean = memory_new(param_set_size(params), sizeof(Real));
    optimiser->square = memory_new(param_set_size(params), sizeof(Real));
    optimiser->beta1 = 0.9;
    optimiser->beta2 = 0.999;
    optimiser->epsilon = 1e-8;
    return optimiser;
}

void optimiser_free(Optimiser *optimiser)
{
    if (!optimiser)
        return;
    free(optimiser->mean);
    free(optimiser->square);
    free(optimiser);
}

static size_t count(const Param *param)
{
    return (size_t)param->rows * (size_t)param->cols;
}

static double group_norm(const ParamSet *params, const Real *gradient, int group)
{
    double sum = 0;
    for (int i = 0; i < param_count(params); i++) {
        const Param *p = param_at(params, i);
        if (p->group == group)
            sum += (double)kernels()->dot(count(p), gradient + p->offset, gradient + p->offset);
    }
    return sqrt(sum);
}

static void update_group(Optimiser *o, const Real *gradient, int group, double rate, double scale)
{
    double t = (double)++o->steps[group];
    double correction1 = 1 - pow(o->beta1, t), correction2 = sqrt(1 - pow(o->beta2, t));
    AdamStep step = {
        .rate = (Real)(rate * correction2 / correction1),
        .beta1 = (Real)o->beta1,
        .beta2 = (Real)o->beta2,
        .epsilon = (Real)(o->epsilon * correction2),
        .scale = (Real)scale,
    };
    for (int i = 0; i < param_count(o->params); i++) {
        const Param *p = param_at(o->params, i);
        if (p->group != group)
            continue;
        step.decay = p->decays ? (Real)(rate * o->weight_decay) : 0;
        kernels()->adam(count(p), &step, gradient + p->offset, o->mean + p->offset,
                        o->square + p->offset, param_value(o->params, p));
    }
}

void optimiser_step(Optimiser *optimiser, const Real *gradient,
                    const OptimiserGroup groups[PARAM_N_GROUPS], double norms[PARAM_N_GROUPS])
{
    for (int group = 0; group < PARAM_N_GROUPS; group++) {
        double norm = group_norm(optimiser->params, gradient, group);
        if (norms)
            norms[group] = norm;
        if (groups[group].rate == 0)
            continue;
        if (!isfinite(norm)) {
            optimiser->skipped++;
            continue;
        }
        double clip = groups[group].clip;
        double scale = clip > 0 && norm > clip ? clip / norm : 1;
        update_group(optimiser, gradient, group, groups[group].rate, scale);
    }
}
