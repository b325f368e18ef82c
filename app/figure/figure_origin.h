/* figure_origin.h - how a figure was made, inside the figure: `fovea figure.png` opens the run
 * that drew it.
 *
 *   {"fovea": 1,
 *    "figure": {"program": "0.1.0", "view": "heatmap", "step": 3, "at": [0, 0, 0, 0, 0, 0],
 *               "options": {"numbers": "yes", ...}, "settings": {"width": "160", ...},
 *               "camera": [1, 0, 0]},
 *    "run": the trace as trace_json.h writes it, "other": the same of a second run}
 *
 * deflated and in base64 (figure_container.c), as a text chunk of a PNG, a note in an SVG's
 * <metadata>, the keywords of a PDF, the comment of a GIF. A JSON figure is the trace's own
 * JSON with the member "figure". A run of more than FIGURE_ORIGIN_MAX_NUMBERS numbers is left
 * out; the figure then says so when it is opened.
 *
 * Reading trusts nothing: sizes are limited, the run is read by trace_json.h, settings that
 * are unknown or out of range are passed over.
 */
#ifndef FOVEA_FIGURE_FIGURE_ORIGIN_H
#define FOVEA_FIGURE_FIGURE_ORIGIN_H
#include "figure/figure.h"

#define FIGURE_ORIGIN_KEY         "fovea"
#define FIGURE_HTML_MARK          "<meta name=\"generator\" content=\"Fovea\">" /* in our pages */
#define FIGURE_ORIGIN_MAX_NUMBERS ((int64_t)1000000)
#define FIGURE_ORIGIN_MAX_BYTES   ((size_t)64 << 20) /* of the text, when reading */
#define FIGURE_MAX_FILE_BYTES     ((size_t)512 << 20)

/* The note that goes into a picture. */
bool figure_origin_write(const Figure *figure, StrBuf *out, Error *error) FOVEA_MUST_USE;

/* The trace's JSON with "figure" beside it. */
bool figure_origin_write_trace(const Figure *figure, StrBuf *out, Error *error) FOVEA_MUST_USE;

/* A figure that was opened: everything is owned; settings are complete. */
typedef struct FigureOrigin {
    const Trace *trace;
    const Trace *other; /* or NULL */
    const View *view;
    Settings *options, *settings;
    int32_t step;
    int32_t at[TRACE_MAX_RANK];
    FigureCamera camera;
    char *session; /* or NULL */
} FigureOrigin;

/* ERROR_FORMAT when the file carries no run; ERROR_LIMIT when the run was too large for it. */
bool figure_read_origin(const char *path, FigureOrigin *out, Error *error) FOVEA_MUST_USE;
bool figure_origin_read_memory(const char *data, size_t n, const char *name, FigureOrigin *out,
                               Error *error) FOVEA_MUST_USE;
void figure_origin_free(FigureOrigin *origin);

/* ---- figure_container.c ---- */

/* Whether the first bytes are those of a picture that can carry a run: PNG, GIF, PDF, SVG. */
bool figure_origin_recognise(const char *data, size_t n);

bool figure_note_write(const char *text, size_t n, StrBuf *out, Error *error) FOVEA_MUST_USE;
/* The text of the first whole note in a picture; the caller frees; NULL: there is none. */
char *figure_note_read(const char *data, size_t n);

#endif
