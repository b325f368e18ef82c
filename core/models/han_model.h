/* han_model.h - a document classifier: the hierarchical attention network with its words and
 * classes; private to models and train. */
#ifndef FOVEA_MODELS_HAN_MODEL_H
#define FOVEA_MODELS_HAN_MODEL_H
#include "models/class_names.h"
#include "models/family.h"
#include "models/han.h"
#include "text/sentences.h"
#include "text/vocabulary.h"

#define HAN_MAX_TEXT_WORDS 200000 /* of one input */

typedef struct HanClassifier {
    Vocabulary *vocabulary;
    ClassNames *classes;
    Han *net;
    int max_words; /* a longer sentence is read as several */
} HanClassifier;

/* Declares the network in model->params. Takes over vocabulary and classes. */
HanClassifier *han_classifier_new(Model *model, Vocabulary *vocabulary, ClassNames *classes);

/* A text as the network reads it. Zero-initialised is empty; keeps its memory when reused. */
typedef struct HanText {
    SentenceList sentences; /* n_words of each, at least 1, is how many tokens it has */
    TokenList words;        /* of all sentences after each other; spans into the text */
} HanText;

/* A byte-order mark at the start is passed over. */
void han_text_read(const HanClassifier *classifier, const char *text, size_t n, HanText *out);
void han_text_free(HanText *text);

Session *han_session_begin(const Model *model, const RunInput *input, const RunOptions *options,
                           Error *error);

#endif
