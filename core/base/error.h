/* error.h - what went wrong, in a sentence that a person can act on.
 *
 * A function that can fail through the fault of the user or the world (a file, a
 * disk, a dump, a cancelled run) returns bool or NULL and fills an Error: what, where,
 * found, expected. A fault of ours (a wrong shape, an index out of range) is a bug and
 * stops the program through FOVEA_CHECK with the place and the numbers.
 *
 * Invariants:
 *   1. An Error that was zero-initialised is "no error".
 *   2. `message` is valid UTF-8 without control characters, whatever text went into it.
 *   3. The first error stays: error_set on an Error that is already set does nothing.
 *
 * Memory: none is allocated. Threads: an Error belongs to one thread.
 */
#ifndef FOVEA_BASE_ERROR_H
#define FOVEA_BASE_ERROR_H
#include <stdarg.h>
#include <stdbool.h>

#define ERROR_MESSAGE_BYTES 512

typedef enum {
    ERROR_NONE,
    ERROR_INPUT,       /* the words or values that the user gave            */
    ERROR_IO,          /* reading, writing, permissions, disk space         */
    ERROR_FORMAT,      /* a file whose content is not what it claims        */
    ERROR_LIMIT,       /* larger than a named limit                         */
    ERROR_MEMORY,      /* an allocation whose size came from outside failed */
    ERROR_CANCELLED,   /* stopped on request                                */
    ERROR_UNSUPPORTED, /* understood, but not something Fovea does          */
} ErrorKind;

typedef struct Error {
    ErrorKind kind;
    char message[ERROR_MESSAGE_BYTES];
} Error;

#define FOVEA_MUST_USE          __attribute__((warn_unused_result))
#define FOVEA_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Fills `error` (which may be NULL) and returns false, so that a failing function can
 * end with `return error_set(...)`. */
bool error_set(Error *error, ErrorKind kind, const char *fmt, ...) FOVEA_PRINTF(3, 4);
bool error_set_va(Error *error, ErrorKind kind, const char *fmt, va_list args);

/* Puts "context: " in front of the message, for a caller that knows the file or place. */
void error_prefix(Error *error, const char *fmt, ...) FOVEA_PRINTF(2, 3);

void error_clear(Error *error);
bool error_is_set(const Error *error);

/* Prints "file:line: message" to standard error and aborts. Only for bugs. */
_Noreturn void error_bug(const char *file, int line, const char *fmt, ...) FOVEA_PRINTF(3, 4);

/* A bug guard that stays in release builds: FOVEA_CHECK(a == b, "rows %d and %d", a, b). */
#define FOVEA_CHECK(condition, ...)                                                                \
    do {                                                                                           \
        if (!(condition))                                                                          \
            error_bug(__FILE__, __LINE__, __VA_ARGS__);                                            \
    } while (0)

#endif
