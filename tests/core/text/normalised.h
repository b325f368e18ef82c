/* normalised.h - what a tokenizer that does not fold must give back: invariant 1 of
 * text/tokenizer.h, written down a second time. Shared by the tests and the fuzzer. */
#ifndef FOVEA_TESTS_NORMALISED_H
#define FOVEA_TESTS_NORMALISED_H
#include "base/strbuf.h"
#include "base/utf8.h"
#include "text/french.h"
#include "text/splitter.h"

static void add_normalised(StrBuf *out, const char *text, size_t n)
{
    bool space = false, after_quote = false, any = false;
    uint32_t code;
    for (size_t i = 0, used; i < n; i += used) {
        used = (size_t)utf8_decode(text + i, n - i, &code);
        if (character_class(code) == CHARACTER_SPACE) {
            space = true;
            continue;
        }
        if (space && any && !after_quote && !french_mark_at(text, n, i))
            strbuf_add_char(out, ' ');
        if (space || character_class(code) != CHARACTER_MARK)
            after_quote = code == 0xAB;
        char bytes[4];
        strbuf_add_bytes(out, bytes, (size_t)utf8_encode(code, bytes));
        any = true;
        space = false;
    }
}

#endif
