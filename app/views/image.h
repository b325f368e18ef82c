/* image.h - the plan of the Image view: a picture and where a model looks at it.
 *
 * Soft attention lies over the picture as a grid of weights, in cells or blurred; a hard choice
 * is a framed cell. Runs that were drawn beside this one are thin lines from look to look.
 * glimpses are the boxes of their patches, joined by the path of their centres. Beside it
 * stand what the retina saw and what the model would have said after each glimpse, under it
 * all steps as a strip.
 */
#ifndef FOVEA_VIEWS_IMAGE_H
#define FOVEA_VIEWS_IMAGE_H
#include "views/heatmap.h"

typedef struct ImagePlan {
    const ViewFrame *frame;
    const TraceImage *image; /* NULL: nothing to draw */
    Arena *arena;
    int32_t step, n_steps;   /* the step that is shown; of strips */
    const TraceTensor *grid; /* [.., step, cell] or [.., cell], or NULL */
    int32_t grid_rows, grid_cols;
    float peak;                  /* of all its weights */
    const TraceTensor *patches;  /* [glimpse, patch, pixel], or NULL */
    const TraceTensor *verdicts; /* [glimpse, class], or NULL */
    const TraceTensor *places;   /* further draws: [path, glimpse, xy], or NULL */
    const TraceTensor *taken;    /* further draws: [path, step] cells, or NULL  */
    Shade shade;
    bool smooth; /* weights are blurred */
    bool veils;  /* what is not looked at is darkened, instead of tinting what is */
    const char *title;
    char subtitle[160];
    ViewNotes notes;
    Rect heading, picture, side, strip, legend, notes_place;
    float thumb;     /* side of a picture in the strip; 0: no strip */
    int32_t per_row; /* of the strip */
    Error error;
} ImagePlan;

void image_plan(ImagePlan *plan, const ViewFrame *frame);
void image_plan_free(ImagePlan *plan);

/* Weights of a step over the cells, [rows * cols] in the plan's arena; NULL: none. */
const float *image_weights(const ImagePlan *plan, int32_t step);
/* A place of the picture, as parts of it, on the canvas. */
Point image_point(const ImagePlan *plan, Rect picture, float x, float y);
/* Where step i of the strip stands. */
Rect image_thumb(const ImagePlan *plan, int32_t i);

/* Warm, for weights and boxes: pictures are seldom orange. */
#define IMAGE_MARK 0xFF8F1FFFu

/* ---- image_runs.c: the ways of further drawn runs ---- */
#define IMAGE_MOST_WAYS 300 /* of more runs only the last place is drawn */
/* How many of them took a cell at a step; n_runs 0: there are none. */
int32_t image_count_taken(const ImagePlan *plan, int32_t step, int32_t cell, int32_t *n_runs);
void image_draw_runs(const ImagePlan *plan, Canvas *canvas, Rect place, int32_t step);

/* One of the pictures of a film, in the frame's area: the step and its word, and no more, as
 * in the figures of Xu et al. 2015. */
#define IMAGE_FILM_GAP   5 /* around it, in view_unit */
#define IMAGE_FILM_LABEL 20

/* ---- image_draw.c ---- */
void image_draw_film(const ImagePlan *plan, Canvas *canvas);
void image_draw_picture(const ImagePlan *plan, Canvas *canvas, Rect place, int32_t step,
                        bool is_thumb);
void image_draw_strip(const ImagePlan *plan, Canvas *canvas);
void image_draw_side(const ImagePlan *plan, Canvas *canvas);

#endif
