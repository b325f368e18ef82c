/* values.h - the numbers that a matrix picture shows: chosen from a trace, shaped, at any size.
 *
 * Up to VALUES_SMALL_CELLS they are a plain grid. Larger ones come with a pyramid that keeps
 * peaks, so that any part can be drawn at any scale; beyond VALUES_SHAPED_CELLS they are read
 * from the trace as they are, and words are not merged nor tokens hidden (is_raw says so).
 *
 * README.md has the names that decide which tensors belong together.
 */
#ifndef FOVEA_VIEWS_VALUES_H
#define FOVEA_VIEWS_VALUES_H
#include "trace/grid.h"
#include "trace/pyramid.h"
#include "views/side.h"

#define VALUES_SMALL_CELLS  ((int64_t)1 << 19)
#define VALUES_SHAPED_CELLS ((int64_t)1 << 24)

/* ---- which tensor ---- */

/* The tensor that a trace opens with, or NULL when it has no matrix or row of weights. */
const TraceTensor *values_main(const Trace *trace);
/* "G.what" for a tensor "G.anything" if it lies over the same axes; or NULL. */
const TraceTensor *values_sibling(const Trace *trace, const TraceTensor *tensor, const char *what);
/* The tensor called `name`, the main one for "" or a name that the trace does not have. */
const TraceTensor *values_named(const Trace *trace, const char *name);
/* The i-th tensor that a heatmap could draw, by falling interest; NULL past the end. */
const TraceTensor *values_candidate(const Trace *trace, int i);

/* Axis whose items are decided one a step, or -1. */
int32_t values_step_axis(const Trace *trace);

/* "layer 5, head 8", "mean over heads": what is fixed in the leading axes; "" for none. */
#define VALUES_PLACE_BYTES 128
typedef struct ValuesPlace {
    char text[VALUES_PLACE_BYTES];
} ValuesPlace;

/* ---- shaped ---- */

typedef enum { VALUES_MEAN, VALUES_MAX, VALUES_ROLLOUT } ValuesReduction;

typedef struct ValuesSpec {
    const Trace *trace;
    const TraceTensor *tensor;
    int32_t at[TRACE_MAX_RANK]; /* GRID_ALL: reduced */
    ValuesReduction reduction;
    bool merge_words, hide_special, hide_padding;
    bool hide_sinks, renormalise;
} ValuesSpec;

#define VALUES_SETTINGS                                                                            \
    {"merge_words", SETTING_BOOL, "yes", 0, 0, NULL, "join the pieces of words"},                  \
        {"hide_special", SETTING_BOOL, "yes", 0, 0, NULL, "leave out <s>, </s>, [CLS]"},           \
        {"hide_padding", SETTING_BOOL, "yes", 0, 0, NULL, "leave out padding"},                    \
        {"hide_sinks",                                                                             \
         SETTING_BOOL,                                                                             \
         "no",                                                                                     \
         0,                                                                                        \
         0,                                                                                        \
         NULL,                                                                                     \
         "leave out columns that take more than half of all weight"},                              \
        {"renormalise",                                                                            \
         SETTING_BOOL,                                                                             \
         "no",                                                                                     \
         0,                                                                                        \
         0,                                                                                        \
         NULL,                                                                                     \
         "rows that lost hidden columns sum to one again"},                                        \
    {                                                                                              \
        "reduce", SETTING_CHOICE, "mean", 0, 0, "mean|max|rollout",                                \
            "how heads and layers become one matrix where all are chosen"                          \
    }

/* Of the frame's trace, with at[] from the frame and the rest from its settings. */
ValuesSpec values_spec(const ViewFrame *frame, const TraceTensor *tensor);
ValuesPlace values_place(const ViewFrame *frame, const ValuesSpec *spec);

typedef struct Values {
    const Trace *trace;
    const TraceTensor *tensor; /* NULL: computed, not of a trace */
    TraceRole role;
    Grid grid;          /* rows 0: read from the trace itself */
    TraceMatrix matrix; /* what is drawn */
    Side rows, cols;    /* of the matrix; reversed as the text runs, for the top or bottom */
    Pyramid *pyramid;   /* of large ones, else NULL */
    GridRange range;
    GridRange sums;        /* of rows; not if the range is estimated */
    bool is_estimated;     /* range of a sample of the rows */
    bool is_raw;           /* too large to be shaped        */
    int64_t n_missing;     /* cells that are no finite number; of a sample, if the range is */
    float *peaks;          /* [rows] largest magnitude of each row */
    float *widths;         /* of both sides' labels                */
    int32_t n_hidden_cols; /* special ones                                  */
    int32_t n_padding;     /* hidden rows and columns of padding, all zeros */
    int32_t n_sinks;
} Values;

/* Borrowed from the frame's cache; NULL with an error (a rollout of matrices that are not
 * square, memory). */
const Values *values_get(const ViewFrame *frame, const ValuesSpec *spec, Error *error);

/* Of a grid that a view worked out itself: kept in the cache under `key`, and values_find
 * finds it again. Takes the grid's content. */
const Values *values_put(const ViewFrame *frame, const ViewKey *key, Grid *grid);
const Values *values_find(const ViewFrame *frame, const ViewKey *key);

float values_at(const Values *values, int32_t row, int32_t col);

/* The key of a spec: for what is derived from values. */
ViewKey values_key(const char *kind, const ValuesSpec *spec);

#endif
