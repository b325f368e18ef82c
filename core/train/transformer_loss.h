/* transformer_loss.h - the loss of a batch of sentence pairs for a Transformer. */
#ifndef FOVEA_TRAIN_TRANSFORMER_LOSS_H
#define FOVEA_TRAIN_TRANSFORMER_LOSS_H
#include "models/transformer_net.h"
#include "train/task.h"
#include "train/translation_data.h"

/* scale x the sum over target tokens of the (smoothed) negative log-likelihood, [1,1];
 * measures get "loss" (nats a token, unsmoothed) and "accuracy". dropout NULL: none. */
Var *transformer_loss(const Transformer *net, Tape *tape, const SequenceBatch *batch,
                      const TransformerDropout *dropout, Real smoothing, Real scale,
                      Measures *measures);

#endif
