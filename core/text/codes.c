#include "text/codes.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/utf8.h"

void codes_add(Codes *codes, uint32_t code)
{
    codes->items = memory_grow(codes->items, &codes->capacity, codes->n + 1, sizeof *codes->items);
    codes->items[codes->n++] = code;
}

void codes_add_text(Codes *codes, const char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint32_t code;
        i += (size_t)utf8_decode(text + i, n - i, &code);
        codes_add(codes, code);
    }
}

void codes_free(Codes *codes)
{
    free(codes->items);
    *codes = (Codes){0};
}

bool code_is_blank(uint32_t code)
{
    return (code >= 0x1C && code <= 0x1F) || utf8_is_space(code);
}
