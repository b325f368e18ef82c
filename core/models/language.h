/* language.h - a language model that reads word by word: the network.
 *
 *   attention=intra  every word attends to all words before it (LSTMN, nn/lstmn.h; Cheng et
 *                    al. 2016)
 *   attention=none   a plain LSTM: the control of the same size
 *
 *   x = E word    h from the recurrence    logits = E (W h + b) + b_out, E tied
 *
 * Letters: V vocabulary, e embedding, d hidden, a attention units. The first word of every
 * sentence is the begin mark, the last one predicted is the end mark.
 */
#ifndef FOVEA_MODELS_LANGUAGE_H
#define FOVEA_MODELS_LANGUAGE_H
#include "base/settings.h"
#include "grad/ops.h"
#include "nn/lstmn.h"

typedef enum { LANGUAGE_INTRA, LANGUAGE_NONE } LanguageKind; /* as the setting's choices */

extern const Setting language_settings[];

typedef struct LanguageShape {
    LanguageKind kind;
    int vocabulary, embedding, hidden, attention_hidden;
} LanguageShape;

LanguageShape language_shape(const Settings *settings, int vocabulary);

typedef struct LanguageNet LanguageNet;

/* Declares the parameters in `params`, which must outlive the network. */
LanguageNet *language_new(const LanguageShape *shape, ParamSet *params);
void language_free(LanguageNet *net);
const LanguageShape *language_get_shape(const LanguageNet *net);

/* ids [n] -> x [n, e]; dropout of elements, random NULL: none */
Var *language_embed(const LanguageNet *net, Tape *tape, int n, const int *ids, Real dropout,
                    Random *random);

/* x [rows, e] step-major -> h [rows, d]. attention, unless NULL, is set to the weights
 * [rows, batch->steps], or NULL for a plain LSTM. */
Var *language_read(const LanguageNet *net, Tape *tape, Var *x, const Ragged *batch,
                   const Real **attention);

/* h [n, d] -> [n, V] */
Var *language_logits(const LanguageNet *net, Tape *tape, Var *h, Real dropout, Random *random);

/* One word x [1, e] after memory->n others; a plain LSTM uses only the last of the states.
 * The other arguments as in lstmn_step; a plain LSTM leaves scores, attention, read and key
 * NULL. */
LstmnStep language_step(const LanguageNet *net, Tape *tape, Var *x, const LstmnMemory *memory,
                        const unsigned char *keep, Real temperature, const Real *replaced);

#endif
