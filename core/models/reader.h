/* reader.h - reading a story and answering a question about it: the network.
 *
 * The Attentive Reader and the Impatient Reader of Hermann et al. 2015 (arXiv 1506.03340),
 * the bilinear reader of Chen et al. 2016 (arXiv 1606.02858), dot and cosine scores, and
 * several hops over sentences in the manner of Memory Networks (Sukhbaatar et al. 2015, arXiv
 * 1503.08895). Letters: n stories with one question each, rows items of all of them, e
 * embedding, h recurrent units in each direction, d the width of what is read (2h, with bags e),
 * a attention units, V words, C answers.
 *
 *   document   y(t) = [forward_t ; backward_t] in R^2h, a bidirectional LSTM over the story's
 *              words (memory=words). With memory=sentences there is one y for a sentence:
 *              vectors=states     [forward at its last word ; backward at its first] of the
 *              same layer (Kumar et al. 2016, arXiv 1506.07285, have it in one direction);
 *              vectors=positions  the layer runs over sentences instead,
 *              x_i = sum_j l_j o E w_ij + T age_i with the position encoding
 *              l_jk = (1 - j / J) - (k / e)(1 - 2 j / J) of word j of J (Sukhbaatar, 4.1), and
 *              T a vector for "the last sentence", "the last but one", ...
 *              vectors=bags       no recurrent layer: a memory network. The keys of hop k are
 *              x_i with E_{k-1} and T_{k-1}, its values y_i = x_i with E_k and T_k ("adjacent"
 *              tying, Sukhbaatar, 2.2); u = sum_j l_j o E_0 q_j; all in R^e instead of R^2h;
 *              g_k = g_{k-1} + r_k
 *   question   another one: y_q(i), and u = [forward_last ; backward_first]
 *   scores     additive  w^T tanh(W_y y(t) + W_u u)       (Hermann)
 *              bilinear  u^T W y(t)                       (Chen)
 *              dot       u^T y(t)
 *              cosine    beta cos(u, y(t)), beta = exp(b) learned
 *              none      0: every item weighs the same (the Uniform Reader)
 *   weights    s = softmax over the document;  r = sum_t s(t) y(t)
 *   answer     softmax(W_a g) over all answers of the training data, g in R^d:
 *              joint=yes  g = tanh(W_r r + W_g u)         (Hermann)
 *              joint=no   g = r                           (Chen; one hop only)
 *   hops       each looks again with what it knows: g_0 = u,
 *              s_k from the scores of g_{k-1},  g_k = tanh(W_r r_k + W_g g_{k-1})
 *              with the same weights in every hop; one hop is the Attentive Reader.
 *   impatient  the document is read again at every question token i:
 *              scores w^T tanh(W_y y(t) + W_c r(i-1) + W_u y_q(i))
 *              r(i) = sum_t s(i,t) y(t) + tanh(W_rr r(i-1)), r(0) = 0;  g = tanh(W_r r + W_g u)
 *
 * An answer of several words ("football,milk") is one class like any other.
 *
 * Batches hold stories of any lengths without padding, sequence-major.
 */
#ifndef FOVEA_MODELS_READER_H
#define FOVEA_MODELS_READER_H
#include "attention/attention.h"
#include "base/settings.h"
#include "grad/ops.h"

typedef enum {
    READER_ADDITIVE,
    READER_BILINEAR,
    READER_DOT,
    READER_COSINE,
    READER_IMPATIENT,
    READER_NONE,
} ReaderAttention; /* in the order of the setting's choices */

extern const Setting reader_settings[];

typedef enum { READER_STATES, READER_POSITIONS, READER_BAGS } ReaderVectors; /* likewise */

#define READER_MAX_HOPS 8

typedef struct ReaderShape {
    ReaderAttention attention;
    bool over_sentences; /* weights lie on sentences, not on words */
    ReaderVectors vectors;
    bool joint;
    int hops;
    int embedding, hidden, attention_hidden;
    int ages; /* rows of T; older sentences share the last one; 0: none */
    int vocabulary, answers;
    int width; /* of y, u, r and g: 2h, with bags e */
} ReaderShape;

typedef struct ReaderNet ReaderNet;

/* ERROR_INPUT when settings contradict each other (an impatient reader of several hops, ...). */
bool reader_shape(const Settings *settings, int vocabulary, int answers, ReaderShape *shape,
                  Error *error) FOVEA_MUST_USE;

/* Declares the parameters in `params`, which must outlive the network. */
ReaderNet *reader_new(const ReaderShape *shape, ParamSet *params);
void reader_free(ReaderNet *net); /* NULL is fine */
const ReaderShape *reader_get_shape(const ReaderNet *net);

/* Stories and their questions, in the same order; neither may be empty. */
typedef struct ReaderBatch {
    Ragged words;            /* one sequence a sentence, of all stories in order            */
    Ragged sentences;        /* one sequence a story: its items are the sequences of words  */
    Ragged document;         /* one sequence a story: the same rows as `words`              */
    Ragged question;         /* one sequence a story                                        */
    const int *word_ids;     /* [words.rows]                                                */
    const int *question_ids; /* [question.rows]                                             */
} ReaderBatch;

/* One story with its question, as ids; nothing in it is empty. */
typedef struct ReaderItem {
    int n_sentences, n_words, n_question;
    const int *length;   /* [n_sentences] words of each sentence           */
    const int *words;    /* [n_words] of all sentences after each other    */
    const int *question; /* [n_question]                                   */
} ReaderItem;

/* Copies into the arena. */
ReaderBatch reader_batch(Arena *arena, int n, const ReaderItem *const *items);

/* Training only; random NULL: none. */
typedef struct ReaderDropout {
    Real embedding; /* of word vectors                     */
    Real states;    /* of what the recurrent layers give   */
    Real answer;    /* of g                                */
    double gaps;    /* probability that an age is skipped before a sentence: what is learned does
                       not hang on exact ages (Sukhbaatar, 4.1, "random noise") */
    bool linear;    /* weights are the scores themselves, without softmax: an easier start for
                       several hops (Sukhbaatar, 4.2, "linear start") */
    Random *random;
} ReaderDropout;

typedef struct ReaderReading {
    const Ragged *items;  /* what is attended to: words (document) or sentences, by story   */
    Var *question_states; /* y_q: [question rows, 2h]; NULL: bags                           */
    Var *question;        /* u: [n, d]                                                      */
    bool linear;          /* see ReaderDropout                                              */
    /* Of each hop; the same for all unless vectors=bags. */
    Var *memory[READER_MAX_HOPS]; /* y: [items->rows, d]                                    */
    Var *keys[READER_MAX_HOPS];   /* what scores read: [items->rows, a] or [items->rows, d] */
} ReaderReading;

/* The batch and what it points to must live until the tape's reset. dropout may be NULL. */
ReaderReading reader_read(const ReaderNet *net, Tape *tape, const ReaderBatch *batch,
                          const ReaderDropout *dropout);

/* What a person changes. Zero-initialised: nothing. */
typedef struct ReaderControl {
    Real temperature;          /* 0: 1                                              */
    const unsigned char *keep; /* [items->rows] 0 hides an item; NULL               */
    const Real *weights;       /* [items->steps] instead of every story's own; NULL */
} ReaderControl;

typedef struct ReaderLook {
    Var *scores;  /* [m, items->steps]; NULL with attention=none */
    Var *weights; /* [m, items->steps]                           */
    Var *context; /* r: [m, d]                                   */
    Var *state;   /* g after this look: [m, d]                   */
} ReaderLook;

/* Hop k (from 0) of every story, from g_{k-1} = state (first: u). control may be NULL. */
ReaderLook reader_look(const ReaderNet *net, Tape *tape, const ReaderReading *reading, int k,
                       Var *state, const ReaderControl *control);

/* Impatient: one question token of m stories. owner [m]: the stories; token [m]: rows of
 * question_states; context [m,2h]: r(i-1) of the same stories, NULL: 0. `state` is not set. */
ReaderLook reader_look_again(const ReaderNet *net, Tape *tape, const ReaderReading *reading, int m,
                             const int *owner, const int *token, Var *context,
                             const ReaderControl *control);
/* Impatient: g from the last r and u. */
Var *reader_join(const ReaderNet *net, Tape *tape, Var *context, Var *question);

/* [n,d] -> logits [n,C] */
Var *reader_answer(const ReaderNet *net, Tape *tape, Var *state, const ReaderDropout *dropout);

/* ---- a whole run without interventions ---- */

typedef struct ReaderRun {
    ReaderReading reading;
    int n_looks;                      /* hops; impatient: 1, the last question token of each  */
    ReaderLook look[READER_MAX_HOPS]; /* of n rows                                           */
    Var *logits;                      /* [n,C]                                                */
} ReaderRun;

ReaderRun reader_run(const ReaderNet *net, Tape *tape, const ReaderBatch *batch,
                     const ReaderDropout *dropout);

#endif
