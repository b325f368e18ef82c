/* transformer.h - the layers of a Transformer: parameters with names, and what they compute.
 *
 * A layer is declared in a ParamSet under a prefix ("encoder.0.self") and used by any number
 * of tapes. Residual connections, dropout and the order of normalisation are the network's
 * own affair:
 *     x = op_layer_norm(x + dropout(layer(x)))     after  (Vaswani et al. 2017)
 *     x = x + dropout(layer(op_layer_norm(x)))     before (easier to train)
 *
 * Letters: n rows, d width of the model, H heads, f width of the feed-forward layer.
 */
#ifndef FOVEA_ATTENTION_TRANSFORMER_H
#define FOVEA_ATTENTION_TRANSFORMER_H
#include "attention/multi_head.h"
#include "grad/ops.h"
#include "nn/normalise.h"
#include "nn/positions.h"

/* prefix.gain, prefix.bias [1,d] */
typedef struct NormLayer {
    const Param *gain, *bias;
} NormLayer;

NormLayer norm_layer_declare(ParamSet *params, const char *prefix, int d);
Var *norm_layer(Tape *tape, const NormLayer *layer, Var *x);

/* prefix.{query,key,value,output}.{W,b}: [d,d] and [1,d] */
typedef struct MultiHeadLayer {
    int heads;
    const Param *query_w, *query_b, *key_w, *key_b, *value_w, *value_b, *output_w, *output_b;
} MultiHeadLayer;

/* d must be a multiple of heads. */
MultiHeadLayer multi_head_layer_declare(ParamSet *params, const char *prefix, int d, int heads);

/* x [n,d] asks, memory [m,d] answers (x itself in self-attention); spec->heads is set here.
 * The result's output has been through the output projection: [n,d]. */
MultiHead multi_head_layer(Tape *tape, const MultiHeadLayer *layer, Var *x, Var *memory,
                           const MultiHeadSpec *spec);

/* The same in two parts, for keys that stay while queries come one by one. */
typedef struct KeysValues {
    Var *keys, *values; /* [m,d] */
} KeysValues;

KeysValues multi_head_layer_keys(Tape *tape, const MultiHeadLayer *layer, Var *memory);
MultiHead multi_head_layer_over(Tape *tape, const MultiHeadLayer *layer, Var *x,
                                const KeysValues *memory, const MultiHeadSpec *spec);

/* prefix.in.{W,b} [f,d], prefix.out.{W,b} [d,f] */
typedef struct FeedForwardLayer {
    const Param *in_w, *in_b, *out_w, *out_b;
} FeedForwardLayer;

FeedForwardLayer feed_forward_layer_declare(ParamSet *params, const char *prefix, int d, int f);
/* W_out dropout(max(0, W_in x + b_in)) + b_out; random NULL: no dropout */
Var *feed_forward_layer(Tape *tape, const FeedForwardLayer *layer, Var *x, Real dropout,
                        Random *random);

#endif
