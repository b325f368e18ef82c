/* sentence_model.h - a sentence classifier: the network with its words and classes; private
 * to models and train. */
#ifndef FOVEA_MODELS_SENTENCE_MODEL_H
#define FOVEA_MODELS_SENTENCE_MODEL_H
#include "models/class_names.h"
#include "models/family.h"
#include "models/sentence.h"
#include "text/vocabulary.h"

#define SENTENCE_MAX_WORDS 4096 /* of one input */

typedef struct SentenceClassifier {
    Vocabulary *vocabulary;
    ClassNames *classes;
    SentenceNet *net;
} SentenceClassifier;

/* Declares the network in model->params. Takes over vocabulary and classes, also on failure. */
SentenceClassifier *sentence_classifier_new(Model *model, Vocabulary *vocabulary,
                                            ClassNames *classes, Error *error);

/* Draws or decides z for every word: logits [rows, selectors] -> a selection in the arena.
 * random NULL: z = 1 where pi > 0.5. */
Selection sentence_draw(Arena *arena, const Var *logits, Random *random);

Session *sentence_session_begin(const Model *model, const RunInput *input,
                                const RunOptions *options, Error *error);

#endif
