/* language_model.h - a language model: the network with its tokenizer; private to models and
 * train. */
#ifndef FOVEA_MODELS_LANGUAGE_MODEL_H
#define FOVEA_MODELS_LANGUAGE_MODEL_H
#include "models/family.h"
#include "models/language.h"
#include "text/tokenizer.h"

#define LANGUAGE_MAX_PIECES 4096 /* of one input and what is written after it */

typedef struct LanguageModel {
    Tokenizer *tokenizer;
    LanguageNet *net;
} LanguageModel;

/* Declares the network in model->params. Takes over the tokenizer. */
LanguageModel *language_model_new(Model *model, Tokenizer *tokenizer);

Session *language_session_begin(const Model *model, const RunInput *input,
                                const RunOptions *options, Error *error);

#endif
