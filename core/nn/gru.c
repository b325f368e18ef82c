#include <string.h>

#include "base/error.h"
#include "math/kernels.h"
#include "math/matrix.h"
#include "nn/recurrent.h"
#include "nn/sequence_walk.h"

/* Rows of d (or 3d) numbers with `stride` from one to the next. */
typedef struct Rows {
    Real *first;
    size_t stride;
    const int *index; /* row i stands at index[i]; NULL: at i */
} Rows;

static Real *row_at(const Rows *rows, int i)
{
    return rows->first + (size_t)(rows->index ? rows->index[i] : i) * rows->stride;
}

/* One step for n rows. `gates` [n,3d] receives r, z, n; `inner` [n,d] what the candidate's
 * backward pass needs: U_n h (reset after) or r o h (reset before). */
typedef struct Cell {
    GruKind kind;
    int n, d;
    Weights u; /* [3d,d] */
    Rows xp;   /* [n,3d] */
    Rows h;    /* [n,d]; from n_previous on they are zero and not read */
    int n_previous;
    Real *gates;
    Real *inner;
} Cell;

static const Real *state_of(const Cell *c, int i)
{
    return i < c->n_previous ? row_at(&c->h, i) : NULL;
}

/* What is multiplied with h itself: all three gates or r and z. */
static int product_width(const Cell *c)
{
    return (c->kind == GRU_RESET_AFTER ? 3 : 2) * c->d;
}

/* ---- forward ---- */

static void reset_before_gates(const Cell *c, const Real *hp)
{
    size_t d = (size_t)c->d;
    for (int i = 0; i < c->n; i++) {
        Real *gate = c->gates + (size_t)i * 3 * d;
        const Real *x = row_at(&c->xp, i), *h = state_of(c, i);
        for (size_t j = 0; j < 2 * d; j++)
            gate[j] = x[j] + (h ? hp[(size_t)i * 2 * d + j] : 0);
        kernels()->sigmoid(2 * d, gate, gate);
        for (size_t j = 0; j < d; j++)
            c->inner[(size_t)i * d + j] = h ? gate[j] * h[j] : 0;
    }
}

static void reset_before_state(const Cell *c, const Real *product, const Rows *out)
{
    size_t d = (size_t)c->d;
    for (int i = 0; i < c->n; i++) {
        Real *gate = c->gates + (size_t)i * 3 * d, *z = gate + d, *candidate = gate + 2 * d;
        const Real *x = row_at(&c->xp, i) + 2 * d, *h = state_of(c, i);
        for (size_t j = 0; j < d; j++)
            candidate[j] = x[j] + (h ? product[(size_t)i * d + j] : 0);
        kernels()->tanh(d, candidate, candidate);
        Real *y = row_at(out, i);
        for (size_t j = 0; j < d; j++) {
            Real old = h ? h[j] : 0;
            y[j] = old + z[j] * (candidate[j] - old);
        }
    }
}

/* out = h + z o (n - h); `scratch` has 4 n d elements. */
static void cell_forward(const Cell *c, const Rows *out, Real *scratch)
{
    size_t d = (size_t)c->d;
    int width = product_width(c);
    matrix_product_weights(c->n_previous, width, c->d, c->h.first, (int)c->h.stride, c->u, 0,
                           scratch, width);
    if (c->kind == GRU_RESET_AFTER) {
        for (int i = 0; i < c->n; i++) {
            const Real *h = state_of(c, i);
            kernels()->gru(d, row_at(&c->xp, i), h ? scratch + (size_t)i * 3 * d : NULL, h,
                           c->gates + (size_t)i * 3 * d, c->inner + (size_t)i * d, row_at(out, i));
        }
        return;
    }
    Real *product = scratch + 3 * d * (size_t)c->n;
    reset_before_gates(c, scratch);
    matrix_product_weights(c->n_previous, c->d, c->d, c->inner, c->d, weights_from(c->u, 2 * d * d),
                           0, product, c->d);
    reset_before_state(c, product, out);
}

/* ---- backward ---- */

/* n = tanh(xp_n + U_n (r o h)): the gradient of r waits for that of r o h = dn U_n. */
static void reset_before_backward(const Cell *c, const Rows *dy, Real *dhp, const Rows *dh,
                                  Real *drh)
{
    size_t d = (size_t)c->d;
    for (int i = 0; i < c->n; i++) {
        const Real *z = c->gates + (size_t)i * 3 * d + d, *cand = z + d, *g = row_at(dy, i);
        const Real *h = state_of(c, i);
        Real *dp = dhp + (size_t)i * 3 * d;
        for (size_t j = 0; j < d; j++) {
            dp[j] = 0;
            dp[d + j] = g[j] * (cand[j] - (h ? h[j] : 0)) * z[j] * (1 - z[j]);
            dp[2 * d + j] = g[j] * z[j] * (1 - cand[j] * cand[j]);
        }
    }
    matrix_product_nn(c->n_previous, c->d, c->d, dhp + 2 * d, 3 * c->d, c->u.value + 2 * d * d,
                      c->d, 0, drh, c->d);
    for (int i = 0; i < c->n_previous; i++) {
        const Real *r = c->gates + (size_t)i * 3 * d, *z = r + d, *h = state_of(c, i);
        const Real *g = row_at(dy, i);
        Real *to = row_at(dh, i), *dp = dhp + (size_t)i * 3 * d;
        for (size_t j = 0; j < d; j++) {
            Real through = drh[(size_t)i * d + j];
            dp[j] = through * h[j] * r[j] * (1 - r[j]);
            to[j] += g[j] * (1 - z[j]) + through * r[j];
        }
    }
}

/* From dy = d loss / d out: dxp (added), dhp [n,3d] (overwritten: what multiplies U and,
 * transposed, h), dh of the rows with a previous state (added). `scratch` has n d elements.
 *     dz = dy (n - h)   dn = dy z   dh += dy (1 - z)   d(pre-activations) as usual. */
static void cell_backward(const Cell *c, const Rows *dy, const Rows *dxp, Real *dhp, const Rows *dh,
                          Real *scratch)
{
    size_t d = (size_t)c->d;
    if (c->kind == GRU_RESET_BEFORE) {
        reset_before_backward(c, dy, dhp, dh, scratch);
        for (int i = 0; i < c->n; i++)
            kernels()->add(3 * d, dhp + (size_t)i * 3 * d, row_at(dxp, i));
    } else {
        for (int i = 0; i < c->n; i++) {
            const Real *h = state_of(c, i);
            kernels()->gru_slope(d, c->gates + (size_t)i * 3 * d, c->inner + (size_t)i * d, h,
                                 row_at(dy, i), row_at(dxp, i), dhp + (size_t)i * 3 * d,
                                 h ? row_at(dh, i) : NULL);
        }
    }
    matrix_product_nn(c->n_previous, c->d, product_width(c), dhp, 3 * c->d, c->u.value, c->d, 1,
                      dh->first, (int)dh->stride);
}

/* du += dhp^T [h, h, h or r o h] over `n` rows. */
static void recurrent_weight_backward(const Cell *c, int n, const Real *dhp, const Rows *h,
                                      const Real *inner, Real *du)
{
    int d = c->d;
    matrix_product_tn(product_width(c), d, n, dhp, 3 * d, h->first, (int)h->stride, 1, du, d);
    if (c->kind == GRU_RESET_BEFORE)
        matrix_product_tn(d, d, n, dhp + 2 * (size_t)d, 3 * d, inner, d, 1,
                          du + 2 * (size_t)d * (size_t)d, d);
}

/* ---- one step ---- */

typedef struct Step {
    Var *y, *xp, *h, *u;
    Cell cell;
} Step;

static void step_backward(Tape *tape, void *saved)
{
    const Step *s = saved;
    const Cell *c = &s->cell;
    size_t n = (size_t)c->n, d = (size_t)c->d;
    Real *dx = tape_grad(tape, s->xp), *dh = tape_grad(tape, s->h), *du = tape_grad(tape, s->u);
    Real *dhp = tape_scratch(tape, n * 3 * d);
    if (!dx)
        dx = arena_get_zeroed(tape_arena(tape), n * 3 * d, sizeof *dx);
    if (!dh)
        dh = arena_get_zeroed(tape_arena(tape), n * d, sizeof *dh);
    cell_backward(c, &(Rows){s->y->grad, d, NULL}, &(Rows){dx, 3 * d, NULL}, dhp,
                  &(Rows){dh, d, NULL}, tape_scratch(tape, n * d));
    if (du)
        recurrent_weight_backward(c, c->n, dhp, &c->h, c->inner, du);
}

static void check_shapes(const char *operation, const Var *xp, const Var *u, int ways)
{
    tape_check_shape(operation, u, -1, u->rows / 3);
    tape_check_shape(operation, xp, -1, ways * u->rows);
}

Var *op_gru_step(Tape *tape, GruKind kind, Var *xp, Var *h, Var *u, const Real **gates)
{
    check_shapes("op_gru_step", xp, u, 1);
    tape_check_shape("op_gru_step", h, xp->rows, u->cols);
    size_t n = (size_t)xp->rows, d = (size_t)u->cols;
    Var *y =
        tape_new_var(tape, xp->rows, u->cols, xp->wants_grad || h->wants_grad || u->wants_grad);
    Cell cell = {
        .kind = kind,
        .n = xp->rows,
        .d = u->cols,
        .u = var_weights(u),
        .xp = {xp->value, 3 * d, NULL},
        .h = {h->value, d, NULL},
        .n_previous = xp->rows,
        .gates = tape_scratch(tape, n * 3 * d),
        .inner = tape_scratch(tape, n * d),
    };
    cell_forward(&cell, &(Rows){y->value, d, NULL}, tape_scratch(tape, n * 4 * d));
    if (gates)
        *gates = cell.gates;
    Step *saved = tape_record(tape, y, step_backward, sizeof *saved);
    if (saved)
        *saved = (Step){y, xp, h, u, cell};
    return y;
}

/* ---- a whole batch ---- */

/* One way through a batch. In a result of both ways it has its own columns of xp and y. */
typedef struct Sequence {
    Var *y, *xp, *u;
    GruKind kind;
    Ragged batch;
    const int *source; /* [rows]: rows of xp; NULL: as they come */
    bool reverse;
    int way;     /* 0: the left columns; 1: the right ones */
    bool keeps;  /* the cells of all steps are kept for the backward pass */
    Real *gates; /* [rows,3d], or one step's */
    Real *inner; /* [rows,d], or one step's  */
} Sequence;

/* The rows of a value (or its gradient) that a block reads or writes. */
static Rows state_rows(const Sequence *s, Real *data, int first)
{
    size_t d = (size_t)s->u->cols, stride = (size_t)s->y->cols;
    return (Rows){data + (size_t)first * stride + (size_t)s->way * d, stride, NULL};
}

static Rows input_rows(const Sequence *s, Real *data, int first)
{
    size_t stride = (size_t)s->xp->cols, column = (size_t)s->way * 3 * (size_t)s->u->cols;
    if (s->source)
        return (Rows){data + column, stride, s->source + first};
    return (Rows){data + (size_t)first * stride + column, stride, NULL};
}

static Cell block_cell(const Sequence *s, const SequenceBlock *block)
{
    size_t d = (size_t)s->u->cols, at = s->keeps ? (size_t)block->first : 0;
    return (Cell){
        .kind = s->kind,
        .n = block->n,
        .d = s->u->cols,
        .u = var_weights(s->u),
        .xp = input_rows(s, s->xp->value, block->first),
        .h = state_rows(s, s->y->value, block->previous),
        .n_previous = block->n_previous,
        .gates = s->gates + at * 3 * d,
        .inner = s->inner + at * d,
    };
}

/* The previous states of a block beside its rows; zeros where there is none. */
static void copy_states(const Cell *c, Real *before)
{
    size_t d = (size_t)c->d;
    for (int i = 0; i < c->n_previous; i++)
        memcpy(before + (size_t)i * d, state_of(c, i), d * sizeof *before);
    memset(before + (size_t)c->n_previous * d, 0,
           (size_t)(c->n - c->n_previous) * d * sizeof *before);
}

static void sequence_backward(Tape *tape, void *saved)
{
    const Sequence *s = saved;
    size_t rows = (size_t)s->batch.rows, n = (size_t)s->batch.n, d = (size_t)s->u->cols;
    Real *dx = tape_grad(tape, s->xp), *du = tape_grad(tape, s->u);
    if (!dx)
        dx = arena_get_zeroed(tape_arena(tape), var_size(s->xp), sizeof *dx);
    Real *dhp = tape_scratch(tape, rows * 3 * d), *before = tape_scratch(tape, rows * d);
    Real *scratch = tape_scratch(tape, n * d);
    for (int k = s->batch.steps; k-- > 0;) {
        SequenceBlock block = sequence_block(&s->batch, k, s->reverse);
        Cell cell = block_cell(s, &block);
        size_t at = (size_t)block.first;
        /* States feed states: their gradients add up as we go back. */
        Rows dy = state_rows(s, s->y->grad, block.first);
        Rows dh = state_rows(s, s->y->grad, block.previous);
        Rows dxp = input_rows(s, dx, block.first);
        cell_backward(&cell, &dy, &dxp, dhp + at * 3 * d, &dh, scratch);
        copy_states(&cell, before + at * d);
    }
    if (du) {
        const Cell like = {.kind = s->kind, .d = s->u->cols};
        recurrent_weight_backward(&like, s->batch.rows, dhp, &(Rows){before, d, NULL}, s->inner,
                                  du);
    }
}

static void run_sequence(Tape *tape, Sequence *s)
{
    size_t n = (size_t)s->batch.n, d = (size_t)s->u->cols;
    size_t kept = s->keeps ? (size_t)s->batch.rows : n;
    s->gates = tape_scratch(tape, kept * 3 * d);
    s->inner = tape_scratch(tape, kept * d);
    Real *scratch = tape_scratch(tape, n * 4 * d);
    for (int k = 0; k < s->batch.steps; k++) {
        SequenceBlock block = sequence_block(&s->batch, k, s->reverse);
        Cell cell = block_cell(s, &block);
        Rows out = state_rows(s, s->y->value, block.first);
        cell_forward(&cell, &out, scratch);
    }
    Sequence *saved = tape_record(tape, s->y, sequence_backward, sizeof *saved);
    if (saved)
        *saved = *s;
}

static void check_batch(const char *operation, const Var *xp, const int *source,
                        const Ragged *batch)
{
    FOVEA_CHECK(batch->order == RAGGED_STEP_MAJOR && (source || batch->rows == xp->rows),
                "%s: %d rows for a batch of %d", operation, xp->rows, batch->rows);
    for (int i = 0; source && i < batch->rows; i++)
        FOVEA_CHECK(source[i] >= 0 && source[i] < xp->rows, "%s: row %d of %d", operation,
                    source[i], xp->rows);
}

Var *op_gru_sequence(Tape *tape, GruKind kind, Var *xp, Var *u, const Ragged *batch, bool reverse)
{
    check_shapes("op_gru_sequence", xp, u, 1);
    check_batch("op_gru_sequence", xp, NULL, batch);
    Var *y = tape_new_var(tape, batch->rows, u->cols, xp->wants_grad || u->wants_grad);
    Sequence s = {.y = y,
                  .xp = xp,
                  .u = u,
                  .kind = kind,
                  .batch = *batch,
                  .reverse = reverse,
                  .keeps = y->wants_grad};
    run_sequence(tape, &s);
    return y;
}

Var *op_gru_both_ways(Tape *tape, GruKind kind, Var *xp, const int *source, Var *u_forward,
                      Var *u_backward, const Ragged *batch)
{
    check_shapes("op_gru_both_ways", xp, u_forward, 2);
    tape_check_shape("op_gru_both_ways", u_backward, u_forward->rows, u_forward->cols);
    check_batch("op_gru_both_ways", xp, source, batch);
    Var *y = tape_new_var(tape, batch->rows, 2 * u_forward->cols,
                          xp->wants_grad || u_forward->wants_grad || u_backward->wants_grad);
    for (int way = 0; way < 2; way++) {
        Sequence s = {.y = y,
                      .xp = xp,
                      .u = way == 0 ? u_forward : u_backward,
                      .kind = kind,
                      .batch = *batch,
                      .source = source,
                      .reverse = way == 1,
                      .way = way,
                      .keeps = y->wants_grad};
        run_sequence(tape, &s);
    }
    return y;
}
