/* sentence_loss.h - what a batch of labelled sentences costs, with both gradients.
 *
 * The network learns from L = cross-entropy (plus the penalty of structured hops). The
 * selectors learn by REINFORCE (Williams 1992; Shen et al. 2018, eq. 14): each sentence
 * stands `copies` times in the batch, each copy with words drawn anew, and
 *     reward  r = max(log p(class), -5) - lambda mean over selectors of max(0, share - floor)
 *     L_r = - sum (r - b) log p(z)       share = selected / words
 * A pair of sentences has one reward, with the mean cost of the two (the paper gives each its
 * own cost). With floor=0 the cost is the paper's lambda n_selected / n; a floor takes away the
 * gain of selecting ever less, which is how such a policy collapses. b = none          0 b = moving
 * a running mean over batches (biased for no z: it comes from the past) b = others        mean
 * reward of the sentence's other copies: takes out how hard the sentence is (Kool et al. 2019) An
 * anchor keeps the network good at whole sentences: one copy of each takes every word and plays no
 * part in the policy.
 *
 * Neither gradient reaches the other's parameters.
 */
#ifndef FOVEA_TRAIN_SENTENCE_LOSS_H
#define FOVEA_TRAIN_SENTENCE_LOSS_H
#include "models/sentence_model.h"
#include "train/sentence_data.h"
#include "train/task.h"

/* Which words take part. */
typedef enum {
    TAKE_ALL,
    TAKE_DRAWN,    /* z ~ pi                                                            */
    TAKE_LIKELY,   /* pi > 0.5                                                          */
    TAKE_SHUFFLED, /* pi > 0.5, then moved to other words of the sentence: the same counts
                      and overlap without the policy's knowledge                         */
    TAKE_UNIFORM,  /* each with the same probability                                    */
} TakeWords;

typedef enum {
    SENTENCE_BASELINE_NONE,
    SENTENCE_BASELINE_MOVING,
    SENTENCE_BASELINE_OTHERS
} SentenceBaseline;

typedef struct SentenceLossSpec {
    SentenceDropout dropout; /* its random is not used */
    TakeWords take;
    double uniform;       /* TAKE_UNIFORM: that probability                             */
    bool teaches_network; /* cross-entropy flows back                                   */
    bool teaches_policy;  /* with TAKE_DRAWN                                            */
    int copies;           /* as in the batch                                            */
    bool anchor;          /* the first copy takes every word: it teaches the network alone */
    Real smoothing;       /* of the labels                                              */
    Real penalty;         /* structured: weight of |A A^T - I|^2                        */
    double lambda, floor;
    SentenceBaseline baseline;
    double moving;          /* value of the moving baseline                               */
    Real entropy;           /* weight of the entropy of the draws                         */
    const Selection *given; /* used instead of drawing: for enumerations                 */
} SentenceLossSpec;

/* What happened; arrays in the tape's arena. */
typedef struct SentenceOutcome {
    SentenceRun run;
    Selection selection;      /* picked[] NULL where every word takes part */
    const Var *select_logits; /* NULL without selectors                    */
    const Real *nll;          /* [n], one an example                       */
    const double *reward;     /* [n]                                       */
} SentenceOutcome;

/* scale multiplies every example's terms (1 / examples in the whole batch). random NULL:
 * no dropout; draws need it. Adds the measures "loss", "accuracy" and, with selectors,
 * "share.head", "share.dependent", "share.pairs", "share.kept", "reward". */
Var *sentence_loss(const SentenceNet *net, Tape *tape, const SentenceBatch *batch,
                   const SentenceLossSpec *spec, Random *random, Real scale, Measures *measures,
                   SentenceOutcome *outcome);

/* Shares of one sentence's words: heads, dependents, either, and pairs of all n (n - 1). */
typedef struct SentenceShares {
    double head, dependent, kept, pairs;
} SentenceShares;

SentenceShares sentence_shares(const Ragged *rows, int sentence, const Selection *selection);

#endif
