/* beam.h - beam search over any decoder that can continue several hypotheses at once.
 *
 * The search (Sutskever et al. 2014; length normalisation of Wu et al. 2016, eq. 14): at each
 * step all continuations of all live hypotheses are ranked by total log-probability, the
 * best width - finished are kept, those that end are set aside; it ends when `width` have
 * finished, none is live, or max_steps is reached. The best finished hypothesis by
 * normalised score wins (the best live one when none finished).
 *
 * The whole tree is kept, pruned branches too, so that it can be looked at.
 *
 * Invariants: a beam of one equals greedy decoding; ties go to the earlier hypothesis and the
 * lower token.
 */
#ifndef FOVEA_MODELS_BEAM_H
#define FOVEA_MODELS_BEAM_H
#include "base/thread.h"
#include "grad/tape.h"
#include "models/model.h"

typedef struct BeamNode {
    int parent; /* earlier node or -1 */
    int step;
    int token;
    double log_probability, total, score;
    TraceBeamState state; /* of a node with continuations: what the best of them became */
    int dropped_at;       /* the step that kept none of its continuations; 0: none did */
    double dropped_score, kept_score; /* of the best of those, of the worst that was kept */
} BeamNode;

typedef struct BeamResult {
    BeamNode *nodes;
    int n_nodes;
    int *tokens; /* of the best hypothesis, end mark included */
    int n_tokens;
    double score;
} BeamResult;

typedef struct BeamSpec {
    int width;
    double length_penalty; /* alpha in ((5 + n) / 6)^alpha; 0: divide by the length */
    int max_steps;
    int begin_token, end_token;
    int n_prefix; /* tokens that every hypothesis begins with */
    const int *prefix;
    const StopFlag *stop;
} BeamSpec;

/* Logits [n, V] after one more token. Row i continues row from[i] of the last call (all of
 * them the begin mark at step 0, from NULL) with token last[i]. Valid until the next call. */
typedef struct BeamDecoder {
    void *context;
    const Var *(*logits)(void *context, int step, int n, const int *from, const int *last);
} BeamDecoder;

bool beam_search(const BeamDecoder *decoder, const BeamSpec *spec, BeamResult *result,
                 Error *error) FOVEA_MUST_USE;
void beam_result_free(BeamResult *result);

#endif
