/* reader_model.h - a reader with its words and answers, and how a person's story becomes ids;
 * private to models and train. */
#ifndef FOVEA_MODELS_READER_MODEL_H
#define FOVEA_MODELS_READER_MODEL_H
#include "models/class_names.h"
#include "models/family.h"
#include "models/reader.h"
#include "text/vocabulary.h"

#define READER_MAX_WORDS          16384 /* of one story    */
#define READER_MAX_QUESTION_WORDS 256

typedef struct Answerer {
    Vocabulary *vocabulary; /* of stories and questions */
    ClassNames *answers;
    ReaderNet *net;
} Answerer;

/* Declares the network in model->params. Takes over vocabulary and answers, also on failure. */
Answerer *answerer_new(Model *model, Vocabulary *vocabulary, ClassNames *answers, Error *error);

/* A story and its question, cut into words. Sentences end where sentences.h says and at the
 * end of every line. */
typedef struct ReaderText {
    TokenList words, question; /* spans into the story and into the question */
    int n_sentences;
    int *length;   /* [n_sentences] words of each, at least 1 */
    int *line;     /* [n_sentences] of the story, from 0      */
    int *word_ids; /* [words.n]                               */
    int *question_ids;
    ReaderItem item; /* the same as the network wants it */
} ReaderText;

/* ERROR_INPUT when story or question are empty or have no words but marks; ERROR_LIMIT when
 * they are too long. Free it also after a failure. */
bool reader_text_read(const Vocabulary *vocabulary, const char *story, const char *question,
                      ReaderText *out, Error *error) FOVEA_MUST_USE;
void reader_text_free(ReaderText *text);

Session *reader_session_begin(const Model *model, const RunInput *input, const RunOptions *options,
                              Error *error);

#endif
