#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention/pooling.h"
#include "base/error.h"
#include "models/reader.h"
#include "nn/bidirectional.h"

const Setting reader_settings[] = {
    {"attention", SETTING_CHOICE, "additive", 0, 0, "additive|bilinear|dot|cosine|impatient|none",
     "how question and story are compared; impatient: anew at every word of the question; "
     "none: every item weighs the same"},
    {"memory", SETTING_CHOICE, "words", 0, 0, "words|sentences", "what the weights lie on"},
    {"vectors", SETTING_CHOICE, "states", 0, 0, "states|positions|bags",
     "memory=sentences: states of the words' layer at the ends of a sentence; or words weighted "
     "by position, and the layer over sentences; or these and no layer: a memory network"},
    {"hops", SETTING_INT, "1", 1, READER_MAX_HOPS, NULL,
     "looks at the story, each knowing what the ones before it have read"},
    {"joint", SETTING_BOOL, "yes", 0, 0, NULL,
     "the answer comes from what was read and the question; no: from what was read alone"},
    {"embedding", SETTING_INT, "32", 1, 8192, NULL, "size of word vectors"},
    {"hidden", SETTING_INT, "32", 1, 8192, NULL, "recurrent units in each direction"},
    {"attention-hidden", SETTING_INT, "64", 1, 8192, NULL, "units of additive scores"},
    {"ages", SETTING_INT, "0", 0, 10000, NULL,
     "memory=sentences: vectors that tell the last sentence, the last but one, ... apart"},
    {0},
};

struct ReaderNet {
    ReaderShape shape;
    const Param *embedding[READER_MAX_HOPS + 1], *age[READER_MAX_HOPS + 1]; /* bags: of each hop */
    BidirectionalLayer document, question;
    const Param *score_document, *score_question, *score_vector, *score_beta, *score_context;
    const Param *carry; /* W_rr */
    const Param *join_context, *join_question;
    const Param *answer_w, *answer_b;
};

/* ---- shape ---- */

bool reader_shape(const Settings *settings, int vocabulary, int answers, ReaderShape *shape,
                  Error *error)
{
    *shape = (ReaderShape){
        .attention = (ReaderAttention)settings_choice(settings, "attention"),
        .over_sentences = settings_choice(settings, "memory") == 1,
        .vectors = (ReaderVectors)settings_choice(settings, "vectors"),
        .joint = settings_bool(settings, "joint"),
        .hops = settings_int(settings, "hops"),
        .embedding = settings_int(settings, "embedding"),
        .hidden = settings_int(settings, "hidden"),
        .attention_hidden = settings_int(settings, "attention-hidden"),
        .ages = settings_int(settings, "ages"),
        .vocabulary = vocabulary,
        .answers = answers,
    };
    if (shape->attention == READER_IMPATIENT && shape->hops > 1)
        return error_set(error, ERROR_INPUT,
                         "attention=impatient with hops=%d: it looks once for every word of the "
                         "question",
                         shape->hops);
    if (!shape->joint && (shape->hops > 1 || shape->attention == READER_IMPATIENT))
        return error_set(error, ERROR_INPUT, "joint=no wants hops=1 and no impatient reader");
    if (shape->ages > 0 && (!shape->over_sentences || shape->vectors == READER_STATES))
        return error_set(error, ERROR_INPUT,
                         "ages=%d wants memory=sentences and vectors=positions or bags",
                         shape->ages);
    if (shape->vectors == READER_BAGS &&
        (!shape->over_sentences || shape->attention == READER_IMPATIENT))
        return error_set(error, ERROR_INPUT,
                         "vectors=bags wants memory=sentences and no impatient reader");
    shape->width = shape->vectors == READER_BAGS ? shape->embedding : 2 * shape->hidden;
    return true;
}

/* ---- parameters ---- */

static bool is_additive(const ReaderShape *s)
{
    return s->attention == READER_ADDITIVE || s->attention == READER_IMPATIENT;
}

static void declare_scores(ReaderNet *net, ParamSet *p)
{
    const ReaderShape *s = &net->shape;
    int d = s->width, a = s->attention_hidden;
    if (is_additive(s)) {
        net->score_document = param_add(p, "score.document.W", a, d, INIT_GLOROT, 1);
        net->score_question = param_add(p, "score.question.W", a, d, INIT_GLOROT, 1);
        net->score_vector = param_add(p, "score.w", 1, a, INIT_GLOROT, 1);
    }
    if (s->attention == READER_IMPATIENT) {
        net->score_context = param_add(p, "score.context.W", a, d, INIT_GLOROT, 1);
        net->carry = param_add(p, "carry.W", d, d, INIT_GLOROT, 1);
    }
    if (s->attention == READER_BILINEAR)
        net->score_question = param_add(p, "score.question.W", d, d, INIT_GLOROT, 1);
    if (s->attention == READER_COSINE)
        net->score_beta = param_add(p, "score.b", 1, 1, INIT_CONSTANT, 1);
}

/* Tables of words and ages; with bags one of each more than hops, and small at first: scores are
 * products of two sums of them. */
static void declare_tables(ReaderNet *net, ParamSet *p)
{
    const ReaderShape *s = &net->shape;
    bool bags = s->vectors == READER_BAGS;
    for (int k = 0; k <= (bags ? s->hops : 0); k++) {
        char name[24];
        snprintf(name, sizeof name, bags ? "embedding.%d" : "embedding", k);
        Param *table = param_add(p, name, s->vocabulary, s->embedding, INIT_NORMAL, bags ? 0.1 : 1);
        table->decays = false;
        net->embedding[k] = table;
        snprintf(name, sizeof name, bags ? "age.%d" : "age", k);
        if (s->ages > 0)
            net->age[k] = param_add(p, name, s->ages, s->embedding, INIT_NORMAL, 0.1);
    }
}

static void declare_layers(ReaderNet *net, ParamSet *p)
{
    int e = net->shape.embedding, h = net->shape.hidden;
    if (net->shape.vectors == READER_BAGS)
        return;
    net->document = bidirectional_declare(p, "document", CELL_LSTM, e, h, PARAM_GROUP_MAIN);
    net->question = bidirectional_declare(p, "question", CELL_LSTM, e, h, PARAM_GROUP_MAIN);
}

ReaderNet *reader_new(const ReaderShape *shape, ParamSet *params)
{
    ReaderNet *net = memory_new(1, sizeof *net);
    net->shape = *shape;
    int d = shape->width;
    declare_tables(net, params);
    declare_layers(net, params);
    declare_scores(net, params);
    if (shape->joint && shape->vectors != READER_BAGS) {
        net->join_context = param_add(params, "join.context.W", d, d, INIT_GLOROT, 1);
        net->join_question = param_add(params, "join.question.W", d, d, INIT_GLOROT, 1);
    }
    net->answer_w = param_add(params, "answer.W", shape->answers, d, INIT_GLOROT, 1);
    net->answer_b = param_add(params, "answer.b", 1, shape->answers, INIT_ZERO, 0);
    return net;
}

void reader_free(ReaderNet *net)
{
    free(net);
}

const ReaderShape *reader_get_shape(const ReaderNet *net)
{
    return &net->shape;
}

/* ---- reading ---- */

static Var *drop(Tape *tape, Var *x, Real p, const ReaderDropout *dropout)
{
    return dropout ? op_dropout(tape, x, p, dropout->random) : x;
}

static Var *embed(const ReaderNet *net, Tape *tape, int k, int rows, const int *ids,
                  const ReaderDropout *dropout)
{
    Var *x = op_gather(tape, tape_weights(tape, net->embedding[k]), rows, ids);
    return drop(tape, x, dropout ? dropout->embedding : 0, dropout);
}

/* l_jk = (1 - j / J) - (k / e) (1 - 2 j / J), j = 1 .. J, k = 1 .. e, for every word. */
static Var *position_encoding(Tape *tape, const Ragged *words, int e)
{
    Var *l = tape_new_var(tape, words->rows, e, false);
    for (int i = 0; i < words->n; i++)
        for (int t = 0; t < words->length[i]; t++) {
            Real j = (Real)(t + 1) / (Real)words->length[i];
            Real *row = var_row(l, ragged_row(words, i, t));
            for (int k = 0; k < e; k++)
                row[k] = 1 - j - (Real)(k + 1) / (Real)e * (1 - 2 * j);
        }
    return l;
}

/* From the end of each story; NULL when the network has no ages. */
static const int *sentence_ages(const ReaderNet *net, Tape *tape, const Ragged *sentences,
                                const ReaderDropout *dropout)
{
    int ages = net->shape.ages;
    int *age = arena_get(tape_arena(tape), (size_t)sentences->rows + 1, sizeof *age);
    for (int i = 0; i < sentences->n; i++)
        for (int t = sentences->length[i] - 1, from_end = 0; t >= 0; t--, from_end++) {
            if (dropout && dropout->random && dropout->gaps > 0)
                from_end += random_uniform(dropout->random) < dropout->gaps;
            age[ragged_row(sentences, i, t)] = from_end < ages ? from_end : ages - 1;
        }
    return ages > 0 ? age : NULL;
}

/* sum_j l_j o x_ij + T_k age_i; ages NULL: without */
static Var *sum_words(const ReaderNet *net, Tape *tape, int k, const Ragged *words, Var *x, Var *l,
                      const int *ages)
{
    Var *vectors = op_pool_sum(tape, op_multiply(tape, x, l), words);
    return ages ? op_add(tape, vectors,
                         op_gather(tape, tape_weights(tape, net->age[k]), words->n, ages))
                : vectors;
}

/* [forward_last ; backward_first] */
static Var *final_states(Tape *tape, Var *states, const Ragged *rows)
{
    int *first = arena_get(tape_arena(tape), (size_t)rows->n, sizeof *first);
    int *last = arena_get(tape_arena(tape), (size_t)rows->n, sizeof *last);
    for (int i = 0; i < rows->n; i++) {
        first[i] = ragged_row(rows, i, 0);
        last[i] = ragged_row(rows, i, rows->length[i] - 1);
    }
    int d = states->cols;
    Var *parts[2] = {op_slice(tape, op_gather(tape, states, rows->n, last), 0, d / 2),
                     op_slice(tape, op_gather(tape, states, rows->n, first), d / 2, d)};
    return op_concat(tape, 2, parts);
}

static Var *read_document(const ReaderNet *net, Tape *tape, const ReaderBatch *batch, Var *x,
                          const ReaderDropout *dropout)
{
    const ReaderShape *s = &net->shape;
    if (s->over_sentences && s->vectors == READER_POSITIONS) {
        Var *l = position_encoding(tape, &batch->words, s->embedding);
        const int *ages = sentence_ages(net, tape, &batch->sentences, dropout);
        return bidirectional_layer(tape, &net->document,
                                   sum_words(net, tape, 0, &batch->words, x, l, ages),
                                   &batch->sentences);
    }
    Var *states = bidirectional_layer(tape, &net->document, x, &batch->document);
    return s->over_sentences ? final_states(tape, states, &batch->words) : states;
}

/* What scores read of vectors y. */
static Var *keys_of(const ReaderNet *net, Tape *tape, Var *y)
{
    return is_additive(&net->shape)
               ? op_linear(tape, y, tape_weights(tape, net->score_document), NULL)
               : y;
}

static void read_by_layers(const ReaderNet *net, Tape *tape, const ReaderBatch *batch,
                           const ReaderDropout *dropout, ReaderReading *r)
{
    Real p = dropout ? dropout->states : 0;
    Var *x = embed(net, tape, 0, batch->words.rows, batch->word_ids, dropout);
    Var *y = drop(tape, read_document(net, tape, batch, x, dropout), p, dropout);
    Var *asked = embed(net, tape, 0, batch->question.rows, batch->question_ids, dropout);
    Var *states = bidirectional_layer(tape, &net->question, asked, &batch->question);
    r->question_states = drop(tape, states, p, dropout);
    r->question = final_states(tape, r->question_states, &batch->question);
    Var *keys = keys_of(net, tape, y);
    for (int k = 0; k < net->shape.hops; k++) {
        r->memory[k] = y;
        r->keys[k] = keys;
    }
}

static void read_bags(const ReaderNet *net, Tape *tape, const ReaderBatch *batch,
                      const ReaderDropout *dropout, ReaderReading *r)
{
    int e = net->shape.embedding;
    const int *ages = sentence_ages(net, tape, &batch->sentences, dropout);
    Var *l = position_encoding(tape, &batch->words, e);
    for (int k = 0; k <= net->shape.hops; k++) {
        Var *x = embed(net, tape, k, batch->words.rows, batch->word_ids, dropout);
        Var *y = sum_words(net, tape, k, &batch->words, x, l, ages);
        if (k > 0)
            r->memory[k - 1] = y;
        if (k < net->shape.hops)
            r->keys[k] = keys_of(net, tape, y);
    }
    Var *asked = embed(net, tape, 0, batch->question.rows, batch->question_ids, dropout);
    r->question = sum_words(net, tape, 0, &batch->question, asked,
                            position_encoding(tape, &batch->question, e), NULL);
}

ReaderReading reader_read(const ReaderNet *net, Tape *tape, const ReaderBatch *batch,
                          const ReaderDropout *dropout)
{
    const ReaderShape *s = &net->shape;
    ReaderReading r = {.items = s->over_sentences ? &batch->sentences : &batch->document,
                       .linear = dropout && dropout->linear};
    if (s->vectors == READER_BAGS)
        read_bags(net, tape, batch, dropout, &r);
    else
        read_by_layers(net, tape, batch, dropout, &r);
    return r;
}

/* ---- looking ---- */

static const AttendTo *attend_to(Tape *tape, const ReaderReading *reading, const int *owner,
                                 const ReaderControl *control)
{
    AttendTo *to = arena_get(tape_arena(tape), 1, sizeof *to);
    *to = (AttendTo){reading->items, owner, NULL, control ? control->keep : NULL};
    return to;
}

static Var *given_weights(Tape *tape, int rows, const ReaderReading *reading, const Real *weights)
{
    Var *w = tape_new_var(tape, rows, reading->items->steps, false);
    for (int i = 0; i < rows; i++)
        memcpy(var_row(w, i), weights, (size_t)w->cols * sizeof *weights);
    return w;
}

/* Weights and context of `values` from scores (all equal for NULL). */
static ReaderLook look(Tape *tape, const ReaderReading *reading, Var *values, int m, Var *scores,
                       const AttendTo *to, const ReaderControl *control)
{
    ReaderLook l = {.scores = scores};
    Real temperature = control && control->temperature > 0 ? control->temperature : 1;
    Var *logits = scores ? scores : tape_zeros(tape, m, reading->items->steps);
    if (control && control->weights)
        l.weights = given_weights(tape, m, reading, control->weights);
    else
        l.weights = reading->linear ? logits : op_align_softmax(tape, logits, temperature, to);
    l.context = op_context(tape, l.weights, values, to);
    return l;
}

static Var *score(const ReaderNet *net, Tape *tape, Var *keys, Var *state, const AttendTo *to)
{
    switch (net->shape.attention) {
    case READER_ADDITIVE: {
        Var *q = op_linear(tape, state, tape_weights(tape, net->score_question), NULL);
        return op_score_additive(tape, q, keys, tape_param(tape, net->score_vector), to);
    }
    case READER_BILINEAR: {
        Var *q = op_linear(tape, state, tape_weights(tape, net->score_question), NULL);
        return op_score_dot(tape, q, keys, 1, to);
    }
    case READER_DOT: return op_score_dot(tape, state, keys, 1, to);
    case READER_COSINE: {
        Var *beta = op_exp(tape, tape_param(tape, net->score_beta));
        return op_score_cosine(tape, state, keys, beta, to);
    }
    case READER_IMPATIENT:
    case READER_NONE: break;
    }
    return NULL;
}

Var *reader_join(const ReaderNet *net, Tape *tape, Var *context, Var *question)
{
    Var *r = op_linear(tape, context, tape_weights(tape, net->join_context), NULL);
    Var *u = op_linear(tape, question, tape_weights(tape, net->join_question), NULL);
    return op_tanh(tape, op_add(tape, r, u));
}

ReaderLook reader_look(const ReaderNet *net, Tape *tape, const ReaderReading *reading, int k,
                       Var *state, const ReaderControl *control)
{
    FOVEA_CHECK(net->shape.attention != READER_IMPATIENT, "an impatient reader has no hops");
    FOVEA_CHECK(k >= 0 && k < net->shape.hops, "hop %d of %d", k, net->shape.hops);
    const AttendTo *to = attend_to(tape, reading, NULL, control);
    Var *scores = score(net, tape, reading->keys[k], state, to);
    ReaderLook l = look(tape, reading, reading->memory[k], state->rows, scores, to, control);
    l.state = !net->shape.joint                   ? l.context
              : net->shape.vectors == READER_BAGS ? op_add(tape, state, l.context)
                                                  : reader_join(net, tape, l.context, state);
    return l;
}

ReaderLook reader_look_again(const ReaderNet *net, Tape *tape, const ReaderReading *reading, int m,
                             const int *owner, const int *token, Var *context,
                             const ReaderControl *control)
{
    const AttendTo *to = attend_to(tape, reading, owner, control);
    Var *asked = op_gather(tape, reading->question_states, m, token);
    Var *q = op_linear(tape, asked, tape_weights(tape, net->score_question), NULL);
    if (context)
        q = op_add(tape, q, op_linear(tape, context, tape_weights(tape, net->score_context), NULL));
    Var *v = tape_param(tape, net->score_vector);
    ReaderLook l = look(tape, reading, reading->memory[0], m,
                        op_score_additive(tape, q, reading->keys[0], v, to), to, control);
    if (context) {
        Var *carried = op_linear(tape, context, tape_weights(tape, net->carry), NULL);
        l.context = op_add(tape, l.context, op_tanh(tape, carried));
    }
    return l;
}

Var *reader_answer(const ReaderNet *net, Tape *tape, Var *state, const ReaderDropout *dropout)
{
    Var *g = drop(tape, state, dropout ? dropout->answer : 0, dropout);
    return op_linear(tape, g, tape_weights(tape, net->answer_w), tape_param(tape, net->answer_b));
}

/* ---- a whole run ---- */

/* The stories whose question has a token i, that token's row, and for each where it stood
 * among those of token i - 1 (they are fewer at every token). */
typedef struct Askers {
    int m;
    int *owner, *token, *before;
} Askers;

static Askers askers(Arena *arena, const Ragged *question, int i, const Askers *last)
{
    size_t n = (size_t)question->n;
    Askers a = {0, arena_get(arena, n, sizeof(int)), arena_get(arena, n, sizeof(int)),
                arena_get(arena, n, sizeof(int))};
    int n_last = last ? last->m : question->n;
    for (int k = 0; k < n_last; k++) {
        int story = last ? last->owner[k] : k;
        if (question->length[story] <= i)
            continue;
        a.owner[a.m] = story;
        a.token[a.m] = ragged_row(question, story, i);
        a.before[a.m++] = k;
    }
    return a;
}

/* Rows of every story's last look, from the looks of all tokens on top of each other. */
static ReaderLook last_looks(Tape *tape, int n, int steps, const Askers *asked, Var *const *scores,
                             Var *const *weights, Var *const *contexts)
{
    int *row = arena_get(tape_arena(tape), (size_t)n, sizeof *row);
    int first = 0;
    for (int i = 0; i < steps; first += asked[i++].m)
        for (int k = 0; k < asked[i].m; k++)
            row[asked[i].owner[k]] = first + k; /* later tokens overwrite earlier ones */
    return (ReaderLook){.scores = op_gather(tape, op_stack(tape, steps, scores), n, row),
                        .weights = op_gather(tape, op_stack(tape, steps, weights), n, row),
                        .context = op_gather(tape, op_stack(tape, steps, contexts), n, row)};
}

static ReaderLook run_impatient(const ReaderNet *net, Tape *tape, const ReaderReading *reading,
                                const Ragged *question)
{
    Arena *arena = tape_arena(tape);
    size_t steps = (size_t)question->steps;
    Askers *asked = arena_get(arena, steps, sizeof *asked);
    Var **scores = arena_get(arena, steps, sizeof *scores);
    Var **weights = arena_get(arena, steps, sizeof *weights);
    Var **contexts = arena_get(arena, steps, sizeof *contexts), *context = NULL;
    for (int i = 0; i < question->steps; i++) {
        asked[i] = askers(arena, question, i, i > 0 ? &asked[i - 1] : NULL);
        if (context)
            context = op_gather(tape, context, asked[i].m, asked[i].before);
        ReaderLook l = reader_look_again(net, tape, reading, asked[i].m, asked[i].owner,
                                         asked[i].token, context, NULL);
        scores[i] = l.scores;
        weights[i] = l.weights;
        contexts[i] = context = l.context;
    }
    ReaderLook last =
        last_looks(tape, question->n, question->steps, asked, scores, weights, contexts);
    last.state = reader_join(net, tape, last.context, reading->question);
    return last;
}

ReaderRun reader_run(const ReaderNet *net, Tape *tape, const ReaderBatch *batch,
                     const ReaderDropout *dropout)
{
    ReaderRun run = {.reading = reader_read(net, tape, batch, dropout)};
    if (net->shape.attention == READER_IMPATIENT) {
        run.n_looks = 1;
        run.look[0] = run_impatient(net, tape, &run.reading, &batch->question);
    } else {
        Var *state = run.reading.question;
        for (; run.n_looks < net->shape.hops; run.n_looks++) {
            run.look[run.n_looks] = reader_look(net, tape, &run.reading, run.n_looks, state, NULL);
            state = run.look[run.n_looks].state;
        }
    }
    run.logits = reader_answer(net, tape, run.look[run.n_looks - 1].state, dropout);
    return run;
}
