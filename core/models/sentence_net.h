/* sentence_net.h - the parts of the sentence network; private to sentence_*.c. */
#ifndef FOVEA_MODELS_SENTENCE_NET_H
#define FOVEA_MODELS_SENTENCE_NET_H
#include "models/sentence.h"
#include "nn/bidirectional.h"

/* One block of multi-dimensional attention. */
typedef struct BlockParams {
    const Param *w1, *w2, *b1; /* scores: [d,d], [d,d], [1,d] */
    const Param *gate_s, *gate_h, *gate_b;
} BlockParams;

typedef struct SelectorParams {
    BidirectionalLayer context; /* unless fusion=pooling */
    const Param *w, *b, *v, *bias;
} SelectorParams;

struct SentenceNet {
    SentenceShape shape;
    const Param *embedding;
    const Param *in_w, *in_b;
    MultiHeadLayer heads[SENTENCE_MAX_LAYERS];
    NormLayer norm[SENTENCE_MAX_LAYERS][2];
    FeedForwardLayer forward[SENTENCE_MAX_LAYERS];
    BidirectionalLayer recurrent;
    BlockParams block[2];
    const Param *pool_w1, *pool_b1, *pool_w2, *pool_b2;
    const Param *out_w, *out_b, *class_w, *class_b;
    SelectorParams selector[SELECT_MOST];
};

int sentence_n_blocks(const SentenceShape *shape);
PairRule sentence_rule(const SentenceShape *shape, int block);

/* ---- sentence_block.c ---- */
void sentence_declare_block(BlockParams *block, ParamSet *params, const char *prefix, int d);
/* Fills run->block[index]; h [rows,d]. The out rows are set in run before. */
void sentence_run_block(const SentenceNet *net, Tape *tape, const Ragged *rows, Var *h,
                        const Selection *selection, const SentenceDropout *dropout, int index,
                        SentenceRun *run);

/* ---- sentence_selector.c ---- */
void sentence_declare_selector(SelectorParams *selector, ParamSet *params, const char *prefix,
                               const SentenceShape *shape);

/* w x + b, b may be NULL */
Var *sentence_linear(Tape *tape, Var *x, const Param *w, const Param *b);
const Param *sentence_param(ParamSet *params, const char *prefix, const char *name, int rows,
                            int cols, Init init, double scale, int group);

#endif
