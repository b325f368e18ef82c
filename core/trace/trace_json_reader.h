/* trace_json_reader.h - what the parts of the trace JSON reader share; not for others.
 *
 * Every function that reads a field leaves what is there when the field is missing, and
 * reports a value of the wrong type with the place ("axes[1] \"source\"") and what was found.
 */
#ifndef FOVEA_TRACE_TRACE_JSON_READER_H
#define FOVEA_TRACE_TRACE_JSON_READER_H
#include <jansson.h>

#include "base/memory.h"
#include "base/strmap.h"
#include "trace/trace_json.h"

typedef struct TraceJsonReader {
    TraceBuilder *builder;
    Arena *arena;                  /* for what lives until the next axis or step  */
    StrMap *axes;                  /* from an axis' name to its index             */
    int32_t *length;               /* of every axis                               */
    const TraceJsonSource *source; /* or NULL */
    Error *error;
    char place[160]; /* names the part being read                   */
} TraceJsonReader;

/* "PLACE: "field" should be WANTED; it is FOUND". Returns false. */
bool reader_fault(TraceJsonReader *reader, const char *field, const char *wanted,
                  const json_t *found);

bool reader_to_double(const json_t *value, double *out);
bool reader_double(TraceJsonReader *reader, const json_t *object, const char *key, double *out);
bool reader_integer(TraceJsonReader *reader, const json_t *object, const char *key, int32_t *out);
bool reader_text(TraceJsonReader *reader, const json_t *object, const char *key, const char **out);
/* A list, or NULL when the field is missing. */
bool reader_list(TraceJsonReader *reader, const json_t *object, const char *key,
                 const json_t **out);
/* Which of n names the field holds. */
bool reader_choice(TraceJsonReader *reader, const json_t *object, const char *key,
                   const char *const *names, int n, int *out);

/* Zeroed, in the arena; NULL with an error. */
void *reader_allocate(TraceJsonReader *reader, size_t n, size_t size);
/* A list of 32-bit numbers, n of them (any number for n < 0); NULL with an error. */
const int32_t *reader_integers(TraceJsonReader *reader, const json_t *list, const char *key,
                               int32_t n);

bool reader_read_axes(TraceJsonReader *reader, const json_t *root);
bool reader_read_tensors(TraceJsonReader *reader, const json_t *root);

#endif
