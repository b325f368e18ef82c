/* words.h - text as whole words of a vocabulary that was counted: for models that classify.
 *
 * How a text is cut:
 *   WORDS_TEXT    running text, in the words of splitter.h (SPLIT_TREEBANK). Text that was
 *                 tokenised before ("it 's", "-lrb-") comes out the same, so one model serves
 *                 treebank data and what people type.
 *   WORDS_SPACED  at white space only, for data that must be taken as they are.
 *
 * What is looked up is the word's form: lower-case (unless the spec keeps case) and folded
 * (fold.h); in WORDS_TEXT also `` '' and “ ” as ", -lrb- as (, .. and … as ..., – and — as --,
 * and a mark repeated more than three times as three. The span always is the word as it stands
 * in the text. A word outside the vocabulary is <unk>.
 *
 * Invariants:
 *   1. Ids are 0 <pad>, 1 <unk>, then words by falling count; equal counts in the order of
 *      their bytes, so the same texts give the same vocabulary.
 *   2. Spans rise and never overlap.
 *
 * Memory: a Words owns everything in it and is read-only. Threads: share it freely.
 * Depends on: base, jansson.
 */
#ifndef FOVEA_TEXT_WORDS_H
#define FOVEA_TEXT_WORDS_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "text/tokens.h"

#define WORDS_MAX_COUNT      (1 << 20)
#define WORDS_MAX_FORM_BYTES 256 /* a longer form is <unk> */

enum { WORDS_PAD, WORDS_UNKNOWN, WORDS_N_SPECIAL };

typedef enum { WORDS_TEXT, WORDS_SPACED, WORDS_N_STYLES } WordsStyle;

typedef struct WordsSpec {
    WordsStyle style;
    bool keep_case;
    int min_count; /* a rarer word is <unk>; 0 means 1                       */
    int max_words; /* without <pad> and <unk>; 0 means up to WORDS_MAX_COUNT */
} WordsSpec;

typedef struct Words Words;
typedef struct WordsLearner WordsLearner;

WordsLearner *words_learner_new(const WordsSpec *spec);
/* One text of the training data; it is not kept. */
void words_learner_add(WordsLearner *learner, const char *text, size_t n);
Words *words_learner_finish(WordsLearner *learner); /* frees the learner */

void words_free(Words *words); /* NULL is fine */

/* Appends the words of text[0..n), n <= INT32_MAX; every token starts a word. */
void words_encode(const Words *words, const char *text, size_t n, TokenList *out);

int32_t words_count(const Words *words); /* with <pad> and <unk> */
/* The form of a word; lives as long as the vocabulary. */
const char *words_form(const Words *words, int32_t id);
/* Id of a form, or WORDS_UNKNOWN. */
int32_t words_find(const Words *words, const char *form);

/* {"type": "words", "version": 1, "style": "text", "case": "lower", "words": ["<pad>", ...]} */
json_t *words_to_json(const Words *words); /* the caller's reference */
/* `name` is the file for the message. */
Words *words_from_json(const json_t *value, const char *name, Error *error) FOVEA_MUST_USE;

#endif
