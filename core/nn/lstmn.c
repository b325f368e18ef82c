#include "nn/lstmn.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/kernels.h"
#include "math/matrix.h"
#include "nn/lstm_cell.h"

typedef struct Lstmn {
    Var *y, *xp, *xa;
    LstmnWeights w;
    Ragged batch;
    int d, a;
    Real *attention; /* [rows, steps]           */
    Real *keys;      /* [rows, a]               */
    Real *query;     /* [rows, a]               */
    Real *read;      /* [rows, 2d]              */
    Real *gates;     /* [rows, 4d]              */
    Real *tanh_c;    /* [rows, d]               */
} Lstmn;

/* Row of the state that sequence i had at step t. */
static size_t row_of(const Lstmn *s, int t, int i)
{
    return (size_t)ragged_row(&s->batch, i, t);
}

static LstmCell cell_at(const Lstmn *s, int t)
{
    size_t row = row_of(s, t, 0), d = (size_t)s->d;
    int n = ragged_active(&s->batch, t);
    return (LstmCell){n,
                      s->d,
                      var_weights(s->w.u),
                      s->read + row * 2 * d,
                      t > 0 ? n : 0,
                      s->gates + row * 4 * d,
                      s->y->value + row * 2 * d,
                      s->tanh_c + row * d};
}

/* ---- forward ---- */

/* e becomes softmax(e) in place; -infinity hides. All hidden: zeros. */
static void soften(int n, Real *e)
{
    Real max = n > 0 ? kernels()->max((size_t)n, e) : 0;
    if (n == 0 || max == -(Real)INFINITY) {
        memset(e, 0, (size_t)n * sizeof *e);
        return;
    }
    Real sum = kernels()->exp_sum((size_t)n, e, max, e);
    for (int i = 0; i < n; i++)
        e[i] /= sum;
}

static void attend(const Lstmn *s, int t, int i)
{
    size_t d = (size_t)s->d, a = (size_t)s->a, row = row_of(s, t, i);
    Real *weights = s->attention + row * (size_t)s->batch.steps, *read = s->read + row * 2 * d;
    for (int k = 0; k < t; k++)
        weights[k] = kernels()->tanh_dot(a, s->query + row * a, s->keys + row_of(s, k, i) * a,
                                         s->w.v->value, NULL);
    soften(t, weights);
    memset(read, 0, 2 * d * sizeof *read);
    for (int k = 0; k < t; k++)
        kernels()->axpy(2 * d, weights[k], s->y->value + row_of(s, k, i) * 2 * d, read);
}

static void forward_step(const Lstmn *s, int t)
{
    size_t d = (size_t)s->d, a = (size_t)s->a, row = row_of(s, t, 0);
    int n = ragged_active(&s->batch, t);
    Real *query = s->query + row * a;
    memcpy(query, s->xa->value + row * a, (size_t)n * a * sizeof *query);
    if (t > 0)
        matrix_product_nt(n, s->a, s->d, s->read + row_of(s, t - 1, 0) * 2 * d, 2 * s->d,
                          s->w.w_r->value, s->d, 1, query, s->a);
    for (int i = 0; i < n; i++)
        attend(s, t, i);
    LstmCell cell = cell_at(s, t);
    lstm_cell_forward(&cell, s->xp->value + row * 4 * d);
    matrix_product_nt(n, s->a, s->d, cell.state, 2 * s->d, s->w.w_h->value, s->d, 0,
                      s->keys + row * a, s->a);
}

/* ---- backward ---- */

/* Gradients under way. */
typedef struct Flow {
    Real *dgates; /* [rows, 4d] */
    Real *dread;  /* [rows, 2d] */
    Real *dkeys;  /* [rows, a]  */
    Real *dquery; /* [rows, a]  */
    Real *dv;     /* [a] or NULL */
    Real *tanh;   /* [a] scratch */
    Real *da;     /* [steps] scratch */
} Flow;

/* read = sum s_k state_k:  ds_k = dread . state_k, dstate_k += s_k dread. Softmax, then with
 * u = tanh(key_k + query):  dv += de u, g = de v (1 - u^2): dkey_k += g, dquery += g. */
static void attend_backward(const Lstmn *s, const Flow *f, int t, int i)
{
    size_t d = (size_t)s->d, a = (size_t)s->a, row = row_of(s, t, i);
    const Real *weights = s->attention + row * (size_t)s->batch.steps;
    const Real *dread = f->dread + row * 2 * d, *v = s->w.v->value;
    Real mean = 0;
    for (int k = 0; k < t; k++) {
        size_t other = row_of(s, k, i);
        f->da[k] = kernels()->dot(2 * d, dread, s->y->value + other * 2 * d);
        mean += weights[k] * f->da[k];
        kernels()->axpy(2 * d, weights[k], dread, s->y->grad + other * 2 * d);
    }
    Real *dquery = f->dquery + row * a;
    for (int k = 0; k < t; k++) {
        size_t other = row_of(s, k, i);
        Real de = weights[k] * (f->da[k] - mean), *dkey = f->dkeys + other * a;
        kernels()->tanh_dot(a, s->query + row * a, s->keys + other * a, v, f->tanh);
        if (f->dv)
            kernels()->axpy(a, de, f->tanh, f->dv);
        for (size_t j = 0; j < a; j++) {
            Real g = de * v[j] * (1 - f->tanh[j] * f->tanh[j]);
            dkey[j] += g;
            dquery[j] += g;
        }
    }
}

/* query_t = xa_t + W_r r_{t-1}:  dW_r += dquery r^T, dr += dquery W_r. */
static void query_backward(Tape *tape, const Lstmn *s, const Flow *f, int t)
{
    size_t d = (size_t)s->d, row = row_of(s, t, 0), before = row_of(s, t - 1, 0);
    int n = ragged_active(&s->batch, t);
    const Real *dquery = f->dquery + row * (size_t)s->a;
    Real *dw_r = tape_grad(tape, s->w.w_r);
    matrix_product_nn(n, s->d, s->a, dquery, s->a, s->w.w_r->value, s->d, 1,
                      f->dread + before * 2 * d, 2 * s->d);
    if (dw_r)
        matrix_product_tn(s->a, s->d, n, dquery, s->a, s->read + before * 2 * d, 2 * s->d, 1, dw_r,
                          s->d);
}

static void finish_backward(Tape *tape, const Lstmn *s, const Flow *f)
{
    int rows = s->batch.rows;
    Real *du = tape_grad(tape, s->w.u), *dw_h = tape_grad(tape, s->w.w_h);
    Real *dxp = tape_grad(tape, s->xp), *dxa = tape_grad(tape, s->xa);
    if (du)
        matrix_product_tn(4 * s->d, s->d, rows, f->dgates, 4 * s->d, s->read, 2 * s->d, 1, du,
                          s->d);
    if (dw_h)
        matrix_product_tn(s->a, s->d, rows, f->dkeys, s->a, s->y->value, 2 * s->d, 1, dw_h, s->d);
    if (dxp)
        kernels()->add(var_size(s->xp), f->dgates, dxp);
    if (dxa)
        kernels()->add(var_size(s->xa), f->dquery, dxa);
}

static void lstmn_backward(Tape *tape, void *saved)
{
    const Lstmn *s = saved;
    Arena *arena = tape_arena(tape);
    size_t rows = (size_t)s->batch.rows, d = (size_t)s->d, a = (size_t)s->a;
    Flow f = {
        .dgates = tape_scratch(tape, rows * 4 * d),
        .dread = arena_get_zeroed(arena, rows * 2 * d, sizeof(Real)),
        .dkeys = arena_get_zeroed(arena, rows * a, sizeof(Real)),
        .dquery = arena_get_zeroed(arena, rows * a, sizeof(Real)),
        .dv = tape_grad(tape, s->w.v),
        .tanh = tape_scratch(tape, a),
        .da = tape_scratch(tape, (size_t)s->batch.steps),
    };
    for (int t = s->batch.steps; t-- > 0;) {
        size_t row = row_of(s, t, 0);
        int n = ragged_active(&s->batch, t);
        matrix_product_nn(n, s->d, s->a, f.dkeys + row * a, s->a, s->w.w_h->value, s->d, 1,
                          s->y->grad + row * 2 * d, 2 * s->d);
        LstmCell cell = cell_at(s, t);
        lstm_cell_backward(&cell, s->y->grad + row * 2 * d, f.dgates + row * 4 * d,
                           f.dread + row * 2 * d);
        for (int i = 0; i < n; i++)
            attend_backward(s, &f, t, i);
        if (t > 0)
            query_backward(tape, s, &f, t);
    }
    finish_backward(tape, s, &f);
}

/* ---- a whole batch ---- */

static void check_shapes(const Var *xp, const Var *xa, const LstmnWeights *w, const Ragged *batch)
{
    FOVEA_CHECK(batch->order == RAGGED_STEP_MAJOR, "op_lstmn_sequence: rows must be step-major");
    tape_check_shape("op_lstmn_sequence inputs", xp, batch->rows, 4 * w->u->cols);
    tape_check_shape("op_lstmn_sequence queries", xa, batch->rows, w->v->cols);
    tape_check_shape("op_lstmn_sequence U", w->u, 4 * w->u->cols, -1);
    tape_check_shape("op_lstmn_sequence W_h", w->w_h, w->v->cols, w->u->cols);
    tape_check_shape("op_lstmn_sequence W_r", w->w_r, w->v->cols, w->u->cols);
    tape_check_shape("op_lstmn_sequence v", w->v, 1, -1);
}

Var *op_lstmn_sequence(Tape *tape, Var *xp, Var *xa, const LstmnWeights *weights,
                       const Ragged *batch, const Real **attention)
{
    check_shapes(xp, xa, weights, batch);
    const LstmnWeights *w = weights;
    size_t rows = (size_t)batch->rows, d = (size_t)w->u->cols, a = (size_t)w->v->cols;
    Var *y = tape_new_var(tape, batch->rows, 2 * w->u->cols,
                          xp->wants_grad || xa->wants_grad || w->u->wants_grad ||
                              w->w_h->wants_grad || w->w_r->wants_grad || w->v->wants_grad);
    Lstmn s = {
        .y = y,
        .xp = xp,
        .xa = xa,
        .w = *w,
        .batch = *batch,
        .d = w->u->cols,
        .a = w->v->cols,
        .attention = arena_get_zeroed(tape_arena(tape), rows * (size_t)batch->steps, sizeof(Real)),
        .keys = tape_scratch(tape, rows * a),
        .query = tape_scratch(tape, rows * a),
        .read = tape_scratch(tape, rows * 2 * d),
        .gates = tape_scratch(tape, rows * 4 * d),
        .tanh_c = tape_scratch(tape, rows * d),
    };
    for (int t = 0; t < batch->steps; t++)
        forward_step(&s, t);
    if (attention)
        *attention = s.attention;
    Lstmn *saved = tape_record(tape, y, lstmn_backward, sizeof *saved);
    if (saved)
        *saved = s;
    return y;
}

/* ---- one word ---- */

static void step_weights(const LstmnWeights *w, const LstmnMemory *memory, const Real *query,
                         const unsigned char *keep, Real temperature, LstmnStep *step)
{
    size_t a = (size_t)w->v->cols;
    for (int k = 0; k < memory->n; k++) {
        bool sees = !keep || keep[k];
        Real e = kernels()->tanh_dot(a, query, memory->keys + (size_t)k * a, w->v->value, NULL);
        step->scores[k] = sees ? e : (Real)NAN;
        step->attention[k] = sees ? e / temperature : -(Real)INFINITY;
    }
    soften(memory->n, step->attention);
}

LstmnStep lstmn_step(Tape *tape, Var *xp, Var *xa, const LstmnWeights *weights,
                     const LstmnMemory *memory, const unsigned char *keep, Real temperature,
                     const Real *replaced)
{
    int d = weights->u->cols, a = weights->v->cols;
    size_t wide = 2 * (size_t)d, n = (size_t)memory->n;
    LstmnStep step = {tape_scratch(tape, n),         tape_scratch(tape, n),
                      tape_scratch(tape, wide),      tape_scratch(tape, wide),
                      tape_scratch(tape, (size_t)a), tape_scratch(tape, 2 * wide)};
    Real *query = tape_scratch(tape, (size_t)a);
    memcpy(query, xa->value, (size_t)a * sizeof *query);
    if (n > 0)
        matrix_product_nt(1, a, d, memory->read, 2 * d, weights->w_r->value, d, 1, query, a);
    step_weights(weights, memory, query, keep, temperature, &step);
    if (replaced)
        memcpy(step.attention, replaced, n * sizeof *replaced);
    memset(step.read, 0, wide * sizeof *step.read);
    for (size_t k = 0; k < n; k++)
        kernels()->axpy(wide, step.attention[k], memory->states + k * wide, step.read);
    LstmCell cell = {1,          d,          var_weights(weights->u),      step.read, n > 0,
                     step.gates, step.state, tape_scratch(tape, (size_t)d)};
    lstm_cell_forward(&cell, xp->value);
    matrix_product_nt(1, a, d, step.state, 2 * d, weights->w_h->value, d, 0, step.key, a);
    return step;
}
