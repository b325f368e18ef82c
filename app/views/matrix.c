#include "views/matrix.h"

#include <math.h>
#include <string.h>

enum { MOST_W = 76, MOST_H = 58, LEAST_FILL = 26 };

MatrixSpec matrix_spec(const ViewFrame *frame, const Values *values, const Shade *shade, Rect area)
{
    return (MatrixSpec){
        .frame = frame,
        .values = values,
        .area = area,
        .shade = shade,
        .current = -1,
        .ghosts_from = values->matrix.rows,
        .hover_row = -1,
        .hover_col = -1,
        .strongest_col = -1,
        .tag = values->tensor ? values->tensor->name : "matrix",
    };
}

/* ---- plan ---- */

static bool is_square(const Values *values)
{
    return values->tensor && values->rows.axis == values->cols.axis &&
           values->rows.n == values->cols.n && values->rows.n > 0;
}

/* Sizes of cells at zoom 1 for the room that labels leave. */
static void fit_cells(Matrix *m, float w, float h)
{
    float u = view_unit(m->spec.frame);
    m->cell_w = fminf(fmaxf(w, u) / (float)m->cols, MOST_W * u);
    m->cell_h = fminf(fmaxf(h, u) / (float)m->rows, MOST_H * u);
    if (is_square(m->spec.values)) {
        m->cell_w = m->cell_h = fminf(m->cell_w, m->cell_h);
        return;
    }
    m->cell_h = fminf(m->cell_h, fmaxf(LEAST_FILL * u, m->cell_w * 1.25f));
    m->cell_w = fminf(m->cell_w, fmaxf(44 * u, m->cell_h * 2.2f));
}

static void layout_sides(Matrix *m)
{
    const MatrixSpec *s = &m->spec;
    float u = view_unit(s->frame);
    m->left_layout =
        side_layout(s->frame, &m->left, SIDE_LEFT, m->cell_h, fminf(s->area.w * 0.3f, 220 * u));
    m->top_layout = side_layout(s->frame, &m->top, SIDE_TOP, m->cell_w,
                                fminf(fmaxf(s->area.h * 0.3f, 72 * u), s->area.h * 0.5f));
    if (s->no_labels)
        m->left_layout.extent = m->top_layout.extent = m->top_layout.overhang = 0;
}

/* Labels decide how much room cells have, and cells how labels stand: twice around settles. */
static void settle(Matrix *m)
{
    const MatrixSpec *s = &m->spec;
    fit_cells(m, s->area.w * 0.8f, s->area.h * 0.8f);
    for (int pass = 0; pass < 3; pass++) {
        layout_sides(m);
        float beyond = fmaxf(s->right_room, m->top_layout.overhang - m->cell_w / 2);
        fit_cells(m, s->area.w - m->left_layout.extent - fmaxf(beyond, 0),
                  s->area.h - m->top_layout.extent);
    }
}

static void place_cells(Matrix *m)
{
    const MatrixSpec *s = &m->spec;
    float w = m->cell_w * (float)m->cols, h = m->cell_h * (float)m->rows;
    float beyond = fmaxf(s->right_room, m->top_layout.overhang - m->cell_w / 2);
    /* A legend stands under the cells: narrow ones are placed as if they were as wide. */
    float legend = s->no_labels ? 0 : 300 * view_unit(s->frame);
    float block = fmaxf(w + fmaxf(beyond, 0), legend);
    float spare = s->area.w - m->left_layout.extent - block;
    m->cells = (Rect){s->area.x + m->left_layout.extent + fmaxf(spare, 0) / 2,
                      s->area.y + m->top_layout.extent, w, h};
}

Matrix matrix_plan(const MatrixSpec *spec)
{
    Matrix m = {.spec = *spec};
    const Values *v = spec->values;
    m.top = spec->transposed ? v->rows : v->cols;
    m.left = spec->transposed ? v->cols : v->rows;
    m.left.reversed = false;
    m.rows = m.left.n;
    m.cols = m.top.n;
    if (m.rows == 0 || m.cols == 0) {
        m.cells = (Rect){spec->area.x, spec->area.y, 0, 0};
        return m;
    }
    settle(&m);
    place_cells(&m);
    ViewPort port = matrix_port(&m);
    ViewCamera camera = view_camera(&port, spec->camera);
    m.cell_w *= camera.zoom;
    m.cell_h *= camera.zoom;
    m.x = m.cells.x - camera.x * camera.zoom;
    m.y = m.cells.y - camera.y * camera.zoom;
    if (camera.zoom > 1) { /* the room stays, more labels fit into it */
        float extent = m.top_layout.extent;
        m.top_layout = side_layout(spec->frame, &m.top, SIDE_TOP, m.cell_w, extent);
        m.top_layout.extent = extent;
        float left = m.left_layout.extent;
        m.left_layout = side_layout(spec->frame, &m.left, SIDE_LEFT, m.cell_h, left);
        m.left_layout.extent = left;
    }
    float u = view_unit(spec->frame);
    m.has_numbers = spec->numbers && m.cell_w >= 29 * u && m.cell_h >= 15 * u;
    return m;
}

ViewPort matrix_port(const Matrix *m)
{
    float u = view_unit(m->spec.frame);
    float least = fminf(m->cell_w, m->cell_h);
    return (ViewPort){m->cells, m->cells.w, m->cells.h, fmaxf(1, 120 * u / fmaxf(least, 1e-4f))};
}

Rect matrix_bounds(const Matrix *m)
{
    return (Rect){m->cells.x - m->left_layout.extent, m->cells.y - m->top_layout.extent,
                  m->cells.w + m->left_layout.extent + m->spec.right_room,
                  m->cells.h + m->top_layout.extent};
}

/* ---- between cells and places ---- */

Rect matrix_cell(const Matrix *m, int32_t row, int32_t col)
{
    int32_t along_left = m->spec.transposed ? col : row;
    int32_t along_top = side_place(&m->top, m->spec.transposed ? row : col);
    return (Rect){m->x + (float)along_top * m->cell_w, m->y + (float)along_left * m->cell_h,
                  m->cell_w, m->cell_h};
}

bool matrix_cell_at(const Matrix *m, float x, float y, int32_t *row, int32_t *col)
{
    if (m->rows == 0 || m->cols == 0 || !rect_contains(m->cells, x, y))
        return false;
    int32_t along_top = (int32_t)floorf((x - m->x) / m->cell_w);
    int32_t along_left = (int32_t)floorf((y - m->y) / m->cell_h);
    along_top = along_top < 0 ? 0 : along_top < m->cols ? along_top : m->cols - 1;
    along_left = along_left < 0 ? 0 : along_left < m->rows ? along_left : m->rows - 1;
    along_top = side_place(&m->top, along_top);
    *row = m->spec.transposed ? along_top : along_left;
    *col = m->spec.transposed ? along_left : along_top;
    return true;
}

static int32_t top_label_at(const Matrix *m, float x, float y)
{
    if (m->cols == 0)
        return -1;
    return side_hit(&m->top, &m->top_layout, m->cells, m->x, m->cell_w, x, y);
}

static int32_t left_label_at(const Matrix *m, float x, float y)
{
    if (m->rows == 0)
        return -1;
    return side_hit(&m->left, &m->left_layout, m->cells, m->y, m->cell_h, x, y);
}

int32_t matrix_row_label_at(const Matrix *m, float x, float y)
{
    return m->spec.transposed ? top_label_at(m, x, y) : left_label_at(m, x, y);
}

int32_t matrix_col_label_at(const Matrix *m, float x, float y)
{
    return m->spec.transposed ? left_label_at(m, x, y) : top_label_at(m, x, y);
}

bool matrix_is_split(const Matrix *m, int32_t row)
{
    for (int i = 0; i < m->spec.n_split; i++)
        if (m->spec.split_rows[i] == row)
            return true;
    return false;
}

static void visible_along(float low, float high, float start, float pitch, int32_t n,
                          int32_t *first, int32_t *count)
{
    double a = floor(((double)low - (double)start) / (double)pitch + 1e-3);
    double b = ceil(((double)high - (double)start) / (double)pitch - 1e-3);
    *first = (int32_t)fmax(0, fmin(a, n));
    *count = (int32_t)fmax(0, fmin(b, n)) - *first;
}

PyramidRegion matrix_visible(const Matrix *m)
{
    int32_t row, rows, col, cols;
    visible_along(m->cells.y, m->cells.y + m->cells.h, m->y, m->cell_h, m->rows, &row, &rows);
    visible_along(m->cells.x, m->cells.x + m->cells.w, m->x, m->cell_w, m->cols, &col, &cols);
    if (m->top.reversed)
        col = m->cols - col - cols;
    if (m->spec.transposed)
        return (PyramidRegion){col, row, cols, rows};
    return (PyramidRegion){row, col, rows, cols};
}

void matrix_note(const Matrix *m, ViewNotes *notes)
{
    const ViewFrame *frame = m->spec.frame;
    if (m->rows == 0 || m->cols == 0)
        return;
    if (m->left_layout.stride > 1 || m->top_layout.stride > 1) {
        int32_t most = m->left_layout.stride > m->top_layout.stride ? m->left_layout.stride
                                                                    : m->top_layout.stride;
        view_note(notes, false, view_word(frame, WORD_LABELS_THINNED), (int)most);
    }
    if (fminf(m->cell_w, m->cell_h) < 1)
        view_note(notes, false, "%s", view_word(frame, WORD_PEAKS_KEPT));
    if (m->spec.values->is_estimated)
        view_note(notes, false, "%s", view_word(frame, WORD_RANGE_ESTIMATED));
    if (m->spec.values->is_raw)
        view_note(notes, false, "%s", view_word(frame, WORD_TOO_LARGE_TO_SHAPE));
}
