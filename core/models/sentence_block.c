/* Multi-dimensional attention between selected words, with its gate. */
#include "models/sentence_net.h"

void sentence_declare_block(BlockParams *block, ParamSet *params, const char *prefix, int d)
{
    const int main = PARAM_GROUP_MAIN;
    block->w1 = sentence_param(params, prefix, "W1", d, d, INIT_GLOROT, 1, main);
    block->w2 = sentence_param(params, prefix, "W2", d, d, INIT_GLOROT, 1, main);
    block->b1 = sentence_param(params, prefix, "b1", 1, d, INIT_ZERO, 0, main);
    block->gate_s = sentence_param(params, prefix, "gate.W_s", d, d, INIT_GLOROT, 1, main);
    block->gate_h = sentence_param(params, prefix, "gate.W_h", d, d, INIT_GLOROT, 1, main);
    block->gate_b = sentence_param(params, prefix, "gate.b", 1, d, INIT_ZERO, 0, main);
}

PickedRows sentence_pick(Tape *tape, const Ragged *rows, const unsigned char *flag)
{
    Arena *arena = tape_arena(tape);
    int *length = arena_get_zeroed(arena, (size_t)rows->n + 1, sizeof *length);
    int *row = arena_get(arena, (size_t)rows->rows + 1, sizeof *row);
    int *place = arena_get(arena, (size_t)rows->rows + 1, sizeof *place);
    int n = 0;
    for (int i = 0; i < rows->n; i++)
        for (int t = 0; t < rows->length[i]; t++) {
            int r = ragged_row(rows, i, t);
            if (flag && !flag[r])
                continue;
            row[n] = r;
            place[n++] = t;
            length[i]++;
        }
    Ragged *picked = arena_get(arena, 1, sizeof *picked);
    *picked = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, rows->n, length);
    return (PickedRows){picked, row, place};
}

static Var *rows_of(Tape *tape, Var *x, const PickedRows *picked)
{
    return picked->rows->rows == x->rows ? x : op_gather(tape, x, picked->rows->rows, picked->row);
}

/* s for every word of the batch: that of a head, or what the setting gives to the others. */
static Var *spread(Tape *tape, Var *s, const PickedRows *heads, const Ragged *rows, Var *h,
                   Unselected unselected, PairRule rule)
{
    if (heads->rows->rows == rows->rows)
        return s;
    int *index = arena_get(tape_arena(tape), (size_t)rows->rows, sizeof *index);
    bool mean = unselected == UNSELECTED_MEAN;
    for (int i = 0; i < rows->rows; i++)
        index[i] = mean ? s->rows + i : -1;
    for (int i = 0; i < s->rows; i++)
        index[heads->row[i]] = i;
    Var *parts[2] = {s, mean ? op_feature_mean(tape, h, rows, rule) : NULL};
    return op_gather(tape, mean ? op_stack(tape, 2, parts) : s, rows->rows, index);
}

static Var *drop(Tape *tape, Var *x, const SentenceDropout *dropout)
{
    return dropout ? op_dropout(tape, x, dropout->embedding, dropout->random) : x;
}

void sentence_run_block(const SentenceNet *net, Tape *tape, const Ragged *rows, Var *h,
                        const Selection *selection, const SentenceDropout *dropout, int index,
                        SentenceRun *run)
{
    const BlockParams *p = &net->block[index];
    const SentenceShape *shape = &net->shape;
    PickedRows heads = sentence_pick(tape, rows, selection ? selection->picked[SELECT_HEAD] : NULL);
    PickedRows dependents =
        sentence_pick(tape, rows, selection ? selection->picked[SELECT_DEPENDENT] : NULL);
    Var *h_heads = rows_of(tape, h, &heads), *h_dependents = rows_of(tape, h, &dependents);
    SentenceBlock *b = &run->block[index];
    b->pairs = (FeaturePairs){heads.rows, dependents.rows, heads.place, dependents.place,
                              sentence_rule(shape, index)};
    b->head_row = heads.row;
    b->dependent_row = dependents.row;
    b->a = sentence_linear(tape, drop(tape, h_dependents, dropout), p->w1, NULL);
    b->b = sentence_linear(tape, drop(tape, h_heads, dropout), p->w2, p->b1);
    b->s = op_feature_attend(tape, b->a, b->b, h_dependents, shape->c, &b->pairs);
    Var *x = h_heads;
    if (run->out->rows != heads.rows->rows) {
        b->s = spread(tape, b->s, &heads, rows, h, shape->unselected, b->pairs.rule);
        x = h;
    }
    b->gate = op_sigmoid(tape, op_add(tape, sentence_linear(tape, b->s, p->gate_s, NULL),
                                      sentence_linear(tape, x, p->gate_h, p->gate_b)));
    b->u = op_mix(tape, b->gate, x, b->s);
}
