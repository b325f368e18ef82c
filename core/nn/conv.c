#include "nn/conv.h"

#include <string.h>

#include "base/error.h"
#include "math/kernels.h"
#include "math/matrix.h"

/* Rows of one product: enough for BLAS to be fast, few enough for the cache. */
enum { ROWS_AT_ONCE = 1024 };

static int out_length(int length, const Conv *c)
{
    return (length + 2 * c->padding - c->kernel) / c->stride + 1;
}

int conv_out_height(const Conv *conv)
{
    return out_length(conv->height, conv);
}

int conv_out_width(const Conv *conv)
{
    return out_length(conv->width, conv);
}

static void check_conv(const char *operation, const Conv *c, const Var *x)
{
    FOVEA_CHECK(c->kernel >= 1 && c->stride >= 1 && c->padding >= 0 && c->padding < c->kernel &&
                    c->height + 2 * c->padding >= c->kernel &&
                    c->width + 2 * c->padding >= c->kernel,
                "%s: kernel %d, stride %d, padding %d on %d x %d", operation, c->kernel, c->stride,
                c->padding, c->width, c->height);
    FOVEA_CHECK(x->rows % (c->height * c->width) == 0, "%s: %d rows are no pictures of %d x %d",
                operation, x->rows, c->width, c->height);
}

/* Columns of one kernel row that lie inside the picture: [begin, end) of 0 .. k. */
typedef struct Run {
    int begin, end;
} Run;

static Run inside(int first, int kernel, int length)
{
    Run run = {first < 0 ? -first : 0, first + kernel > length ? length - first : kernel};
    run.end = run.end < run.begin ? run.begin : run.end;
    return run;
}

/* ---- neighbourhoods as rows ---- */

/* pictures [n, h, w, c] -> rows [n h' w', k k c] */
static void lay_out(const Conv *conv, int n, int c, const Real *pictures, Real *rows)
{
    int oh = conv_out_height(conv), ow = conv_out_width(conv), k = conv->kernel;
    size_t width = (size_t)k * (size_t)c; /* of one kernel row */
    for (int i = 0; i < n * oh * ow; i++) {
        int picture = i / (oh * ow), y = i / ow % oh, x = i % ow;
        int top = y * conv->stride - conv->padding, left = x * conv->stride - conv->padding;
        Run down = inside(top, k, conv->height), across = inside(left, k, conv->width);
        const Real *source =
            pictures + (size_t)(picture * conv->height) * (size_t)conv->width * (size_t)c;
        size_t bytes = (size_t)(across.end - across.begin) * (size_t)c * sizeof *rows;
        if (down.end - down.begin < k || across.end - across.begin < k)
            memset(rows + (size_t)i * (size_t)k * width, 0, (size_t)k * width * sizeof *rows);
        for (int u = down.begin; u < down.end; u++)
            memcpy(rows + ((size_t)i * (size_t)k + (size_t)u) * width + (size_t)(across.begin * c),
                   source + (size_t)((top + u) * conv->width + left + across.begin) * (size_t)c,
                   bytes);
    }
}

/* The transpose: adds what flows into the rows to the pixels that they were made of. */
static void add_back(const Conv *conv, int n, int c, const Real *rows, Real *pictures)
{
    int oh = conv_out_height(conv), ow = conv_out_width(conv), k = conv->kernel;
    size_t width = (size_t)k * (size_t)c;
    for (int i = 0; i < n * oh * ow; i++) {
        int picture = i / (oh * ow), y = i / ow % oh, x = i % ow;
        int top = y * conv->stride - conv->padding, left = x * conv->stride - conv->padding;
        Run down = inside(top, k, conv->height), across = inside(left, k, conv->width);
        Real *target =
            pictures + (size_t)(picture * conv->height) * (size_t)conv->width * (size_t)c;
        size_t run = (size_t)(across.end - across.begin) * (size_t)c;
        for (int u = down.begin; u < down.end; u++)
            kernels()->add(
                run,
                rows + ((size_t)i * (size_t)k + (size_t)u) * width + (size_t)(across.begin * c),
                target + (size_t)((top + u) * conv->width + left + across.begin) * (size_t)c);
    }
}

/* ---- convolution ---- */

typedef struct Convolution {
    Var *y, *x, *w, *b;
    Conv conv;
} Convolution;

/* Pictures whose neighbourhoods are laid out together. */
static int pictures_at_once(const Conv *conv)
{
    int n = ROWS_AT_ONCE / (conv_out_height(conv) * conv_out_width(conv));
    return n > 0 ? n : 1;
}

typedef struct Chunk {
    int n;          /* pictures              */
    int rows;       /* output pixels         */
    size_t in, out; /* elements before it    */
} Chunk;

static Chunk chunk_at(const Conv *conv, int first, int n_pictures, int at_once, int c, int d)
{
    int n = n_pictures - first < at_once ? n_pictures - first : at_once;
    size_t in = (size_t)(conv->height * conv->width) * (size_t)c;
    size_t out = (size_t)(conv_out_height(conv) * conv_out_width(conv));
    return (Chunk){n, n * (int)out, (size_t)first * in, (size_t)first * out * (size_t)d};
}

/* y = rows(x) w^T + b:  dw += dy^T rows(x), db += sum of rows of dy, dx += back(dy w). */
static void conv_backward(Tape *tape, void *saved)
{
    const Convolution *s = saved;
    const Conv *conv = &s->conv;
    int c = s->x->cols, d = s->w->rows, width = s->w->cols;
    Real *dx = tape_grad(tape, s->x), *dw = tape_grad(tape, s->w);
    Real *db = s->b ? tape_grad(tape, s->b) : NULL;
    int n = s->x->rows / (conv->height * conv->width), at_once = pictures_at_once(conv);
    Chunk most = chunk_at(conv, 0, at_once, at_once, c, d);
    Real *rows = tape_scratch(tape, (size_t)most.rows * (size_t)width);
    for (int first = 0; first < n; first += at_once) {
        Chunk k = chunk_at(conv, first, n, at_once, c, d);
        const Real *dy = s->y->grad + k.out;
        for (int i = 0; db && i < k.rows; i++)
            kernels()->add((size_t)d, dy + (size_t)i * (size_t)d, db);
        if (dw) {
            lay_out(conv, k.n, c, s->x->value + k.in, rows);
            matrix_product_tn(d, width, k.rows, dy, d, rows, width, 1, dw, width);
        }
        if (dx) {
            matrix_product_nn(k.rows, width, d, dy, d, s->w->value, width, 0, rows, width);
            add_back(conv, k.n, c, rows, dx + k.in);
        }
    }
}

Var *op_conv(Tape *tape, Var *x, Var *weights, Var *bias, const Conv *conv)
{
    check_conv("op_conv", conv, x);
    int c = x->cols, d = weights->rows, width = conv->kernel * conv->kernel * c;
    tape_check_shape("op_conv", weights, -1, width);
    if (bias)
        tape_check_shape("op_conv", bias, 1, d);
    int n = x->rows / (conv->height * conv->width), at_once = pictures_at_once(conv);
    Chunk most = chunk_at(conv, 0, at_once, at_once, c, d);
    Var *y = tape_new_var(tape, n * conv_out_height(conv) * conv_out_width(conv), d,
                          x->wants_grad || weights->wants_grad || (bias && bias->wants_grad));
    Real *rows = tape_scratch(tape, (size_t)most.rows * (size_t)width);
    for (int i = 0; bias && i < y->rows; i++)
        memcpy(var_row(y, i), bias->value, (size_t)d * sizeof *bias->value);
    for (int first = 0; first < n; first += at_once) {
        Chunk k = chunk_at(conv, first, n, at_once, c, d);
        lay_out(conv, k.n, c, x->value + k.in, rows);
        matrix_product_nt(k.rows, d, width, rows, width, weights->value, width, bias ? 1 : 0,
                          y->value + k.out, d);
    }
    Convolution *saved = tape_record(tape, y, conv_backward, sizeof *saved);
    if (saved)
        *saved = (Convolution){y, x, weights, bias, *conv};
    return y;
}

/* ---- pooling ---- */

typedef struct Pool {
    Var *y, *x;
    const int *winner; /* of each output element: its place in x */
} Pool;

/* y = x[winner]:  dx[winner] += dy. */
static void pool_backward(Tape *tape, void *saved)
{
    const Pool *s = saved;
    Real *dx = tape_grad(tape, s->x);
    for (size_t i = 0; i < var_size(s->y); i++)
        dx[s->winner[i]] += s->y->grad[i];
}

/* One output pixel: c values and where they come from. */
static void pool_pixel(const Conv *conv, const Var *x, int picture, int oy, int ox, Real *out,
                       int *winner)
{
    int c = x->cols;
    int top = oy * conv->stride - conv->padding, left = ox * conv->stride - conv->padding;
    Run down = inside(top, conv->kernel, conv->height);
    Run across = inside(left, conv->kernel, conv->width);
    for (int j = 0; j < c; j++)
        winner[j] = -1;
    for (int u = down.begin; u < down.end; u++)
        for (int v = across.begin; v < across.end; v++) {
            int at = ((picture * conv->height + top + u) * conv->width + left + v) * c;
            for (int j = 0; j < c; j++)
                if (winner[j] < 0 || x->value[at + j] > out[j]) {
                    out[j] = x->value[at + j];
                    winner[j] = at + j;
                }
        }
}

Var *op_max_pool(Tape *tape, Var *x, const Conv *conv)
{
    check_conv("op_max_pool", conv, x);
    int oh = conv_out_height(conv), ow = conv_out_width(conv);
    int n = x->rows / (conv->height * conv->width);
    Var *y = tape_new_var(tape, n * oh * ow, x->cols, x->wants_grad);
    int *winner = arena_get(tape_arena(tape), var_size(y), sizeof *winner);
    for (int i = 0; i < y->rows; i++)
        pool_pixel(conv, x, i / (oh * ow), i / ow % oh, i % ow, var_row(y, i),
                   winner + (size_t)i * (size_t)x->cols);
    Pool *saved = tape_record(tape, y, pool_backward, sizeof *saved);
    if (saved)
        *saved = (Pool){y, x, winner};
    return y;
}
