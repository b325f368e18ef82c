#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/ragged_attention.h"
#include "models/han.h"
#include "nn/recurrent.h"

#define FEW_ROWS 64

const Setting han_settings[] = {
    {"pooling", SETTING_CHOICE, "attention", 0, 0, "attention|words|mean|max|sentences",
     "attention at both levels, at words or sentences only, or the mean or maximum instead"},
    {"embedding", SETTING_INT, "100", 1, 8192, NULL, "size of word vectors"},
    {"hidden", SETTING_INT, "50", 1, 8192, NULL, "recurrent units in each direction"},
    {"attention-hidden", SETTING_INT, "100", 1, 8192, NULL,
     "units that are compared with the "
     "context vectors"},
    {"context-scale", SETTING_REAL, "0.1", 0, 100, NULL,
     "standard deviation of the context vectors at the start"},
    {"max-words", SETTING_INT, "50", 1, 100000, NULL,
     "a longer sentence is read as several of so many words"},
    {0},
};

/* The parameters of one level. W and b stand for both directions, forward first. */
typedef struct Level {
    const Param *w, *b, *u[2];
    const Param *score_w, *score_b, *context;
} Level;

struct Han {
    HanShape shape;
    const Param *embedding;
    Level level[HAN_N_LEVELS];
    const Param *class_w, *class_b;
};

HanShape han_shape(const Settings *settings, int vocabulary, int classes)
{
    return (HanShape){
        .pooling = (HanPooling)settings_choice(settings, "pooling"),
        .vocabulary = vocabulary,
        .classes = classes,
        .embedding = settings_int(settings, "embedding"),
        .hidden = settings_int(settings, "hidden"),
        .attention_hidden = settings_int(settings, "attention-hidden"),
        .context_scale = settings_real(settings, "context-scale"),
    };
}

static bool attends(HanPooling pooling, HanStage stage)
{
    return pooling == HAN_ATTENTION || (pooling == HAN_WORDS_ONLY && stage == HAN_WORDS) ||
           (pooling == HAN_SENTENCES_ONLY && stage == HAN_SENTENCES);
}

/* ---- parameters ---- */

static void declare_level(Han *net, ParamSet *p, HanStage stage, int input)
{
    static const char *const names[HAN_N_LEVELS][7] = {
        {"word.W", "word.b", "word.forward.U", "word.backward.U", "word.attention.W",
         "word.attention.b", "word.context"},
        {"sentence.W", "sentence.b", "sentence.forward.U", "sentence.backward.U",
         "sentence.attention.W", "sentence.attention.b", "sentence.context"},
    };
    const char *const *name = names[stage];
    Level *level = &net->level[stage];
    int h = net->shape.hidden, a = net->shape.attention_hidden;
    /* Scaled as if each direction had a matrix of its own (Glorot and Bengio 2010). */
    double scale = sqrt((double)(6 * h + input) / (3 * h + input));
    level->w = param_add(p, name[0], 6 * h, input, INIT_GLOROT, scale);
    level->b = param_add(p, name[1], 1, 6 * h, INIT_ZERO, 0);
    for (int i = 0; i < 2; i++)
        level->u[i] = param_add(p, name[2 + i], 3 * h, h, INIT_ORTHOGONAL, 1);
    if (!attends(net->shape.pooling, stage))
        return;
    level->score_w = param_add(p, name[4], a, 2 * h, INIT_GLOROT, 1);
    level->score_b = param_add(p, name[5], 1, a, INIT_ZERO, 0);
    level->context = param_add(p, name[6], 1, a, INIT_NORMAL, net->shape.context_scale);
}

Han *han_new(const HanShape *shape, ParamSet *params)
{
    Han *net = memory_new(1, sizeof *net);
    net->shape = *shape;
    net->embedding =
        param_add(params, "embedding", shape->vocabulary, shape->embedding, INIT_NORMAL, 0.1);
    declare_level(net, params, HAN_WORDS, shape->embedding);
    declare_level(net, params, HAN_SENTENCES, 2 * shape->hidden);
    net->class_w = param_add(params, "class.W", shape->classes, 2 * shape->hidden, INIT_GLOROT, 1);
    net->class_b = param_add(params, "class.b", 1, shape->classes, INIT_ZERO, 0);
    return net;
}

void han_free(Han *net)
{
    free(net);
}

const HanShape *han_get_shape(const Han *net)
{
    return &net->shape;
}

void han_set_update_bias(const Han *net, ParamSet *params, Real bias)
{
    int h = net->shape.hidden;
    Real *b = param_value(params, net->level[HAN_WORDS].b); /* r, z, n; forward, backward */
    for (int j = h; j < 2 * h; j++)
        b[j] = b[3 * h + j] = bias;
}

/* ---- layout ---- */

/* Rows by falling length; items still to come. */
static HanLayout sort_sequences(Arena *arena, int n, const int *length)
{
    int *order = arena_get(arena, (size_t)n + 1, sizeof *order);
    int *column = arena_get(arena, (size_t)n + 1, sizeof *column);
    int *sorted = arena_get(arena, (size_t)n + 1, sizeof *sorted);
    ragged_sort(n, length, order);
    for (int i = 0; i < n; i++) {
        column[order[i]] = i;
        sorted[i] = length[order[i]];
    }
    return (HanLayout){
        .batch = ragged_new(arena, RAGGED_STEP_MAJOR, n, sorted), .column = column, .order = order};
}

/* Numbers the words of a batch in the order of their first place: row[i] for items[i]. */
static void find_distinct(Arena *arena, int n, const int *items, HanLayout *layout, int *row)
{
    int largest = -1;
    for (int i = 0; i < n; i++)
        largest = items[i] > largest ? items[i] : largest;
    int *known = arena_get_zeroed(arena, (size_t)largest + 2, sizeof *known); /* row + 1 */
    int *distinct = arena_get(arena, (size_t)n + 1, sizeof *distinct);
    for (int i = 0; i < n; i++) {
        if (known[items[i]] == 0) {
            distinct[layout->n_distinct++] = items[i];
            known[items[i]] = layout->n_distinct;
        }
        row[i] = known[items[i]] - 1;
    }
    layout->distinct = distinct;
}

HanLayout han_layout(Arena *arena, int n, const int *length, const int *items,
                     const HanLayout *below)
{
    HanLayout layout = sort_sequences(arena, n, length);
    size_t rows = (size_t)layout.batch.rows;
    int *item = arena_get(arena, rows + 1, sizeof *item);
    int *row = arena_get(arena, rows + 1, sizeof *row);
    if (below)
        for (size_t i = 0; i < rows; i++)
            row[i] = below->column[items[i]];
    else
        find_distinct(arena, (int)rows, items, &layout, row);
    for (int i = 0; i < n; row += length[i], i++)
        for (int t = 0; t < length[i]; t++)
            item[ragged_row(&layout.batch, layout.column[i], t)] = row[t];
    layout.item = item;
    return layout;
}

int han_row(const HanLayout *layout, int i, int t)
{
    return ragged_row(&layout->batch, layout->column[i], t);
}

/* ---- reading ---- */

static Var *drop(Tape *tape, Var *x, const HanDropout *dropout, Real p)
{
    return dropout && dropout->random ? op_dropout(tape, x, p, dropout->random) : x;
}

Var *han_embed(const Han *net, Tape *tape, const HanLayout *words, const HanDropout *dropout)
{
    Var *x =
        op_gather(tape, tape_weights(tape, net->embedding), words->n_distinct, words->distinct);
    return drop(tape, x, dropout, dropout ? dropout->embedding : 0);
}

/* Half precision is half of the memory to read, which is what few rows wait for; for many rows
 * it would be widened again with every block of them. */
static Var *matrix_for(Tape *tape, int rows, const Param *param)
{
    return rows > FEW_ROWS ? tape_param(tape, param) : tape_weights(tape, param);
}

static Var *run_both_ways(Tape *tape, const Level *level, Var *x, const HanLayout *layout)
{
    int rows = layout->batch.rows;
    Var *xp = op_linear(tape, x, matrix_for(tape, rows, level->w), tape_param(tape, level->b));
    return op_gru_both_ways(tape, GRU_RESET_AFTER, xp, layout->item,
                            matrix_for(tape, rows, level->u[0]),
                            matrix_for(tape, rows, level->u[1]), &layout->batch);
}

static Var *score(Tape *tape, const Level *level, Var *states)
{
    int rows = states->rows;
    Var *u = op_tanh(tape, op_linear(tape, states, matrix_for(tape, rows, level->score_w),
                                     tape_param(tape, level->score_b)));
    return op_linear(tape, u, matrix_for(tape, rows, level->context), NULL);
}

static Var *weigh(Tape *tape, const HanReading *reading, const Ragged *batch,
                  const HanControl *control)
{
    const unsigned char *keep = control ? control->keep : NULL;
    if (control && control->weights)
        return tape_constant(tape, batch->rows, 1, control->weights);
    if (!reading->scores)
        return ragged_uniform(tape, keep, batch);
    Var *e = reading->scores;
    if (control && control->temperature > 0)
        e = op_scale(tape, e, 1 / control->temperature);
    return op_ragged_softmax(tape, e, keep, batch);
}

HanReading han_read(const Han *net, Tape *tape, HanStage stage, const HanLayout *layout, Var *x,
                    const HanDropout *dropout, const HanControl *control)
{
    const Level *level = &net->level[stage];
    const Ragged *batch = &layout->batch;
    Var *h = run_both_ways(tape, level, x, layout);
    h = drop(tape, h, dropout, dropout ? dropout->states : 0);
    HanReading reading = {.states = h};
    if (net->shape.pooling == HAN_MAX) {
        reading.vectors = op_ragged_max(tape, h, control ? control->keep : NULL, batch);
        return reading;
    }
    if (attends(net->shape.pooling, stage))
        reading.scores = score(tape, level, h);
    reading.weights = weigh(tape, &reading, batch, control);
    reading.vectors = op_ragged_context(tape, reading.weights, h, batch);
    return reading;
}

Var *han_classify(const Han *net, Tape *tape, Var *documents, const HanDropout *dropout)
{
    Var *v = drop(tape, documents, dropout, dropout ? dropout->document : 0);
    return op_linear(tape, v, tape_weights(tape, net->class_w), tape_param(tape, net->class_b));
}
