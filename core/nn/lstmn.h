/* lstmn.h - an LSTM whose state is read from all earlier states by attention (Cheng, Dong,
 * Lapata 2016, arXiv 1601.06733, LSTMN).
 *
 * For word t over the earlier words i < t, with the tapes h_1.. and c_1..:
 *     e_i = v . tanh(W_h h_i + xa_t + W_r r_{t-1})        xa = W_x x, by the caller
 *     s   = softmax(e)                                     nothing for the first word
 *     [r_t ; m_t] = sum_i s_i [h_i ; c_i]                  what is read, 0 for the first word
 *     i, f, o = sigmoid(xp + U r_t)    g = tanh(xp_g + U_g r_t)      xp = W x + b
 *     c_t = f o m_t + i o g            h_t = o o tanh(c_t)
 * With all weight on the word before it is the LSTM of recurrent.h.
 *
 * Letters: d hidden, a attention units; a state is [h | c], a reading [r | m], both 2d.
 */
#ifndef FOVEA_NN_LSTMN_H
#define FOVEA_NN_LSTMN_H
#include "grad/tape.h"
#include "math/ragged.h"

typedef struct LstmnWeights {
    Var *u;         /* [4d, d] */
    Var *w_h, *w_r; /* [a, d]  */
    Var *v;         /* [1, a]  */
} LstmnWeights;

/* xp [rows,4d], xa [rows,a] step-major -> state of every item [rows,2d]. attention, unless
 * NULL, is set to s: [rows, batch->steps], 0 from t on; alive until the tape's reset. */
Var *op_lstmn_sequence(Tape *tape, Var *xp, Var *xa, const LstmnWeights *weights,
                       const Ragged *batch, const Real **attention);

/* One word of one sequence, for stepping; nothing is recorded. */
typedef struct LstmnMemory {
    int n;              /* earlier words               */
    const Real *states; /* [n, 2d]                     */
    const Real *keys;   /* [n, a]: W_h h               */
    const Real *read;   /* [2d] of the word before     */
} LstmnMemory;

typedef struct LstmnStep {
    Real *scores, *attention; /* [n]; scores of hidden words are NaN */
    Real *read, *state;       /* [2d]                                */
    Real *key;                /* [a]                                 */
    Real *gates;              /* [4d]: i, f, o, g                    */
} LstmnStep;

/* xp [1,4d], xa [1,a]. keep [n]: 0 hides a word, NULL none; temperature of the softmax;
 * replaced [n]: weights to use instead, or NULL. Results live until the tape's reset. */
LstmnStep lstmn_step(Tape *tape, Var *xp, Var *xa, const LstmnWeights *weights,
                     const LstmnMemory *memory, const unsigned char *keep, Real temperature,
                     const Real *replaced);

#endif
