/* language_loss.h - cross-entropy of every next token. */
#ifndef FOVEA_TRAIN_LANGUAGE_LOSS_H
#define FOVEA_TRAIN_LANGUAGE_LOSS_H
#include "models/language.h"
#include "train/language_data.h"
#include "train/task.h"

/* scale times the sum over tokens. random NULL: no dropout. Adds the measures "loss" (nats a
 * token), "accuracy", and with attention "entropy" (of rows that see two tokens or more) and
 * "distance" (mean tokens back). */
Var *language_loss(const LanguageNet *net, Tape *tape, const LanguageBatch *batch, Real dropout,
                   Random *random, Real scale, Measures *measures);

#endif
