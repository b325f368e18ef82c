/* Digit models on held-out pictures: error of one run, of the mean path, and of averaging
 * over sampled runs (Mnih et al. 2014 report such averages). Where the digit may stand anywhere,
 * also how often a look after the first falls on it: the middle of the patches lies in the
 * digit's square, which by chance happens as often as that square is a part of the picture. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "models/ram_model.h"
#include "train/digits.h"
#include "train/evaluate_tasks.h"

enum { BATCH = 100, MOST_PATHS = 10 };

typedef struct BatchResult {
    int wrong_sampled, wrong_mean, wrong_averaged; /* of the batch's pictures */
    int on_digit, looks;                           /* of the mean path, without the first   */
    double nats;                                   /* sum of -log p(truth), one sampled run */
} BatchResult;

typedef struct DigitTest {
    const EvaluateRequest *request;
    const Ram *net;
    Digits digits;
    int n;
    BatchResult *results; /* by batch */
} DigitTest;

static const Real **compose(const DigitTest *test, int begin, int n, Arena *arena,
                            DigitPlace *places)
{
    const RamShape *shape = ram_get_shape(test->net);
    size_t pixels = (size_t)shape->side * (size_t)shape->side;
    const Real **pictures = arena_get(arena, (size_t)n, sizeof *pictures);
    for (int i = 0; i < n; i++) {
        /* A picture depends on its number alone, whatever is tested beside it. */
        Random random = random_seed((uint64_t)(begin + i), RANDOM_EXPLORE);
        Real *picture = arena_get(arena, pixels, sizeof *picture);
        places[i] = digits_compose(&test->digits, begin + i, shape->canvas, shape->side, 0, &random,
                                   picture);
        pictures[i] = picture;
    }
    return pictures;
}

static bool is_on(DigitPlace digit, int side, const Real *look)
{
    double x = ((double)look[0] + 1) / 2 * side - digit.x;
    double y = ((double)look[1] + 1) / 2 * side - digit.y;
    return x >= 0 && x < DIGIT_SIDE && y >= 0 && y < DIGIT_SIDE;
}

/* Adds the softmax of one run to chances [n, 10]; sigma 0: the mean path. looked, unless NULL,
 * counts looks on the digits at `places`. */
static void run_once(const DigitTest *test, int n, const Real *const *pictures, double sigma,
                     Random *random, double *chances, const DigitPlace *places, BatchResult *looked)
{
    Tape *tape = tape_new_inference(test->request->model->params);
    RamPaths paths = ram_walk(test->net, tape, n, pictures, sigma, NULL, random);
    int last = ram_get_shape(test->net)->glimpses - 1;
    for (int i = 0; looked && i < n; i++)
        for (int t = 1; t <= last; t++, looked->looks++)
            looked->on_digit +=
                is_on(places[i], ram_get_shape(test->net)->side, paths.sample[t] + 2 * i);
    Var *logits = ram_classify(test->net, tape, paths.state[last]);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int c = 0; c < RAM_N_CLASSES; c++)
            sum += exp((double)var_row(logits, i)[c]);
        for (int c = 0; c < RAM_N_CLASSES; c++)
            chances[i * RAM_N_CLASSES + c] += exp((double)var_row(logits, i)[c]) / sum;
    }
    tape_free(tape);
}

static int count_wrong(const DigitTest *test, int begin, int n, const double *chances)
{
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        const double *row = chances + i * RAM_N_CLASSES;
        int best = 0;
        for (int c = 1; c < RAM_N_CLASSES; c++)
            best = row[c] > row[best] ? c : best;
        wrong += best != test->digits.labels[begin + i];
    }
    return wrong;
}

static void test_batch(void *context, int k)
{
    DigitTest *test = context;
    if (stop_requested(test->request->stop))
        return;
    int begin = k * BATCH, n = test->n - begin < BATCH ? test->n - begin : BATCH;
    Arena *arena = arena_new();
    DigitPlace *places = arena_get(arena, (size_t)n, sizeof *places);
    const Real **pictures = compose(test, begin, n, arena, places);
    double sigma = ram_get_shape(test->net)->sigma;
    Random random = random_seed((uint64_t)k, RANDOM_SAMPLE);
    size_t size = (size_t)n * RAM_N_CLASSES;
    double *chances = arena_get_zeroed(arena, size, sizeof *chances);
    BatchResult *r = &test->results[k];
    run_once(test, n, pictures, 0, &random, chances, places, r);
    r->wrong_mean = count_wrong(test, begin, n, chances);
    double *sum = arena_get_zeroed(arena, size, sizeof *sum);
    for (int path = 0; path < MOST_PATHS; path++) {
        run_once(test, n, pictures, sigma, &random, sum, NULL, NULL);
        if (path > 0)
            continue;
        r->wrong_sampled = count_wrong(test, begin, n, sum);
        for (int i = 0; i < n; i++)
            r->nats -= log(sum[i * RAM_N_CLASSES + test->digits.labels[begin + i]]);
    }
    r->wrong_averaged = count_wrong(test, begin, n, sum);
    arena_free(arena);
}

static json_t *percent(int count, int n)
{
    return json_real(100.0 * count / n);
}

static json_t *figures(const DigitTest *test, int n_batches)
{
    BatchResult all = {0};
    for (int i = 0; i < n_batches; i++) {
        all.wrong_sampled += test->results[i].wrong_sampled;
        all.wrong_mean += test->results[i].wrong_mean;
        all.wrong_averaged += test->results[i].wrong_averaged;
        all.on_digit += test->results[i].on_digit;
        all.looks += test->results[i].looks;
        all.nats += test->results[i].nats;
    }
    json_t *scores = json_object();
    json_object_set_new(scores, "error", percent(all.wrong_sampled, test->n));
    json_object_set_new(scores, "error.mean_path", percent(all.wrong_mean, test->n));
    json_object_set_new(scores, "error.ten_paths", percent(all.wrong_averaged, test->n));
    if (all.looks > 0 && ram_get_shape(test->net)->canvas != CANVAS_PLAIN)
        json_object_set_new(scores, "looks.on_digit", percent(all.on_digit, all.looks));
    json_object_set_new(scores, "loss", json_real(all.nats / test->n));
    json_object_set_new(scores, "pictures", json_integer(test->n));
    return scores;
}

json_t *evaluate_digits(const EvaluateRequest *request, Error *error)
{
    DigitTest test = {.request = request, .net = request->model->network};
    if (!digits_read(&test.digits, request->data, error))
        return NULL;
    test.n = request->limit > 0 && request->limit < test.digits.n ? request->limit : test.digits.n;
    int n_batches = (test.n + BATCH - 1) / BATCH;
    test.results = memory_new((size_t)n_batches, sizeof *test.results);
    Workers *workers = workers_new(request->threads > 0 ? request->threads : 1);
    workers_run(workers, n_batches, test_batch, &test);
    workers_free(workers);
    json_t *scores = NULL;
    if (stop_requested(request->stop))
        error_set(error, ERROR_CANCELLED, "stopped");
    else
        scores = figures(&test, n_batches);
    free(test.results);
    digits_free(&test.digits);
    return scores;
}
