#include "text/tokens.h"

#include <stdlib.h>

#include "base/memory.h"

void token_list_add(TokenList *list, Token token)
{
    list->items = memory_grow(list->items, &list->capacity, list->n + 1, sizeof *list->items);
    list->items[list->n++] = token;
}

void token_list_clear(TokenList *list)
{
    list->n = 0;
}

void token_list_free(TokenList *list)
{
    free(list->items);
    *list = (TokenList){0};
}
