#include "nn/bidirectional.h"

#include "base/strbuf.h"
#include "grad/ops.h"

static const Param *declare(ParamSet *params, const char *prefix, const char *name, int rows,
                            int cols, Init init, int group)
{
    StrBuf full = {0};
    strbuf_addf(&full, "%s.%s", prefix, name);
    Param *param = param_add(params, full.text, rows, cols, init, 1);
    param->group = group;
    strbuf_free(&full);
    return param;
}

BidirectionalLayer bidirectional_declare(ParamSet *params, const char *prefix, CellKind cell, int e,
                                         int d, int group)
{
    static const char *const names[2][3] = {{"forward.W", "forward.b", "forward.U"},
                                            {"backward.W", "backward.b", "backward.U"}};
    BidirectionalLayer layer = {.cell = cell};
    int gates = cell == CELL_LSTM ? 4 : 3;
    for (int i = 0; i < 2; i++) {
        layer.w[i] = declare(params, prefix, names[i][0], gates * d, e, INIT_GLOROT, group);
        layer.b[i] = declare(params, prefix, names[i][1], 1, gates * d, INIT_ZERO, group);
        layer.u[i] = declare(params, prefix, names[i][2], gates * d, d, INIT_ORTHOGONAL, group);
    }
    return layer;
}

/* Both orders of the same rows. */
typedef struct Order {
    Ragged steps;
    int *to_steps; /* [rows] row of x for each step-major row */
    int *back;     /* [rows] the inverse                      */
} Order;

static Order order_of(Arena *arena, const Ragged *rows)
{
    size_t n = (size_t)rows->n + 1, all = (size_t)rows->rows + 1;
    int *rank = arena_get(arena, n, sizeof *rank), *length = arena_get(arena, n, sizeof *length);
    ragged_sort(rows->n, rows->length, rank);
    for (int i = 0; i < rows->n; i++)
        length[i] = rows->length[rank[i]];
    Order o = {ragged_new(arena, RAGGED_STEP_MAJOR, rows->n, length),
               arena_get(arena, all, sizeof(int)), arena_get(arena, all, sizeof(int))};
    for (int i = 0; i < rows->n; i++)
        for (int t = 0; t < length[i]; t++) {
            int row = ragged_row(rows, rank[i], t), step_row = ragged_row(&o.steps, i, t);
            o.to_steps[step_row] = row;
            o.back[row] = step_row;
        }
    return o;
}

static Var *run(Tape *tape, const BidirectionalLayer *layer, Var *x, const Ragged *steps,
                int direction)
{
    Var *u = tape_weights(tape, layer->u[direction]);
    Var *xp = op_linear(tape, x, tape_weights(tape, layer->w[direction]),
                        tape_param(tape, layer->b[direction]));
    if (layer->cell == CELL_GRU)
        return op_gru_sequence(tape, GRU_RESET_AFTER, xp, u, steps, direction == 1);
    Var *states = op_lstm_sequence(tape, lstm_remember(tape, xp), u, steps, direction == 1);
    return op_slice(tape, states, 0, u->cols);
}

Var *bidirectional_layer(Tape *tape, const BidirectionalLayer *layer, Var *x, const Ragged *rows)
{
    Order order = order_of(tape_arena(tape), rows);
    Var *ordered = op_gather(tape, x, rows->rows, order.to_steps), *both[2];
    for (int i = 0; i < 2; i++)
        both[i] = run(tape, layer, ordered, &order.steps, i);
    return op_gather(tape, op_concat(tape, 2, both), rows->rows, order.back);
}
