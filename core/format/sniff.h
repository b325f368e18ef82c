/* sniff.h - what a file is, told from its bytes and never from its name.
 *
 * Threads: pure functions.
 */
#ifndef FOVEA_FORMAT_SNIFF_H
#define FOVEA_FORMAT_SNIFF_H
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Files that stand where a data file should be: a Git LFS pointer ("git lfs pull" was never
 * run) or a web page (the download was an error page). True when it is one; then the error
 * says what it is and what to do. An empty file is one too. */
bool sniff_impostor(const char *data, size_t n, const char *name, Error *error);

/* Kinds that are known but not read (a bare pickle, HDF5, pictures, compressed files): the
 * error says what it is and, where Python can convert it, how. */
bool sniff_foreign(const char *data, size_t n, const char *name, Error *error);

#endif
