/* followed.h - what followed from a change: one output against another, token by token.
 *
 * The two outputs are laid over each other so that as few tokens as possible differ (the
 * edit distance of Levenshtein 1966; of equally good ways the one that replaces rather than
 * inserts, and differs as late as possible). Every token of either side then has its
 * partner, if it has one, and the probability that the model gave it in each run.
 *
 * Depends on: trace.
 */
#ifndef FOVEA_TRACE_FOLLOWED_H
#define FOVEA_TRACE_FOLLOWED_H
#include "trace/trace.h"

/* Longer outputs are compared place by place. */
#define FOLLOWED_MAX_CELLS ((int64_t)1 << 22)

typedef struct FollowedStep {
    int32_t before, after; /* steps of the two traces; -1: there is no partner        */
    bool same;             /* both write the same token                               */
    double p_before;       /* probability of the token of `before`; NaN without one   */
    double p_after;        /* of the token of `after`                                 */
    double change;         /* p_after - p_before of a token that stayed; else NaN     */
    double p_old;          /* what the changed run gives to the token of `before` at the
                              place of `after`, if it is among its candidates; else NaN */
} FollowedStep;

typedef struct Followed {
    FollowedStep *at;
    int32_t n;
    int32_t n_other; /* of them: replaced, inserted or left out */
} Followed;

Followed followed_new(const Trace *before, const Trace *after);
void followed_free(Followed *followed);

#endif
