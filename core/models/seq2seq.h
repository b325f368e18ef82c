/* seq2seq.h - recurrent encoder-decoders, with and without attention: the network.
 *
 * One network covers the family; its settings choose the member. Letters: S source length,
 * n rows (sentences or hypotheses), e embedding, d decoder units, h encoder units in each
 * direction, a attention units, V target vocabulary, g gates (3 GRU, 4 LSTM).
 *
 *   encoder      h_j = [forward_j ; backward_j] in R^2h, bidirectional GRU or LSTM
 *   first state  GRU: s_0 = tanh(W_s backward_1 + b) (Bahdanau et al. 2015, A.2.2)
 *                LSTM: h_0 = tanh(W [forward_S ; backward_1] + b), c_0 likewise, linear
 *   score        additive v^T tanh(W s + U h_j + b), general s^T W h_j, dot s^T h_j,
 *                scaled-dot s^T h_j / sqrt(d), cosine beta cos(s, h_j) with beta = exp(b)
 *                learned, location (W s)_j (Luong et al. 2015; Graves et al. 2014).
 *                projected=yes: dot and scaled-dot of W s and U h_j in R^a, as in Vaswani et
 *                al. 2017. States are bounded, |s . h_j| <= d, so that without maps which can
 *                grow, s^T h_j / sqrt(d) stays small and its softmax nearly flat.
 *   query        `previous`: s_{t-1}, the context enters the recurrence (Bahdanau)
 *                `current`: s_t, the context joins afterwards (Luong)
 *   align        `global` softmax; `local-m` softmax in [t - D, t + D]; `local-p` softmax in
 *                [floor(p) - D, floor(p) + D] times exp(-(j - p)^2 / (2 (D/2)^2)) with
 *                p = sigmoid(v^T tanh(W s)) (S - 1), 0-based, not renormalised (Luong, eq. 7-10,
 *                as in the authors' code); `hard` one position drawn from the softmax
 *   decoder      previous: s_t = cell([E y_{t-1} ; c_t], s_{t-1})
 *                          r_t = tanh(W_r [s_t ; c_t ; E y_{t-1}] + b)
 *                current:  s_t = cell([E y_{t-1} ; r_{t-1} if feeding], s_{t-1})
 *                          r_t = tanh(W_r [c_t ; s_t])               (the attentional vector)
 *   output       softmax(E_out r_t + b), E_out tied to the target embedding, so r_t is in R^e
 *   attention=none  the fixed context c = [forward_S ; backward_1]: `feed` gives it to every
 *                step (Cho et al. 2014), `initial` only to s_0 (Sutskever et al. 2014)
 *
 * Choices among Bahdanau's variants: the readout sees s_t (not s_{t-1}) through tanh instead
 * of maxout; the GRU resets after the product unless gru=reset-before; additive keys have a
 * bias. No end mark on the source: weights lie on the person's own words.
 *
 * Training and stepping call the same functions; a tape that does not record is inference.
 */
#ifndef FOVEA_MODELS_SEQ2SEQ_H
#define FOVEA_MODELS_SEQ2SEQ_H
#include "attention/attention.h"
#include "base/settings.h"
#include "grad/ops.h"
#include "nn/recurrent.h"

typedef enum {
    SCORE_NONE,
    SCORE_ADDITIVE,
    SCORE_COSINE,
    SCORE_LOCATION,
    SCORE_GENERAL,
    SCORE_DOT,
    SCORE_SCALED_DOT,
} ScoreKind; /* in the order of the setting's choices */

typedef enum { ALIGNMENT_GLOBAL, ALIGNMENT_LOCAL_M, ALIGNMENT_LOCAL_P, ALIGNMENT_HARD } Alignment;

extern const Setting seq2seq_settings[];

typedef struct Seq2SeqShape {
    ScoreKind score;
    bool projects; /* query and keys through learned maps; only with dot and scaled-dot */
    Alignment alignment;
    bool query_is_current;
    bool feeds_input;   /* input feeding; only with query_is_current           */
    bool feeds_context; /* fixed context at every step; only with SCORE_NONE   */
    bool is_lstm;
    GruKind gru;
    bool shares_embeddings;
    int embedding, hidden, encoder_hidden, attention_hidden;
    int window;    /* D */
    int positions; /* of location scores */
    int source_vocabulary, target_vocabulary;
} Seq2SeqShape;

typedef struct Seq2Seq Seq2Seq;

/* ERROR_INPUT when settings contradict each other (dot scores of unequal widths, ...). */
bool seq2seq_shape(const Settings *settings, int source_vocabulary, int target_vocabulary,
                   Seq2SeqShape *shape, Error *error) FOVEA_MUST_USE;

/* Declares the parameters in `params`, which must outlive the network. */
Seq2Seq *seq2seq_new(const Seq2SeqShape *shape, ParamSet *params);
void seq2seq_free(Seq2Seq *net);
const Seq2SeqShape *seq2seq_get_shape(const Seq2Seq *net);

/* Training only; NULL members or a NULL pointer: no dropout. */
typedef struct Dropout {
    Real embedding; /* probability */
    Real readout;
    Random *random;
} Dropout;

typedef struct Seq2SeqSource {
    const Ragged *batch; /* step-major                                       */
    Var *embedded;       /* [rows, e], after dropout                         */
    Var *annotations;    /* h_j: [rows, 2h]                                  */
    Var *keys;           /* what scores read: [rows, a] or the annotations   */
    Var *first_state;    /* [n, d], LSTM [n, 2d] = [h | c]                   */
    Var *fixed_context;  /* [n, 2h] or NULL                                  */
    Var *beta;           /* cosine: exp(b), [1,1]; else NULL                 */
} Seq2SeqSource;

/* ids [batch->rows] step-major. */
Seq2SeqSource seq2seq_encode(const Seq2Seq *net, Tape *tape, const Ragged *batch, const int *ids,
                             const Dropout *dropout);

/* E y: [n, e], and its part of the recurrence W_y E y + b: [n, g d]. */
Var *seq2seq_embed_target(const Seq2Seq *net, Tape *tape, int n, const int *ids,
                          const Dropout *dropout);
Var *seq2seq_project_target(const Seq2Seq *net, Tape *tape, Var *embedded);

typedef enum { CHOOSE_ARGMAX, CHOOSE_SAMPLE, CHOOSE_EXPECTATION } HardChoice;

/* How a step may be steered. Zero-initialised plus temperature 1 is the model's own way. */
typedef struct Seq2SeqControl {
    int step; /* t, 0-based (local-m stands there)                        */
    Real temperature;
    const int *owner;          /* [n] source of each row; NULL: row i                      */
    const unsigned char *keep; /* [rows] 0 hides a source word                             */
    int window;                /* D; 0: the model's                                        */
    const double *centre;      /* [1] moves every row's window there; NULL: the model's    */
    bool renormalises;         /* local-p: weights divided by their sum                    */
    const Real *weights;       /* [S] replaces every row's weights; NULL                   */
    HardChoice hard;           /* when the alignment is hard                               */
    const int *hard_position;  /* [n] -1: choose; NULL                                     */
    const double *hard_draws;  /* [n] uniform numbers for CHOOSE_SAMPLE                    */
    const Real *soft_share;    /* [n] training: 1 takes the expectation, 0 the choice      */
} Seq2SeqControl;

typedef struct Seq2SeqState {
    Var *state;       /* [n, d] or [n, 2d]                     */
    Var *attentional; /* r_{t-1} for input feeding; NULL: zero */
} Seq2SeqState;

typedef struct Seq2SeqStep {
    Seq2SeqState next;
    Var *output;       /* s_t: [n, d]                                                     */
    Var *scores;       /* e: [n, S]; NULL without attention                               */
    Var *aligned;      /* softmax, before Gaussian or choice: [n, S]                      */
    Var *weights;      /* what the context was made with: [n, S]                          */
    Var *centre;       /* local-p: [n, 1]; else NULL                                      */
    const Span *spans; /* [n]; NULL: everything was scored                                */
    const int *chosen; /* [n] hard; NULL otherwise                                        */
    Var *context;      /* [n, 2h]; NULL with attention=none and context=initial           */
    const Real *gates; /* [n, g d]                                                        */
} Seq2SeqStep;

/* One decoder step for n rows. `projected` [n, g d] from seq2seq_project_target. */
Seq2SeqStep seq2seq_step(const Seq2Seq *net, Tape *tape, const Seq2SeqSource *source,
                         Var *projected, const Seq2SeqState *state, const Seq2SeqControl *control);

/* r for any rows: outputs [n,d], contexts [n,2h] or NULL, embedded [n,e] -> [n,e]. In a
 * model that feeds its input, the step has made it already (next.attentional). */
Var *seq2seq_readout(const Seq2Seq *net, Tape *tape, Var *outputs, Var *contexts, Var *embedded);
/* [n,e] -> [n,V] */
Var *seq2seq_logits(const Seq2Seq *net, Tape *tape, Var *readout, const Dropout *dropout);

#endif
