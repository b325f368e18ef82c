/* Training text for language models from any bytes: read or refused with a message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "train/language_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    Bytes bytes = {memory_copy_bytes((const char *)data, size), size};
    LanguageLines lines;
    if (!language_lines_parse("fuzz", bytes, &lines, &error)) {
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
        return 0;
    }
    for (int i = 0; i < lines.n; i++) {
        FOVEA_CHECK(lines.items[i].n > 0 && !memchr(lines.items[i].text, '\n', lines.items[i].n),
                    "a text across lines");
        FOVEA_CHECK(!memchr(lines.items[i].text, '\t', lines.items[i].n), "a text with a TAB");
    }
    language_lines_free(&lines);
    return 0;
}
