/* seq2seq_saliency.h - what a translation without attention still holds of each source word:
 * the gradient of log p(y_t | y_<t, x) with respect to the embedding of x_j, as its Euclidean
 * norm (Simonyan et al. 2014; for translation Ding et al. 2017). Private to core/models.
 *
 * Every step is a pass of its own over the whole sentence, forward and back: the price grows
 * with the square of the output's length. */
#ifndef FOVEA_MODELS_SEQ2SEQ_SALIENCY_H
#define FOVEA_MODELS_SEQ2SEQ_SALIENCY_H
#include "models/seq2seq_model.h"

typedef struct SaliencyInput {
    const Translator *translator;
    const ParamSet *params;
    const int *source; /* [n_source] ids */
    int n_source;
    const int *target; /* [n_target] ids that were written, the end mark included */
    int n_target;
    const StopFlag *stop;
} SaliencyInput;

/* out [n_target, n_source]: every row divided by its sum. ERROR_CANCELLED. */
bool seq2seq_saliency(const SaliencyInput *input, float *out, Error *error) FOVEA_MUST_USE;

#endif
