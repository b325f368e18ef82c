/* vocabulary.h - text as whole words that were counted: for models that classify.
 *
 * How a text is cut:
 *   VOCABULARY_TEXT    running text, in the words of splitter.h (SPLIT_TREEBANK). Text that
 *                      was tokenised before ("it 's", "-lrb-") comes out the same, so one
 *                      model serves treebank data and what people type.
 *   VOCABULARY_SPACED  at white space only, for data that must be taken as they are.
 *
 * What is looked up is the word's form: lower-case (unless the spec keeps case) and folded
 * (fold.h); in VOCABULARY_TEXT also `` '' and “ ” as ", -lrb- as (, .. and … as ..., – and —
 * as --, and a mark repeated more than three times as three. The span always is the word as
 * it stands in the text. A word outside the vocabulary is <unk>.
 *
 * Invariants:
 *   1. Ids are 0 <pad>, 1 <unk>, then words by falling count; equal counts in the order of
 *      their bytes, so the same texts give the same vocabulary.
 *   2. Spans rise and never overlap.
 *
 * Memory: a Vocabulary owns everything in it and is read-only. Threads: share it freely.
 * Depends on: base, jansson.
 */
#ifndef FOVEA_TEXT_VOCABULARY_H
#define FOVEA_TEXT_VOCABULARY_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "text/tokens.h"

#define VOCABULARY_MAX_COUNT      (1 << 20)
#define VOCABULARY_MAX_FORM_BYTES 256 /* a longer form is <unk> */

enum { VOCABULARY_PAD, VOCABULARY_UNKNOWN, VOCABULARY_N_SPECIAL };

typedef enum { VOCABULARY_TEXT, VOCABULARY_SPACED, VOCABULARY_N_STYLES } VocabularyStyle;

typedef struct VocabularySpec {
    VocabularyStyle style;
    bool keep_case;
    int min_count; /* a rarer word is <unk>; 0 means 1                       */
    int max_words; /* without <pad> and <unk>; 0 means up to VOCABULARY_MAX_COUNT */
} VocabularySpec;

typedef struct Vocabulary Vocabulary;
typedef struct VocabularyLearner VocabularyLearner;

VocabularyLearner *vocabulary_learner_new(const VocabularySpec *spec);
/* One text of the training data; it is not kept. */
void vocabulary_learner_add(VocabularyLearner *learner, const char *text, size_t n);
Vocabulary *vocabulary_learner_finish(VocabularyLearner *learner); /* frees the learner */

void vocabulary_free(Vocabulary *vocabulary); /* NULL is fine */

/* Appends the words of text[0..n), n <= INT32_MAX; every token starts a word. */
void vocabulary_encode(const Vocabulary *vocabulary, const char *text, size_t n, TokenList *out);

int32_t vocabulary_count(const Vocabulary *vocabulary); /* with <pad> and <unk> */
/* The form of a word; lives as long as the vocabulary. */
const char *vocabulary_form(const Vocabulary *vocabulary, int32_t id);
/* Id of a form, or VOCABULARY_UNKNOWN. */
int32_t vocabulary_find(const Vocabulary *vocabulary, const char *form);

/* {"type": "words", "version": 1, "style": "text", "case": "lower", "words": ["<pad>", ...]} */
json_t *vocabulary_to_json(const Vocabulary *vocabulary); /* the caller's reference */
/* `name` is the file for the message. */
Vocabulary *vocabulary_from_json(const json_t *value, const char *name,
                                 Error *error) FOVEA_MUST_USE;

#endif
