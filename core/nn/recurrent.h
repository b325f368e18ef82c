/* recurrent.h - GRU and LSTM, one step or a whole ragged batch.
 *
 * Both read xp = W x + b, projected beforehand for all steps at once (op_linear), and hold
 * only the recurrent matrix U themselves. A sequence starts from zero; running in reverse,
 * every sequence starts at its own last item, so padding cannot leak (there is none).
 *
 * GRU (Cho et al. 2014, arXiv 1406.1078), d hidden units, gates in the order r, z, n:
 *     r = sigmoid(xp_r + U_r h)      z = sigmoid(xp_z + U_z h)
 *     GRU_RESET_AFTER   n = tanh(xp_n + r o (U_n h))     (Yang et al. 2016; one product a step)
 *     GRU_RESET_BEFORE  n = tanh(xp_n + U_n (r o h))     (Cho; Bahdanau et al. 2015)
 *     h' = (1 - z) o h + z o n                           z is on the NEW value in both
 *
 * LSTM (Hochreiter and Schmidhuber 1997, with forget gate, no peepholes), gates i, f, o, g:
 *     i, f, o = sigmoid(xp + U h)    g = tanh(xp_g + U_g h)
 *     c' = f o c + i o g             h' = o o tanh(c')
 * Its state is one value [n, 2d] = [h | c].
 *
 * Shapes: n rows (sentences, hypotheses); rows = items of the whole ragged batch.
 */
#ifndef FOVEA_NN_RECURRENT_H
#define FOVEA_NN_RECURRENT_H
#include "grad/tape.h"
#include "math/ragged.h"

typedef enum { GRU_RESET_AFTER, GRU_RESET_BEFORE } GruKind;

/* xp [n,3d], h [n,d], u [3d,d] -> h' [n,d]. gates, unless NULL, is set to the values r, z, n
 * [n,3d], alive until the tape's reset. */
Var *op_gru_step(Tape *tape, GruKind kind, Var *xp, Var *h, Var *u, const Real **gates);

/* xp [rows,3d] step-major, u [3d,d] -> h of every item [rows,d] */
Var *op_gru_sequence(Tape *tape, GruKind kind, Var *xp, Var *u, const Ragged *batch, bool reverse);

/* The same forwards and backwards, each with its own u: xp [m,6d], forward columns first, ->
 * [forward ; backward] of every item [rows,2d]. Items may share rows of xp: item i reads row
 * source[i], NULL: row i (m = rows). So what stands often in a batch, a word, is projected once.
 * `source` must live until the tape's reset. */
Var *op_gru_both_ways(Tape *tape, GruKind kind, Var *xp, const int *source, Var *u_forward,
                      Var *u_backward, const Ragged *batch);

/* xp [n,4d], state [n,2d], u [4d,d] -> state' [n,2d]. gates: i, f, o, g [n,4d]. */
Var *op_lstm_step(Tape *tape, Var *xp, Var *state, Var *u, const Real **gates);

/* xp [rows,4d] step-major, u [4d,d] -> state of every item [rows,2d] */
Var *op_lstm_sequence(Tape *tape, Var *xp, Var *u, const Ragged *batch, bool reverse);

/* Adds 1 to the forget gate's part of an LSTM's input [n,4d], so that a fresh network
 * remembers (Jozefowicz et al. 2015); kept out of the parameters, whose biases start from
 * zero. */
Var *lstm_remember(Tape *tape, Var *xp);

/* Rows of a step-major result that hold each sequence's last item in reading order (for a
 * reversed run: the first), [batch->n]; allocated in the tape's arena. Sequences must not
 * be empty. */
const int *recurrent_final_rows(Tape *tape, const Ragged *batch, bool reverse);

#endif
