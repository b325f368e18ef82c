/* han.h - the hierarchical attention network (Yang et al. 2016, NAACL, N16-1174): the network.
 *
 * A document is sentences, a sentence is words. The same reader stands at both levels; below,
 * x are the embeddings of the words of one sentence, above, the vectors of the sentences of
 * one document:
 *
 *   states    h_t = [forward_t ; backward_t] in R^2h, a bidirectional GRU over x (reset after)
 *   scores    u_t = tanh(W h_t + b),  e_t = u_t^T c        c: the learned context vector
 *   weights   a_t = softmax of e over the sequence         (eq. 6, 9)
 *   vector    s = sum_t a_t h_t                            (eq. 7, 10)
 *   class     softmax(W_c v + b_c) of the document's vector (eq. 11)
 *
 * pooling=words puts the mean in the place of the upper attention, pooling=sentences in that of
 * the lower one, pooling=mean the mean and pooling=max the maximum at both levels (the paper's
 * HN-AVE and HN-MAX).
 *
 * Batches hold sequences of any lengths without padding: a HanLayout sorts them and says which
 * row belongs to which item. The sentences of all documents are one batch of the lower level,
 * the documents one batch of the upper level; a sentence's vector may stand in several
 * documents, which is how documents without one word or one sentence are read at little cost.
 *
 * A document without sentences has a vector of zeros: its classes are softmax(b_c).
 *
 * Letters: n sequences, rows items of all of them, e embedding, h hidden units in each
 * direction, a attention units, V words, C classes.
 * Memory: layouts and results live in the tape's arena until its reset.
 */
#ifndef FOVEA_MODELS_HAN_H
#define FOVEA_MODELS_HAN_H
#include "base/settings.h"
#include "grad/ops.h"
#include "math/ragged.h"

typedef enum { HAN_ATTENTION, HAN_WORDS_ONLY, HAN_MEAN, HAN_MAX, HAN_SENTENCES_ONLY } HanPooling;

typedef enum { HAN_WORDS, HAN_SENTENCES, HAN_N_LEVELS } HanStage;

extern const Setting han_settings[];

typedef struct HanShape {
    HanPooling pooling;
    int vocabulary, classes;
    int embedding, hidden, attention_hidden;
    double context_scale; /* standard deviation of the context vectors at the start */
} HanShape;

typedef struct Han Han;

HanShape han_shape(const Settings *settings, int vocabulary, int classes);

/* Declares the parameters in `params`, which must outlive the network. */
Han *han_new(const HanShape *shape, ParamSet *params);
void han_free(Han *net); /* NULL is fine */
const HanShape *han_get_shape(const Han *net);

/* After initialising: the bias of the update gates of words. y = h + z (n - h), so a large one
 * makes states of words forget their neighbours soon, and weights speak of the word itself. */
void han_set_update_bias(const Han *net, ParamSet *params, Real bias);

/* ---- layout ---- */

typedef struct HanLayout {
    Ragged batch;        /* step-major                                                        */
    const int *item;     /* [rows]: row of the input that the item is; several may share one  */
    const int *column;   /* [n]: where the caller's sequence i stands                         */
    const int *order;    /* [n]: the inverse: which of the caller's stands at i               */
    int n_distinct;      /* words: rows of the input, one for each different word             */
    const int *distinct; /* [n_distinct] its id                                             */
} HanLayout;

/* n sequences whose items follow each other in `items` [sum of length]. below NULL: items are
 * word ids, and the input has a row for each different one. Otherwise they are sequences of
 * `below`, by the caller's numbers, and the input is its vectors. */
HanLayout han_layout(Arena *arena, int n, const int *length, const int *items,
                     const HanLayout *below);

/* Row of item t of the caller's sequence i. */
int han_row(const HanLayout *layout, int i, int t);

/* ---- reading ---- */

/* Training only; random NULL: no dropout. */
typedef struct HanDropout {
    Real embedding; /* of the elements of word vectors     */
    Real states;    /* of what is pooled, at both levels   */
    Real document;  /* of the document's vector            */
    Random *random;
} HanDropout;

/* What a person changes; all in the order of the layout's rows. */
typedef struct HanControl {
    const unsigned char *keep; /* [rows]: 0 hides an item from the attention; NULL */
    const Real *weights;       /* [rows]: instead of the network's own; NULL       */
    Real temperature;          /* of the softmax; 0: 1                             */
} HanControl;

typedef struct HanReading {
    Var *states;  /* [rows,2h]                                            */
    Var *scores;  /* [rows,1]; NULL where nothing attends (mean, maximum) */
    Var *weights; /* [rows,1]: what was used; NULL for the maximum        */
    Var *vectors; /* [n,2h], in the layout's order                        */
} HanReading;

/* The lower level's input: the embeddings of the different words [n_distinct,e]. Dropout takes
 * the same elements from a word wherever it stands in the batch (Gal and Ghahramani 2016). */
Var *han_embed(const Han *net, Tape *tape, const HanLayout *words, const HanDropout *dropout);

/* x: the input of a level, han_embed's or the vectors of the level below. Each of its rows is
 * projected once, however often it stands in the sequences. dropout and control may be NULL. */
HanReading han_read(const Han *net, Tape *tape, HanStage stage, const HanLayout *layout, Var *x,
                    const HanDropout *dropout, const HanControl *control);

/* Document vectors [n,2h] -> logits [n,C], in the layout's order. */
Var *han_classify(const Han *net, Tape *tape, Var *documents, const HanDropout *dropout);

#endif
