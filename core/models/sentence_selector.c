/* RSS: which words are heads and which are dependents, for all words at once. */
#include "attention/pooling.h"
#include "models/sentence_net.h"

static int context_width(const SentenceShape *shape)
{
    return shape->fusion == FUSION_POOLING ? 3 * shape->embedding : 2 * shape->selector_hidden;
}

void sentence_declare_selector(SelectorParams *selector, ParamSet *params, const char *prefix,
                               const SentenceShape *shape)
{
    int hidden = shape->selector_hidden;
    if (shape->fusion != FUSION_POOLING)
        selector->context = bidirectional_declare(
            params, prefix, shape->fusion == FUSION_BILSTM ? CELL_LSTM : CELL_GRU, shape->embedding,
            hidden, PARAM_GROUP_POLICY);
    selector->w = sentence_param(params, prefix, "W", hidden, context_width(shape), INIT_GLOROT, 1,
                                 PARAM_GROUP_POLICY);
    selector->b = sentence_param(params, prefix, "b", 1, hidden, INIT_ZERO, 0, PARAM_GROUP_POLICY);
    selector->v =
        sentence_param(params, prefix, "v", 1, hidden, INIT_GLOROT, 1, PARAM_GROUP_POLICY);
    selector->bias = sentence_param(params, prefix, "bias", 1, 1, INIT_CONSTANT,
                                    shape->selector_bias, PARAM_GROUP_POLICY);
}

/* [x ; mean ; x o mean]: a context without recurrence. */
static Var *fuse_by_pooling(Tape *tape, const Ragged *rows, Var *x)
{
    Var *mean =
        op_gather(tape, op_pool_mean(tape, x, rows), rows->rows, pool_sequence_of_rows(tape, rows));
    Var *parts[3] = {x, mean, op_multiply(tape, x, mean)};
    return op_concat(tape, 3, parts);
}

static Var *select_one(const SelectorParams *s, Tape *tape, Fusion fusion, const Ragged *rows,
                       Var *x)
{
    Var *context = fusion == FUSION_POOLING ? fuse_by_pooling(tape, rows, x)
                                            : bidirectional_layer(tape, &s->context, x, rows);
    Var *hidden = op_elu(tape, sentence_linear(tape, context, s->w, s->b));
    return sentence_linear(tape, hidden, s->v, s->bias);
}

Var *sentence_select(const SentenceNet *net, Tape *tape, const Ragged *rows, Var *embedded)
{
    Var *x = tape_detach(tape, embedded), *logits[SELECT_MOST];
    int n = sentence_n_selectors(&net->shape);
    for (int i = 0; i < n; i++)
        logits[i] = select_one(&net->selector[i], tape, net->shape.fusion, rows, x);
    return n == 1 ? logits[0] : op_concat(tape, n, logits);
}
