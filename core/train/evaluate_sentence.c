/* Sentence classifiers on labelled sentences. A model that selects is measured in several
 * ways, so that what its selection is worth can be seen. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "train/evaluate_tasks.h"
#include "train/sentence_loss.h"

enum { BATCH = 32, SHUFFLES = 5 };

typedef struct Evaluation {
    const Model *model;
    const SentenceClassifier *classifier;
    Pairs *sentences;
    BatchPlan plan;
    Measures *measures; /* one for each batch, merged in order */
    const StopFlag *stop;
} Evaluation;

/* ---- one way of taking words ---- */

/* Adds what was measured under prefix + the loss's own names; only those that are listed. */
static void take(const Evaluation *e, int i, TakeWords words, uint64_t seed, const char *accuracy,
                 const char *const *others, Measures *out)
{
    Tape *tape = tape_new_inference(e->model->params);
    SentenceBatch batch = sentence_batch(tape_arena(tape), e->sentences, &e->plan, i, 0, 1, 1);
    const SentenceLossSpec spec = {.take = words, .copies = 1};
    Random random = random_seed(seed, RANDOM_SAMPLE);
    Measures m = {0};
    sentence_loss(e->classifier->net, tape, &batch, &spec, &random, 1, &m, NULL);
    measures_add(out, accuracy, measures_get(&m, "accuracy"), batch.n);
    for (int k = 0; others && others[2 * k]; k++)
        if (measures_get(&m, others[2 * k]) == measures_get(&m, others[2 * k]))
            measures_add(out, others[2 * k + 1], measures_get(&m, others[2 * k]), batch.n);
    tape_free(tape);
}

/* ---- words alone: the rest is not even in the input ---- */

/* flags [rows] of the words to keep: those that were selected, or as many at random. */
static unsigned char *keep_words(Tape *tape, const SentenceBatch *batch, const Selection *selection,
                                 Random *random)
{
    unsigned char *keep = arena_get(tape_arena(tape), (size_t)batch->rows.rows + 1, 1);
    for (int i = 0; i < batch->n; i++) {
        unsigned char *own = keep + batch->rows.start[i];
        int n = batch->rows.length[i], kept = 0;
        for (int t = 0; t < n; t++) {
            int row = batch->rows.start[i] + t;
            own[t] =
                selection->picked[SELECT_HEAD][row] ||
                (selection->picked[SELECT_DEPENDENT] && selection->picked[SELECT_DEPENDENT][row]);
            kept += own[t];
        }
        for (int t = 0; random && t < n; t++) { /* sampling without replacement, in order */
            own[t] = random_below(random, (uint32_t)(n - t)) < (uint32_t)kept;
            kept -= own[t];
        }
    }
    return keep;
}

static void measure_alone(const Evaluation *e, int i, Random *random, const char *name,
                          Measures *out)
{
    const SentenceNet *net = e->classifier->net;
    Tape *tape = tape_new_inference(e->model->params);
    SentenceBatch batch = sentence_batch(tape_arena(tape), e->sentences, &e->plan, i, 0, 1, 1);
    Var *x = sentence_embed(net, tape, &batch.rows, batch.ids);
    Selection likely =
        sentence_draw(tape_arena(tape), sentence_select(net, tape, &batch.rows, x), NULL);
    PickedRows kept = sentence_pick(tape, &batch.rows, keep_words(tape, &batch, &likely, random));
    SentenceRun run = sentence_run(net, tape, kept.rows,
                                   op_gather(tape, x, kept.rows->rows, kept.row), NULL, NULL);
    CrossEntropy ce = op_cross_entropy(tape, run.logits, batch.classes, NULL, 0, 1);
    measures_add(out, name, (double)ce.n_correct / batch.n, batch.n);
    tape_free(tape);
}

/* ---- a batch ---- */

static void evaluate_batch(void *context, int i)
{
    static const char *const plain[] = {"loss", "nll", NULL};
    static const char *const shares[] = {"loss",
                                         "nll",
                                         "share.head",
                                         "share.head",
                                         "share.dependent",
                                         "share.dependent",
                                         "share.pairs",
                                         "share.pairs",
                                         "share.kept",
                                         "share.kept",
                                         NULL};
    static const char *const drawn[] = {"share.head", "drawn.share.head", "share.dependent",
                                        "drawn.share.dependent", NULL};
    Evaluation *e = context;
    Measures *out = &e->measures[i];
    if (stop_requested(e->stop))
        return;
    uint64_t seed = (uint64_t)i << 8;
    if (sentence_n_selectors(sentence_get_shape(e->classifier->net)) == 0) {
        take(e, i, TAKE_ALL, seed, "accuracy", plain, out);
        return;
    }
    take(e, i, TAKE_LIKELY, seed, "accuracy", shares, out);
    take(e, i, TAKE_ALL, seed, "all.accuracy", NULL, out);
    measure_alone(e, i, NULL, "alone.accuracy", out);
    for (uint64_t k = 1; k <= SHUFFLES; k++) {
        Random random = random_seed(seed + k, RANDOM_EXPLORE);
        take(e, i, TAKE_DRAWN, seed + k, "drawn.accuracy", drawn, out);
        take(e, i, TAKE_SHUFFLED, seed + k, "shuffled.accuracy", NULL, out);
        measure_alone(e, i, &random, "random.accuracy", out);
    }
}

/* ---- data ---- */

static Pairs *read_sentences(const EvaluateRequest *request, Error *error)
{
    const SentenceClassifier *classifier = request->model->network;
    Settings *settings = evaluate_label_settings(request->model, error);
    if (!settings)
        return NULL;
    LabelledSpec spec = labelled_spec(settings);
    ClassNames *classes = classifier->classes;
    Labelled labelled;
    Pairs *sentences = NULL;
    if (labelled_read(request->data, &spec, &classes, &labelled, error)) {
        if (request->limit > 0 && request->limit < labelled.n)
            labelled.n = request->limit;
        sentences = sentences_encode(&labelled, request->data, classifier->vocabulary, 0, error);
        labelled_free(&labelled);
    }
    settings_free(settings);
    return sentences;
}

json_t *evaluate_sentences(const EvaluateRequest *request, Error *error)
{
    Evaluation e = {.model = request->model,
                    .classifier = request->model->network,
                    .sentences = read_sentences(request, error),
                    .stop = request->stop};
    if (!e.sentences)
        return NULL;
    pair_plan(&e.plan, e.sentences, BATCH, NULL);
    e.measures = memory_new((size_t)e.plan.n_batches, sizeof *e.measures);
    Workers *workers = workers_new(request->threads > 0 ? request->threads : 1);
    workers_run(workers, e.plan.n_batches, evaluate_batch, &e);
    workers_free(workers);
    Measures all = {0};
    for (int i = 0; i < e.plan.n_batches; i++)
        measures_merge(&all, &e.measures[i]);
    json_t *scores = NULL;
    if (stop_requested(request->stop)) {
        error_set(error, ERROR_CANCELLED, "stopped");
    } else {
        scores = json_object();
        for (int i = 0; i < all.n; i++)
            json_object_set_new(scores, all.item[i].name,
                                json_real(measures_get(&all, all.item[i].name)));
        json_object_set_new(scores, "examples", json_integer(e.sentences->n));
    }
    free(e.measures);
    batch_plan_free(&e.plan);
    pairs_free(e.sentences);
    return scores;
}
