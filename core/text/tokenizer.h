/* tokenizer.h - text as pieces of words that were learned (byte-pair encoding), and back.
 *
 * A text is cut into words (splitter.h) and each word into pieces of a vocabulary: frequent
 * words are one piece, rare ones several, and no text is unknown, because a character outside
 * the vocabulary is written as its bytes. One tokeniser may serve several languages at once.
 *
 * How pieces are written. Every word starts with a mark, so that pieces can be put together
 * to words again by looking at the pieces alone:
 *
 *   U+2581 "▁x"   starts a word after white space, or at the start of the text
 *   U+203F "‿x"   starts a word that is written to the one before it:  ‿.  ‿'s  ‿-tu
 *   U+2040 "x⁀"   the next word is written to this one:                ▁l'⁀  ▁(⁀
 *   a Han, kana or full-width character starts a word without a mark, as it is written
 *   <0x00> ... <0xFF>   one byte of a character outside the vocabulary
 *   <pad> <s> </s>      ids 0, 1, 2
 *
 * "L'homme ne dort pas." is ▁L'⁀ ▁homme ▁ne ▁dort ▁pas ‿. - the mark of joining sits on the
 * elision or the punctuation, so that "homme" is the same piece everywhere. Letters are
 * never merged with digits, nor digits with each other: a number is one piece a digit.
 *
 * Learning (Sennrich, Haddow, Birch 2016, arXiv 1508.07909): start from the characters, and
 * join the most frequent pair of neighbours within words, n_merges times. Equal counts: the
 * pair whose pieces are older wins, so the same text gives the same tokeniser anywhere.
 * Encoding joins the pair that was learned first, until none is left.
 *
 * Chinese as a target: n_merges 0 makes one piece a character for everything. Nothing maps
 * traditional to simplified characters: that takes a table of some 2,500 pairs which only a
 * model with a Chinese *source* could use; there, a traditional character that the data do
 * not hold is written in bytes like any other.
 *
 * Invariants:
 *   1. decode(encode(text)) is the text, but for
 *        white space: dropped at both ends, a run of any kind becomes one space, dropped
 *        before ! ? : ; » where they end something and after « (french.h puts it back);
 *        bytes that are not UTF-8, which become U+FFFD;
 *        and, only if the spec says fold, curly apostrophes and quotes become straight and a
 *        letter with combining marks becomes one character where there is one.
 *   2. The spans of an encoding rise, never overlap, lie on character boundaries of the text
 *      as it was given. A mark alone has an empty span; every byte piece of a character has
 *      the whole character's.
 *   3. Any sequence of ids decodes, to valid UTF-8.
 *
 * Memory: a Tokenizer owns everything in it and is read-only. Threads: share it freely.
 * Depends on: base, jansson.
 */
#ifndef FOVEA_TEXT_TOKENIZER_H
#define FOVEA_TEXT_TOKENIZER_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "text/tokens.h"

#define TOKENIZER_MAX_PIECES      (1 << 20)
#define TOKENIZER_MAX_PIECE_BYTES 640
#define TOKENIZER_MAX_TEXT_BYTES  INT32_MAX

enum { TOKENIZER_PAD, TOKENIZER_BEGIN, TOKENIZER_END, TOKENIZER_N_SPECIAL };

typedef struct Tokenizer Tokenizer;

/* ---- learning ---- */

typedef struct TokenizerSpec {
    int n_merges;         /* 0: characters only                                           */
    int min_pair_count;   /* a pair that is rarer is not joined; 0 means 2                */
    int min_letter_count; /* a character that is rarer is written in bytes; 0 means 1     */
    bool fold;            /* see invariant 1; for text that people type                   */
} TokenizerSpec;

typedef struct TokenizerLearner TokenizerLearner;

TokenizerLearner *tokenizer_learner_new(const TokenizerSpec *spec);
/* One line, sentence or document of any language; the text is not kept. */
void tokenizer_learner_add(TokenizerLearner *learner, const char *text, size_t n);
/* Frees the learner. */
Tokenizer *tokenizer_learner_finish(TokenizerLearner *learner);

void tokenizer_free(Tokenizer *tokenizer); /* NULL is fine */

/* ---- using ---- */

/* Appends the pieces of text[0..n) to `out`; no <s> or </s> is added. n is at most
 * TOKENIZER_MAX_TEXT_BYTES. Linear in n. */
void tokenizer_encode(const Tokenizer *tokenizer, const char *text, size_t n, TokenList *out);

enum { TOKENIZER_FRENCH = 1 /* add the spaces of French typography (french.h) */ };

/* Appends the text of the pieces; special pieces add nothing. spans is NULL, or a list to
 * which one token for each id is appended, with its place in what was written. */
void tokenizer_decode(const Tokenizer *tokenizer, const int32_t *ids, size_t n, unsigned options,
                      StrBuf *out, TokenList *spans);

int32_t tokenizer_n_pieces(const Tokenizer *tokenizer);
/* What to show for a piece: without marks ("l'", "homme", "<0xE6>", "</s>"); a mark alone is
 * shown itself. Lives as long as the tokenizer; valid UTF-8. */
const char *tokenizer_piece(const Tokenizer *tokenizer, int32_t id);
/* The piece with its marks, as it is in the vocabulary. */
const char *tokenizer_raw_piece(const Tokenizer *tokenizer, int32_t id);
/* Id of a piece with its marks, or -1. */
int32_t tokenizer_find(const Tokenizer *tokenizer, const char *raw_piece);
/* Does the piece begin a word? Special pieces do. */
bool tokenizer_starts_word(const Tokenizer *tokenizer, int32_t id);

/* ---- as JSON ----
 * {"type": "bpe", "version": 1, "fold": false, "letters": 107,
 *  "pieces": ["<pad>", ...], "merges": [[259, 271], ...]}
 * pieces by id: special, bytes, `letters` characters and marks, then what the merges made in
 * the order in which they were learned; merges are pairs of ids. */

json_t *tokenizer_to_json(const Tokenizer *tokenizer); /* the caller's reference */

/* Everything is checked: sizes, the fixed pieces, duplicates, that every merge joins two
 * pieces known by then to a third, that no piece is without a merge. `name` is the file for
 * the message. A string is read as the JSON text of a tokenizer, without building its ten
 * thousand values: a ninth of the time. */
Tokenizer *tokenizer_from_json(const json_t *value, const char *name, Error *error) FOVEA_MUST_USE;

#endif
