/* links.h - the plan of the Links view: two sentences and the links between their words.
 *
 * Short sentences stand above each other, longer ones in two columns. Where there are more
 * than LINKS_MAX_NODES words a side, neighbours are taken together (what a block gives is the
 * mean over its words, what it receives the sum), and of all links only the strongest are
 * drawn; a note says how much weight is not seen.
 */
#ifndef FOVEA_VIEWS_LINKS_H
#define FOVEA_VIEWS_LINKS_H
#include "views/heatmap.h"

#define LINKS_MAX_NODES 96
#define LINKS_MAX       480

typedef struct LinkNode {
    int32_t first, count; /* rows or columns of the values */
    Point anchor;         /* where links begin or end      */
    Rect place;           /* of the label                  */
    Point text;           /* baseline of the label         */
} LinkNode;

typedef struct Link {
    int32_t row, col; /* nodes */
    float weight;
} Link;

typedef struct LinksPlan {
    const ViewFrame *frame;
    const TraceTensor *tensor; /* NULL: nothing to draw */
    ValuesSpec spec;
    const Values *values;
    Arena *arena;
    LinkNode *rows, *cols;
    int32_t n_rows, n_cols;
    Link *links; /* by falling weight */
    int n_links;
    double n_omitted;
    double omitted; /* mean weight of a row that is not drawn */
    bool across;    /* sentences lie; otherwise they stand in columns */
    TextStyle row_style, col_style;
    Rect heading, place, legend, notes_place;
    float height;                 /* of everything, when nothing is scrolled */
    int32_t current, ghosts_from; /* row nodes */
    ViewNotes notes;
    char subtitle[200];
    Error error;
} LinksPlan;

extern const Setting links_settings[];

void links_plan(LinksPlan *plan, const ViewFrame *frame);
void links_plan_free(LinksPlan *plan);

/* A node's label: borrowed from the trace or put into `text`. */
#define LINKS_LABEL_BYTES 192
const char *links_label(const Side *side, const LinkNode *node, char text[LINKS_LABEL_BYTES]);

/* The curve of a link: four points. */
void links_curve(const LinksPlan *plan, const Link *link, Point out[4]);

#endif
