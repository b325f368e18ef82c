/* After the first step, decoding and training ask neither the allocator nor the system for
 * anything. The linker hands every allocation of the engine to the counters here (--wrap), and
 * the kernel ends a process that makes a system call in its strict mode. */
#define _GNU_SOURCE /* syscall */
#include "testing.h"

#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/han.h"
#include "models/model.h"
#include "train/documents.h"
#include "train/han_loss.h"
#include "train/optimiser.h"
#include "train/ram_loss.h"
#include "train/sentence_loss.h"
#include "train/seq2seq_loss.h"
#include "train/transformer_loss.h"

enum { WIDTH = 24, WORDS = 40, N = 6, LENGTH = 5, CLASSES = 3 };

static int n_allocations;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t n);
void *__real_aligned_alloc(size_t border, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t n);
void *__wrap_aligned_alloc(size_t border, size_t n);

void *__wrap_malloc(size_t n)
{
    n_allocations++;
    return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    n_allocations++;
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t n)
{
    n_allocations++;
    return __real_realloc(old, n);
}

void *__wrap_aligned_alloc(size_t border, size_t n)
{
    n_allocations++;
    return __real_aligned_alloc(border, n);
}

/* Runs one step in a child process that may read, write and exit, nothing else. */
static void assert_without_system_calls(void (*step)(void *), void *context)
{
    pid_t child = fork();
    if (child == 0) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
            _exit(77);
        step(context);
        syscall(SYS_exit, 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("this kernel has no strict mode: only allocations are counted\n");
        return;
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void assert_steady(void (*step)(void *), void *context)
{
    n_allocations = 0;
    step(context);
    assert_int_equal(n_allocations, 0);
    assert_without_system_calls(step, context);
}

static void the_counters_and_the_strict_mode_notice(void **state)
{
    (void)state;
    n_allocations = 0;
    free(memory_new(1, 1));
    Arena *arena = arena_new();
    arena_get(arena, 1, 1);
    arena_free(arena);
    assert_int_equal(n_allocations, 4);
}

/* ---- decoding ---- */

static void decode(void *context)
{
    Error error = {0};
    Session *session = context;
    for (int i = 0; i < 3 && !session_is_done(session); i++)
        if (!session_step(session, NULL, &error))
            abort();
}

static void a_decoding_step_takes_nothing(void **state)
{
    (void)state;
    Error error = {0};
    const Model *model = model_load(FOVEA_ASSETS "/models/en-fr-additive.safetensors", &error);
    assert_non_null(model);
    const RunInput input = {.text = "The old man reads a book in the garden with his cat."};
    Session *session = session_begin(model, &input, NULL, &error);
    assert_non_null(session);
    assert_ok(session_step(session, NULL, &error));
    assert_steady(decode, session);
    n_allocations = 0;
    while (!session_is_done(session))
        decode(session);
    assert_int_equal(n_allocations, 0);
    session_free(session);
    model_release(model);
}

/* ---- training ---- */

typedef struct Training {
    ParamSet *params;
    Real *gradient;
    Tape *tape;
    Optimiser *optimiser;
    Seq2Seq *seq2seq;
    Transformer *transformer;
    SentenceNet *sentence;
    Ram *ram;
    Han *han;
    Arena *arena;
    Random random;
    PairBatch pairs;
    SequenceBatch sequences;
    SentenceBatch sentences;
    RamBatch pictures;
    Documents documents;
} Training;

static void begin_training(Training *t)
{
    Error error = {0};
    assert_true(param_set_allocate(t->params, &error));
    Random random = random_seed(4, 0);
    param_set_initialise(t->params, &random);
    t->gradient = memory_new(param_set_size(t->params), sizeof(Real));
    t->tape = tape_new(t->params, t->gradient);
    t->optimiser = optimiser_new(t->params);
    t->random = random_seed(5, 0);
}

static void end_training(Training *t)
{
    optimiser_free(t->optimiser);
    tape_free(t->tape);
    free(t->gradient);
    param_set_free(t->params);
    arena_free(t->arena);
}

static void begin_step(Training *t)
{
    tape_reset(t->tape);
    memset(t->gradient, 0, param_set_size(t->params) * sizeof(Real));
}

static void descend(Training *t, Var *loss)
{
    static const OptimiserGroup groups[PARAM_N_GROUPS] = {{1e-3, 1}};
    tape_backward(t->tape, loss);
    optimiser_step(t->optimiser, t->gradient, groups, NULL);
}

static void train_pairs(void *context)
{
    Training *t = context;
    const Seq2SeqLossSpec spec = {.smoothing = (Real)0.1};
    Measures measures = {0};
    begin_step(t);
    descend(t, seq2seq_loss(t->seq2seq, t->tape, &t->pairs, &spec, NULL, (Real)1 / (N * LENGTH),
                            &measures, NULL));
}

static PairBatch make_pairs(Arena *arena)
{
    int *length = arena_get(arena, N, sizeof *length), *ids[5];
    for (int k = 0; k < 5; k++)
        ids[k] = arena_get(arena, N * LENGTH, sizeof(int));
    for (int i = 0; i < N; i++)
        length[i] = LENGTH;
    for (int i = 0; i < N * LENGTH; i++) {
        for (int k = 0; k < 3; k++)
            ids[k][i] = 3 + (i * 7 + k) % (WORDS - 3);
        ids[3][i] = ids[4][i] = i;
    }
    return (PairBatch){N,      LENGTH, N * LENGTH, ragged_new(arena, RAGGED_STEP_MAJOR, N, length),
                       ids[0], length, ids[1],     N * LENGTH,
                       ids[3], ids[4], ids[2]};
}

static void a_training_step_of_a_translator_takes_nothing(void **state)
{
    (void)state;
    Error error = {0};
    Training t = {.params = param_set_new(), .arena = arena_new()};
    Settings *settings = settings_new(seq2seq_settings);
    static const char *const sizes[] = {"embedding", "hidden", "encoder-hidden",
                                        "attention-hidden"};
    for (int i = 0; i < 4; i++)
        assert_ok(settings_set(settings, sizes[i], "24", &error));
    Seq2SeqShape shape;
    assert_ok(seq2seq_shape(settings, WORDS, WORDS, &shape, &error));
    t.seq2seq = seq2seq_new(&shape, t.params);
    begin_training(&t);
    t.pairs = make_pairs(t.arena);
    train_pairs(&t);
    train_pairs(&t); /* a large first block takes the place of what grew */
    assert_steady(train_pairs, &t);
    seq2seq_free(t.seq2seq);
    settings_free(settings);
    end_training(&t);
}

static void train_documents(void *context)
{
    Training *t = context;
    static const int order[N] = {3, 1, 0, 5, 4, 2};
    const HanLossSpec spec = {0};
    Measures measures = {0};
    begin_step(t);
    DocumentBatch batch =
        document_batch(tape_arena(t->tape), &t->documents, N, (int *)order, 0, NULL);
    descend(t, han_loss(t->han, t->tape, &batch, &spec, (Real)1 / N, &measures));
}

static void a_training_step_of_a_document_reader_takes_nothing(void **state)
{
    (void)state;
    Training t = {.params = param_set_new(), .arena = arena_new()};
    const HanShape shape = {HAN_ATTENTION, WORDS, CLASSES, WIDTH, WIDTH, WIDTH, 0.1};
    t.han = han_new(&shape, t.params);
    begin_training(&t);
    static int length[2] = {LENGTH, LENGTH}, ids[2 * LENGTH] = {5, 1, 7, 9, 2, 2, 8, 30, 4, 6};
    Document items[N];
    for (int i = 0; i < N; i++)
        items[i] = (Document){i % CLASSES, 2, 2 * LENGTH, length, ids};
    t.documents = (Documents){.items = items, .n = N};
    train_documents(&t);
    train_documents(&t);
    assert_steady(train_documents, &t);
    han_free(t.han);
    end_training(&t);
}

/* N sequences of LENGTH words, and their words. */
static Ragged make_rows(Arena *arena, int **ids)
{
    int *length = arena_get(arena, N, sizeof *length);
    *ids = arena_get(arena, N * LENGTH, sizeof **ids);
    for (int i = 0; i < N; i++)
        length[i] = LENGTH;
    for (int i = 0; i < N * LENGTH; i++)
        (*ids)[i] = 3 + i * 7 % (WORDS - 3);
    return ragged_new(arena, RAGGED_SEQUENCE_MAJOR, N, length);
}

static void train_sequences(void *context)
{
    Training *t = context;
    const TransformerDropout dropout = {(Real)0.1, &t->random};
    Measures measures = {0};
    begin_step(t);
    descend(t, transformer_loss(t->transformer, t->tape, &t->sequences, &dropout, (Real)0.1,
                                (Real)1 / (N * LENGTH), &measures));
}

static void a_training_step_of_a_transformer_takes_nothing(void **state)
{
    (void)state;
    Training t = {.params = param_set_new(), .arena = arena_new()};
    const TransformerShape shape = {WIDTH, 4, 2, 2 * WIDTH, WORDS, true};
    t.transformer = transformer_new(&shape, t.params);
    begin_training(&t);
    int *ids;
    Ragged rows = make_rows(t.arena, &ids);
    t.sequences = (SequenceBatch){N, N * LENGTH, rows, rows, ids, ids, ids};
    train_sequences(&t);
    train_sequences(&t);
    assert_steady(train_sequences, &t);
    transformer_free(t.transformer);
    end_training(&t);
}

/* Words are drawn, the network learns from what is left, the policy from the reward. */
static void train_sentences(void *context)
{
    Training *t = context;
    const SentenceLossSpec spec = {.take = TAKE_DRAWN,
                                   .teaches_network = true,
                                   .teaches_policy = true,
                                   .copies = 2,
                                   .lambda = 0.5,
                                   .baseline = SENTENCE_BASELINE_OTHERS};
    Measures measures = {0};
    SentenceOutcome outcome;
    begin_step(t);
    descend(t, sentence_loss(t->sentence, t->tape, &t->sentences, &spec, &t->random, (Real)2 / N,
                             &measures, &outcome));
}

static void a_training_step_of_a_selecting_classifier_takes_nothing(void **state)
{
    (void)state;
    Error error = {0};
    Training t = {.params = param_set_new(), .arena = arena_new()};
    Settings *settings = settings_new(sentence_settings);
    static const char *const sizes[] = {"attention=resan", "embedding=24", "hidden=24",
                                        "selector-hidden=8"};
    for (int i = 0; i < 4; i++)
        assert_ok(settings_assign(settings, sizes[i], &error));
    SentenceShape shape;
    assert_ok(sentence_shape(settings, WORDS, CLASSES, &shape, &error));
    t.sentence = sentence_new(&shape, t.params);
    begin_training(&t);
    int *ids, *classes = arena_get(t.arena, N, sizeof *classes);
    Ragged rows = make_rows(t.arena, &ids);
    for (int i = 0; i < N; i++)
        classes[i] = i / 2 % CLASSES;
    t.sentences = (SentenceBatch){N, N / 2, 1, rows, ids, classes};
    train_sentences(&t);
    train_sentences(&t);
    assert_steady(train_sentences, &t);
    sentence_free(t.sentence);
    settings_free(settings);
    end_training(&t);
}

static void train_pictures(void *context)
{
    Training *t = context;
    const RamLossSpec spec = {
        .value = 1, .policy = 1, .early = (Real)0.1, .baseline = BASELINE_LEARNED, .sigma = 0.1};
    Measures measures = {0};
    begin_step(t);
    descend(t, ram_loss(t->ram, t->tape, &t->pictures, &spec, &t->random, (Real)1 / N, &measures));
}

static void a_training_step_of_recurrent_attention_takes_nothing(void **state)
{
    (void)state;
    enum { SIDE = 12 };
    Training t = {.params = param_set_new(), .arena = arena_new()};
    const RamShape shape = {.retina = {.patch = 4, .scales = 2},
                            .side = SIDE,
                            .glimpses = 3,
                            .hidden = WIDTH,
                            .glimpse_hidden = WIDTH,
                            .sigma = 0.1};
    t.ram = ram_new(&shape, t.params);
    begin_training(&t);
    static Real pixels[N][SIDE * SIDE];
    const Real *pictures[N];
    static const int labels[N] = {0, 3, 9, 1, 1, 4};
    for (int i = 0; i < N; i++) {
        pictures[i] = pixels[i];
        for (int j = 0; j < SIDE * SIDE; j++)
            pixels[i][j] = (Real)random_uniform(&t.random);
    }
    t.pictures = (RamBatch){N, pictures, labels};
    train_pictures(&t);
    train_pictures(&t);
    assert_steady(train_pictures, &t);
    ram_free(t.ram);
    end_training(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counters_and_the_strict_mode_notice),
        cmocka_unit_test(a_decoding_step_takes_nothing),
        cmocka_unit_test(a_training_step_of_a_translator_takes_nothing),
        cmocka_unit_test(a_training_step_of_a_document_reader_takes_nothing),
        cmocka_unit_test(a_training_step_of_a_transformer_takes_nothing),
        cmocka_unit_test(a_training_step_of_a_selecting_classifier_takes_nothing),
        cmocka_unit_test(a_training_step_of_recurrent_attention_takes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
