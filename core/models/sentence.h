/* sentence.h - from a sentence, or a pair of them, to a class by attention among its own words:
 * the network.
 *
 * One network covers the family; its settings choose the member. Letters: rows = words of all
 * sentences of a batch (sequence-major), n sentences, e embedding, d hidden, C classes.
 *
 *   attention=none        h = ELU(W x + b); mean of the words: the control without attention
 *   attention=multi-head  h = W x + b with positions; L layers of scaled dot-product attention
 *                         with H heads, h = LN(h + heads(h)), and a feed-forward layer likewise
 *                         (Vaswani et al. 2017); pooled by source2token
 *   attention=structured  h = BiLSTM(x); A = softmax over words of W2 tanh(W1 h), r hops;
 *                         M = A H, flattened (Lin et al. 2017)
 *   attention=disan       h = ELU(W x + b); two blocks of multi-dimensional attention, one over
 *                         earlier and one over later words (feature.h), each with a gate
 *                         F = sigmoid(W_s s + W_h h + b), u = F o h + (1 - F) o s; [u;u] pooled
 *                         by source2token (Shen et al. 2017)
 *   attention=resan       the same blocks between selected words only: two selectors draw for
 *                         each word whether it is a head (reads) and whether it is a dependent
 *                         (is read) (Shen et al. 2018)
 *   attention=hard        the selector alone: the mean of h over the words that it keeps
 *
 *   source2token          P = softmax over words, per feature, of W2 ELU(W1 u + b1) + b2;
 *                         the sentence is sum P o u
 *   selector (RSS)        pi = sigmoid(w . ELU(W c + b) + bias) for all words at once, with the
 *                         context c = [x ; mean ; x o mean] (fusion=pooling) or a BiLSTM or
 *                         BiGRU of x. It reads the word vectors, but no gradient of the rest
 *                         reaches it, nor its gradient them: z is a constant for the network.
 *   classes               W_c dropout(ELU(W_o s + b_o)) + b_c
 *   pair=yes              sentences 2i and 2i + 1 belong together: each becomes a vector by
 *                         itself, u and v, and [u ; v ; |u - v| ; u o v] takes the place of s
 *                         (Conneau et al. 2017; the paper has u - v, and no size beside it)
 *
 * Words that are not heads (unselected=): `drop` they are gone: the sentence is pooled over
 * heads, and a sentence without any is the zero vector, so that selecting nothing costs the
 * policy its reward; `zero` they stay with s = 0; `mean` (the paper's code) they stay with
 * s = mean of the words that they could read. With zero and mean the gate and the pooling
 * still see every word, so the selection can empty itself without harm.
 *
 * Training and stepping call the same functions; a tape that does not record is inference.
 */
#ifndef FOVEA_MODELS_SENTENCE_H
#define FOVEA_MODELS_SENTENCE_H
#include "attention/feature.h"
#include "attention/transformer.h"
#include "base/settings.h"

typedef enum {
    SENTENCE_NONE,
    SENTENCE_MULTI_HEAD,
    SENTENCE_STRUCTURED,
    SENTENCE_DISAN,
    SENTENCE_RESAN,
    SENTENCE_HARD,
} SentenceKind; /* in the order of the setting's choices */

typedef enum { DIRECTION_DIAGONAL, DIRECTION_BOTH } SentenceDirection;
typedef enum { UNSELECTED_DROP, UNSELECTED_ZERO, UNSELECTED_MEAN } Unselected;
typedef enum { FUSION_POOLING, FUSION_BILSTM, FUSION_BIGRU } Fusion;

#define SENTENCE_MAX_LAYERS 8
enum { SELECT_HEAD, SELECT_DEPENDENT, SELECT_MOST };

extern const Setting sentence_settings[];

typedef struct SentenceShape {
    SentenceKind kind;
    bool pair;
    int embedding, hidden, classes, vocabulary;
    int heads, layers, feed_forward; /* multi-head; feed_forward 0: none */
    bool positions;
    int hops, hop_hidden; /* structured */
    SentenceDirection direction;
    Real c;
    Unselected unselected;
    Fusion fusion;
    int selector_hidden;
    double selector_bias;
} SentenceShape;

bool sentence_shape(const Settings *settings, int vocabulary, int classes, SentenceShape *shape,
                    Error *error) FOVEA_MUST_USE;

/* Selectors: 2 (resan), 1 (hard) or 0. */
int sentence_n_selectors(const SentenceShape *shape);
/* Sentences of one example: 2 (pair) or 1. */
int sentence_n_parts(const SentenceShape *shape);

typedef struct SentenceNet SentenceNet;

/* Declares the parameters in `params`, which must outlive the network. */
SentenceNet *sentence_new(const SentenceShape *shape, ParamSet *params);
void sentence_free(SentenceNet *net);
const SentenceShape *sentence_get_shape(const SentenceNet *net);
/* The table of word vectors [vocabulary, e], to be filled from elsewhere. */
const Param *sentence_embedding(const SentenceNet *net);

/* Training only; a NULL pointer: none. */
typedef struct SentenceDropout {
    Real words;     /* probability that a word's vector becomes zero   */
    Real embedding; /* of elements of word vectors and of score inputs */
    Real hidden;    /* of the sentence vector                          */
    Random *random;
} SentenceDropout;

/* ids [rows->rows] -> x [rows, e], without dropout */
Var *sentence_embed(const SentenceNet *net, Tape *tape, const Ragged *rows, const int *ids);

/* Logits of pi for every word, head and dependent: [rows, selectors]. */
Var *sentence_select(const SentenceNet *net, Tape *tape, const Ragged *rows, Var *embedded);

/* [rows] each, 0 or 1; NULL: every word. In members without selectors both flags say which
 * words may be seen at all; the others are neither read nor pooled. */
typedef struct Selection {
    const unsigned char *picked[SELECT_MOST]; /* by SELECT_HEAD, SELECT_DEPENDENT */
} Selection;

/* One block of multi-dimensional attention, as it was computed. */
typedef struct SentenceBlock {
    FeaturePairs pairs;
    const int *head_row, *dependent_row; /* rows of the batch                              */
    Var *a, *b;                          /* logits' parts: [dependents, d], [heads, d]      */
    Var *s;                              /* [out rows, d]                                   */
    Var *gate;                           /* F: [out rows, d]                                */
    Var *u;                              /* [out rows, d]                                   */
} SentenceBlock;

typedef struct SentenceRun {
    Var *hidden; /* h: [rows, d], structured: [rows, 2d] */
    int n_heads; /* layers of multi-head attention       */
    MultiHead heads[SENTENCE_MAX_LAYERS];
    int n_blocks;
    SentenceBlock block[2];
    const Ragged *out;  /* the words that are pooled                         */
    const int *out_row; /* [out->rows] rows of the batch                     */
    Var *pooled;        /* u: [out rows, width]                              */
    Var *pool_weights;  /* [out rows, width] or hops; NULL: plain mean       */
    Var *sentence;      /* [n, width]                                        */
    Var *logits;        /* [n, C]; of pairs [n / 2, C]                       */
} SentenceRun;

/* x from sentence_embed; selection NULL or of every word: everything is selected. */
SentenceRun sentence_run(const SentenceNet *net, Tape *tape, const Ragged *rows, Var *embedded,
                         const Selection *selection, const SentenceDropout *dropout);

/* Rows whose flag is set, in order, with their places in the sentence; in the tape's arena.
 * flag NULL: all. */
typedef struct PickedRows {
    const Ragged *rows;
    const int *row, *place;
} PickedRows;

PickedRows sentence_pick(Tape *tape, const Ragged *rows, const unsigned char *flag);

#endif
