#include "format/sniff.h"

#include <string.h>

static bool starts_with(const char *data, size_t n, const char *prefix)
{
    size_t length = strlen(prefix);
    return n >= length && memcmp(data, prefix, length) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool starts_with_tag(const char *data, size_t n, const char *tag)
{
    size_t length = strlen(tag);
    if (n < length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (lower(data[i]) != tag[i])
            return false;
    return true;
}

static bool is_web_page(const char *data, size_t n)
{
    size_t i = starts_with(data, n, "\xEF\xBB\xBF") ? 3 : 0;
    while (i < n && strchr(" \t\r\n", data[i]) && data[i])
        i++;
    return starts_with_tag(data + i, n - i, "<!doctype html") ||
           starts_with_tag(data + i, n - i, "<html") || starts_with_tag(data + i, n - i, "<?xml");
}

bool sniff_impostor(const char *data, size_t n, const char *name, Error *error)
{
    if (n == 0)
        error_set(error, ERROR_FORMAT, "%s: the file is empty", name);
    else if (starts_with(data, n, "version https://git-lfs.github.com/spec/"))
        error_set(error, ERROR_FORMAT,
                  "%s: this is a Git LFS pointer of %zu bytes, not the file itself; run \"git lfs "
                  "pull\" where it came from",
                  name, n);
    else if (is_web_page(data, n))
        error_set(
            error, ERROR_FORMAT,
            "%s: this is a web page or XML, not data; the download probably gave an error page",
            name);
    else
        return false;
    return true;
}
