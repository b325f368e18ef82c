/* trace_json.h - a trace as one line of JSON, and back.
 *
 * What `fovea run --json` prints, what other programs are invited to write, and what the
 * tests compare. Reading back what was written gives an equal trace: floats have nine
 * significant digits where they need them, doubles seventeen, and an element keeps its type.
 *
 *   {"fovea": 1, "model": "en-fr-additive", "seed": 1, "input": "...", "output": "...",
 *    "score": -3.2,
 *    "texts": {"question": "..."},  "attributes": {"family": "..."},  "notes": ["..."],
 *    "axes": [{"name": "source", "kind": "token", "labels": ["a", "b"], "spans": [[0, 1], [2, 3]],
 *              "text": "input", "flags": {"special": [1], "continues": [0]},
 *              "parent_axis": "sentence", "parents": [0, 0]},
 *             {"name": "head", "kind": "index", "length": 8},
 *             {"name": "cell", "kind": "grid", "rows": 7, "cols": 7}],
 *    "tensors": [{"name": "attention.weights", "role": "weights", "axes": ["target", "source"],
 *                 "type": "F16", "data": [[0.9, 0.1]]}],
 *    "steps": [{"index": 0, "token": "la", "id": 7, "probability": 0.93, "forced": true,
 *               "candidates": [{"token": "la", "id": 7, "probability": 0.93}],
 *               "scalars": {"entropy": 0.4},
 *               "window": {"centre": 3.2, "low": 0, "high": 8, "sigma": 5.0},
 *               "selection": [3], "boxes": [[0.1, 0.2, 0.3, 0.3]]}],
 *    "classes": [{"label": "positive", "probability": 0.98}],
 *    "beam": [{"parent": -1, "step": 0, "token": "la", "id": 7, "log_probability": -0.1,
 *              "score": -0.1, "state": "pruned", "dropped_at": 1, "dropped_score": -2.3,
 *              "kept_score": -1.9}],
 *    "image": {"width": 2, "height": 1, "rgba": "base64"},
 *    "changes": [{"step": 3, "kind": "token", "text": "..."}]}
 *
 * Rules:
 *   1. Only "fovea" is required; unknown fields are ignored; "axes" come before use.
 *   2. kind: token, step, grid, index, class. role: weights, scores, probabilities, mask,
 *      state, scalar. flags: special, padding, unknown, continues, forced, hidden, each with the
 *      indices of its items. state: live, finished, pruned. An axis without labels has a
 *      "length" (a grid its rows and cols).
 *   3. data: lists nested as the axes are. type: as in safetensors; F32 when missing.
 *   4. Not-a-number and the infinities are the strings "nan", "inf", "-inf".
 *   5. Spans are byte offsets into "text", which is "input" when missing.
 *
 * Depends on: base, jansson.
 */
#ifndef FOVEA_TRACE_TRACE_JSON_H
#define FOVEA_TRACE_TRACE_JSON_H
#include <jansson.h>

#include "base/strbuf.h"
#include "trace/trace.h"

#define TRACE_JSON_VERSION   1
#define TRACE_JSON_MAX_BYTES ((size_t)256 << 20)

/* Appends the line, without a line break. ERROR_LIMIT when it grows above
 * TRACE_JSON_MAX_BYTES: such a trace belongs in an .npz. */
bool trace_json_write(const Trace *trace, StrBuf *out, Error *error) FOVEA_MUST_USE;

/* `name` is the file for messages. */
const Trace *trace_json_read(const char *text, size_t n, const char *name,
                             Error *error) FOVEA_MUST_USE;

/* The same from a part of a larger document; `value` is only read. */
const Trace *trace_json_read_value(const json_t *value, const char *name,
                                   Error *error) FOVEA_MUST_USE;

/* ---- without the numbers ----
 * A large trace keeps its tensors in a binary file and the rest as JSON beside them: the
 * same line, but no tensor has "data". */

bool trace_json_write_outline(const Trace *trace, StrBuf *out, Error *error) FOVEA_MUST_USE;

/* Where the reader finds the elements of a tensor that has no "data". */
typedef struct TraceJsonSource {
    void *context;
    /* Called first: makes the trace own what `find` will point into. */
    void (*begin)(void *context, TraceBuilder *builder);
    /* tensor has its name and rank, lengths the length of each axis. Sets type, big_endian,
     * data and stride; false when there is no such tensor of that shape. */
    bool (*find)(void *context, TraceTensor *tensor, const int32_t *lengths);
} TraceJsonSource;

const Trace *trace_json_read_outline(const json_t *value, const char *name,
                                     const TraceJsonSource *source, Error *error) FOVEA_MUST_USE;

/* ---- names in the JSON, in the order of the enums ---- */

extern const char *const TRACE_JSON_KINDS[5];
extern const char *const TRACE_JSON_FLAGS[TRACE_TOKEN_N_FLAGS]; /* bit i of a token's flags */
extern const char *const TRACE_JSON_BEAM_STATES[3];

#endif
