#include "grad/tape.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef struct Record {
    const Var *result;
    void (*backward)(Tape *tape, void *saved);
    void *saved;
} Record;

struct Tape {
    Arena *arena;
    const ParamSet *params;
    Real *param_grads;
    bool recording;
    Record *records;
    size_t n_records;
    size_t capacity;
};

static Tape *new_tape(const ParamSet *params, Real *param_grads, bool recording)
{
    Tape *tape = memory_new(1, sizeof *tape);
    tape->arena = arena_new();
    tape->params = params;
    tape->param_grads = param_grads;
    tape->recording = recording;
    return tape;
}

Tape *tape_new_inference(const ParamSet *params)
{
    return new_tape(params, NULL, false);
}

Tape *tape_new(const ParamSet *params, Real *param_grads)
{
    return new_tape(params, param_grads, true);
}

void tape_free(Tape *tape)
{
    if (!tape)
        return;
    arena_free(tape->arena);
    free(tape->records);
    free(tape);
}

void tape_reset(Tape *tape)
{
    arena_reset(tape->arena);
    tape->n_records = 0;
}

bool tape_is_recording(const Tape *tape)
{
    return tape->recording;
}

Arena *tape_arena(Tape *tape)
{
    return tape->arena;
}

size_t tape_reserved_bytes(const Tape *tape)
{
    return arena_reserved_bytes(tape->arena) + tape->capacity * sizeof(Record);
}

static Var *new_var(Tape *tape, int rows, int cols, Real *value, bool wants_grad)
{
    Var *x = arena_get(tape->arena, 1, sizeof *x);
    *x = (Var){rows, cols, value, NULL, wants_grad && tape->recording, NULL};
    return x;
}

Var *tape_new_var(Tape *tape, int rows, int cols, bool wants_grad)
{
    FOVEA_CHECK(rows >= 0 && cols >= 0, "a value of [%d, %d]", rows, cols);
    Real *value = arena_get(tape->arena, (size_t)rows * (size_t)cols, sizeof *value);
    return new_var(tape, rows, cols, value, wants_grad);
}

Var *tape_constant(Tape *tape, int rows, int cols, const Real *data)
{
    Var *x = tape_new_var(tape, rows, cols, false);
    if (var_size(x))
        memcpy(x->value, data, var_size(x) * sizeof *data);
    return x;
}

Var *tape_borrow(Tape *tape, int rows, int cols, Real *data)
{
    return new_var(tape, rows, cols, data, false);
}

Var *tape_zeros(Tape *tape, int rows, int cols)
{
    Var *x = tape_new_var(tape, rows, cols, false);
    memset(x->value, 0, var_size(x) * sizeof *x->value);
    return x;
}

Var *tape_input(Tape *tape, int rows, int cols, const Real *data)
{
    Var *x = tape_constant(tape, rows, cols, data);
    x->wants_grad = tape->recording;
    return x;
}

Var *tape_param(Tape *tape, const Param *param)
{
    Var *x = new_var(tape, param->rows, param->cols, param_value(tape->params, param),
                     tape->param_grads != NULL);
    if (x->wants_grad)
        x->grad = tape->param_grads + param->offset;
    return x;
}

Var *tape_weights(Tape *tape, const Param *param)
{
    const uint16_t *half = tape->recording ? NULL : param_half(tape->params, param);
    if (!half)
        return tape_param(tape, param);
    Var *x = new_var(tape, param->rows, param->cols, NULL, false);
    x->half = half;
    return x;
}

Var *tape_detach(Tape *tape, Var *x)
{
    return new_var(tape, x->rows, x->cols, x->value, false);
}

void *tape_record(Tape *tape, const Var *result, void (*backward)(Tape *tape, void *saved),
                  size_t bytes)
{
    if (!result->wants_grad)
        return NULL;
    tape->records =
        memory_grow(tape->records, &tape->capacity, tape->n_records + 1, sizeof *tape->records);
    void *saved = arena_get(tape->arena, 1, bytes);
    tape->records[tape->n_records++] = (Record){result, backward, saved};
    return saved;
}

Real *tape_grad(Tape *tape, Var *x)
{
    if (!x->wants_grad)
        return NULL;
    if (!x->grad)
        x->grad = arena_get_zeroed(tape->arena, var_size(x), sizeof *x->grad);
    return x->grad;
}

Real *tape_grad_or_fresh(Tape *tape, Var *x, bool *is_fresh)
{
    *is_fresh = x->wants_grad && !x->grad;
    if (*is_fresh)
        x->grad = arena_get(tape->arena, var_size(x), sizeof *x->grad);
    return x->wants_grad ? x->grad : NULL;
}

Real *tape_scratch(Tape *tape, size_t n)
{
    return arena_get(tape->arena, n, sizeof(Real));
}

static void run_backward(Tape *tape)
{
    for (size_t i = tape->n_records; i-- > 0;) {
        const Record *record = &tape->records[i];
        if (record->result->grad)
            record->backward(tape, record->saved);
    }
}

void tape_backward(Tape *tape, Var *loss)
{
    tape_check_shape("tape_backward", loss, 1, 1);
    const Real one = 1;
    tape_backward_from(tape, loss, &one);
}

void tape_backward_from(Tape *tape, Var *value, const Real *grad)
{
    FOVEA_CHECK(tape->recording, "backward on a tape that does not record");
    Real *g = tape_grad(tape, value);
    if (!g)
        return;
    for (size_t i = 0; i < var_size(value); i++)
        g[i] += grad[i];
    run_backward(tape);
}

void tape_check_shape(const char *operation, const Var *x, int rows, int cols)
{
    FOVEA_CHECK((rows < 0 || x->rows == rows) && (cols < 0 || x->cols == cols),
                "%s: a value of [%d, %d] where [%d, %d] is wanted", operation, x->rows, x->cols,
                rows, cols);
}
