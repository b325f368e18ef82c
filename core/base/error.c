#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

bool error_set_va(Error *error, ErrorKind kind, const char *fmt, va_list args)
{
    if (!error || error->kind != ERROR_NONE)
        return false;
    char raw[ERROR_MESSAGE_BYTES];
    vsnprintf(raw, sizeof raw, fmt, args);
    error->kind = kind;
    utf8_clean(raw, strlen(raw), error->message, sizeof error->message);
    return false;
}

bool error_set(Error *error, ErrorKind kind, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    error_set_va(error, kind, fmt, args);
    va_end(args);
    return false;
}

void error_prefix(Error *error, const char *fmt, ...)
{
    if (!error || error->kind == ERROR_NONE)
        return;
    char old[ERROR_MESSAGE_BYTES];
    char raw[ERROR_MESSAGE_BYTES];
    memcpy(old, error->message, sizeof old);
    va_list args;
    va_start(args, fmt);
    vsnprintf(raw, sizeof raw, fmt, args);
    va_end(args);
    size_t used = utf8_clean(raw, strlen(raw), error->message, sizeof error->message);
    snprintf(error->message + used, sizeof error->message - used, ": %s", old);
    /* The cut may have split a character. */
    memcpy(raw, error->message, sizeof raw);
    utf8_clean(raw, strlen(raw), error->message, sizeof error->message);
}

void error_clear(Error *error)
{
    error->kind = ERROR_NONE;
    error->message[0] = '\0';
}

bool error_is_set(const Error *error)
{
    return error && error->kind != ERROR_NONE;
}

void error_bug(const char *file, int line, const char *fmt, ...)
{
    fprintf(stderr, "fovea: internal error at %s:%d: ", file, line);
    va_list args;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}
