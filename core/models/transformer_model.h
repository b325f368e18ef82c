/* transformer_model.h - a Transformer translator with its tokenizers; private to models and
 * train. */
#ifndef FOVEA_MODELS_TRANSFORMER_MODEL_H
#define FOVEA_MODELS_TRANSFORMER_MODEL_H
#include "models/transformer_net.h"
#include "models/translation.h"

typedef struct TransformerTranslator {
    Tokenizers tokenizers; /* first, as in every translator */
    Transformer *net;
} TransformerTranslator;

/* Declares the network in model->params. Takes over the tokenizers, also on failure. */
TransformerTranslator *transformer_translator_new(Model *model, Tokenizers tokenizers,
                                                  Error *error);

/* Of the source: encoder and decoder keep a weight for every head and pair of pieces. */
#define TRANSFORMER_MOST_PIECES 3000
/* Steps that nobody asked for: each runs the decoder over all that has been written. */
#define TRANSFORMER_MOST_STEPS 500

/* ERROR_LIMIT when the input has more pieces. */
Session *transformer_session_begin(const Model *model, const RunInput *input,
                                   const RunOptions *options, Error *error);

#endif
