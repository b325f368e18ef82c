#include <string.h>

#include "base/error.h"
#include "math/kernels.h"
#include "math/matrix.h"
#include "nn/recurrent.h"
#include "nn/sequence_walk.h"

/* One step for n rows. `gates` [n,3d] receives r, z, n; `inner` [n,d] what the candidate's
 * backward pass needs: U_n h (reset after) or r o h (reset before). */
typedef struct Cell {
    GruKind kind;
    int n, d;
    const Real *u; /* [3d,d]                              */
    const Real *h; /* [n,d], rows beyond n_previous are zero and not read */
    int n_previous;
    Real *gates;
    Real *inner;
} Cell;

static void candidate_reset_after(const Cell *c, const Real *xp, const Real *hp)
{
    size_t d = (size_t)c->d;
    for (int i = 0; i < c->n; i++) {
        Real *gate = c->gates + (size_t)i * 3 * d;
        Real *inner = c->inner + (size_t)i * d;
        const Real *x = xp + (size_t)i * 3 * d;
        bool fresh = i >= c->n_previous;
        for (size_t j = 0; j < 2 * d; j++)
            gate[j] = x[j] + (fresh ? 0 : hp[(size_t)i * 3 * d + j]);
        kernels()->sigmoid(2 * d, gate, gate);
        for (size_t j = 0; j < d; j++) {
            inner[j] = fresh ? 0 : hp[(size_t)i * 3 * d + 2 * d + j];
            gate[2 * d + j] = x[2 * d + j] + gate[j] * inner[j];
        }
        kernels()->tanh(d, gate + 2 * d, gate + 2 * d);
    }
}

static void candidate_reset_before(const Cell *c, const Real *xp, const Real *hp, Real *product)
{
    size_t d = (size_t)c->d;
    for (int i = 0; i < c->n; i++) {
        Real *gate = c->gates + (size_t)i * 3 * d;
        const Real *x = xp + (size_t)i * 3 * d;
        bool fresh = i >= c->n_previous;
        for (size_t j = 0; j < 2 * d; j++)
            gate[j] = x[j] + (fresh ? 0 : hp[(size_t)i * 2 * d + j]);
        kernels()->sigmoid(2 * d, gate, gate);
        for (size_t j = 0; j < d; j++)
            c->inner[(size_t)i * d + j] = fresh ? 0 : gate[j] * c->h[(size_t)i * d + j];
    }
    matrix_product_nt(c->n_previous, c->d, c->d, c->inner, c->d, c->u + 2 * d * d, c->d, 0, product,
                      c->d);
    for (int i = 0; i < c->n; i++) {
        Real *gate = c->gates + (size_t)i * 3 * d + 2 * d;
        const Real *x = xp + (size_t)i * 3 * d + 2 * d;
        for (size_t j = 0; j < d; j++)
            gate[j] = x[j] + (i < c->n_previous ? product[(size_t)i * d + j] : 0);
        kernels()->tanh(d, gate, gate);
    }
}

/* out = h + z o (n - h); `scratch` has 4 n d elements. */
static void cell_forward(const Cell *c, const Real *xp, Real *out, Real *scratch)
{
    size_t d = (size_t)c->d;
    int width = c->kind == GRU_RESET_AFTER ? 3 : 2;
    matrix_product_nt(c->n_previous, width * c->d, c->d, c->h, c->d, c->u, c->d, 0, scratch,
                      width * c->d);
    if (c->kind == GRU_RESET_AFTER)
        candidate_reset_after(c, xp, scratch);
    else
        candidate_reset_before(c, xp, scratch, scratch + 3 * d * (size_t)c->n);
    for (int i = 0; i < c->n; i++) {
        const Real *z = c->gates + (size_t)i * 3 * d + d;
        const Real *candidate = z + d;
        Real *y = out + (size_t)i * d;
        for (size_t j = 0; j < d; j++) {
            Real h = i < c->n_previous ? c->h[(size_t)i * d + j] : 0;
            y[j] = h + z[j] * (candidate[j] - h);
        }
    }
}

/* From dy = d loss / d out [n,d]: dxp [n,3d] (overwritten), dhp [n,3d] (overwritten: what
 * multiplies U and, transposed, h), dh [n_previous,d] (added).
 *     dz = dy (n - h)   dn = dy z   dh += dy (1 - z)   d(pre-activations) as usual. */
static void cell_backward(const Cell *c, const Real *dy, Real *dxp, Real *dhp, Real *dh)
{
    size_t d = (size_t)c->d;
    for (int i = 0; i < c->n; i++) {
        const Real *r = c->gates + (size_t)i * 3 * d, *z = r + d, *cand = z + d;
        const Real *inner = c->inner + (size_t)i * d, *g = dy + (size_t)i * d;
        Real *dx = dxp + (size_t)i * 3 * d, *dp = dhp + (size_t)i * 3 * d;
        bool fresh = i >= c->n_previous;
        for (size_t j = 0; j < d; j++) {
            Real h = fresh ? 0 : c->h[(size_t)i * d + j];
            Real dn = g[j] * z[j] * (1 - cand[j] * cand[j]);
            dx[2 * d + j] = dn;
            dx[d + j] = g[j] * (cand[j] - h) * z[j] * (1 - z[j]);
            dx[j] = dn * inner[j] * r[j] * (1 - r[j]); /* reset after; replaced otherwise */
            dp[2 * d + j] = c->kind == GRU_RESET_AFTER ? dn * r[j] : dn;
            if (!fresh)
                dh[(size_t)i * d + j] += g[j] * (1 - z[j]);
        }
        memcpy(dp, dx, 2 * d * sizeof *dp);
    }
}

/* Reset before: the gradient of r waits for that of r o h = dn U_n. */
static void reset_gate_backward(const Cell *c, Real *dxp, Real *dhp, Real *dh, Real *drh)
{
    size_t d = (size_t)c->d;
    matrix_product_nn(c->n_previous, c->d, c->d, dhp + 2 * d, 3 * c->d, c->u + 2 * d * d, c->d, 0,
                      drh, c->d);
    for (int i = 0; i < c->n; i++)
        for (size_t j = 0; j < d; j++) {
            size_t at = (size_t)i * 3 * d + j;
            Real r = c->gates[at];
            if (i >= c->n_previous) {
                dxp[at] = dhp[at] = 0;
                continue;
            }
            Real g = drh[(size_t)i * d + j];
            dxp[at] = dhp[at] = g * c->h[(size_t)i * d + j] * r * (1 - r);
            dh[(size_t)i * d + j] += g * r;
        }
}

/* dh += dhp U, over the gates whose products read h itself. */
static void state_backward(const Cell *c, const Real *dhp, Real *dh)
{
    int width = c->kind == GRU_RESET_AFTER ? 3 : 2;
    matrix_product_nn(c->n_previous, c->d, width * c->d, dhp, 3 * c->d, c->u, c->d, 1, dh, c->d);
}

/* du += dhp^T [h, h, h or r o h] over `n` rows. */
static void recurrent_weight_backward(GruKind kind, int n, int d, const Real *dhp, const Real *h,
                                      const Real *inner, Real *du)
{
    int width = kind == GRU_RESET_AFTER ? 3 : 2;
    matrix_product_tn(width * d, d, n, dhp, 3 * d, h, d, 1, du, d);
    if (kind == GRU_RESET_BEFORE)
        matrix_product_tn(d, d, n, dhp + 2 * d, 3 * d, inner, d, 1, du + 2 * (size_t)d * (size_t)d,
                          d);
}

static void check_shapes(const char *operation, const Var *xp, const Var *u)
{
    tape_check_shape(operation, u, -1, u->rows / 3);
    tape_check_shape(operation, xp, -1, u->rows);
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
    Real *dxp = tape_scratch(tape, n * 3 * d), *dhp = tape_scratch(tape, n * 3 * d);
    Real *dh = tape_grad(tape, s->h);
    if (!dh)
        dh = arena_get_zeroed(tape_arena(tape), n * d, sizeof *dh);
    cell_backward(c, s->y->grad, dxp, dhp, dh);
    if (c->kind == GRU_RESET_BEFORE)
        reset_gate_backward(c, dxp, dhp, dh, tape_scratch(tape, n * d));
    state_backward(c, dhp, dh);
    Real *du = tape_grad(tape, s->u);
    if (du)
        recurrent_weight_backward(c->kind, c->n, c->d, dhp, c->h, c->inner, du);
    Real *dx = tape_grad(tape, s->xp);
    if (dx)
        kernels()->add(n * 3 * d, dxp, dx);
}

Var *op_gru_step(Tape *tape, GruKind kind, Var *xp, Var *h, Var *u, const Real **gates)
{
    check_shapes("op_gru_step", xp, u);
    tape_check_shape("op_gru_step", h, xp->rows, u->cols);
    size_t n = (size_t)xp->rows, d = (size_t)u->cols;
    Var *y =
        tape_new_var(tape, xp->rows, u->cols, xp->wants_grad || h->wants_grad || u->wants_grad);
    Cell cell = {kind,
                 xp->rows,
                 u->cols,
                 u->value,
                 h->value,
                 xp->rows,
                 tape_scratch(tape, n * 3 * d),
                 tape_scratch(tape, n * d)};
    cell_forward(&cell, xp->value, y->value, tape_scratch(tape, n * 4 * d));
    if (gates)
        *gates = cell.gates;
    Step *saved = tape_record(tape, y, step_backward, sizeof *saved);
    if (saved)
        *saved = (Step){y, xp, h, u, cell};
    return y;
}

/* ---- a whole batch ---- */

typedef struct Sequence {
    Var *y, *xp, *u;
    GruKind kind;
    Ragged batch;
    bool reverse;
    Real *gates; /* [rows,3d] */
    Real *inner; /* [rows,d]  */
} Sequence;

static Cell block_cell(const Sequence *s, const SequenceBlock *block)
{
    size_t d = (size_t)s->u->cols;
    return (Cell){s->kind,
                  block->n,
                  s->u->cols,
                  s->u->value,
                  s->y->value + (size_t)block->previous * d,
                  block->n_previous,
                  s->gates + (size_t)block->first * 3 * d,
                  s->inner + (size_t)block->first * d};
}

static void sequence_backward(Tape *tape, void *saved)
{
    const Sequence *s = saved;
    size_t rows = (size_t)s->batch.rows, d = (size_t)s->u->cols;
    Real *dy = s->y->grad; /* states feed states: gradients add up here as we go back */
    Real *dxp = tape_scratch(tape, rows * 3 * d), *dhp = tape_scratch(tape, rows * 3 * d);
    Real *before = arena_get_zeroed(tape_arena(tape), rows * d, sizeof *before);
    Real *drh = tape_scratch(tape, (size_t)s->batch.n * d);
    for (int k = s->batch.steps; k-- > 0;) {
        SequenceBlock block = sequence_block(&s->batch, k, s->reverse);
        Cell cell = block_cell(s, &block);
        size_t at = (size_t)block.first;
        Real *dh = dy + (size_t)block.previous * d;
        cell_backward(&cell, dy + at * d, dxp + at * 3 * d, dhp + at * 3 * d, dh);
        if (s->kind == GRU_RESET_BEFORE)
            reset_gate_backward(&cell, dxp + at * 3 * d, dhp + at * 3 * d, dh, drh);
        state_backward(&cell, dhp + at * 3 * d, dh);
        memcpy(before + at * d, cell.h, (size_t)block.n_previous * d * sizeof *before);
    }
    Real *du = tape_grad(tape, s->u);
    if (du)
        recurrent_weight_backward(s->kind, s->batch.rows, s->u->cols, dhp, before, s->inner, du);
    Real *dx = tape_grad(tape, s->xp);
    if (dx)
        kernels()->add(rows * 3 * d, dxp, dx);
}

Var *op_gru_sequence(Tape *tape, GruKind kind, Var *xp, Var *u, const Ragged *batch, bool reverse)
{
    check_shapes("op_gru_sequence", xp, u);
    FOVEA_CHECK(batch->order == RAGGED_STEP_MAJOR && batch->rows == xp->rows,
                "op_gru_sequence: %d rows for a batch of %d", xp->rows, batch->rows);
    size_t rows = (size_t)batch->rows, d = (size_t)u->cols;
    Var *y = tape_new_var(tape, xp->rows, u->cols, xp->wants_grad || u->wants_grad);
    Sequence s = {y,
                  xp,
                  u,
                  kind,
                  *batch,
                  reverse,
                  tape_scratch(tape, rows * 3 * d),
                  tape_scratch(tape, rows * d)};
    Real *scratch = tape_scratch(tape, (size_t)batch->n * 4 * d);
    for (int k = 0; k < batch->steps; k++) {
        SequenceBlock block = sequence_block(batch, k, reverse);
        Cell cell = block_cell(&s, &block);
        cell_forward(&cell, xp->value + (size_t)block.first * 3 * d,
                     y->value + (size_t)block.first * d, scratch);
    }
    Sequence *saved = tape_record(tape, y, sequence_backward, sizeof *saved);
    if (saved)
        *saved = s;
    return y;
}
