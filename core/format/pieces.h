/* pieces.h - other tools' tokens made readable.
 *
 * A dump names its tokens as the tokenizer of the model spells them: "\u2581house",
 * "\u0120house", "hou ##se", "hou@@ se", "hou se</w>". Five conventions are recognised from
 * the tokens themselves. A mark is taken off the label and becomes a flag (a piece that
 * continues the word before it), special tokens are flagged, and byte-level spelling is
 * turned back into the text that it stands for.
 *
 * A character whose bytes are spread over several pieces stands whole in the first of them;
 * the others have an empty label. Bytes that make no character are shown as \xE2. Labels are
 * always valid UTF-8. In scripts written without spaces no piece continues another: merging
 * "words" would make one of the whole sentence.
 *
 * Threads: pure functions. Depends on: base, trace (flags and spans).
 */
#ifndef FOVEA_FORMAT_PIECES_H
#define FOVEA_FORMAT_PIECES_H
#include "trace/trace.h"

typedef enum {
    PIECES_WORDS,         /* no marks: every token is a word           */
    PIECES_SENTENCEPIECE, /* U+2581 begins a word                      */
    PIECES_BYTE_LEVEL,    /* U+0120 begins a word; bytes spelled (GPT-2) */
    PIECES_WORDPIECE,     /* ## continues                              */
    PIECES_SUBWORD_NMT,   /* @@ at the end: the next one continues     */
    PIECES_END_OF_WORD,   /* </w> ends a word                          */
    PIECES_N_STYLES
} PiecesStyle;

typedef struct Pieces {
    PiecesStyle style;
    int32_t n;
    char **labels;
    uint8_t *flags;
    char *text;       /* the tokens as running text, special ones left out */
    TraceSpan *spans; /* of every token in the text; empty for special ones */
} Pieces;

/* Never fails: tokens may be any bytes. */
void pieces_init(Pieces *pieces, const char *const *tokens, int32_t n);
void pieces_deinit(Pieces *pieces);

/* Appends a token that is not in the file but in the matrix: "</s>". */
void pieces_append_special(Pieces *pieces, const char *label, uint8_t flags);
/* The same in front. */
void pieces_prepend_special(Pieces *pieces, const char *label, uint8_t flags);

const char *pieces_style_name(PiecesStyle style);

/* TRACE_TOKEN_SPECIAL, _PADDING, _UNKNOWN or 0 for a token's name: "</s>", "[PAD]", "<unk>". */
uint8_t pieces_special_flags(const char *token);

#endif
