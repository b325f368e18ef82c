/* seq2seq_model.h - a translator: the network with its tokenizers; private to models and
 * train. */
#ifndef FOVEA_MODELS_SEQ2SEQ_MODEL_H
#define FOVEA_MODELS_SEQ2SEQ_MODEL_H
#include "models/family.h"
#include "models/seq2seq.h"
#include "text/tokenizer.h"

typedef struct Translator {
    Tokenizer *source;
    Tokenizer *target; /* the same pointer when the vocabulary is joint */
    Seq2Seq *net;
} Translator;

/* Declares the network in model->params. Takes over the tokenizers. */
Translator *translator_new(Model *model, Tokenizer *source, Tokenizer *target, Error *error);

Session *seq2seq_session_begin(const Model *model, const Input *input, const RunOptions *options,
                               Error *error);

/* Options for tokenizer_decode of the target. */
unsigned translator_typography(const Model *model);

/* ---- beam search (MODELS 2.8; Sutskever 2014, Wu 2016 for the length normalisation) ---- */

typedef struct BeamNode {
    int parent; /* earlier node or -1 */
    int step;
    int token;
    double log_probability, total, score;
    TraceBeamState state;
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
    double length_penalty; /* 0: divide by the length                     */
    int max_steps;
    int n_prefix; /* tokens that every hypothesis begins with */
    const int *prefix;
    const StopFlag *stop;
} BeamSpec;

/* Searches from an encoded source of one sentence. The control's per-row members must be
 * NULL. A beam of one equals greedy decoding. Ties go to the lower token. */
bool seq2seq_beam(const Seq2Seq *net, const ParamSet *params, const Seq2SeqSource *source,
                  const Seq2SeqControl *control, const BeamSpec *spec, BeamResult *result,
                  Error *error) FOVEA_MUST_USE;
void beam_result_free(BeamResult *result);

#endif
