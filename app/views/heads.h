/* heads.h - the plan of the Heads view: every matrix of a tensor as a thumbnail.
 *
 * A tensor of rank 3 or more has a matrix for each item of its leading axes. The last two of
 * those axes span the grid (layers down, heads across; a single one wraps into rows), the
 * others stay fixed as the frame says. Thumbnails are reduced so that peaks stay, and measured
 * once: the measures sort, mark patterns, and are written in the tooltip.
 */
#ifndef FOVEA_VIEWS_HEADS_H
#define FOVEA_VIEWS_HEADS_H
#include "trace/measure.h"
#include "views/heatmap.h"

#define HEADS_MAX  4096 /* thumbnails; more layers or heads are not shown */
#define HEADS_SIDE 48   /* cells of a thumbnail, at most */

typedef struct Head {
    int32_t layer, head; /* items of the two axes; -1: there is no such axis */
    int32_t rows, cols;  /* of the thumbnail; 0: not read yet */
    float *cells;        /* [rows, cols]     */
    float peak;
    MeasureHead measures;
} Head;

/* All heads of a tensor; kept in the frame's cache. They are read one after the other, in as many
 * frames as it takes: heads, then what sums up each layer. */
typedef struct HeadSet {
    const TraceTensor *tensor;
    int32_t layer_axis, head_axis; /* dimensions of the tensor; -1: none */
    int32_t n_layers, n_heads;
    int32_t n;
    Head *heads;    /* [n], by layer, then head */
    Head *means;    /* [n_layers] mean over heads */
    Head *maxima;   /* [n_layers] */
    Head *rollouts; /* [n_layers], or NULL where it means nothing */
    float peak;     /* of all heads that were read */
    void *arena;
    int32_t n_done, n_all; /* matrices read, and to be read */
    Grid rollout;          /* of the layers so far */
    Error error;
} HeadSet;

/* NULL with an error when the tensor has no leading axis. */
const HeadSet *heads_get(const ViewFrame *frame, const TraceTensor *tensor, Error *error);

/* at[] of the frame with this layer and head put in; GRID_ALL for -1 where there is an axis. */
void heads_place(const HeadSet *set, const ViewFrame *frame, int32_t layer, int32_t head,
                 int32_t at[TRACE_MAX_RANK]);

/* What a head is known for, if its measure is at least HEADS_PATTERN. */
#define HEADS_PATTERN 0.5
typedef enum {
    PATTERN_NONE,
    PATTERN_SELF,
    PATTERN_PREVIOUS,
    PATTERN_NEXT,
    PATTERN_FIRST,
    PATTERN_SPECIAL,
    PATTERN_SAME_WORD,
    PATTERN_COUNT
} HeadPattern;

HeadPattern heads_pattern(const MeasureHead *measures);

#endif
