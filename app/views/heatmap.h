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

extern const Setting heatmap_settings[];

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
