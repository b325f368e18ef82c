/* pipeline.h - one step of attention as its formula reads it, from query to output.
 *
 * Bands stand under each other over the same source positions: scores, alignment (softmax,
 * a drawn or largest position, a window and its Gaussian), weights, and beside the weights
 * what comes of them: context, gates, the distribution over the next token. Under them, if
 * wanted, the same scores read otherwise: softmax over all, hard, in a window; and many draws
 * from this step's soft weights, counted. Those are computed here with the operations that
 * models use; draws depend on the run's seed and the row alone.
 *
 * Positions are counted from 1 in what is written.
 */
#ifndef FOVEA_VIEWS_PIPELINE_H
#define FOVEA_VIEWS_PIPELINE_H
#include "views/heatmap.h"

#define PIPELINE_MAX_BANDS     8
#define PIPELINE_FORMULA_BYTES 200

typedef enum { BAND_BARS, BAND_CURVE } BandKind;

typedef struct Band {
    BandKind kind;
    const float *values; /* [n]; NaN: not computed                            */
    const float *marks;  /* [n]: a line across each bar at this height; NULL  */
    bool is_signed;
    float low, high; /* range of the values; bars start at 0               */
    Color color;     /* of what is positive                                */
    bool in_window;  /* the step's window is drawn behind it               */
    bool is_weights; /* what the step used: a person can paint it */
    bool is_reading; /* what another alignment would have made of the scores */
    int32_t spike;   /* a position that was chosen, or -1                  */
    const char *name;
    char formula[PIPELINE_FORMULA_BYTES];
    Rect place; /* caption and plot, before scrolling */
    float zero; /* y of the axis within the place     */
} Band;

typedef struct PipelinePlan {
    const ViewFrame *frame;
    Arena *arena;
    const TraceTensor *tensor; /* weights */
    const TraceStep *step;     /* NULL: the trace has no steps */
    int32_t row;               /* of the weights */
    int32_t n;                 /* source positions */
    int32_t focus;             /* whose numbers the formulas show */
    Side side;
    SideLayout labels;
    float pitch, x; /* position p of the drawing order covers x + p * pitch */
    const float *scores, *softmax, *weights; /* [n], or NULL */
    const float *draws;                      /* [n]: share of the draws that fell there, or NULL */
    Band bands[PIPELINE_MAX_BANDS];
    int n_bands;
    bool has_window;
    TraceWindow window;
    float temperature;
    bool is_hard;
    Rect heading_place, place, results, notes_place;
    char subtitle[200];
    float height, scroll;
    ViewNotes notes;
    Error error;
} PipelinePlan;

extern const Setting pipeline_settings[];

/* n is 0 when there is nothing to draw; error says why. */
void pipeline_plan(PipelinePlan *plan, const ViewFrame *frame);
void pipeline_plan_free(PipelinePlan *plan);

/* x of the left edge of item i of the source. */
float pipeline_x(const PipelinePlan *plan, int32_t i);
/* x of a real position, 0-based: the middle of item i is i. */
float pipeline_x_at(const PipelinePlan *plan, double position);

/* ---- pipeline_formula.c: in the notation of the papers, with this step's numbers ---- */

void formula_score(const PipelinePlan *plan, char out[PIPELINE_FORMULA_BYTES]);
void formula_softmax(const PipelinePlan *plan, const float *values, char *out);
void formula_gaussian(const PipelinePlan *plan, char *out);
/* A fixed context: what stands for weights are shares of a gradient. */
bool pipeline_has_no_attention(const PipelinePlan *plan);
void formula_weights(const PipelinePlan *plan, char *out);
void formula_choice(const PipelinePlan *plan, char *out);
void formula_query(const PipelinePlan *plan, char *out);
void formula_context(const PipelinePlan *plan, char *out);
/* N, where the draws are furthest from the soft weights, and the seed. */
void formula_draws(const PipelinePlan *plan, const float *soft, char *out);
/* "c\u2084": a letter with a small index. */
void formula_index(char letter, int index, char out[32]);

/* ---- pipeline_reading.c ---- */

/* [n] in the plan's arena. NaN scores are not seen. */
const float *reading_softmax(const PipelinePlan *plan, const float *scores, double temperature);
/* Softmax within the window, times its Gaussian if it has one. */
const float *reading_local(const PipelinePlan *plan, const float *scores, const TraceWindow *window,
                           double temperature);
/* One at the largest score. */
const float *reading_hard(const PipelinePlan *plan, const float *scores);
/* The share of `n_draws` that fell on each position, drawn as hard attention draws. */
const float *reading_draws(const PipelinePlan *plan, const float *soft, int n_draws);
/* The run's seed; 1 for what another tool ran. */
uint64_t reading_seed(const PipelinePlan *plan);

/* ---- pipeline_draw.c ---- */

void pipeline_draw_band(const PipelinePlan *plan, Canvas *canvas, const Band *band);
void pipeline_draw_window(const PipelinePlan *plan, Canvas *canvas);
void pipeline_draw_labels(const PipelinePlan *plan, Canvas *canvas);
void pipeline_draw_results(const PipelinePlan *plan, Canvas *canvas);
/* Candidate k's row in the results, or an empty rectangle. */
Rect pipeline_candidate(const PipelinePlan *plan, int k);
float pipeline_results_height(const PipelinePlan *plan);

#endif
