/* tokenizer_data.h - inside of a Tokenizer; for its own files only. */
#ifndef FOVEA_TEXT_TOKENIZER_DATA_H
#define FOVEA_TEXT_TOKENIZER_DATA_H
#include <stdatomic.h>

#include "base/strmap.h"
#include "text/pairs.h"
#include "text/splitter.h"
#include "text/tokenizer.h"

#define MARK_SPACED  0x2581u
#define MARK_GLUED   0x203Fu
#define MARK_BINDS   0x2040u
#define MARK_BYTES   3 /* of each of them in UTF-8 */
#define N_BYTES      256
#define FIRST_BYTE   TOKENIZER_N_SPECIAL
#define FIRST_LETTER (FIRST_BYTE + N_BYTES)
#define MAX_SYMBOLS  128 /* a longer word is joined within stretches of this length */
#define N_DIRECT     0x250

enum { DIRECT_UNKNOWN, DIRECT_NO, DIRECT_YES };

typedef struct Merge {
    int32_t left, right, result;
} Merge;

typedef struct Piece {
    const char *raw;   /* with marks */
    const char *label; /* without    */
    int32_t text;      /* offset in raw, and bytes, of what is written */
    int32_t text_bytes;
    bool spaced, binds, starts; /* has U+2581, has U+2040, begins a word */
} Piece;

struct Tokenizer {
    bool fold;
    int32_t n_letters;
    Piece *pieces;
    int32_t n_pieces;
    size_t piece_capacity;
    StrMap *ids; /* raw piece -> id */
    Merge *merges;
    int32_t n_merges;
    size_t merge_capacity;
    Pairs ranks;               /* (left, right) -> index of a merge */
    struct Texts *texts;       /* where raw and label lie */
    atomic_uchar *direct;      /* by id: is a word that is this piece encoded as this piece?
                                  DIRECT_UNKNOWN until somebody asks */
    int32_t letters[N_DIRECT]; /* ids of the first characters of Unicode, or -1 */
};

/* Adds the special and the byte pieces. */
Tokenizer *tokenizer_new(bool fold);
/* Room for so many, so that nothing grows while they are added. */
void tokenizer_reserve(Tokenizer *tokenizer, int32_t n_pieces, int32_t n_merges);
/* Adds a piece that must be new; returns its id. */
int32_t tokenizer_add_piece(Tokenizer *tokenizer, const char *raw, size_t n);
/* The result is found or added. */
int32_t tokenizer_add_merge(Tokenizer *tokenizer, int32_t left, int32_t right);
/* Fills what encoding needs; the last call of every maker. */
void tokenizer_prepare(Tokenizer *tokenizer);

/* Id of a character or mark, or -1. */
int32_t tokenizer_letter(const Tokenizer *tokenizer, uint32_t code);

bool tokenizer_is_mark(uint32_t code);

/* A word as the marks see it. `mark` is MARK_SPACED, MARK_GLUED or 0. */
typedef struct MarkedWord {
    size_t begin, end;
    uint32_t mark;
    bool binds;
} MarkedWord;

/* Walks the words of a text; one word is read ahead, because only the next one says
 * whether a word binds. */
typedef struct WordWalk {
    Splitter splitter;
    SplitWord next;
    bool has_next, next_glued, any, bound;
} WordWalk;

void word_walk_begin(WordWalk *walk, const char *text, size_t n);
bool word_walk_next(WordWalk *walk, MarkedWord *word);

/* Reads the character at text[0..n), n >= 1, as learning and encoding see it: folded if
 * asked. Returns its bytes. */
size_t tokenizer_read(bool fold, const char *text, size_t n, uint32_t *code);

#endif
