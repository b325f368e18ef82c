/* matrix.h - cells with labelled sides: what Heatmap, Compare, Heads, Selection and Training
 * share.
 *
 * A plan places everything; drawing and hit-testing read the same plan, so what is hit is
 * what is seen. Rows and columns of `values` are always those of the tensor (row: query);
 * transposing and right-to-left order are matters of the plan alone.
 *
 * One canvas_cells a frame, whatever the size: where cells are smaller than pixels, each
 * pixel shows the largest of its cells.
 */
#ifndef FOVEA_VIEWS_MATRIX_H
#define FOVEA_VIEWS_MATRIX_H
#include "views/shade.h"
#include "views/values.h"

#define MATRIX_MAX_SPLIT 64
#define MATRIX_SPLIT     0.3f /* the part of a split row that another row takes */

typedef struct MatrixSpec {
    const ViewFrame *frame;
    const Values *values;
    Rect area; /* labels and cells */
    const Shade *shade;
    ViewCamera camera;
    bool transposed;
    bool numbers;        /* in cells, where they fit */
    bool no_labels;      /* a thumbnail              */
    float right_room;    /* kept free right of the cells */
    int32_t current;     /* row; -1: none             */
    int32_t ghosts_from; /* first row that is a ghost; rows: none */
    int32_t hover_row;   /* -1: none; so for each of the two */
    int32_t hover_col;
    int32_t strongest_col;                /* its label is bold; -1: none */
    int32_t split_rows[MATRIX_MAX_SPLIT]; /* whose last part shows something else */
    int n_split;
    const char *tag; /* name for tests and titles */
} MatrixSpec;

typedef struct Matrix {
    MatrixSpec spec;
    Side top, left;
    SideLayout top_layout, left_layout;
    Rect cells; /* where cells are seen */
    float x, y; /* of the first column and row in drawing order, maybe outside */
    float cell_w, cell_h;
    int32_t rows, cols; /* as drawn */
    bool has_numbers;   /* they fit */
} Matrix;

/* MatrixSpec with nothing marked. */
MatrixSpec matrix_spec(const ViewFrame *frame, const Values *values, const Shade *shade, Rect area);

Matrix matrix_plan(const MatrixSpec *spec);
void matrix_draw(const Matrix *matrix, Canvas *canvas);

/* Where the cell of `values` stands (clipped to what is seen only by the caller). */
Rect matrix_cell(const Matrix *matrix, int32_t row, int32_t col);
/* The cell of `values` at (x, y); false outside. */
bool matrix_cell_at(const Matrix *matrix, float x, float y, int32_t *row, int32_t *col);
/* The row (or column) of `values` whose label is at (x, y), or -1. */
int32_t matrix_row_label_at(const Matrix *matrix, float x, float y);
int32_t matrix_col_label_at(const Matrix *matrix, float x, float y);

bool matrix_is_split(const Matrix *matrix, int32_t row);

/* Cells of `values` that are seen at least in part: rows [row, row + rows), ... */
PyramidRegion matrix_visible(const Matrix *matrix);

/* Where labels and cells together end. */
Rect matrix_bounds(const Matrix *matrix);

ViewPort matrix_port(const Matrix *matrix);

/* Lines from the hovered cell to its labels, its outline and that of the selected one. */
void matrix_draw_crosshair(const Matrix *matrix, Canvas *canvas);

/* Notes on what is not shown: labels left out, an estimated range. */
void matrix_note(const Matrix *matrix, ViewNotes *notes);

#endif
