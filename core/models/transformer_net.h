/* transformer_net.h - a Transformer encoder-decoder (Vaswani et al. 2017, arXiv 1706.03762).
 *
 *   encoder   x = sqrt(d) E w + PE;  L times: self-attention, feed-forward
 *   decoder   y likewise;  L times: causal self-attention, attention over the encoder,
 *             feed-forward
 *   around each part  norm=after: LN(x + dropout(part(x)))   (the paper)
 *                     norm=before: x + dropout(part(LN(x))), and LN at the end
 *   output    softmax(E y + b), one embedding for source, target and output
 *
 * Rows are sequence-major. Decoding computes the whole prefix again for every new token: it
 * is the same function as in training, and a prefix of twenty tokens costs a millisecond.
 *
 * Letters: d model width, H heads, f feed-forward width, L layers, S source length.
 */
#ifndef FOVEA_MODELS_TRANSFORMER_NET_H
#define FOVEA_MODELS_TRANSFORMER_NET_H
#include "attention/transformer.h"
#include "base/settings.h"

#define TRANSFORMER_MAX_LAYERS 24

extern const Setting transformer_settings[];

typedef struct TransformerShape {
    int width, heads, layers, feed_forward, vocabulary;
    bool norm_is_first;
} TransformerShape;

bool transformer_shape(const Settings *settings, int vocabulary, TransformerShape *shape,
                       Error *error) FOVEA_MUST_USE;

typedef struct Transformer Transformer;

Transformer *transformer_new(const TransformerShape *shape, ParamSet *params);
void transformer_free(Transformer *net);
const TransformerShape *transformer_get_shape(const Transformer *net);

/* random NULL: no dropout. */
typedef struct TransformerDropout {
    Real probability;
    Random *random;
} TransformerDropout;

/* Weights of every layer, [H, rows, steps] each; filled by the passes below. */
typedef struct TransformerWeights {
    const Real *layer[TRANSFORMER_MAX_LAYERS];
    const Real *scores[TRANSFORMER_MAX_LAYERS]; /* only if wanted */
} TransformerWeights;

typedef struct TransformerSource {
    const Ragged *rows;
    const int *ids;            /* [rows] */
    const unsigned char *keep; /* [rows] 0: no word may see it; NULL: none is hidden */
} TransformerSource;

/* -> [rows, d] */
Var *transformer_encode(const Transformer *net, Tape *tape, const TransformerSource *source,
                        const TransformerDropout *dropout, TransformerWeights *weights);

typedef struct TransformerMemory {
    const Ragged *source;
    KeysValues layer[TRANSFORMER_MAX_LAYERS];
    const int *owner;          /* source of each target sequence, or NULL */
    const unsigned char *keep; /* [source->rows] or NULL                  */
    Real temperature;          /* of the attention over the source; 0: 1  */
    const Real *replaced;      /* [H, target rows, S], see multi_head.h   */
    bool wants_scores;
} TransformerMemory;

/* The encoder's output as the decoder's layers read it. */
TransformerMemory transformer_memory(const Transformer *net, Tape *tape, const Ragged *source,
                                     Var *encoded);

/* ids [target->rows]: begin mark and prefix of every sequence -> [rows, d]. self and cross may
 * be NULL. */
Var *transformer_decode(const Transformer *net, Tape *tape, const TransformerMemory *memory,
                        const Ragged *target, const int *ids, const TransformerDropout *dropout,
                        TransformerWeights *self, TransformerWeights *cross);

/* [n,d] -> [n,V] */
Var *transformer_logits(const Transformer *net, Tape *tape, Var *decoded);

#endif
