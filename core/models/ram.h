/* ram.h - the recurrent model of visual attention (Mnih et al. 2014, arXiv 1406.6247): the
 * network.
 *
 * A picture is never seen whole. At each of N glimpses the retina (attention/glimpse.h)
 * reads a few small patches around one location; what was seen and where goes through a
 * recurrent core, which says where to look next and, at the end, which digit it was:
 *
 *   glimpse    a = relu(W_1 retina + b)    w = relu(W_2 l + b)         l in [-1, 1]^2
 *              g = relu(W_3 a + W_4 w + b)
 *   core       h_t = relu(W_h h_{t-1} + W_g g_t + b)                   h_0 = 0
 *   action     p(digit) = softmax(W_a h_N + b); the same read-out after earlier glimpses
 *              says what would be answered if one stopped there
 *   location   m_t = tanh(W_l h_t + b);  l_{t+1} ~ N(m_t, sigma^2 I), clipped to [-1, 1]
 *              where it is used, not in its log-density. With location-hidden > 0 a layer
 *              relu(W_v h_t + b) stands before it.
 *   baseline   b_t = w^T h_t + b
 *
 * The location network is trained by REINFORCE alone (parameter group POLICY), and h_t is a
 * constant for the baseline. By default it is one for the location network too, and the core
 * is trained by the cross-entropy alone; reach is the share of the policy's gradient that goes
 * on into the core, which then learns to keep what the next place depends on.
 *
 * looking=random and looking=fixed are controls that share everything but the location
 * network: uniform places, or the same path over the picture every time.
 *
 * Letters: n pictures (rows), side the picture's pixels, d core units, a glimpse units.
 */
#ifndef FOVEA_MODELS_RAM_H
#define FOVEA_MODELS_RAM_H
#include "attention/glimpse.h"
#include "base/settings.h"
#include "grad/ops.h"

#define RAM_N_CLASSES    10
#define RAM_MAX_GLIMPSES 64
#define RAM_MAX_SIDE     512

extern const Setting ram_settings[];

typedef enum { LOOKING_LEARNED, LOOKING_RANDOM, LOOKING_FIXED } Looking;

/* What pictures a model is made for; also how its training data are composed. */
typedef enum { CANVAS_PLAIN, CANVAS_TRANSLATED, CANVAS_CLUTTERED } DigitCanvas;

typedef struct RamShape {
    Retina retina;
    int side; /* pixels */
    int glimpses;
    int hidden;
    int glimpse_hidden;  /* of what and of where, each */
    int location_hidden; /* 0: the location network is one linear layer */
    double reach;        /* of the policy's gradient into the core, 0 .. 1 */
    double sigma;
    Looking looking;
    DigitCanvas canvas;
    bool starts_in_the_middle; /* else anywhere */
} RamShape;

typedef struct Ram Ram;

/* ERROR_INPUT when settings contradict each other. */
bool ram_shape(const Settings *settings, RamShape *shape, Error *error) FOVEA_MUST_USE;

/* Declares the parameters in `params`, which must outlive the network. */
Ram *ram_new(const RamShape *shape, ParamSet *params);
void ram_free(Ram *net);
const RamShape *ram_get_shape(const Ram *net);

/* One glimpse and one step of the core. seen [n, k g^2], where [n, 2] (both constants),
 * state [n, d] or NULL at the first glimpse -> h [n, d] */
Var *ram_step(const Ram *net, Tape *tape, Var *seen, Var *where, Var *state);

Var *ram_classify(const Ram *net, Tape *tape, Var *state); /* [n, d] -> logits [n, 10]     */
Var *ram_locate(const Ram *net, Tape *tape, Var *state);   /* [n, d] -> m [n, 2]           */
Var *ram_baseline(const Ram *net, Tape *tape, Var *state); /* [n, d] -> b [n, 1], detached */

/* The retina's view of n pictures [n, side * side], each at its own place. */
Var *ram_look(const Ram *net, Tape *tape, int n, const Real *const *pictures, const Real *where);

/* Where to look first, and where a control looks at glimpse t. */
void ram_first_place(const RamShape *shape, Random *random, Real place[2]);
void ram_control_place(const RamShape *shape, int glimpse, Random *random, Real place[2]);

/* A path over each picture; arrays by glimpse, in the tape's arena. */
typedef struct RamPaths {
    Var **state;    /* h_t                                        */
    Var **mean;     /* m_t for the glimpse after t; NULL: control */
    Var **baseline; /* b_t                                        */
    Real **sample;  /* [n, 2] where glimpse t was, unclipped      */
} RamPaths;

/* sigma 0: every location is the mean. places: given samples, before clipping, [N, n, 2], for
 * replay; NULL: draw. `random` is also asked for first places and by the random control. */
RamPaths ram_walk(const Ram *net, Tape *tape, int n, const Real *const *pictures, double sigma,
                  const Real *places, Random *random);

#endif
