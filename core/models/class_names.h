/* class_names.h - the labels of a classifier, in the order of its outputs.
 *
 * Invariants: at least two, at most CLASS_NAMES_MAX; valid UTF-8, not empty, all different.
 * Memory: owns its strings. Threads: read-only use from any thread.
 */
#ifndef FOVEA_MODELS_CLASS_NAMES_H
#define FOVEA_MODELS_CLASS_NAMES_H
#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

#define CLASS_NAMES_MAX       1000
#define CLASS_NAMES_MAX_BYTES 256 /* of one name */

typedef struct ClassNames ClassNames;

/* Copies of `names`, in this order. */
ClassNames *class_names_new(int n, const char *const *names, Error *error) FOVEA_MUST_USE;
/* Puts labels that were found in data into an order: by value when all are numbers ("2"
 * before "10"), else by bytes. */
void class_names_sort(int n, const char **names);
void class_names_free(ClassNames *names); /* NULL is fine */

int class_names_count(const ClassNames *names);
const char *class_names_at(const ClassNames *names, int i); /* borrowed */
/* The place of the class with this name, or of the only one whose name starts with it ("neg"
 * for "negative"); -1 when there is none or the choice is not clear. */
int class_names_find(const ClassNames *names, const char *name, size_t n);

/* ["neg", "pos"], in order. */
json_t *class_names_to_json(const ClassNames *names); /* the caller's reference */
ClassNames *class_names_from_json(const json_t *value, Error *error) FOVEA_MUST_USE;

#endif
