#include <string.h>

#include "base/error.h"
#include "math/kernels.h"
#include "math/matrix.h"
#include "nn/lstm_cell.h"
#include "nn/recurrent.h"
#include "nn/sequence_walk.h"

static void check_shapes(const char *operation, const Var *xp, const Var *u)
{
    tape_check_shape(operation, u, -1, u->rows / 4);
    tape_check_shape(operation, xp, -1, u->rows);
}

/* ---- one step ---- */

typedef struct Step {
    Var *y, *xp, *state, *u;
    LstmCell cell;
} Step;

static void step_backward(Tape *tape, void *saved)
{
    const Step *s = saved;
    const LstmCell *c = &s->cell;
    size_t n = (size_t)c->n, d = (size_t)c->d;
    Real *dgates = tape_scratch(tape, n * 4 * d);
    Real *dprevious = tape_grad(tape, s->state);
    if (!dprevious)
        dprevious = arena_get_zeroed(tape_arena(tape), n * 2 * d, sizeof *dprevious);
    lstm_cell_backward(c, s->y->grad, dgates, dprevious);
    Real *du = tape_grad(tape, s->u);
    if (du)
        matrix_product_tn(4 * c->d, c->d, c->n, dgates, 4 * c->d, c->previous, 2 * c->d, 1, du,
                          c->d);
    Real *dx = tape_grad(tape, s->xp);
    if (dx)
        kernels()->add(n * 4 * d, dgates, dx);
}

Var *op_lstm_step(Tape *tape, Var *xp, Var *state, Var *u, const Real **gates)
{
    check_shapes("op_lstm_step", xp, u);
    tape_check_shape("op_lstm_step", state, xp->rows, 2 * u->cols);
    size_t n = (size_t)xp->rows, d = (size_t)u->cols;
    Var *y = tape_new_var(tape, xp->rows, 2 * u->cols,
                          xp->wants_grad || state->wants_grad || u->wants_grad);
    LstmCell cell = {xp->rows,       u->cols,
                     var_weights(u), state->value,
                     xp->rows,       tape_scratch(tape, n * 4 * d),
                     y->value,       tape_scratch(tape, n * d)};
    lstm_cell_forward(&cell, xp->value);
    if (gates)
        *gates = cell.gates;
    Step *saved = tape_record(tape, y, step_backward, sizeof *saved);
    if (saved)
        *saved = (Step){y, xp, state, u, cell};
    return y;
}

/* ---- a whole batch ---- */

typedef struct Sequence {
    Var *y, *xp, *u;
    Ragged batch;
    bool reverse;
    Real *gates;  /* [rows,4d] */
    Real *tanh_c; /* [rows,d]  */
} Sequence;

static LstmCell block_cell(const Sequence *s, const SequenceBlock *block)
{
    size_t d = (size_t)s->u->cols;
    return (LstmCell){block->n,
                      s->u->cols,
                      var_weights(s->u),
                      s->y->value + (size_t)block->previous * 2 * d,
                      block->n_previous,
                      s->gates + (size_t)block->first * 4 * d,
                      s->y->value + (size_t)block->first * 2 * d,
                      s->tanh_c + (size_t)block->first * d};
}

static void sequence_backward(Tape *tape, void *saved)
{
    const Sequence *s = saved;
    size_t rows = (size_t)s->batch.rows, d = (size_t)s->u->cols;
    Real *dy = s->y->grad; /* states feed states: gradients add up here as we go back */
    Real *dgates = tape_scratch(tape, rows * 4 * d);
    Real *before = arena_get_zeroed(tape_arena(tape), rows * d, sizeof *before);
    for (int k = s->batch.steps; k-- > 0;) {
        SequenceBlock block = sequence_block(&s->batch, k, s->reverse);
        LstmCell cell = block_cell(s, &block);
        size_t at = (size_t)block.first;
        lstm_cell_backward(&cell, dy + at * 2 * d, dgates + at * 4 * d,
                           dy + (size_t)block.previous * 2 * d);
        for (int row = 0; row < block.n_previous; row++)
            memcpy(before + (at + (size_t)row) * d, cell.previous + (size_t)row * 2 * d,
                   d * sizeof *before);
    }
    Real *du = tape_grad(tape, s->u);
    if (du)
        matrix_product_tn(4 * s->u->cols, s->u->cols, s->batch.rows, dgates, 4 * s->u->cols, before,
                          s->u->cols, 1, du, s->u->cols);
    Real *dx = tape_grad(tape, s->xp);
    if (dx)
        kernels()->add(rows * 4 * d, dgates, dx);
}

Var *op_lstm_sequence(Tape *tape, Var *xp, Var *u, const Ragged *batch, bool reverse)
{
    check_shapes("op_lstm_sequence", xp, u);
    FOVEA_CHECK(batch->order == RAGGED_STEP_MAJOR && batch->rows == xp->rows,
                "op_lstm_sequence: %d rows for a batch of %d", xp->rows, batch->rows);
    size_t rows = (size_t)batch->rows, d = (size_t)u->cols;
    Var *y = tape_new_var(tape, xp->rows, 2 * u->cols, xp->wants_grad || u->wants_grad);
    Sequence s = {
        y, xp, u, *batch, reverse, tape_scratch(tape, rows * 4 * d), tape_scratch(tape, rows * d)};
    for (int k = 0; k < batch->steps; k++) {
        SequenceBlock block = sequence_block(batch, k, reverse);
        LstmCell cell = block_cell(&s, &block);
        lstm_cell_forward(&cell, xp->value + (size_t)block.first * 4 * d);
    }
    Sequence *saved = tape_record(tape, y, sequence_backward, sizeof *saved);
    if (saved)
        *saved = s;
    return y;
}
