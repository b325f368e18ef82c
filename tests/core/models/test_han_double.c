/* The hierarchical attention network against PyTorch (han_reference.json, made by
 * make_han_reference.py), and what must hold between its members. */
#include "reference.h"

#include "models/han.h"
#include "train/documents.h"
#include "train/han_loss.h"

/* ---- a tiny network and its documents ---- */

typedef struct Tiny {
    HanShape shape;
    ParamSet *params;
    Han *net;
    Real *gradient;
    Document documents[8];
    int n; /* documents that loss_of reads */
    HanLossSpec spec;
} Tiny;

static void tiny_build(Tiny *tiny)
{
    Error error = {0};
    tiny->params = param_set_new();
    tiny->net = han_new(&tiny->shape, tiny->params);
    assert_ok(param_set_allocate(tiny->params, &error));
    tiny->gradient = calloc(param_set_size(tiny->params), sizeof(Real));
}

static void tiny_fill(Tiny *tiny, uint64_t seed, double scale)
{
    Random random = random_seed(seed, RANDOM_INIT);
    for (size_t i = 0; i < param_set_size(tiny->params); i++)
        param_set_values(tiny->params)[i] = (Real)(scale * random_normal(&random));
}

static void tiny_free(Tiny *tiny)
{
    han_free(tiny->net);
    param_set_free(tiny->params);
    free(tiny->gradient);
}

/* Documents of the tests that need no file: three, one, no and two sentences. */
static const int lengths[4][3] = {{4, 1, 3}, {2}, {0}, {3, 2}};
static const int words[4][8] = {{3, 5, 8, 4, 7, 6, 2, 3}, {5, 1}, {0}, {2, 2, 8, 4, 7}};
static const int n_sentences[4] = {3, 1, 0, 2}, n_words[4] = {8, 2, 0, 5};

static Tiny tiny_new(HanPooling pooling, uint64_t seed)
{
    Tiny tiny = {.shape = {pooling, 9, 3, 4, 2, 3, 0.1}};
    tiny_build(&tiny);
    tiny_fill(&tiny, seed, 0.8);
    for (int i = 0; i < 4; i++)
        tiny.documents[i] = (Document){i % 3, n_sentences[i], n_words[i], lengths[i], words[i]};
    return tiny;
}

typedef struct Result {
    double word[8][8][8], sentence[8][8], probability[8][8];
} Result;

static double softmax_of(const Var *logits, int row, int k)
{
    double sum = 0;
    for (int j = 0; j < logits->cols; j++)
        sum += exp((double)(var_row(logits, row)[j] - var_row(logits, row)[k]));
    return 1 / sum;
}

/* Reads documents [0, n) as one batch; an upper control is possible for single documents. */
static void read_all(const Tiny *tiny, int n, const HanControl *lower, const HanControl *upper,
                     Result *result)
{
    const int order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    Documents list = {.items = (Document *)tiny->documents, .n = n};
    Tape *tape = tape_new_inference(tiny->params);
    DocumentBatch batch = document_batch(tape_arena(tape), &list, n, order, 0, NULL);
    Var *x = han_embed(tiny->net, tape, &batch.words, NULL);
    HanReading w = han_read(tiny->net, tape, HAN_WORDS, &batch.words, x, NULL, lower);
    HanReading s =
        han_read(tiny->net, tape, HAN_SENTENCES, &batch.sentences, w.vectors, NULL, upper);
    Var *logits = han_classify(tiny->net, tape, s.vectors, NULL);
    *result = (Result){0};
    for (int i = 0, sentence = 0; i < n; i++) {
        for (int k = 0; k < tiny->shape.classes; k++)
            result->probability[i][k] = softmax_of(logits, batch.sentences.column[i], k);
        for (int t = 0; t < list.items[i].n_sentences; t++, sentence++) {
            if (s.weights)
                result->sentence[i][t] = (double)s.weights->value[han_row(&batch.sentences, i, t)];
            for (int j = 0; w.weights && j < list.items[i].length[t]; j++)
                result->word[i][t][j] =
                    (double)w.weights->value[han_row(&batch.words, sentence, j)];
        }
    }
    tape_free(tape);
}

static double loss_of(Tiny *tiny, int n_shards)
{
    const int order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    memset(tiny->gradient, 0, param_set_size(tiny->params) * sizeof(Real));
    Tape *tape = tape_new(tiny->params, tiny->gradient);
    int n = tiny->n;
    const Documents list = {.items = tiny->documents, .n = n};
    double total = 0;
    for (int shard = 0; shard < n_shards; shard++) {
        tape_reset(tape);
        int from = n * shard / n_shards, to = n * (shard + 1) / n_shards;
        Measures measures = {0};
        DocumentBatch batch =
            document_batch(tape_arena(tape), &list, to - from, order + from, 0, NULL);
        Var *loss = han_loss(tiny->net, tape, &batch, &tiny->spec, (Real)1 / (Real)n, &measures);
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

static int number(const json_t *object, const char *name)
{
    return (int)json_integer_value(json_object_get(object, name));
}

static double real(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static void read_documents(Tiny *tiny, const json_t *doc)
{
    size_t i, j, k;
    const json_t *document, *sentence, *word;
    json_array_foreach((json_t *)json_object_get(doc, "documents"), i, document)
    {
        int *length = calloc(8, sizeof *length), *ids = calloc(32, sizeof *ids);
        Document *d = &tiny->documents[tiny->n++];
        *d = (Document){.length = length, .ids = ids};
        d->label = (int)json_integer_value(json_array_get(json_object_get(doc, "labels"), i));
        json_array_foreach((json_t *)document, j, sentence)
        {
            length[d->n_sentences++] = (int)json_array_size(sentence);
            json_array_foreach((json_t *)sentence, k, word) ids[d->n_words++] =
                (int)json_integer_value(word);
        }
    }
}

static void compare_list(const double *got, const json_t *want, int n)
{
    assert_int_equal(json_array_size(want), n);
    for (int i = 0; i < n; i++)
        assert_close(got[i], json_number_value(json_array_get(want, (size_t)i)), 1e-12);
}

static void compare_readings(const Tiny *tiny, const json_t *documents)
{
    Result result;
    read_all(tiny, tiny->n, NULL, NULL, &result);
    HanPooling pooling = tiny->shape.pooling;
    bool at_words = pooling == HAN_ATTENTION || pooling == HAN_WORDS_ONLY;
    bool at_sentences = pooling == HAN_ATTENTION || pooling == HAN_SENTENCES_ONLY;
    for (int i = 0; i < tiny->n; i++) {
        const json_t *want = json_array_get(documents, (size_t)i);
        const Document *d = &tiny->documents[i];
        compare_list(result.probability[i], json_object_get(want, "probabilities"),
                     tiny->shape.classes);
        if (at_sentences)
            compare_list(result.sentence[i], json_object_get(want, "sentences"), d->n_sentences);
        for (int t = 0; at_words && t < d->n_sentences; t++)
            compare_list(result.word[i][t],
                         json_array_get(json_object_get(want, "words"), (size_t)t), d->length[t]);
    }
}

static void configure(Tiny *tiny, const json_t *doc, const json_t *settings)
{
    Error error = {0};
    Settings *s = settings_new(han_settings);
    assert_ok(settings_set(s, "pooling", json_string_value(json_object_get(settings, "pooling")),
                           &error));
    tiny->shape = han_shape(s, number(doc, "vocabulary"), number(doc, "classes"));
    settings_free(s);
    tiny->shape.embedding = number(doc, "embedding");
    tiny->shape.hidden = number(doc, "hidden");
    tiny->shape.attention_hidden = number(doc, "attention_hidden");
    tiny->spec = (HanLossSpec){.smoothing = (Real)real(settings, "smoothing"),
                               .word_entropy = (Real)real(settings, "word_entropy"),
                               .sentence_entropy = (Real)real(settings, "sentence_entropy")};
}

static void losses_weights_gradients_and_adam_agree_with_pytorch(void **state)
{
    (void)state;
    json_t *doc = reference_load("han_reference.json"), *c;
    size_t i;
    json_array_foreach(json_object_get(doc, "cases"), i, c)
    {
        Tiny tiny = {0};
        const json_t *settings = json_object_get(c, "settings");
        char *what = json_dumps(settings, 0);
        configure(&tiny, doc, settings);
        tiny_build(&tiny);
        read_documents(&tiny, doc);
        const Reference reference = {tiny.params, tiny.gradient, loss_in_one, &tiny, what};
        reference_set_values(tiny.params, json_object_get(c, "values"));
        compare_readings(&tiny, json_object_get(c, "documents"));
        for (int n_shards = 1; n_shards <= 5; n_shards++) { /* five: one of them is empty */
            assert_close(loss_of(&tiny, n_shards), real(c, "loss"), 1e-12);
            reference_compare_gradients(&reference, json_object_get(c, "gradients"));
        }
        reference_ten_steps(&reference, json_object_get(c, "curve"));
        for (int k = 0; k < tiny.n; k++) {
            free((int *)tiny.documents[k].length);
            free((int *)tiny.documents[k].ids);
        }
        tiny_free(&tiny);
        free(what);
    }
    json_decref(doc);
}

/* ---- relations ---- */

static void weights_sum_to_one_in_each_sentence_and_document(void **state)
{
    (void)state;
    Tiny tiny = tiny_new(HAN_ATTENTION, 1);
    Result r;
    read_all(&tiny, 4, NULL, NULL, &r);
    for (int i = 0; i < 4; i++) {
        double both = 0, sentences = 0;
        for (int t = 0; t < n_sentences[i]; t++) {
            double sum = 0;
            for (int j = 0; j < lengths[i][t]; j++) {
                sum += r.word[i][t][j];
                both += r.sentence[i][t] * r.word[i][t][j];
            }
            assert_close(sum, 1, 1e-12);
            sentences += r.sentence[i][t];
        }
        assert_close(sentences, n_sentences[i] > 0, 1e-12);
        assert_close(both, n_sentences[i] > 0, 1e-12);
    }
    assert_close(r.sentence[1][0], 1, 1e-15); /* a single sentence takes everything */
    tiny_free(&tiny);
}

static void a_batch_reads_documents_as_each_alone(void **state)
{
    (void)state;
    for (int pooling = HAN_ATTENTION; pooling <= HAN_SENTENCES_ONLY; pooling++) {
        Tiny tiny = tiny_new((HanPooling)pooling, 2);
        Result all, alone;
        read_all(&tiny, 4, NULL, NULL, &all);
        for (int i = 0; i < 4; i++) {
            tiny.documents[0] = (Document){0, n_sentences[i], n_words[i], lengths[i], words[i]};
            read_all(&tiny, 1, NULL, NULL, &alone);
            for (int k = 0; k < 3; k++)
                assert_close(alone.probability[0][k], all.probability[i][k], 1e-14);
            for (int t = 0; t < n_sentences[i]; t++)
                assert_close(alone.sentence[0][t], all.sentence[i][t], 1e-14);
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
        const Param *p = param_at(to->params, i);
        memcpy(param_value(to->params, p),
               param_value(from->params, param_find(from->params, p->name)),
               (size_t)(p->rows * p->cols) * sizeof(Real));
    }
}

static void context_vectors_of_zero_give_the_mean(void **state)
{
    (void)state;
    Tiny attention = tiny_new(HAN_ATTENTION, 3), at_words = tiny_new(HAN_WORDS_ONLY, 3);
    Tiny mean = tiny_new(HAN_MEAN, 3);
    copy_shared_params(&attention, &at_words);
    copy_shared_params(&attention, &mean);
    Result a, b, c;
    set_param(&attention, "sentence.context", 0);
    read_all(&attention, 4, NULL, NULL, &a);
    read_all(&at_words, 4, NULL, NULL, &b);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            assert_close(a.probability[i][k], b.probability[i][k], 1e-14);
    Tiny at_sentences = tiny_new(HAN_SENTENCES_ONLY, 3);
    copy_shared_params(&attention, &at_sentences);
    set_param(&attention, "word.context", 0);
    read_all(&attention, 4, NULL, NULL, &a);
    set_param(&at_sentences, "sentence.context", 0);
    read_all(&at_sentences, 4, NULL, NULL, &b);
    read_all(&mean, 4, NULL, NULL, &c);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            assert_close(a.probability[i][k], c.probability[i][k], 1e-14);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            assert_close(b.probability[i][k], c.probability[i][k], 1e-14);
    tiny_free(&at_sentences);
    tiny_free(&attention);
    tiny_free(&at_words);
    tiny_free(&mean);
}

/* The second document is the first with its sentences turned round. */
static void turn_sentences(Tiny *tiny)
{
    static const int length[3] = {3, 1, 4}, ids[8] = {6, 2, 3, 7, 3, 5, 8, 4};
    tiny->documents[1] = (Document){0, 3, 8, length, ids};
}

static void the_order_of_sentences_counts_only_through_the_recurrence(void **state)
{
    (void)state;
    Tiny tiny = tiny_new(HAN_ATTENTION, 4);
    turn_sentences(&tiny);
    Result r;
    read_all(&tiny, 2, NULL, NULL, &r);
    assert_true(fabs(r.probability[0][0] - r.probability[1][0]) > 1e-4);
    /* Update gates wide open and no U: every state is a function of its own sentence. */
    set_param(&tiny, "sentence.forward.U", 0);
    set_param(&tiny, "sentence.backward.U", 0);
    set_param(&tiny, "sentence.b", 1000);
    read_all(&tiny, 2, NULL, NULL, &r);
    for (int k = 0; k < 3; k++)
        assert_close(r.probability[0][k], r.probability[1][k], 1e-14);
    for (int t = 0; t < 3; t++)
        assert_close(r.sentence[0][t], r.sentence[1][2 - t], 1e-14);
    tiny_free(&tiny);
}

static void what_a_person_changes_is_used(void **state)
{
    (void)state;
    /* Document 0 alone has rows step by step, longest sentence first: sentence 2 stands in rows
     * 1, 4 and 6. Its first and last word are hidden. */
    static const unsigned char keep[8] = {1, 0, 1, 1, 1, 1, 0, 1};
    static const Real one[3] = {0, 0, 1}, all[3] = {0.5, 0.25, 0.25};
    Tiny tiny = tiny_new(HAN_ATTENTION, 5);
    Result own, changed, warm;
    read_all(&tiny, 1, NULL, NULL, &own);
    const HanControl hide = {.keep = keep};
    read_all(&tiny, 1, &hide, NULL, &changed);
    assert_true(changed.word[0][2][0] == 0 && changed.word[0][2][2] == 0);
    assert_close(changed.word[0][2][1], 1, 1e-15);
    for (int j = 0; j < 4; j++)
        assert_close(changed.word[0][0][j], own.word[0][0][j], 1e-15);
    const HanControl take_last = {.weights = one}, spread = {.weights = all};
    read_all(&tiny, 1, NULL, &take_last, &changed);
    assert_close(changed.sentence[0][2], 1, 0);
    read_all(&tiny, 1, NULL, &spread, &warm);
    assert_true(fabs(warm.probability[0][0] - changed.probability[0][0]) > 1e-6);
    const HanControl hot = {.temperature = 1e9};
    read_all(&tiny, 1, NULL, &hot, &warm);
    assert_close(warm.sentence[0][0], 1.0 / 3, 1e-8);
    assert_true(fabs(own.sentence[0][0] - 1.0 / 3) > 1e-4);
    tiny_free(&tiny);
}

static void an_empty_document_has_the_classes_of_the_bias(void **state)
{
    (void)state;
    for (int pooling = HAN_ATTENTION; pooling <= HAN_SENTENCES_ONLY; pooling++) {
        Tiny tiny = tiny_new((HanPooling)pooling, 6);
        const Real *b = param_value(tiny.params, param_find(tiny.params, "class.b"));
        Result r;
        read_all(&tiny, 4, NULL, NULL, &r);
        double sum = exp((double)b[0]) + exp((double)b[1]) + exp((double)b[2]);
        assert_close(r.probability[2][1], exp((double)b[1]) / sum, 1e-14);
        tiny_free(&tiny);
    }
}

static void an_untrained_network_does_not_know_and_learns_eight_documents_by_heart(void **state)
{
    (void)state;
    static const int ids[8][5] = {{3, 5, 8, 4, 7}, {6, 2}, {5, 1, 4}, {8},
                                  {2, 2, 8, 4, 7}, {7, 3}, {4, 8, 6}, {5}};
    static const int length[8][2] = {{3, 2}, {2}, {1, 2}, {1}, {2, 3}, {1, 1}, {3}, {1}};
    static const int sentences[8] = {2, 1, 2, 1, 2, 2, 1, 1}, total[8] = {5, 2, 3, 1, 5, 2, 3, 1};
    for (int pooling = HAN_ATTENTION; pooling <= HAN_SENTENCES_ONLY; pooling++) {
        Tiny tiny = tiny_new((HanPooling)pooling, 7);
        Random random = random_seed(8, RANDOM_INIT);
        param_set_initialise(tiny.params, &random);
        for (int i = 0; i < 8; i++)
            tiny.documents[i] = (Document){i % 3, sentences[i], total[i], length[i], ids[i]};
        tiny.n = 8;
        assert_close(loss_of(&tiny, 1), log(3), 0.1);
        Optimiser *optimiser = optimiser_new(tiny.params);
        const OptimiserGroup groups[PARAM_N_GROUPS] = {{0.02, 5}};
        for (int step = 0; step < 500; step++) {
            loss_of(&tiny, 1);
            optimiser_step(optimiser, tiny.gradient, groups, NULL);
        }
        assert_true(loss_of(&tiny, 1) < 0.05);
        optimiser_free(optimiser);
        tiny_free(&tiny);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_weights_gradients_and_adam_agree_with_pytorch),
        cmocka_unit_test(weights_sum_to_one_in_each_sentence_and_document),
        cmocka_unit_test(a_batch_reads_documents_as_each_alone),
        cmocka_unit_test(context_vectors_of_zero_give_the_mean),
        cmocka_unit_test(the_order_of_sentences_counts_only_through_the_recurrence),
        cmocka_unit_test(what_a_person_changes_is_used),
        cmocka_unit_test(an_empty_document_has_the_classes_of_the_bias),
        cmocka_unit_test(an_untrained_network_does_not_know_and_learns_eight_documents_by_heart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
