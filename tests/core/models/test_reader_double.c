/* The readers against PyTorch (reader_reference.json, made by make_reader_reference.py), and
 * what must hold between them. */
#include "reference.h"

#include <stdio.h>

#include "grad/ops.h"
#include "models/reader.h"
#include "train/reader_loss.h"

enum { MOST = 4, MOST_NUMBERS = 64 };

/* ---- a tiny reader and its stories ---- */

typedef struct Tiny {
    Settings *settings;
    ReaderShape shape;
    ParamSet *params;
    ReaderNet *net;
    Real *gradient;
    ReaderExample examples[MOST];
    ReaderExamples list;
    int numbers[MOST_NUMBERS], n_numbers;
    unsigned char support[MOST][8];
} Tiny;

static void set(Tiny *tiny, const char *name, const char *value)
{
    Error error = {0};
    if (!tiny->settings)
        tiny->settings = settings_new(reader_settings);
    assert_ok(settings_set(tiny->settings, name, value, &error));
}

static void build(Tiny *tiny, int vocabulary, int answers)
{
    Error error = {0};
    assert_ok(reader_shape(tiny->settings, vocabulary, answers, &tiny->shape, &error));
    tiny->params = param_set_new();
    tiny->net = reader_new(&tiny->shape, tiny->params);
    assert_ok(param_set_allocate(tiny->params, &error));
    tiny->gradient = calloc(param_set_size(tiny->params), sizeof(Real));
}

static void tiny_free(Tiny *tiny)
{
    reader_free(tiny->net);
    param_set_free(tiny->params);
    settings_free(tiny->settings);
    free(tiny->gradient);
}

static int *keep(Tiny *tiny, int n, const int *ids)
{
    int *at = tiny->numbers + tiny->n_numbers;
    assert_true(tiny->n_numbers + n <= MOST_NUMBERS);
    memcpy(at, ids, (size_t)n * sizeof *ids);
    tiny->n_numbers += n;
    return at;
}

static void add_story(Tiny *tiny, int answer, int n_sentences, const int *length, const int *words,
                      int n_question, const int *question)
{
    int k = tiny->list.n, n_words = 0;
    for (int i = 0; i < n_sentences; i++)
        n_words += length[i];
    tiny->support[k][0] = 1;
    const ReaderItem item = {n_sentences,
                             n_words,
                             n_question,
                             keep(tiny, n_sentences, length),
                             keep(tiny, n_words, words),
                             keep(tiny, n_question, question)};
    tiny->examples[k] = (ReaderExample){0, answer, item, tiny->support[k]};
    tiny->list = (ReaderExamples){.items = tiny->examples, .n = k + 1};
}

/* Three stories of three, one and two sentences. */
static Tiny tiny_new(const char *const *assignments, uint64_t seed)
{
    Tiny tiny = {0};
    static const char *const sizes[][2] = {
        {"embedding", "3"}, {"hidden", "2"}, {"attention-hidden", "3"}};
    for (int i = 0; i < 3; i++)
        set(&tiny, sizes[i][0], sizes[i][1]);
    for (int i = 0; assignments[i]; i += 2)
        set(&tiny, assignments[i], assignments[i + 1]);
    build(&tiny, 10, 4);
    Random random = random_seed(seed, RANDOM_INIT);
    for (size_t i = 0; i < param_set_size(tiny.params); i++)
        param_set_values(tiny.params)[i] = (Real)(0.8 * random_normal(&random));
    return tiny;
}

static void add_stories(Tiny *tiny)
{
    add_story(tiny, 1, 3, (int[]){4, 2, 3}, (int[]){3, 5, 8, 4, 7, 2, 6, 4, 9}, 3,
              (int[]){2, 7, 9});
    add_story(tiny, 3, 1, (int[]){2}, (int[]){5, 1}, 1, (int[]){8});
    add_story(tiny, 0, 2, (int[]){3, 4}, (int[]){2, 3, 8, 4, 4, 7, 6}, 4, (int[]){3, 6, 5, 4});
}

static ReaderExamplesBatch batch_of(const Tiny *tiny, Arena *arena, int shard, int n_shards)
{
    int order[MOST] = {0, 1, 2, 3}, start[2] = {0, tiny->list.n};
    const BatchPlan plan = {order, start, 1};
    return reader_examples_batch(arena, &tiny->list, &plan, 0, shard, n_shards, 0, NULL);
}

static double loss_of(Tiny *tiny, int n_shards)
{
    memset(tiny->gradient, 0, param_set_size(tiny->params) * sizeof(Real));
    Tape *tape = tape_new(tiny->params, tiny->gradient);
    double total = 0;
    for (int shard = 0; shard < n_shards; shard++) {
        tape_reset(tape);
        ReaderExamplesBatch batch = batch_of(tiny, tape_arena(tape), shard, n_shards);
        if (batch.n == 0)
            continue;
        Measures measures = {0};
        Var *loss = reader_loss(tiny->net, tape, &batch, NULL, 0, (Real)1 / (Real)batch.n_in_batch,
                                &measures);
        total += (double)loss->value[0];
        tape_backward(tape, loss);
    }
    tape_free(tape);
    return total;
}

static double loss_in_one(void *tiny)
{
    return loss_of(tiny, 1);
}

/* ---- PyTorch ---- */

static void read_list(const json_t *list, int *n, int *out)
{
    *n = (int)json_array_size(list);
    for (int i = 0; i < *n; i++)
        out[i] = (int)json_integer_value(json_array_get(list, (size_t)i));
}

static void read_stories(Tiny *tiny, const json_t *doc)
{
    size_t i, j;
    const json_t *story, *sentence;
    json_array_foreach((json_t *)json_object_get(doc, "stories"), i, story)
    {
        int length[8], words[32], question[8], n_words = 0, n_question;
        json_array_foreach((json_t *)story, j, sentence)
        {
            read_list(sentence, &length[j], words + n_words);
            n_words += length[j];
        }
        read_list(json_array_get(json_object_get(doc, "questions"), i), &n_question, question);
        int answer = (int)json_integer_value(json_array_get(json_object_get(doc, "right"), i));
        add_story(tiny, answer, (int)json_array_size(story), length, words, n_question, question);
    }
}

static void compare_looks(const Tiny *tiny, const json_t *stories)
{
    Tape *tape = tape_new_inference(tiny->params);
    ReaderExamplesBatch batch = batch_of(tiny, tape_arena(tape), 0, 1);
    ReaderRun run = reader_run(tiny->net, tape, &batch.batch, NULL);
    for (int i = 0; i < batch.n; i++) {
        const json_t *looks = json_array_get(stories, (size_t)i);
        assert_int_equal(json_array_size(looks), run.n_looks);
        for (int k = 0; k < run.n_looks; k++) {
            const json_t *want = json_array_get(looks, (size_t)k);
            assert_int_equal(json_array_size(want), run.reading.items->length[i]);
            for (int t = 0; t < run.reading.items->length[i]; t++)
                assert_close(var_row(run.look[k].weights, i)[t],
                             json_number_value(json_array_get(want, (size_t)t)), 1e-12);
        }
    }
    tape_free(tape);
}

static void compare_case(const json_t *doc, const json_t *c)
{
    Tiny tiny = {0};
    const char *key;
    json_t *value;
    char *what = json_dumps(json_object_get(c, "settings"), 0);
    json_object_foreach(json_object_get(doc, "sizes"), key, value)
    {
        char text[20];
        snprintf(text, sizeof text, "%d", (int)json_integer_value(value));
        set(&tiny, key, text);
    }
    json_object_foreach(json_object_get(c, "settings"), key, value)
        set(&tiny, key, json_string_value(value));
    build(&tiny, (int)json_integer_value(json_object_get(doc, "vocabulary")),
          (int)json_integer_value(json_object_get(doc, "answers")));
    read_stories(&tiny, doc);
    const Reference reference = {tiny.params, tiny.gradient, loss_in_one, &tiny, what};
    reference_set_values(tiny.params, json_object_get(c, "values"));
    compare_looks(&tiny, json_object_get(c, "looks"));
    for (int n_shards = 1; n_shards <= 5; n_shards++) { /* more than stories: some are empty */
        assert_close(loss_of(&tiny, n_shards), json_number_value(json_object_get(c, "loss")),
                     1e-12);
        reference_compare_gradients(&reference, json_object_get(c, "gradients"));
    }
    reference_ten_steps(&reference, json_object_get(c, "curve"));
    tiny_free(&tiny);
    free(what);
}

static void losses_weights_gradients_and_adam_agree_with_pytorch(void **state)
{
    (void)state;
    json_t *doc = reference_load("reader_reference.json"), *c;
    size_t i;
    json_array_foreach(json_object_get(doc, "cases"), i, c) compare_case(doc, c);
    json_decref(doc);
}

/* ---- relations ---- */

typedef struct Result {
    int n_looks;
    double weights[MOST][READER_MAX_HOPS][16], scores[MOST][16], logits[MOST][4];
} Result;

static void run_all(const Tiny *tiny, const int *order, int n, Result *result)
{
    Tape *tape = tape_new_inference(tiny->params);
    const ReaderItem *items[MOST];
    for (int i = 0; i < n; i++)
        items[i] = &tiny->examples[order[i]].item;
    ReaderBatch batch = reader_batch(tape_arena(tape), n, items);
    ReaderRun run = reader_run(tiny->net, tape, &batch, NULL);
    *result = (Result){.n_looks = run.n_looks};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < run.n_looks; k++)
            for (int t = 0; t < run.look[k].weights->cols; t++)
                result->weights[i][k][t] = (double)var_row(run.look[k].weights, i)[t];
        for (int t = 0; run.look[0].scores && t < run.look[0].scores->cols; t++)
            result->scores[i][t] = (double)var_row(run.look[0].scores, i)[t];
        for (int c = 0; c < 4; c++)
            result->logits[i][c] = (double)var_row(run.logits, i)[c];
    }
    tape_free(tape);
}

static const int in_order[MOST] = {0, 1, 2, 3};

static const char *const members[][8] = {
    {"attention", "additive", "hops", "3"},
    {"attention", "bilinear", "joint", "no"},
    {"attention", "dot"},
    {"attention", "cosine", "memory", "sentences"},
    {"attention", "impatient"},
    {"attention", "none"},
    {"vectors", "positions", "memory", "sentences", "ages", "2"},
    {"attention", "additive", "memory", "sentences", "hops", "2"},
    {"vectors", "bags", "memory", "sentences", "hops", "3"},
};
enum { N_MEMBERS = sizeof members / sizeof members[0] };

static void weights_sum_to_one_and_end_with_the_story(void **state)
{
    (void)state;
    for (int m = 0; m < N_MEMBERS; m++) {
        Tiny tiny = tiny_new(members[m], 1);
        add_stories(&tiny);
        Result r;
        run_all(&tiny, in_order, 3, &r);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < r.n_looks; k++) {
                const ReaderItem *item = &tiny.examples[i].item;
                int n = tiny.shape.over_sentences ? item->n_sentences : item->n_words;
                double sum = 0;
                for (int t = 0; t < 16; t++) {
                    assert_true(t < n ? r.weights[i][k][t] > 0 : r.weights[i][k][t] == 0);
                    sum += r.weights[i][k][t];
                }
                assert_close(sum, 1, 1e-12);
            }
        tiny_free(&tiny);
    }
}

static void a_batch_reads_stories_as_each_alone_and_in_any_order(void **state)
{
    (void)state;
    static const int turned[MOST] = {2, 0, 1};
    for (int m = 0; m < N_MEMBERS; m++) {
        Tiny tiny = tiny_new(members[m], 2);
        add_stories(&tiny);
        Result all, other, alone;
        run_all(&tiny, in_order, 3, &all);
        run_all(&tiny, turned, 3, &other);
        for (int i = 0; i < 3; i++) {
            run_all(&tiny, turned + i, 1, &alone);
            for (int c = 0; c < 4; c++) {
                assert_close(other.logits[i][c], all.logits[turned[i]][c], 1e-14);
                assert_close(alone.logits[0][c], all.logits[turned[i]][c], 1e-14);
            }
            for (int t = 0; t < 16; t++)
                assert_close(alone.weights[0][0][t], all.weights[turned[i]][0][t], 1e-14);
        }
        tiny_free(&tiny);
    }
}

static void set_param(const Tiny *tiny, const char *name, double value)
{
    const Param *p = param_find(tiny->params, name);
    assert_non_null(p);
    for (int i = 0; i < p->rows * p->cols; i++)
        param_value(tiny->params, p)[i] = (Real)value;
}

static void copy_shared_params(const Tiny *from, const Tiny *to)
{
    for (int i = 0; i < param_count(to->params); i++) {
        const Param *p = param_at(to->params, i), *q = param_find(from->params, p->name);
        if (q && q->rows == p->rows && q->cols == p->cols)
            memcpy(param_value(to->params, p), param_value(from->params, q),
                   (size_t)(p->rows * p->cols) * sizeof(Real));
    }
}

static void compare_logits(const Result *a, const Result *b)
{
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 4; c++)
            assert_close(a->logits[i][c], b->logits[i][c], 1e-14);
}

static void scores_of_zero_are_the_uniform_reader(void **state)
{
    (void)state;
    static const char *const additive[] = {"attention", "additive", NULL};
    static const char *const none[] = {"attention", "none", NULL};
    Tiny a = tiny_new(additive, 3), b = tiny_new(none, 3);
    add_stories(&a);
    add_stories(&b);
    copy_shared_params(&a, &b);
    set_param(&a, "score.w", 0);
    Result x, y;
    run_all(&a, in_order, 3, &x);
    run_all(&b, in_order, 3, &y);
    compare_logits(&x, &y);
    tiny_free(&a);
    tiny_free(&b);
}

/* With a question of one word, u is y_q(1); without what r carries over, one look is left. */
static void an_impatient_reader_of_one_word_is_the_attentive_one(void **state)
{
    (void)state;
    static const char *const additive[] = {"attention", "additive", NULL};
    static const char *const impatient[] = {"attention", "impatient", NULL};
    Tiny a = tiny_new(additive, 4), b = tiny_new(impatient, 4);
    add_stories(&a);
    add_stories(&b);
    for (int i = 0; i < 3; i++)
        a.examples[i].item.n_question = b.examples[i].item.n_question = 1;
    copy_shared_params(&a, &b);
    Result x, y;
    run_all(&a, in_order, 3, &x);
    run_all(&b, in_order, 3, &y);
    compare_logits(&x, &y);
    tiny_free(&a);
    tiny_free(&b);
}

static void cosine_scores_stay_within_beta(void **state)
{
    (void)state;
    static const char *const cosine[] = {"attention", "cosine", NULL};
    Tiny tiny = tiny_new(cosine, 5);
    add_stories(&tiny);
    double b = (double)param_value(tiny.params, param_find(tiny.params, "score.b"))[0];
    Result r;
    run_all(&tiny, in_order, 3, &r);
    for (int i = 0; i < 3; i++)
        for (int t = 0; t < 9; t++)
            assert_true(fabs(r.scores[i][t]) <= exp(b) + 1e-12);
    tiny_free(&tiny);
}

/* Other numbers for the same words, with the vectors moved along: the same answers. */
static void names_of_words_do_not_matter(void **state)
{
    (void)state;
    static const char *const additive[] = {"attention", "additive", "hops", "2", NULL};
    Tiny a = tiny_new(additive, 6), b = tiny_new(additive, 6);
    add_stories(&a);
    add_stories(&b);
    const Param *p = param_find(b.params, "embedding");
    for (int w = 0; w < 10; w++) /* word w becomes 9 - w */
        memcpy(param_value(b.params, p) + (9 - w) * 3, param_value(a.params, p) + w * 3,
               3 * sizeof(Real));
    for (int i = 0; i < 3; i++) {
        const ReaderItem *item = &b.examples[i].item;
        for (int t = 0; t < item->n_words; t++)
            ((int *)item->words)[t] = 9 - item->words[t];
        for (int t = 0; t < item->n_question; t++)
            ((int *)item->question)[t] = 9 - item->question[t];
    }
    Result x, y;
    run_all(&a, in_order, 3, &x);
    run_all(&b, in_order, 3, &y);
    compare_logits(&x, &y);
    tiny_free(&a);
    tiny_free(&b);
}

static void hidden_items_get_no_weight_and_given_weights_are_taken(void **state)
{
    (void)state;
    static const char *const additive[] = {"attention", "additive", "memory", "sentences", NULL};
    Tiny tiny = tiny_new(additive, 7);
    add_stories(&tiny);
    Tape *tape = tape_new_inference(tiny.params);
    const ReaderItem *item = &tiny.examples[0].item;
    ReaderBatch batch = reader_batch(tape_arena(tape), 1, &item);
    ReaderReading reading = reader_read(tiny.net, tape, &batch, NULL);
    const unsigned char some[3] = {1, 0, 1}, nothing[3] = {0};
    const Real given[3] = {0, 1, 0};
    ReaderControl control = {.keep = some};
    ReaderLook look = reader_look(tiny.net, tape, &reading, 0, reading.question, &control);
    assert_true(look.weights->value[1] == 0);
    assert_close(look.weights->value[0] + look.weights->value[2], 1, 1e-14);
    control = (ReaderControl){.keep = nothing};
    look = reader_look(tiny.net, tape, &reading, 0, reading.question, &control);
    for (int k = 0; k < 4; k++)
        assert_true(look.context->value[k] == 0);
    control = (ReaderControl){.weights = given};
    look = reader_look(tiny.net, tape, &reading, 0, reading.question, &control);
    for (int k = 0; k < 4; k++)
        assert_close(look.context->value[k], var_row(reading.memory[0], 1)[k], 1e-15);
    tape_free(tape);
    tiny_free(&tiny);
}

static void old_sentences_share_the_last_age(void **state)
{
    (void)state;
    static const char *const aged[] = {"vectors", "positions", "memory", "sentences",
                                       "ages",    "2",         NULL};
    Tiny tiny = tiny_new(aged, 8);
    add_stories(&tiny);
    double before = loss_of(&tiny, 1);
    const Param *age = param_find(tiny.params, "age");
    assert_int_equal(age->rows, 2);
    assert_true(fabs((double)tiny.gradient[age->offset + 3]) > 1e-9);
    param_value(tiny.params, age)[3] += (Real)0.1; /* of the first sentences of long stories */
    assert_true(fabs(loss_of(&tiny, 1) - before) > 1e-9);
    tiny_free(&tiny);
}

/* u has no part in what the first look reads but through the weights, and adds itself. */
static void a_look_at_bags_adds_what_it_read_to_the_state(void **state)
{
    (void)state;
    static const char *const bags[] = {"vectors", "bags", "memory", "sentences", "hops", "2", NULL};
    Tiny tiny = tiny_new(bags, 11);
    add_stories(&tiny);
    Tape *tape = tape_new_inference(tiny.params);
    const ReaderItem *item = &tiny.examples[0].item;
    ReaderBatch batch = reader_batch(tape_arena(tape), 1, &item);
    ReaderRun run = reader_run(tiny.net, tape, &batch, NULL);
    assert_int_equal(run.look[1].state->cols, 3);
    for (int k = 0; k < 3; k++)
        assert_close(run.look[1].state->value[k],
                     run.reading.question->value[k] + run.look[0].context->value[k] +
                         run.look[1].context->value[k],
                     1e-14);
    assert_true(run.reading.memory[0] != run.reading.memory[1]);
    tape_free(tape);
    tiny_free(&tiny);
}

static void a_linear_start_takes_scores_for_weights(void **state)
{
    (void)state;
    static const char *const bags[] = {"vectors", "bags",      "attention", "dot",
                                       "memory",  "sentences", NULL};
    Tiny tiny = tiny_new(bags, 12);
    add_stories(&tiny);
    Tape *tape = tape_new_inference(tiny.params);
    ReaderExamplesBatch batch = batch_of(&tiny, tape_arena(tape), 0, 1);
    const ReaderDropout linear = {.linear = true};
    ReaderLook look = reader_run(tiny.net, tape, &batch.batch, &linear).look[0];
    for (int i = 0; i < 3; i++)
        for (int t = 0; t < 3; t++)
            assert_true(
                var_row(look.weights, i)[t] == var_row(look.scores, i)[t] &&
                (t < tiny.examples[i].item.n_sentences || var_row(look.weights, i)[t] == 0));
    tape_free(tape);
    tiny_free(&tiny);
}

/* With gaps the first sentences of a long story stand further back; the last stays where it is
 * when none is drawn before it. */
static void gaps_move_sentences_back_and_never_forward(void **state)
{
    (void)state;
    static const char *const aged[] = {"attention", "dot",  "vectors", "bags", "memory",
                                       "sentences", "ages", "9",       NULL};
    Tiny tiny = tiny_new(aged, 13);
    add_stories(&tiny);
    set_param(&tiny, "embedding.0", 0);
    const Param *age = param_find(tiny.params, "age.0");
    for (int i = 0; i < age->rows * age->cols; i++)
        param_value(tiny.params, age)[i] = i / age->cols;
    Tape *tape = tape_new_inference(tiny.params);
    const ReaderItem *item = &tiny.examples[0].item;
    ReaderBatch batch = reader_batch(tape_arena(tape), 1, &item);
    Random random = random_seed(1, RANDOM_EXPLORE);
    ReaderDropout gaps = {.gaps = 0.5, .random = &random};
    int moved = 0;
    for (int draw = 0; draw < 50; draw++) {
        Var *keys = reader_read(tiny.net, tape, &batch, &gaps).keys[0];
        Real last = var_row(keys, 2)[0], middle = var_row(keys, 1)[0], first = var_row(keys, 0)[0];
        assert_true(last >= 0 && last <= 1 && middle - last >= 1 && middle - last <= 2);
        assert_true(first - middle >= 1 && first - middle <= 2);
        moved += first > 2;
    }
    assert_true(moved > 30 && moved < 50); /* 7 of 8 are expected */
    tape_free(tape);
    tiny_free(&tiny);
}

static void support_is_measured_on_sentences(void **state)
{
    (void)state;
    for (int over = 0; over < 2; over++) {
        const char *settings[] = {"attention", "additive", "memory", over ? "sentences" : "words",
                                  NULL};
        Tiny tiny = tiny_new(settings, 9);
        add_stories(&tiny);
        Tape *tape = tape_new_inference(tiny.params);
        ReaderExamplesBatch batch = batch_of(&tiny, tape_arena(tape), 0, 1);
        ReaderRun run = reader_run(tiny.net, tape, &batch.batch, NULL);
        ReaderSupport s = reader_support(tape_arena(tape), batch.examples[0], &run, 0);
        double mass = 0;
        for (int t = 0; t < (over ? 1 : 4); t++)
            mass += (double)var_row(run.look[0].weights, 0)[t];
        assert_true(s.known);
        assert_close(s.mass, mass, 1e-14);
        assert_close(s.even, over ? 1.0 / 3 : 4.0 / 9, 1e-14);
        s = reader_support(tape_arena(tape), batch.examples[1], &run, 1);
        assert_close(s.mass, 1, 1e-12); /* a single sentence */
        assert_true(s.top);
        tiny.support[1][0] = 0;
        assert_false(reader_support(tape_arena(tape), batch.examples[1], &run, 1).known);
        tape_free(tape);
        tiny_free(&tiny);
    }
}

static void a_few_stories_are_learned_by_heart(void **state)
{
    (void)state;
    for (int m = 0; m < N_MEMBERS; m++) {
        Tiny tiny = tiny_new(members[m], 10);
        add_stories(&tiny);
        Optimiser *optimiser = optimiser_new(tiny.params);
        const OptimiserGroup groups[PARAM_N_GROUPS] = {{0.02, 1}};
        for (int step = 0; step < 300; step++) {
            loss_of(&tiny, 1);
            optimiser_step(optimiser, tiny.gradient, groups, NULL);
        }
        double loss = loss_of(&tiny, 1);
        if (!(loss < 0.05))
            fail_msg("%s: loss %.3g after 300 steps", members[m][1], loss);
        optimiser_free(optimiser);
        tiny_free(&tiny);
    }
}

static void contradictions_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][6] = {
        {"attention", "impatient", "hops", "2", "looks once for every word"},
        {"attention", "impatient", "joint", "no", "joint=no wants hops=1"},
        {"joint", "no", "hops", "2", "joint=no wants hops=1"},
        {"vectors", "bags", "hops", "2", "vectors=bags wants memory=sentences"},
        {"ages", "3", "hops", "2", "ages=3 wants memory=sentences and vectors=positions or bags"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Error error = {0};
        ReaderShape shape;
        Settings *settings = settings_new(reader_settings);
        for (int k = 0; k < 4; k += 2)
            assert_ok(settings_set(settings, bad[i][k], bad[i][k + 1], &error));
        assert_refused(reader_shape(settings, 10, 4, &shape, &error), bad[i][4]);
        settings_free(settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_weights_gradients_and_adam_agree_with_pytorch),
        cmocka_unit_test(weights_sum_to_one_and_end_with_the_story),
        cmocka_unit_test(a_batch_reads_stories_as_each_alone_and_in_any_order),
        cmocka_unit_test(scores_of_zero_are_the_uniform_reader),
        cmocka_unit_test(an_impatient_reader_of_one_word_is_the_attentive_one),
        cmocka_unit_test(cosine_scores_stay_within_beta),
        cmocka_unit_test(names_of_words_do_not_matter),
        cmocka_unit_test(hidden_items_get_no_weight_and_given_weights_are_taken),
        cmocka_unit_test(old_sentences_share_the_last_age),
        cmocka_unit_test(a_look_at_bags_adds_what_it_read_to_the_state),
        cmocka_unit_test(a_linear_start_takes_scores_for_weights),
        cmocka_unit_test(gaps_move_sentences_back_and_never_forward),
        cmocka_unit_test(support_is_measured_on_sentences),
        cmocka_unit_test(a_few_stories_are_learned_by_heart),
        cmocka_unit_test(contradictions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
