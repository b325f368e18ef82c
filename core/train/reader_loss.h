/* reader_loss.h - what training a reader minimises: the cross-entropy of the answer. */
#ifndef FOVEA_TRAIN_READER_LOSS_H
#define FOVEA_TRAIN_READER_LOSS_H
#include "train/reader_data.h"
#include "train/task.h"

/* scale multiplies every question's loss (1 / questions in the whole batch). dropout may be
 * NULL. A question whose answer is none of the model's counts as wrong and teaches nothing.
 * Adds the measures "loss", "accuracy" and, for questions with known support, "support" (share
 * of the attention on it) and "top" (the sentence with the largest share is of it). */
Var *reader_loss(const ReaderNet *net, Tape *tape, const ReaderExamplesBatch *batch,
                 const ReaderDropout *dropout, Real smoothing, Real scale, Measures *measures);

#endif
