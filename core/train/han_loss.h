/* han_loss.h - the loss of a hierarchical attention network on labelled documents.
 *
 *   L = scale ( sum_d -log p(y_d) + lambda_w sum_d W_d + lambda_s sum_d S_d )
 *
 * W_d is the mean entropy of the word weights over the document's sentences, S_d the entropy
 * of its sentence weights, in nats. Left alone the word weights stay nearly even: the
 * recurrent states know their neighbours, so any mixture of them serves. The penalty makes the
 * network choose. Poolings that attend to nothing have no such terms.
 */
#ifndef FOVEA_TRAIN_HAN_LOSS_H
#define FOVEA_TRAIN_HAN_LOSS_H
#include "models/han.h"
#include "train/documents.h"
#include "train/task.h"

typedef struct HanLossSpec {
    HanDropout dropout;                  /* its random is set by the caller of han_loss */
    Real smoothing;                      /* of the labels                               */
    Real word_entropy, sentence_entropy; /* lambda_w, lambda_s: what entropy costs */
} HanLossSpec;

/* Adds "loss" (-log p, without smoothing and penalties), "accuracy" and the two entropies to
 * the measures, averaged over documents. */
Var *han_loss(const Han *net, Tape *tape, const DocumentBatch *batch, const HanLossSpec *spec,
              Real scale, Measures *measures);

#endif
