#include <stdlib.h>
#include <string.h>

#include "attention/ragged_attention.h"
#include "models/han.h"
#include "nn/recurrent.h"

const Setting han_settings[] = {
    {"pooling", SETTING_CHOICE, "attention", 0, 0, "attention|words|mean|max",
     "attention at both levels, at words only, or the mean or maximum instead"},
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

/* The parameters of one level. */
typedef struct Level {
    const Param *w[2], *b[2], *u[2]; /* forward, backward */
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
    return pooling == HAN_ATTENTION || (pooling == HAN_WORDS_ONLY && stage == HAN_WORDS);
}

/* ---- parameters ---- */

static void declare_level(Han *net, ParamSet *p, HanStage stage, int input)
{
    static const char *const names[HAN_N_LEVELS][9] = {
        {"word.forward.W", "word.forward.b", "word.forward.U", "word.backward.W", "word.backward.b",
         "word.backward.U", "word.attention.W", "word.attention.b", "word.context"},
        {"sentence.forward.W", "sentence.forward.b", "sentence.forward.U", "sentence.backward.W",
         "sentence.backward.b", "sentence.backward.U", "sentence.attention.W",
         "sentence.attention.b", "sentence.context"},
    };
    const char *const *name = names[stage];
    Level *level = &net->level[stage];
    int h = net->shape.hidden, a = net->shape.attention_hidden;
    for (int i = 0; i < 2; i++) {
        level->w[i] = param_add(p, name[3 * i], 3 * h, input, INIT_GLOROT, 1);
        level->b[i] = param_add(p, name[3 * i + 1], 1, 3 * h, INIT_ZERO, 0);
        level->u[i] = param_add(p, name[3 * i + 2], 3 * h, h, INIT_ORTHOGONAL, 1);
    }
    if (!attends(net->shape.pooling, stage))
        return;
    level->score_w = param_add(p, name[6], a, 2 * h, INIT_GLOROT, 1);
    level->score_b = param_add(p, name[7], 1, a, INIT_ZERO, 0);
    level->context = param_add(p, name[8], 1, a, INIT_NORMAL, net->shape.context_scale);
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

/* ---- layout ---- */

HanLayout han_layout(Arena *arena, int n, const int *length, const int *items,
                     const HanLayout *below)
{
    int *order = arena_get(arena, (size_t)n + 1, sizeof *order);
    int *column = arena_get(arena, (size_t)n + 1, sizeof *column);
    int *sorted = arena_get(arena, (size_t)n + 1, sizeof *sorted);
    ragged_sort(n, length, order);
    for (int i = 0; i < n; i++) {
        column[order[i]] = i;
        sorted[i] = length[order[i]];
    }
    HanLayout layout = {
        .batch = ragged_new(arena, RAGGED_STEP_MAJOR, n, sorted), .column = column, .order = order};
    int *item = arena_get(arena, (size_t)layout.batch.rows + 1, sizeof *item);
    for (int i = 0; i < n; items += length[i], i++)
        for (int t = 0; t < length[i]; t++)
            item[ragged_row(&layout.batch, column[i], t)] =
                below ? below->column[items[t]] : items[t];
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
    Var *x = op_gather(tape, tape_param(tape, net->embedding), words->batch.rows, words->item);
    return drop(tape, x, dropout, dropout ? dropout->embedding : 0);
}

Var *han_gather(Tape *tape, const HanLayout *sentences, Var *vectors)
{
    return op_gather(tape, vectors, sentences->batch.rows, sentences->item);
}

/* h = [forward ; backward] */
static Var *run_both_ways(Tape *tape, const Level *level, Var *x, const Ragged *batch)
{
    Var *states[2];
    for (int i = 0; i < 2; i++) {
        Var *xp = op_linear(tape, x, tape_param(tape, level->w[i]), tape_param(tape, level->b[i]));
        states[i] = op_gru_sequence(tape, GRU_RESET_AFTER, xp, tape_param(tape, level->u[i]), batch,
                                    i == 1);
    }
    return op_concat(tape, 2, states);
}

static Var *score(Tape *tape, const Level *level, Var *states)
{
    Var *u = op_tanh(tape, op_linear(tape, states, tape_param(tape, level->score_w),
                                     tape_param(tape, level->score_b)));
    return op_linear(tape, u, tape_param(tape, level->context), NULL);
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
    Var *h = run_both_ways(tape, level, x, batch);
    h = drop(tape, h, dropout, dropout ? dropout->states : 0);
    HanReading reading = {0};
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
    return op_linear(tape, v, tape_param(tape, net->class_w), tape_param(tape, net->class_b));
}
