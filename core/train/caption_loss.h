/* caption_loss.h - the loss of a batch of pictures with their sentences, with teacher forcing
 * (models/caption.h; Xu et al. 2015, sections 4.1 and 4.2).
 *
 * Soft: the mean negative log-likelihood of a word, and for each sentence
 *     coverage sum_i (1 - sum_t alpha_ti)^2        (doubly stochastic attention)
 * As sum_i sum_t alpha_ti is the number of words whatever the weights are, the target 1 only
 * moves the value, not the gradient: the term draws every cell towards equal shares.
 *
 * Hard: cells s_t are drawn; for every sentence, ascent on
 *     log p(y | s) + policy (R - b) sum_t log alpha_t(s_t) + entropy sum_t H(alpha_t)
 * with R = log p(y | s), the whole sentence's, and b its moving average (0.9 / 0.1). A share
 * of the sentences takes the expectation alpha instead of the draw: then the pass is soft and
 * has no policy term. reward=to-go replaces R by the part from word t on, and b by its share:
 * the same expectation, less variance. reward=word keeps log p of word t alone: still less
 * variance, but what a look does for later words is not counted.
 */
#ifndef FOVEA_TRAIN_CAPTION_LOSS_H
#define FOVEA_TRAIN_CAPTION_LOSS_H
#include "models/caption.h"
#include "train/task.h"

typedef enum { REWARD_SENTENCE, REWARD_TO_GO, REWARD_WORD } CaptionReward;

typedef struct CaptionBatch {
    int n;
    Var *pictures;     /* [n side side, 3]                     */
    const int *ids;    /* [n, CAPTION_MAX_WORDS], end included */
    const int *length; /* [n]                                  */
} CaptionBatch;

typedef struct CaptionLossSpec {
    Real dropout;
    Real coverage;
    double expectation; /* probability that a sentence is soft */
    Real policy, entropy;
    CaptionReward reward;
    double baseline;  /* expected log p: of a sentence; else of a word       */
    const int *cells; /* tests replay given draws: [steps, n]; NULL: draw     */
} CaptionLossSpec;

/* random NULL: no dropout, the largest cell, no policy terms. The result is scale x (sum over
 * words), [1,1]; measures get "loss" (nats a word), "accuracy", "entropy", "sentence" (log p
 * of a sentence). nll, unless NULL, is set to the negative log-likelihood of every word,
 * sentence by sentence. */
Var *caption_loss(const Caption *net, Tape *tape, const CaptionBatch *batch,
                  const CaptionLossSpec *spec, Random *random, Real scale, Measures *measures,
                  const Real **nll);

#endif
