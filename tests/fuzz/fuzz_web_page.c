/* What is read on a page is text: UTF-8 without NUL, and not empty. */
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "format/web_page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    StrBuf out = {0};
    const char *text = size ? (const char *)data : "";
    web_page_recognise(text, size);
    if (web_page_read("fuzz", text, size, &out, &error))
        FOVEA_CHECK(out.length > 0 && utf8_is_valid(out.text, out.length) &&
                        !memchr(out.text, '\0', out.length),
                    "what was read is no text");
    else
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
    strbuf_free(&out);
    return 0;
}
