/* export.h - numbers out: traces, matrices and links as files that other programs read.
 *
 * A trace is written whole as JSON, .npz or .safetensors; each of them read back by
 * import_open gives an equal trace. In the two binary forms every tensor is an array under
 * its name, in its own type (numpy has no BF16 and F8: those become F32), the tokens of the
 * axes stand beside them ("source", "target") for scripts that want no more, and the rest
 * is the trace's JSON without numbers: the member "trace.json", or the metadata "trace".
 *
 * All files are written atomically. Depends on: trace, npy, safetensors, links.
 */
#ifndef FOVEA_FORMAT_EXPORT_H
#define FOVEA_FORMAT_EXPORT_H
#include "format/links.h"
#include "trace/grid.h"

#define EXPORT_TRACE_MEMBER "trace.json" /* in an .npz           */
#define EXPORT_TRACE_KEY    "trace"      /* in safetensors' metadata */

bool export_trace_json(const Trace *trace, const char *path, Error *error) FOVEA_MUST_USE;
bool export_trace_npz(const Trace *trace, const char *path, Error *error) FOVEA_MUST_USE;
bool export_trace_safetensors(const Trace *trace, const char *path, Error *error) FOVEA_MUST_USE;

/* A line of column labels behind an empty corner, then a line for each row: its label and
 * its numbers (table.h). `separator` is ',' or a tab. */
void export_grid_table(const Grid *grid, char separator, StrBuf *out);
bool export_grid_csv(const Grid *grid, char separator, const char *path,
                     Error *error) FOVEA_MUST_USE;
bool export_grid_npy(const Grid *grid, const char *path, Error *error) FOVEA_MUST_USE;

/* One line of links a sentence (Pharaoh). */
bool export_links(const AlignLinks *sentences, int32_t n, const char *path,
                  Error *error) FOVEA_MUST_USE;

/* The links of one run: those that it holds ("alignment.links": below one is possible), else the
 * largest weight of every row of the first weights between target and source, heads averaged.
 * An error when there are neither. Appends. */
bool export_trace_links(const Trace *trace, AlignLinks *links, Error *error) FOVEA_MUST_USE;

#endif
