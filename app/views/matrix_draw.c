#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "views/matrix.h"

/* A part of the values as it is drawn: tile cell (i, j) shows the largest of the values from
 * row + i * per_row, col + j * per_col on. */
typedef struct Tile {
    double row, col; /* of `values`, where it begins */
    double per_row, per_col;
    int32_t rows, cols; /* of the tile */
    float *data;        /* [rows, cols] */
} Tile;

/* Without a branch: it runs for every cell of a picture that is being moved. */
static float larger(float a, float b)
{
    return (int)isnan(a) | (int)(fabsf(b) > fabsf(a)) ? b : a;
}

static int32_t divide_up(int32_t n, int32_t by)
{
    return (n + by - 1) / by;
}

/* Not zeroed: all are written. */
static float *new_cells(int32_t rows, int32_t cols)
{
    return memory_resize(NULL, (size_t)rows * (size_t)cols, sizeof(float));
}

/* Reads for as long as the frame may take; false: there is more for the next one. */
static bool prepare(const ViewFrame *frame, Pyramid *pyramid, int32_t level, PyramidRegion cells)
{
    enum { BLOCKS = 16 };
    if (frame->until == 0)
        return true;
    while (!pyramid_prepare(pyramid, level, cells, BLOCKS))
        if (clock_seconds() >= frame->until) {
            view_cache_ask_again(frame->cache);
            return false;
        }
    return true;
}

/* The visible part, in cells of the values or of a level of their pyramid. */
static Tile read_tile(const Matrix *m, float row_px, float col_px)
{
    PyramidRegion part = matrix_visible(m);
    const Values *v = m->spec.values;
    int32_t level = 0;
    if (v->pyramid)
        level = pyramid_level_for(v->pyramid, 1 / (double)fmaxf(row_px, col_px));
    PyramidRegion cells = {part.row >> level, part.col >> level, 0, 0};
    cells.rows = divide_up(part.row + part.rows, 1 << level) - cells.row;
    cells.cols = divide_up(part.col + part.cols, 1 << level) - cells.col;
    Tile tile = {
        .row = (double)cells.row * (1 << level),
        .col = (double)cells.col * (1 << level),
        .per_row = 1 << level,
        .per_col = 1 << level,
        .rows = cells.rows,
        .cols = cells.cols,
        .data = new_cells(cells.rows, cells.cols),
    };
    if (v->pyramid && prepare(m->spec.frame, v->pyramid, level, cells))
        pyramid_read(v->pyramid, level, cells, tile.data);
    else if (v->pyramid)
        pyramid_read_so_far(v->pyramid, level, cells, tile.data);
    for (int32_t i = 0; !v->pyramid && i < cells.rows; i++)
        trace_matrix_read(&v->matrix, cells.row + i, cells.col, cells.col + cells.cols,
                          tile.data + (size_t)i * (size_t)cells.cols);
    return tile;
}

/* Pixel p of `first + p * per` .. `+ per` meets these tile cells. */
typedef struct Bin {
    int32_t begin, end;
} Bin;

static Bin bin_of(double from, double per, int32_t p, double tile_from, double tile_per, int32_t n)
{
    double a = (from + p * per - tile_from) / tile_per, b = a + per / tile_per;
    int32_t begin = (int32_t)floor(a + 1e-6), end = (int32_t)ceil(b - 1e-6);
    begin = begin < 0 ? 0 : begin < n ? begin : n - 1;
    end = end <= begin ? begin + 1 : end < n ? end : n;
    return (Bin){begin, end};
}

/* The largest of a bin. Pixels that lie across the cells of a level have two or three. */
static float largest_of(const float *row, Bin bin)
{
    int32_t last = bin.end - 1, next = bin.begin < last ? bin.begin + 1 : last;
    float value = larger(larger(row[bin.begin], row[next]), row[last]);
    for (int32_t j = next + 1; j < last; j++)
        value = larger(value, row[j]);
    return value;
}

static int32_t n_bins(int32_t n, double tile_per, double per)
{
    return (int32_t)ceil(n * tile_per / per - 1e-6);
}

/* So that no cell is smaller than `per_row` and `per_col` of the values, which are at least what
 * they are now: rows first, whole ones, then the columns of what is left. */
static void bin_tile(Tile *tile, double per_row, double per_col)
{
    int32_t rows = n_bins(tile->rows, tile->per_row, per_row);
    int32_t cols = n_bins(tile->cols, tile->per_col, per_col), n = tile->cols;
    float *out = new_cells(rows, cols), *row = new_cells(1, n);
    Bin *bins = memory_new((size_t)cols, sizeof *bins);
    for (int32_t p = 0; p < cols; p++)
        bins[p] = bin_of(tile->col, per_col, p, tile->col, tile->per_col, n);
    for (int32_t p = 0; p < rows; p++) {
        Bin bin = bin_of(tile->row, per_row, p, tile->row, tile->per_row, tile->rows);
        const float *in = tile->data + (size_t)bin.begin * (size_t)n;
        float *to = out + (size_t)p * (size_t)cols;
        memcpy(row, in, (size_t)n * sizeof *row);
        for (int32_t i = bin.begin + 1; i < bin.end; i++) {
            in += n;
            for (int32_t j = 0; j < n; j++)
                row[j] = larger(row[j], in[j]);
        }
        for (int32_t j = 0; j < cols; j++)
            to[j] = largest_of(row, bins[j]);
    }
    free(bins);
    free(row);
    free(tile->data);
    *tile = (Tile){tile->row, tile->col, per_row, per_col, rows, cols, out};
}

/* At most one tile cell a pixel: a back end that has to choose would drop peaks. */
static Tile make_tile(const Matrix *m)
{
    float row_px = m->spec.transposed ? m->cell_w : m->cell_h;
    float col_px = m->spec.transposed ? m->cell_h : m->cell_w;
    Tile tile = read_tile(m, row_px, col_px);
    bool narrow = tile.per_col * (double)col_px < 1 && tile.cols > 1;
    bool low = tile.per_row * (double)row_px < 1 && tile.rows > 1;
    if (narrow || low)
        bin_tile(&tile, low ? 1 / (double)row_px : tile.per_row,
                 narrow ? 1 / (double)col_px : tile.per_col);
    return tile;
}

/* ---- colours ---- */

static float row_peak(const Matrix *m, const Tile *tile, int32_t i)
{
    const Values *v = m->spec.values;
    int32_t from = (int32_t)(tile->row + i * tile->per_row);
    int32_t end = (int32_t)ceil(tile->row + (i + 1) * tile->per_row);
    float peak = 0;
    for (int32_t row = from; row < end && row < v->matrix.rows; row++)
        peak = fmaxf(peak, v->peaks[row]);
    return peak;
}

/* Infinities lie outside of every range: they look like what is no number, and are hatched. */
static void drop_infinities(Tile *tile)
{
    size_t n = (size_t)tile->rows * (size_t)tile->cols;
    for (size_t k = 0; k < n; k++)
        if (isinf(tile->data[k]))
            tile->data[k] = NAN;
}

/* Tile cell (i, j) in drawing order. */
static size_t drawn_index(const Matrix *m, const Tile *tile, int32_t i, int32_t j)
{
    int32_t down = m->spec.transposed ? j : i, across = m->spec.transposed ? i : j;
    int32_t width = m->spec.transposed ? tile->rows : tile->cols;
    if (m->top.reversed)
        across = width - 1 - across;
    return (size_t)down * (size_t)width + (size_t)across;
}

static Color *color_tile(const Matrix *m, const Tile *tile)
{
    const Shade *shade = m->spec.shade;
    size_t cols = (size_t)tile->cols;
    Color *colors = memory_resize(NULL, (size_t)tile->rows * cols, sizeof *colors);
    Color *turned = memory_new(cols, sizeof *turned);
    bool is_straight = !m->spec.transposed && !m->top.reversed;
    for (int32_t i = 0; i < tile->rows; i++) {
        bool is_ghost = tile->row + i * tile->per_row >= m->spec.ghosts_from;
        float peak = shade->per_row ? row_peak(m, tile, i) : 0;
        Color *row = is_straight ? colors + (size_t)i * cols : turned;
        shade_row(shade, tile->data + (size_t)i * cols, tile->cols, peak, row);
        for (int32_t j = 0; is_ghost && j < tile->cols; j++)
            row[j] = shade_ghost(shade, row[j]);
        for (int32_t j = 0; !is_straight && j < tile->cols; j++)
            colors[drawn_index(m, tile, i, j)] = row[j];
    }
    free(turned);
    return colors;
}

/* The tile's cells may reach beyond the last row or column: the clip cuts them. */
static Rect tile_rect(const Matrix *m, const Tile *tile)
{
    double rows = tile->rows * tile->per_row, cols = tile->cols * tile->per_col;
    double down = m->spec.transposed ? tile->col : tile->row;
    double across = m->spec.transposed ? tile->row : tile->col;
    double w = m->spec.transposed ? rows : cols, h = m->spec.transposed ? cols : rows;
    if (m->top.reversed)
        across = m->cols - across - w;
    return (Rect){m->x + (float)(across * (double)m->cell_w),
                  m->y + (float)(down * (double)m->cell_h), (float)(w * (double)m->cell_w),
                  (float)(h * (double)m->cell_h)};
}

/* ---- marks on cells ---- */

static Rect intersect(Rect a, Rect b)
{
    float x = fmaxf(a.x, b.x), y = fmaxf(a.y, b.y);
    return (Rect){x, y, fminf(a.x + a.w, b.x + b.w) - x, fminf(a.y + a.h, b.y + b.h) - y};
}

static void hatch(const Matrix *m, Canvas *canvas, Rect place)
{
    const Theme *theme = m->spec.frame->theme;
    float gap = 6 * view_unit(m->spec.frame);
    Stroke stroke = {color_fade(theme->muted, 0.4f), view_unit(m->spec.frame), 0};
    canvas_clip_push(canvas, place);
    float start = floorf((place.x + place.y) / gap) * gap;
    float top = place.y - gap, bottom = place.y + place.h + gap; /* ends lie outside the clip */
    for (float c = start; c < place.x + place.w + place.y + place.h; c += gap)
        canvas_line(canvas, (Point){c - top, top}, (Point){c - bottom, bottom}, stroke);
    canvas_clip_pop(canvas);
}

/* A run of cells without numbers that has the same columns on several rows. */
typedef struct Run {
    int32_t first_row, end_col; /* end_col 0: none begins at this column */
} Run;

static void hatch_run(const Matrix *m, Canvas *canvas, const Run *run, int32_t col, int32_t end_row)
{
    Rect a = matrix_cell(m, run->first_row, col), b = matrix_cell(m, end_row - 1, run->end_col - 1);
    Rect place = {fminf(a.x, b.x), fminf(a.y, b.y), fabsf(b.x - a.x) + a.w, fabsf(b.y - a.y) + a.h};
    place = intersect(place, m->cells);
    if (place.w > 0 && place.h > 0)
        hatch(m, canvas, place);
}

/* Where a run of missing cells that begins at `col` ends on this row; col when none begins. */
static int32_t missing_until(const Matrix *m, PyramidRegion part, int32_t row, int32_t col)
{
    const Values *v = m->spec.values;
    bool begins = col == part.col || isfinite(values_at(v, row, col - 1));
    int32_t end = col;
    while (begins && end < part.col + part.cols && !isfinite(values_at(v, row, end)))
        end++;
    return end;
}

/* What is no number: equal runs of neighbouring rows are hatched together. */
static void hatch_missing(const Matrix *m, Canvas *canvas)
{
    PyramidRegion part = matrix_visible(m);
    if (m->spec.values->n_missing == 0 || fminf(m->cell_w, m->cell_h) < 5)
        return;
    Run *runs = memory_new((size_t)part.cols + 1, sizeof *runs);
    for (int32_t row = part.row; row <= part.row + part.rows; row++)
        for (int32_t k = 0; k < part.cols; k++) {
            int32_t col = part.col + k;
            int32_t end = row < part.row + part.rows ? missing_until(m, part, row, col) : col;
            if (runs[k].end_col > 0 && runs[k].end_col != end) {
                hatch_run(m, canvas, &runs[k], col, row);
                runs[k].end_col = 0;
            }
            if (end > col && runs[k].end_col == 0)
                runs[k] = (Run){row, end};
        }
    free(runs);
}

static TextStyle number_style(const Matrix *m)
{
    float u = view_unit(m->spec.frame);
    TextStyle style = theme_number(m->spec.frame->theme);
    style.size = fminf(fmaxf(m->cell_w * 0.235f, 9.5f * u), 12 * u);
    style.size = fminf(style.size, m->cell_h * 0.62f);
    style.align = ALIGN_MIDDLE;
    return style;
}

static void draw_numbers(const Matrix *m, Canvas *canvas)
{
    PyramidRegion part = matrix_visible(m);
    TextStyle style = number_style(m);
    const Shade *shade = m->spec.shade;
    for (int32_t row = part.row; row < part.row + part.rows; row++)
        for (int32_t col = part.col; col < part.col + part.cols; col++) {
            float value = values_at(m->spec.values, row, col);
            if (!isfinite(value))
                continue;
            bool is_ghost = row >= m->spec.ghosts_from;
            Rect cell = matrix_cell(m, row, col);
            Color color = shade_color(shade, value, m->spec.values->peaks[row]);
            color = is_ghost ? shade_ghost(shade, color) : color;
            bool is_quiet = fabsf(value) < 0.005f || fabsf(value) < shade->threshold;
            style.color = shade_ink(color, is_quiet);
            if (is_ghost)
                style.color = color_fade(color_ink(color), is_quiet ? 0.2f : 0.4f);
            if (matrix_is_split(m, row)) {
                cell.h *= m->spec.transposed ? 1 : 1 - MATRIX_SPLIT;
                cell.w *= m->spec.transposed ? 1 - MATRIX_SPLIT : 1;
            }
            Point at = {cell.x + cell.w / 2, cell.y + cell.h / 2 + view_baseline(&style)};
            canvas_text(canvas, at, view_number((double)value, 2).text, style);
        }
}

/* ---- drawing ---- */

static void draw_labels(const Matrix *m, Canvas *canvas)
{
    const MatrixSpec *s = &m->spec;
    int32_t none = m->rows + m->cols;
    SideMarks rows = {s->current, s->hover_row, s->ghosts_from, -1};
    SideMarks cols = {-1, s->hover_col, none, s->strongest_col};
    side_draw(s->frame, canvas, &m->left, &m->left_layout, m->cells, m->y, m->cell_h,
              s->transposed ? cols : rows);
    side_draw(s->frame, canvas, &m->top, &m->top_layout, m->cells, m->x, m->cell_w,
              s->transposed ? rows : cols);
}

/* The current row has a bar where its label ends: the playhead. */
static void draw_current(const Matrix *m, Canvas *canvas)
{
    if (m->spec.current < 0)
        return;
    float u = view_unit(m->spec.frame);
    Rect cell = intersect(matrix_cell(m, m->spec.current, 0),
                          m->spec.transposed ? (Rect){m->cells.x, -1e5f, m->cells.w, 2e5f}
                                             : (Rect){-1e5f, m->cells.y, 2e5f, m->cells.h});
    if (cell.w <= 0 || cell.h <= 0)
        return;
    Rect bar = m->spec.transposed ? (Rect){cell.x, m->cells.y - 4 * u, cell.w, 3 * u}
                                  : (Rect){m->cells.x - 4 * u, cell.y, 3 * u, cell.h};
    canvas_fill(canvas, bar, u, m->spec.frame->theme->accent);
}

void matrix_draw(const Matrix *m, Canvas *canvas)
{
    if (m->rows == 0 || m->cols == 0)
        return;
    const Theme *theme = m->spec.frame->theme;
    float u = view_unit(m->spec.frame);
    canvas_clip_push(canvas, m->cells);
    Tile tile = make_tile(m);
    if (m->spec.values->n_missing > 0)
        drop_infinities(&tile);
    Color *colors = color_tile(m, &tile);
    int32_t down = m->spec.transposed ? tile.cols : tile.rows;
    int32_t across = m->spec.transposed ? tile.rows : tile.cols;
    canvas_cells(canvas, tile_rect(m, &tile), down, across, colors);
    free(colors);
    free(tile.data);
    hatch_missing(m, canvas);
    if (m->has_numbers)
        draw_numbers(m, canvas);
    canvas_clip_pop(canvas);
    canvas_frame(canvas, rect_inset(m->cells, -u, -u), 0, (Stroke){theme->line, u, 0});
    canvas_tag(canvas, m->cells, TAG_HEATMAP, m->spec.tag, NULL);
    if (m->spec.no_labels)
        return;
    draw_labels(m, canvas);
    draw_current(m, canvas);
}

void matrix_draw_crosshair(const Matrix *m, Canvas *canvas)
{
    const MatrixSpec *s = &m->spec;
    if (s->frame->is_figure || s->hover_row < 0 || s->hover_col < 0)
        return;
    float u = view_unit(s->frame);
    Color accent = s->frame->theme->accent;
    Rect cell = matrix_cell(m, s->hover_row, s->hover_col);
    Stroke thin = {color_fade(accent, 0.45f), u, 0};
    canvas_clip_push(canvas, rect_inset(m->cells, -2 * u, -2 * u));
    /* Bands rather than lines: a line would strike through the numbers. */
    if (cell.x > m->cells.x)
        canvas_frame(canvas,
                     (Rect){m->cells.x - 4 * u, cell.y, cell.x - m->cells.x + 4 * u, cell.h}, 0,
                     thin);
    if (cell.y > m->cells.y)
        canvas_frame(canvas,
                     (Rect){cell.x, m->cells.y - 4 * u, cell.w, cell.y - m->cells.y + 4 * u}, 0,
                     thin);
    canvas_frame(canvas, rect_inset(cell, -u, -u), 0, (Stroke){accent, 2 * u, 0});
    canvas_clip_pop(canvas);
}
