/* optimiser.h - Adam with clipping, for the parameter groups of one model.
 *
 * Adam (Kingma and Ba 2014, arXiv 1412.6980, algorithm 1) with optional decoupled weight
 * decay on matrices (Loshchilov and Hutter 2017). Clipping scales the gradient of a group
 * so that its global norm is at most `clip`; the norm before clipping is reported. A step
 * whose norm is not finite is skipped and counted.
 *
 * Groups (param.h): a policy has learning rate and clipping of its own. State is two arrays
 * of the parameters' layout, so a checkpoint is plain copying.
 */
#ifndef FOVEA_TRAIN_OPTIMISER_H
#define FOVEA_TRAIN_OPTIMISER_H
#include <stdint.h>

#include "grad/param.h"

typedef struct OptimiserGroup {
    double rate; /* 0: the group does not move */
    double clip; /* 0: no clipping             */
} OptimiserGroup;

typedef struct Optimiser {
    ParamSet *params;
    Real *mean;   /* [param_set_size] */
    Real *square; /* [param_set_size] */
    int64_t steps[PARAM_N_GROUPS];
    int64_t skipped;
    double beta1, beta2, epsilon, weight_decay;
} Optimiser;

Optimiser *optimiser_new(ParamSet *params);
void optimiser_free(Optimiser *optimiser);

/* One update from `gradient` [param_set_size]. norms, unless NULL, receives the norm of each
 * group before clipping. */
void optimiser_step(Optimiser *optimiser, const Real *gradient,
                    const OptimiserGroup groups[PARAM_N_GROUPS], double norms[PARAM_N_GROUPS]);

#endif
