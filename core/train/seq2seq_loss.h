/* seq2seq_loss.h - the loss of a batch of sentence pairs, with teacher forcing.
 *
 * Mean negative log-likelihood (label smoothing optional) of the target tokens. With hard
 * alignment the positions are drawn, and the policy gradient (Williams 1992; MODELS: hard
 * attention for sequences, reward to go) is added: for every draw z_t
 *     - policy (G_t - b_t) grad log a_t(z_t) - entropy grad H(a_t)
 * where G_t is the log-probability of the target from t on and b_t = baseline x tokens left.
 * A share of the sentences takes the expectation instead of the draw (Xu et al. 2015).
 */
#ifndef FOVEA_TRAIN_SEQ2SEQ_LOSS_H
#define FOVEA_TRAIN_SEQ2SEQ_LOSS_H
#include "models/seq2seq.h"
#include "train/task.h"
#include "train/translation_data.h"

typedef struct Seq2SeqLossSpec {
    Dropout dropout; /* probabilities; `random` is not used    */
    Real smoothing;
    double expectation; /* probability that a sentence is soft    */
    Real policy, entropy;
    double baseline; /* expected log-probability of one token  */
    /* Tests replay given draws: [steps, n] positions; NULL: draw. */
    const int *positions;
} Seq2SeqLossSpec;

/* random NULL: no dropout, hard choices by argmax, no policy terms. The result is
 * scale x (sum over target tokens), [1,1]; measures get "loss" (nats a token, unsmoothed),
 * "accuracy" and "entropy" (of the weights). nll, unless NULL, is set to the negative
 * log-likelihood of every target row. */
Var *seq2seq_loss(const Seq2Seq *net, Tape *tape, const PairBatch *batch,
                  const Seq2SeqLossSpec *spec, Random *random, Real scale, Measures *measures,
                  const Real **nll);

#endif
