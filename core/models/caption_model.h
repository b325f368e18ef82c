/* caption_model.h - a model that describes pictures: the network with its words; private to
 * models and train. */
#ifndef FOVEA_MODELS_CAPTION_MODEL_H
#define FOVEA_MODELS_CAPTION_MODEL_H
#include "models/caption.h"
#include "models/family.h"

enum { CAPTION_END = 0 }; /* id of the end mark; words follow */

typedef struct Describer {
    Caption *net;
    int n_words;
    char **words; /* [n_words]; words[0] is "</s>" */
} Describer;

/* The words of scenes (image/scene.h); declares the network in model->params. */
Describer *describer_new(Model *model, Error *error);
void describer_free(Describer *describer);

int describer_find(const Describer *describer, const char *word, size_t n); /* or -1 */
/* Words of a sentence as ids, end mark included: at most CAPTION_MAX_WORDS. The count, or -1
 * with a message. */
int describer_encode(const Describer *describer, const char *sentence, int *ids, Error *error);

/* Any picture, scaled to the network's: rgb [side * side, 3]. */
void describer_prepare(const CaptionShape *shape, const TraceImage *image, float *rgb);

Session *caption_session_begin(const Model *model, const RunInput *input, const RunOptions *options,
                               Error *error);

#endif
