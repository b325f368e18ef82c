/* library.h - shared libraries that are loaded when they are first wanted.
 *
 * Linking a library costs every start of the program half a millisecond, whether it is used or
 * not. What most runs do without (OpenBLAS, decoders of pictures, fonts) is opened by name. The
 * headers of a library still check every call: a pointer has its function's own type,
 * `__typeof__(png_image_free) *`.
 *
 * Opening twice gives the same library; none is ever closed. Threads: any.
 */
#ifndef FOVEA_BASE_LIBRARY_H
#define FOVEA_BASE_LIBRARY_H
#include <stdbool.h>

#include "base/error.h"

/* Fills functions[i], a pointer to a function pointer, with the function names[i]. What is
 * missing is a broken installation: ERROR_UNSUPPORTED names the library and the Debian package. */
typedef struct LibraryFunction {
    const char *name;
    void *function;
} LibraryFunction;

bool library_load(const char *library, const char *package, int n, const LibraryFunction *functions,
                  Error *error) FOVEA_MUST_USE;

#endif
