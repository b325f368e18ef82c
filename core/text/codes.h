/* codes.h - a text as an array of its characters' codes, for work that looks at them by
 * position. Zero-initialised is empty. */
#ifndef FOVEA_TEXT_CODES_H
#define FOVEA_TEXT_CODES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Codes {
    uint32_t *items;
    size_t n;
    size_t capacity;
} Codes;

void codes_add(Codes *codes, uint32_t code);
void codes_add_text(Codes *codes, const char *text, size_t n); /* bad bytes become U+FFFD */
void codes_free(Codes *codes);

/* White space as the scoring scripts see it: Unicode's, and the four ASCII separators. */
bool code_is_blank(uint32_t code);

#endif
