/* Caption models on new scenes: is the sentence right, on combinations that training had and
 * on those held out (image/scene.h), and does the attention of a word that names an object
 * lie on that object. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/picture.h"
#include "image/scene.h"
#include "models/family.h"
#include "train/evaluate_tasks.h"

enum { DEFAULT_SCENES = 1000, SIDE = 128 };

typedef struct Result {
    Error error;
    bool is_right;
    int words, right_words; /* of the true sentence; at their places in the written one */
    int pointing, largest;  /* object words with over half, with the largest weight on it */
    int object_words;
    double mass, even; /* sums over object words: weight on the object, its part of the grid */
} Result;

typedef struct CaptionTest {
    const EvaluateRequest *request;
    const EmojiSet *emoji;
    int n;           /* of each side of the split */
    Result *results; /* [2 n]: known, then held out */
} CaptionTest;

/* ---- one scene ---- */

static void compose(const CaptionTest *test, int i, Scene *scene, StrBuf *truth, Picture *picture)
{
    Random random = random_seed(20000003, (uint64_t)i);
    SceneSpec spec;
    do
        scene_invent(&random, i >= test->n, &spec);
    while (!scene_lay_out(&spec, &random, scene));
    scene_write(&spec, truth);
    float *rgb = memory_new((size_t)SIDE * SIDE * 3, sizeof *rgb);
    scene_render(scene, test->emoji, SIDE, rgb);
    for (size_t k = 0; k < (size_t)SIDE * SIDE; k++) {
        for (size_t c = 0; c < 3; c++)
            picture->rgba[4 * k + c] = (uint8_t)lround(255 * (double)rgb[3 * k + c]);
        picture->rgba[4 * k + 3] = 255;
    }
    free(rgb);
}

/* Words of two sentences that stand at the same place. */
static void compare_words(const char *truth, const char *written, Result *r)
{
    while (*truth) {
        size_t n = strcspn(truth, " "), k = strcspn(written, " ");
        r->words++;
        r->right_words += n == k && strncmp(truth, written, n) == 0;
        truth += n + (truth[n] == ' ');
        written += k + (written[k] == ' ');
    }
}

static double overlap(double begin, double end, double low, double high)
{
    return fmax(fmin(end, high) - fmax(begin, low), 0);
}

/* Does at least a quarter of the cell lie on an object that the word names? */
static bool is_on(const Scene *scene, const char *word, int cell, int grid)
{
    double share = 1.0 / grid, x = cell % grid * share, y = cell / grid * share;
    for (int i = 0; i < scene->n; i++) {
        const SceneObject *o = &scene->objects[i];
        double half = o->size / 2;
        double area = overlap(x, x + share, o->x - half, o->x + half) *
                      overlap(y, y + share, o->y - half, o->y + half);
        if (scene_word_names(word, o->kind) && area >= share * share / 4)
            return true;
    }
    return false;
}

static void measure_word(const Scene *scene, const char *word, const TraceMatrix *weights, int row,
                         int grid, Result *r)
{
    double mass = 0;
    int cells = 0, best = 0;
    for (int j = 0; j < grid * grid; j++) {
        if (trace_matrix_get(weights, row, j) > trace_matrix_get(weights, row, best))
            best = j;
        if (!is_on(scene, word, j, grid))
            continue;
        mass += (double)trace_matrix_get(weights, row, j);
        cells++;
    }
    if (cells == 0) /* a word that names nothing in the scene */
        return;
    r->object_words++;
    r->pointing += mass > 0.5;
    r->largest += is_on(scene, word, best, grid);
    r->mass += mass;
    r->even += (double)cells / (grid * grid);
}

static void measure_attention(const Scene *scene, const Trace *trace, Result *r)
{
    const TraceTensor *tensor = trace_find(trace, "attention.softmax");
    if (!tensor)
        tensor = trace_find(trace, "attention.weights");
    TraceMatrix weights = trace_matrix(trace, tensor, NULL);
    int grid = trace_axis(trace, tensor->axis[1])->cols;
    for (int row = 0; row < weights.rows; row++)
        measure_word(scene, trace_step(trace, row)->token, &weights, row, grid, r);
}

static void test_scene(void *context, int i)
{
    CaptionTest *test = context;
    Result *r = &test->results[i];
    if (stop_requested(test->request->stop))
        return;
    Scene scene;
    StrBuf truth = {0};
    Picture picture;
    const Trace *trace = NULL;
    if (picture_new(&picture, SIDE, SIDE, &r->error)) {
        compose(test, i, &scene, &truth, &picture);
        TraceImage view = picture_view(&picture);
        trace =
            model_run(test->request->model, &(RunInput){.image = &view}, NULL, 0, NULL, &r->error);
    }
    if (trace) {
        const char *written = trace_text(trace, "output");
        r->is_right = strcmp(written, truth.text) == 0;
        compare_words(truth.text, written, r);
        measure_attention(&scene, trace, r);
    }
    trace_release(trace);
    picture_free(&picture);
    strbuf_free(&truth);
}

/* ---- all ---- */

static void set_share(json_t *scores, const char *name, double count, double of)
{
    json_object_set_new(scores, name, json_real(of > 0 ? 100 * count / of : 0));
}

static json_t *figures(const CaptionTest *test)
{
    int right[2] = {0}, words[2] = {0}, right_words[2] = {0};
    Result sum = {0};
    for (int i = 0; i < 2 * test->n; i++) {
        const Result *r = &test->results[i];
        int side = i >= test->n;
        right[side] += r->is_right;
        words[side] += r->words;
        right_words[side] += r->right_words;
        sum.object_words += r->object_words;
        sum.pointing += r->pointing;
        sum.largest += r->largest;
        sum.mass += r->mass;
        sum.even += r->even;
    }
    json_t *scores = json_object();
    set_share(scores, "exact", right[0], test->n);
    set_share(scores, "exact.new", right[1], test->n);
    set_share(scores, "words", right_words[0], words[0]);
    set_share(scores, "words.new", right_words[1], words[1]);
    set_share(scores, "pointing", sum.pointing, sum.object_words);
    set_share(scores, "pointing.largest", sum.largest, sum.object_words);
    set_share(scores, "pointing.mass", sum.mass, sum.object_words);
    set_share(scores, "pointing.even", sum.even, sum.object_words);
    json_object_set_new(scores, "scenes", json_integer(2 * test->n));
    return scores;
}

static bool check(const CaptionTest *test, Error *error)
{
    if (stop_requested(test->request->stop))
        return error_set(error, ERROR_CANCELLED, "stopped");
    for (int i = 0; i < 2 * test->n; i++)
        if (error_is_set(&test->results[i].error))
            return error_set(error, test->results[i].error.kind, "scene %d: %s", i + 1,
                             test->results[i].error.message);
    return true;
}

json_t *evaluate_captions(const EvaluateRequest *request, Error *error)
{
    if (request->data) {
        error_set(error, ERROR_INPUT,
                  "a caption model is tested on scenes that are composed for "
                  "it: --data has no use");
        return NULL;
    }
    EmojiSet *emoji = scene_load_emoji(NULL, error);
    if (!emoji)
        return NULL;
    CaptionTest test = {.request = request, .emoji = emoji};
    test.n = request->limit > 0 ? request->limit : DEFAULT_SCENES;
    test.results = memory_new(2 * (size_t)test.n, sizeof *test.results);
    Workers *workers = workers_new(request->threads > 0 ? request->threads : 1);
    workers_run(workers, 2 * test.n, test_scene, &test);
    workers_free(workers);
    json_t *scores = check(&test, error) ? figures(&test) : NULL;
    free(test.results);
    emoji_free(emoji);
    return scores;
}
