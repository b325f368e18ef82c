#include "text/fold.h"

#include <utf8proc.h>

#include "base/utf8.h"
#include "text/splitter.h"

static uint32_t straight_quote(uint32_t code)
{
    switch (code) {
    case 0x00B4:
    case 0x2018:
    case 0x2019:
    case 0x02BC: return '\'';
    case 0x201C:
    case 0x201D:
    case 0x201E: return '"';
    default: return code;
    }
}

/* Joins the combining marks that follow, as far as there is one character for both. */
static size_t compose(const char *text, size_t n, size_t used, uint32_t *code)
{
    while (used < n && (unsigned char)text[used] >= 0x80) {
        uint32_t mark;
        size_t bytes = (size_t)utf8_decode(text + used, n - used, &mark);
        utf8proc_int32_t both[2] = {(utf8proc_int32_t)*code, (utf8proc_int32_t)mark};
        if (character_class(mark) != CHARACTER_MARK ||
            utf8proc_normalize_utf32(both, 2, UTF8PROC_STABLE | UTF8PROC_COMPOSE) != 1)
            return used;
        *code = (uint32_t)both[0];
        used += bytes;
    }
    return used;
}

size_t fold_read(const char *text, size_t n, uint32_t *code)
{
    size_t used = (size_t)utf8_decode(text, n, code);
    *code = straight_quote(*code);
    return compose(text, n, used, code);
}
