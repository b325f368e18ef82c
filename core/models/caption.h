/* caption.h - Show, Attend and Tell (Xu et al. 2015, arXiv 1502.03044): the network.
 *
 * A small convolutional encoder, trained with the rest, turns a picture of side x side pixels
 * into a grid of L = (side / 8)^2 annotation vectors; an LSTM writes the sentence word by
 * word and looks at the grid before each:
 *
 *   encoder     three 3 x 3 convolutions of stride 2 and one of stride 1, each with relu;
 *               a_i = features of cell i + p_i, in R^D, with a learned vector p_i for the place
 *               (the sentence says where things are, and one cell alone does not know it)
 *   first state h_0 = tanh(W mean_i a_i + b), c_0 = tanh(W' mean_i a_i + b')
 *   score       e_ti = v^T tanh(W_h h_{t-1} + W_a a_i + b)          before word t is known
 *               (the paper's additive constant shifts all scores alike: left out)
 *   weights     alpha_t = softmax(e_t)
 *   context     soft: z_t = beta_t sum_i alpha_ti a_i, beta_t = sigmoid(w^T h_{t-1} + b)
 *               hard: z_t = beta_t a_s, cell s drawn from alpha_t
 *   state       h_t = LSTM([E y_{t-1} ; z_t], h_{t-1}); E y_0 = 0
 *   output      softmax(L_o tanh(E y_{t-1} + L_h h_t + L_z z_t) + b)
 *
 * As in the authors' code: the query is the previous state, beta is one number and may be
 * switched off, tanh stands in the deep output.
 *
 * Letters: n pictures (rows), e embedding, d LSTM units, D annotation, V words.
 */
#ifndef FOVEA_MODELS_CAPTION_H
#define FOVEA_MODELS_CAPTION_H
#include "attention/attention.h"
#include "base/settings.h"
#include "grad/ops.h"

#define CAPTION_MAX_SIDE  512
#define CAPTION_MAX_WORDS 40 /* of a sentence, end mark included */

extern const Setting caption_settings[];

typedef struct CaptionShape {
    bool is_hard;
    bool has_gate;
    int side, grid; /* pixels; cells of the grid's side */
    int width;      /* channels of the first convolution; D = 4 width */
    int embedding, hidden, attention_hidden;
    int vocabulary;
} CaptionShape;

typedef struct Caption Caption;

bool caption_shape(const Settings *settings, int vocabulary, CaptionShape *shape,
                   Error *error) FOVEA_MUST_USE;

/* Declares the parameters in `params`, which must outlive the network. */
Caption *caption_new(const CaptionShape *shape, ParamSet *params);
void caption_free(Caption *net);
const CaptionShape *caption_get_shape(const Caption *net);

typedef struct CaptionSource {
    const AttendTo *to;
    Var *annotations; /* a: [n L, D]                 */
    Var *keys;        /* W_a a + b: [n L, attention] */
    Var *first_state; /* [n, 2d] = [h | c]           */
} CaptionSource;

/* pictures [n side side, 3], values 0 .. 1 */
CaptionSource caption_encode(const Caption *net, Tape *tape, Var *pictures);

/* E y: [n, e], zeros for id -1 (nothing written yet). */
Var *caption_embed(const Caption *net, Tape *tape, int n, const int *ids);

/* How a step may be steered. Zero-initialised plus temperature 1 is the model's own way with
 * the largest weight for hard attention. */
typedef struct CaptionControl {
    Real temperature;
    const unsigned char *keep; /* [n L] 0 hides a cell; NULL: none hidden            */
    const Real *weights;       /* [L] replaces every row's weights; NULL             */
    const int *chosen;         /* [n] hard: the cell to take, -1: choose; NULL       */
    const double *draws;       /* [n] hard: uniform numbers to draw with; NULL: largest */
    const Real *soft_share;    /* [n] training hard: 1 takes the expectation; NULL: 0   */
} CaptionControl;

typedef struct CaptionStep {
    Var *state;        /* [n, 2d]                                     */
    Var *scores;       /* e: [n, L]                                   */
    Var *aligned;      /* alpha: [n, L]                               */
    Var *weights;      /* what the context was made with: [n, L]      */
    const int *chosen; /* [n] hard; NULL otherwise                    */
    Var *gate;         /* beta: [n, 1] or NULL                        */
    Var *context;      /* z: [n, D], after the gate                   */
    const Real *gates; /* of the LSTM, [n, 4d]                        */
} CaptionStep;

CaptionStep caption_step(const Caption *net, Tape *tape, const CaptionSource *source, Var *embedded,
                         Var *state, const CaptionControl *control);

/* Any rows: embedded [n, e], states [n, 2d], contexts [n, D] -> logits [n, V] */
Var *caption_logits(const Caption *net, Tape *tape, Var *embedded, Var *states, Var *contexts,
                    Real dropout, Random *random);

#endif
