/* tokens.h - a text as ids of a vocabulary, each with its place in the text. */
#ifndef FOVEA_TEXT_TOKENS_H
#define FOVEA_TEXT_TOKENS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Token {
    int32_t id;
    int32_t begin; /* bytes of the text, end exclusive */
    int32_t end;
    bool starts_word; /* false: belongs to the same word as the token before it */
} Token;

/* Zero-initialised is empty; grows, and keeps its memory when cleared. */
typedef struct TokenList {
    Token *items;
    size_t n;
    size_t capacity;
} TokenList;

void token_list_add(TokenList *list, Token token);
void token_list_clear(TokenList *list);
void token_list_free(TokenList *list);

#endif
