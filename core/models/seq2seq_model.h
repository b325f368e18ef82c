/* seq2seq_model.h - a translator: the network with its tokenizers; private to models and
 * train. */
#ifndef FOVEA_MODELS_SEQ2SEQ_MODEL_H
#define FOVEA_MODELS_SEQ2SEQ_MODEL_H
#include "models/family.h"
#include "models/seq2seq.h"
#include "models/translation.h"

typedef struct Translator {
    Tokenizers tokenizers; /* first, as in every translator */
    Seq2Seq *net;
} Translator;

/* Declares the network in model->params. Takes over the tokenizers, also on failure. */
Translator *translator_new(Model *model, Tokenizers tokenizers, Error *error);

Session *seq2seq_session_begin(const Model *model, const RunInput *input, const RunOptions *options,
                               Error *error);

/* Beam search from an encoded source of one sentence. The control's per-row members must be
 * NULL. `steer` (or NULL) changes the control of the step that writes a token of the prefix,
 * as it was when that token was written. */
typedef struct Seq2SeqSearch {
    const Seq2Seq *net;
    const ParamSet *params;
    const Seq2SeqSource *source;
    Seq2SeqControl control;
    void (*steer)(void *context, int step, Seq2SeqControl *control);
    void *context;
} Seq2SeqSearch;

bool seq2seq_beam(const Seq2SeqSearch *search, const BeamSpec *spec, BeamResult *result,
                  Error *error) FOVEA_MUST_USE;

#endif
