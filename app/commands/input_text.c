#include "commands/input_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "format/web_page.h"
#include "models/model.h"

bool input_text_check(Slice text, Error *error)
{
    size_t good = utf8_valid_prefix(text.text, text.n);
    if (good < text.n)
        return error_set(error, ERROR_FORMAT, "byte %zu is not UTF-8", good + 1);
    if (memchr(text.text, '\0', text.n))
        return error_set(error, ERROR_FORMAT, "a NUL character: this is no text");
    if (text.n > RUN_MAX_INPUT_BYTES)
        return error_set(error, ERROR_LIMIT, "%zu bytes; the limit is %zu", text.n,
                         RUN_MAX_INPUT_BYTES);
    return true;
}

bool input_text_is_page(const char *path)
{
    enum { LOOKED_AT = 4096 };
    char head[LOOKED_AT];
    FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
    size_t n = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    return web_page_recognise(head, n);
}

static bool read_page(const char *path, Bytes *bytes, Error *error)
{
    StrBuf text = {0};
    if (!web_page_read(path, bytes->data, bytes->size, &text, error))
        return false;
    free(bytes->data);
    bytes->size = text.length;
    bytes->data = strbuf_take(&text);
    fprintf(stderr, "fovea: %s: a web page: its text is read, without tags and menus\n", path);
    return true;
}

static void cut_ends(Bytes *bytes)
{
    size_t mark = bytes->size >= 3 && memcmp(bytes->data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    bytes->size -= mark;
    memmove(bytes->data, bytes->data + mark, bytes->size);
    while (bytes->size > 0 && strchr("\r\n", bytes->data[bytes->size - 1]) &&
           bytes->data[bytes->size - 1])
        bytes->size--;
    bytes->data[bytes->size] = '\0';
}

/* The file's bytes become its text; a message about a page names it already. */
static bool make_text(const char *path, Bytes *bytes, Error *error)
{
    if (web_page_recognise(bytes->data, bytes->size)) {
        if (!read_page(path, bytes, error))
            return false;
    } else {
        cut_ends(bytes);
    }
    if (input_text_check((Slice){bytes->data, bytes->size}, error))
        return true;
    error_prefix(error, "%s", path);
    return false;
}

bool input_text_read(const char *path, Bytes *out, Error *error)
{
    *out = (Bytes){0};
    if (!file_read(path, WEB_PAGE_MAX_BYTES, out, error))
        return false;
    if (make_text(path, out, error))
        return true;
    bytes_free(out);
    *out = (Bytes){0};
    return false;
}
