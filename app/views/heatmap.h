/* heatmap.h - the plan of the Heatmap view, for its three files and for the views that draw a
 * heatmap as a part of theirs.
 */
#ifndef FOVEA_VIEWS_HEATMAP_H
#define FOVEA_VIEWS_HEATMAP_H
#include "views/matrix.h"

typedef enum { HEATMAP_WEIGHTS, HEATMAP_SCORES, HEATMAP_SOFTMAX, HEATMAP_OWN } HeatmapValues;

typedef struct HeatmapOptions {
    const char *tensor; /* "": the main one */
    HeatmapValues shows;
    bool numbers, transpose, sums, gold;
    int top; /* outlines of the k largest of a row */
    ShadeOptions shade;
} HeatmapOptions;

/* Rows of a table of settings: the heatmap's own, and of views that draw heatmaps. */
#define HEATMAP_SETTINGS                                                                           \
    {"show",                                                                                       \
     SETTING_CHOICE,                                                                               \
     "weights",                                                                                    \
     0,                                                                                            \
     0,                                                                                            \
     "weights|scores|softmax|own",                                                                 \
     "weights, raw scores, before the hard choice or Gaussian, or the model's own"},               \
        {"numbers", SETTING_BOOL, "yes", 0, 0, NULL, "numbers in cells where they fit"},           \
        VALUES_SETTINGS, SHADE_SETTINGS,                                                           \
        {"top", SETTING_INT, "0", 0, 10, NULL, "outline the k largest cells of a row"},            \
        {"sums", SETTING_BOOL, "no", 0, 0, NULL, "the sum of each row"},                           \
        {"transpose", SETTING_BOOL, "no", 0, 0, NULL, "output across, source down"},               \
        {"gold", SETTING_BOOL, "no", 0, 0, NULL, "gold alignment links and their error rate"},     \
    {                                                                                              \
        "tensor", SETTING_TEXT, "", 0, 0, NULL, "which tensor, by name; empty: the main one"       \
    }

HeatmapOptions heatmap_options(const Settings *settings);

typedef struct HeatmapPlan {
    const ViewFrame *frame;
    HeatmapOptions options;
    const TraceTensor *main;  /* NULL: nothing to draw; error says why */
    const TraceTensor *shown; /* main, or its scores, ... */
    ValuesSpec spec;          /* of shown */
    const Values *values;
    Shade shade;
    Matrix matrix;
    ViewNotes notes;
    char subtitle[256];
    Rect heading, legend, notes_place;
    Error error;
} HeatmapPlan;

void heatmap_plan(HeatmapPlan *plan, const ViewFrame *frame);
/* The same with a range of values given: two heatmaps on one scale. */
void heatmap_plan_in(HeatmapPlan *plan, const ViewFrame *frame, const GridRange *range);
/* Everything but the tooltip; plan->values is not NULL. */
void heatmap_draw_plan(const HeatmapPlan *plan, Canvas *canvas);

/* Row of `values` that is the current step and the first that is a ghost. */
void heatmap_mark_step(const ViewFrame *frame, MatrixSpec *spec);
/* Where the hover and the selection of the frame are. */
void heatmap_mark_hover(const ViewFrame *frame, MatrixSpec *spec);

/* Rows whose weights a person replaced. */
void heatmap_mark_changed(const HeatmapPlan *plan, MatrixSpec *spec);

/* Overlays; each does nothing when its option is off or the trace lacks what it needs. */
void heatmap_draw_gold(const HeatmapPlan *plan, Canvas *canvas);
void heatmap_draw_top(const HeatmapPlan *plan, Canvas *canvas);
void heatmap_draw_sums(const HeatmapPlan *plan, Canvas *canvas);
void heatmap_draw_locks(const HeatmapPlan *plan, Canvas *canvas);
void heatmap_draw_own_rows(const HeatmapPlan *plan, Canvas *canvas);
/* What gold links say about the weights, as a note. */
void heatmap_note_gold(HeatmapPlan *plan);
/* NULL, or "sure", "possible": what gold says of a cell. */
typedef enum { GOLD_NONE, GOLD_POSSIBLE, GOLD_SURE } HeatmapGold;
HeatmapGold heatmap_gold_at(const HeatmapPlan *plan, int32_t row, int32_t col);

/* Fills lines of a cell, a row label, a column label. */
void heatmap_describe_cell(const HeatmapPlan *plan, int32_t row, int32_t col, ViewHit *hit);
void heatmap_describe_row(const HeatmapPlan *plan, int32_t row, ViewHit *hit);
void heatmap_describe_col(const HeatmapPlan *plan, int32_t col, ViewHit *hit);

/* The hit at (x, y) of a plan. */
ViewHit heatmap_hit_plan(const HeatmapPlan *plan, float x, float y);

/* Padding of a view's content on the screen and in figures. */
Rect view_content(const ViewFrame *frame);

#endif
