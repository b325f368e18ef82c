/* links.h - the plan of the Links view: two sentences and the links between their words.
 *
 * Short sentences stand above each other, longer ones in two columns. Where there are more
 * than LINKS_MAX_NODES words a side, neighbours are taken together (what a block gives is the
 * mean over its words, what it receives the sum), and of all links only the strongest are
 * drawn; a note says how much weight is not seen.
 *
 * Of several heads it shows their mean, or the chosen one, or all of them ("heads"): each in a
 * colour of its own, which depends on nothing but its number, and as strong as its weights are,
 * however many others are open.
 */
#ifndef FOVEA_VIEWS_LINKS_H
#define FOVEA_VIEWS_LINKS_H
#include "views/heatmap.h"

#define LINKS_MAX_NODES 96
#define LINKS_MAX       480
#define LINKS_OF_A_HEAD 160 /* at most, when several are open */
#define LINKS_MAX_HEADS 64

typedef struct LinkNode {
    int32_t first, count; /* rows or columns of the values */
    Point anchor;         /* where links begin or end      */
    Rect place;           /* of the label                  */
    Point text;           /* baseline of the label         */
} LinkNode;

typedef struct Link {
    int32_t row, col; /* nodes */
    float weight;
    int32_t head; /* -1: not of a single one */
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
    Rect heading, place, legend, chips, notes_place;
    int32_t head_axis, n_heads; /* dimension of the tensor; -1, 0: not head by head */
    bool open[LINKS_MAX_HEADS];
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

/* ---- links_heads.c ---- */

/* Which heads are drawn; none of them when the view shows one matrix. */
void links_choose_heads(LinksPlan *plan);
Color links_head_color(const Theme *theme, int32_t head);
/* The chips that name the heads and open and close them; NULL only measures. */
float links_draw_chips(const LinksPlan *plan, Canvas *canvas);
Rect links_chip(const LinksPlan *plan, int32_t head);
/* A click on a chip: the first leaves that head alone, others come and go. */
void links_toggle_head(Settings *options, int32_t head);

/* The curve of a link: four points. */
void links_curve(const LinksPlan *plan, const Link *link, Point out[4]);

#endif
