/* ram_loss.h - the hybrid loss of the recurrent attention model (models/ram.h).
 *
 *     loss = CE(digit)                                  through action, core, glimpse networks
 *          + value  mean_t (b_t - R)^2                  the baseline network alone
 *          - policy sum_t (R - b_t) log N(l_t; m_t, s)  the location network alone
 *
 * averaged over pictures. The place of the first glimpse is not a decision, and the mean
 * after the last glimpse decides nothing: N - 1 terms. l_t is the sample before clipping. What
 * the choice of the place of glimpse t + 1 has earned, R_t, is
 *
 *   right    1 when the last answer is right, else 0, for every t (Mnih et al. 2014, eq. 4)
 *   chance   the mean over glimpses s > t of p_s(truth), the probability of the right digit if
 *            one stopped after s. p is the expectation of "right" over answers drawn from it,
 *            so there is less noise in it, and a choice is paid for what follows it alone: it
 *            learns from far fewer pictures.
 *
 * What R is compared with only changes the variance of the estimate: nothing, a moving
 * average over batches (REINFORCE), or the learned b_t (actor and critic).
 */
#ifndef FOVEA_TRAIN_RAM_LOSS_H
#define FOVEA_TRAIN_RAM_LOSS_H
#include "models/ram.h"
#include "train/task.h"

typedef enum { BASELINE_NONE, BASELINE_MOVING, BASELINE_LEARNED, BASELINE_N_KINDS } BaselineKind;

typedef enum { REWARD_RIGHT, REWARD_CHANCE } RewardKind;

typedef struct RamBatch {
    int n;
    const Real *const *pictures; /* [n] of [side * side] */
    const int *labels;           /* [n]                  */
} RamBatch;

typedef struct RamLossSpec {
    Real value, policy;
    Real early; /* weight of the cross-entropy of earlier read-outs, averaged; 0: none */
    BaselineKind baseline;
    RewardKind reward;
    double moving; /* value of the moving average                                      */
    double sigma;  /* spread of the samples; 0: every location is the mean              */
    /* Tests replay given samples, before clipping: [N, n, 2]; NULL: draw. */
    const Real *places;
} RamLossSpec;

/* The result is scale x (sum over pictures), [1,1]. measures get "loss" (CE in nats),
 * "accuracy", "reward" (mean R_t), "baseline.error" and "distance" (of glimpses from the middle).
 */
Var *ram_loss(const Ram *net, Tape *tape, const RamBatch *batch, const RamLossSpec *spec,
              Random *random, Real scale, Measures *measures);

/* Trace of the covariance of the policy gradient of one batch (mean over pictures) over
 * `draws` >= 2 runs, for each kind of baseline on the same runs. */
void ram_gradient_variance(const Ram *net, const ParamSet *params, const RamBatch *batch,
                           const RamLossSpec *spec, int draws, uint64_t seed,
                           double variance[BASELINE_N_KINDS]);

#endif
