/* testing.h - cmocka with the headers that it wants, and small helpers. */
#ifndef FOVEA_TESTS_TESTING_H
#define FOVEA_TESTS_TESTING_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/error.h"

/* |a - b| <= tolerance, with both values in the message. */
#define assert_close(a, b, tolerance)                                                              \
    do {                                                                                           \
        double close_a = (double)(a), close_b = (double)(b);                                       \
        if (!(fabs(close_a - close_b) <= (double)(tolerance)))                                     \
            fail_msg("%s = %.9g, %s = %.9g, difference %.3g above %.3g", #a, close_a, #b, close_b, \
                     fabs(close_a - close_b), (double)(tolerance));                                \
    } while (0)

/* The call succeeded; otherwise its message is printed. */
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        if (!(call))                                                                               \
            fail_msg("%s failed: %s", #call, error.message);                                       \
    } while (0)

/* The call failed and its message holds `part`. */
#define assert_refused(call, part)                                                                 \
    do {                                                                                           \
        if (call)                                                                                  \
            fail_msg("%s should have failed", #call);                                              \
        if (!strstr(error.message, part))                                                          \
            fail_msg("message \"%s\" does not hold \"%s\"", error.message, part);                  \
        error_clear(&error);                                                                       \
    } while (0)

#endif
