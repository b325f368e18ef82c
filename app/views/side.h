/* side.h - one side of a matrix: its items in drawing order, and how their labels stand.
 *
 * Labels are horizontal where they fit, else turned, else set smaller, else only every k-th
 * is shown (and the layout says so, for a note), the first and the last always. Long ones end in an
 * ellipsis. A side whose labels are written from right to left runs from right to left when it lies
 * along the top or the bottom.
 *
 * Works for axes of millions of items: labels are measured by a sample, drawn by what is
 * visible.
 */
#ifndef FOVEA_VIEWS_SIDE_H
#define FOVEA_VIEWS_SIDE_H
#include "trace/grid.h"
#include "views/view_tools.h"

typedef struct Side {
    const Trace *trace;
    int32_t axis;          /* of the trace; -1: the single row of a rank-1 tensor       */
    const GridItem *items; /* [n]; NULL: every item of the axis stands for itself       */
    int32_t n;
    bool reversed; /* item 0 is drawn last */
    /* [n_widths] of a sample of the labels, as side_measure gives them; NULL: measured when they
     * are needed. */
    const float *widths;
    int32_t n_widths;
} Side;

Side side_of_axis(const Trace *trace, int32_t axis);
Side side_of_items(const Trace *trace, int32_t axis, const GridItem *items, int32_t n);

/* Widths of a sample of the bold labels at size 1, of any size of type: whoever draws a side frame
 * by frame measures it once. Returns how many there are. */
#define SIDE_MOST_WIDTHS 512
int32_t side_measure(const ViewFrame *frame, const Side *side, float widths[SIDE_MOST_WIDTHS]);

/* Does most of the axis' text run from right to left? */
bool side_reads_right_to_left(const Side *side);

/* Item i's label (borrowed, or put into `room` when the axis has none), flags, and which items
 * of the axis it stands for. */
#define SIDE_LABEL_BYTES 24
const char *side_label(const Side *side, int32_t i, char room[SIDE_LABEL_BYTES]);
uint8_t side_flags(const Side *side, int32_t i);
int32_t side_first(const Side *side, int32_t i);
int32_t side_count(const Side *side, int32_t i);
/* The item that holds item `first` of the axis, or -1. */
int32_t side_find(const Side *side, int32_t first);

/* Item i stands at this place in drawing order, and back. */
static inline int32_t side_place(const Side *side, int32_t i)
{
    return side->reversed ? side->n - 1 - i : i;
}

typedef enum { SIDE_TOP, SIDE_LEFT, SIDE_BOTTOM } SideEdge;

typedef struct SideLayout {
    SideEdge edge;
    TextStyle style; /* size, turn, anchor, max_width */
    int32_t stride;  /* every stride-th label is shown */
    float extent;    /* room between the edge of the cells and the far end of the labels */
    float overhang;  /* room beyond the last (top) or before the first (bottom) item     */
} SideLayout;

/* `pitch`: pixels between items; `room`: the most that labels may take away. */
SideLayout side_layout(const ViewFrame *frame, const Side *side, SideEdge edge, float pitch,
                       float room);

/* What is said about items; -1 for none. */
typedef struct SideMarks {
    int32_t current;     /* bold                        */
    int32_t hovered;     /* bold, on the accent's tint   */
    int32_t ghosts_from; /* faint from here on; n: none  */
    int32_t strongest;   /* bold                         */
} SideMarks;

/* Labels along `cells` (the edge says which of its sides). Item at place p covers
 * [start + p * pitch, + pitch) of the x axis (top, bottom) or the y axis (left). */
void side_draw(const ViewFrame *frame, Canvas *canvas, const Side *side, const SideLayout *layout,
               Rect cells, float start, float pitch, SideMarks marks);

/* The item whose label band holds (x, y), or -1. */
int32_t side_hit(const Side *side, const SideLayout *layout, Rect cells, float start, float pitch,
                 float x, float y);

#endif
