/* tape.h - reverse-mode differentiation, defined by running.
 *
 * A Tape remembers each operation in the order in which it was called. That order is
 * already topological, so the backward pass is one loop from the last record to the first.
 * Recurrence is an ordinary C `for`.
 *
 * Operations are coarse (a recurrent layer over a whole batch, the scores of one decoding
 * step for all sentences), each with a backward pass written by hand, because that is where
 * the matrix products are large. They live in the layers that they belong to (grad: basic,
 * nn: recurrent, attention: scores); all are called op_something and each has a gradient
 * check in tests/core/grad.
 *
 * Inference is the same functions on a tape that does not record: values are computed,
 * nothing is kept. There is no second copy of the mathematics.
 *
 * Shapes are [rows, cols], row-major. A batch is more rows; sequences of unequal length are
 * ragged rows (math/ragged.h). A shape mistake is a bug and stops the program.
 *
 * Memory: values, gradients and records live in the tape's arena until tape_reset. A Var is
 * dead after it. Gradients of parameters ADD into the array given to tape_new.
 * Threads: one tape belongs to one thread; any number of tapes may share parameters.
 */
#ifndef FOVEA_GRAD_TAPE_H
#define FOVEA_GRAD_TAPE_H
#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "grad/param.h"
#include "math/matrix.h"
#include "math/real.h"

typedef struct Tape Tape;

typedef struct Var {
    int rows, cols;
    Real *value;
    Real *grad;           /* NULL until something flows back into it */
    bool wants_grad;      /* some parameter lies below it            */
    const uint16_t *half; /* instead of `value`: see tape_weights */
} Var;

/* Does not record: for inference. */
Tape *tape_new_inference(const ParamSet *params);
/* Records; gradients of parameters are added into param_grads [param_set_size(params)]. */
Tape *tape_new(const ParamSet *params, Real *param_grads);
void tape_free(Tape *tape); /* NULL is fine */
void tape_reset(Tape *tape);
bool tape_is_recording(const Tape *tape);
Arena *tape_arena(Tape *tape); /* for what must live exactly as long */
size_t tape_reserved_bytes(const Tape *tape);

/* ---- leaves ---- */
Var *tape_constant(Tape *tape, int rows, int cols, const Real *data); /* copied          */
Var *tape_borrow(Tape *tape, int rows, int cols, Real *data);         /* lives elsewhere */
Var *tape_zeros(Tape *tape, int rows, int cols);
Var *tape_param(Tape *tape, const Param *param);
/* The same for a matrix that is only multiplied with (op_linear, U of the recurrent operations)
 * or looked up in (op_gather): stays in half precision if the model holds it so and nothing is
 * recorded, and is widened on the way. Other operations want tape_param. */
Var *tape_weights(Tape *tape, const Param *param);
/* An input whose gradient is wanted (saliency); copied. */
Var *tape_input(Tape *tape, int rows, int cols, const Real *data);
/* The same value, but nothing flows back through it. */
Var *tape_detach(Tape *tape, Var *x);

/* ---- backward ---- */

/* Seeds d loss / d loss = 1 for a [1, 1] value and runs every record backwards. */
void tape_backward(Tape *tape, Var *loss);
/* The same from any value with a given gradient [rows, cols]. */
void tape_backward_from(Tape *tape, Var *value, const Real *grad);

/* ---- for operations ---- */

/* A new uninitialised value. */
Var *tape_new_var(Tape *tape, int rows, int cols, bool wants_grad);

/* Room for what the backward pass needs, registered; NULL when nothing has to be recorded
 * (inference, or `result` wants no gradient). `backward` is called with it, only when some
 * gradient has reached `result`. */
void *tape_record(Tape *tape, const Var *result, void (*backward)(Tape *tape, void *saved),
                  size_t bytes);

/* The gradient array of x, zeroed at first use; NULL when x wants none. */
Real *tape_grad(Tape *tape, Var *x);

/* The same without zeroing: when *is_fresh, the array is uninitialised and every element
 * must be written; otherwise add to it. Saves a pass over large arrays. */
Real *tape_grad_or_fresh(Tape *tape, Var *x, bool *is_fresh);

/* Scratch memory of `n` elements, uninitialised. */
Real *tape_scratch(Tape *tape, size_t n);

/* n = rows * cols */
static inline size_t var_size(const Var *x)
{
    return (size_t)x->rows * (size_t)x->cols;
}

static inline Real *var_row(const Var *x, int row)
{
    return x->value + (size_t)row * (size_t)x->cols;
}

static inline Weights var_weights(const Var *x)
{
    return (Weights){x->value, x->half};
}

/* Stops with the operation's name and both shapes unless x is [rows, cols]; -1 is any. */
void tape_check_shape(const char *operation, const Var *x, int rows, int cols);

#endif
