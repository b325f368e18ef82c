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
    const StopFlag *stop;
} Evaluation;

/* ---- one way of taking words ---- */

typedef struct Batch {
    const Evaluation *evaluation;
    int i;
    Tape *tape; /* reset after each way */
    Measures *out;
} Batch;

static SentenceBatch sentences_of(const Batch *b)
{
    const Evaluation *e = b->evaluation;
    return sentence_batch(tape_arena(b->tape), e->sentences, &e->plan, b->i, 0, 1, 1);
}

/* Adds what was measured under prefix + the loss's own names; only those that are listed. */
static void take(const Batch *b, TakeWords words, uint64_t seed, const char *accuracy,
                 const char *const *others)
{
    SentenceBatch batch = sentences_of(b);
    const SentenceLossSpec spec = {.take = words, .copies = 1};
    Random random = random_seed(seed, RANDOM_SAMPLE);
    Measures m = {0};
    sentence_loss(b->evaluation->classifier->net, b->tape, &batch, &spec, &random, 1, &m, NULL);
    measures_add(b->out, accuracy, measures_get(&m, "accuracy"), batch.n);
    for (int k = 0; others && others[2 * k]; k++)
        if (measures_get(&m, others[2 * k]) == measures_get(&m, others[2 * k]))
            measures_add(b->out, others[2 * k + 1], measures_get(&m, others[2 * k]), batch.n);
    tape_reset(b->tape);
}

/* ---- words alone: the rest is not even in the input ---- */

/* flags [rows] of the words to keep: those that were selected, or as many at random. */
static unsigned char *keep_words(Tape *tape, const SentenceBatch *batch, const Selection *selection,
                                 Random *random)
{
    unsigned char *keep = arena_get(tape_arena(tape), (size_t)batch->rows.rows + 1, 1);
    for (int i = 0; i < batch->rows.n; i++) {
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

static void measure_alone(const Batch *b, Random *random, const char *name)
{
    const SentenceNet *net = b->evaluation->classifier->net;
    Tape *tape = b->tape;
    SentenceBatch batch = sentences_of(b);
    Var *x = sentence_embed(net, tape, &batch.rows, batch.ids);
    Selection likely =
        sentence_draw(tape_arena(tape), sentence_select(net, tape, &batch.rows, x), NULL);
    PickedRows kept = sentence_pick(tape, &batch.rows, keep_words(tape, &batch, &likely, random));
    SentenceRun run = sentence_run(net, tape, kept.rows,
                                   op_gather(tape, x, kept.rows->rows, kept.row), NULL, NULL);
    CrossEntropy ce = op_cross_entropy(tape, run.logits, batch.classes, NULL, 0, 1);
    measures_add(b->out, name, (double)ce.n_correct / batch.n, batch.n);
    tape_reset(tape);
}

/* ---- a batch ---- */

static void evaluate_batch(void *context, int i, Tape *tape, Measures *out)
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
    const Evaluation *e = context;
    if (stop_requested(e->stop))
        return;
    const Batch b = {e, i, tape, out};
    uint64_t seed = (uint64_t)i << 8;
    if (sentence_n_selectors(sentence_get_shape(e->classifier->net)) == 0) {
        take(&b, TAKE_ALL, seed, "accuracy", plain);
        return;
    }
    take(&b, TAKE_LIKELY, seed, "accuracy", shares);
    take(&b, TAKE_ALL, seed, "all.accuracy", NULL);
    measure_alone(&b, NULL, "alone.accuracy");
    for (uint64_t k = 1; k <= SHUFFLES; k++) {
        Random random = random_seed(seed + k, RANDOM_EXPLORE);
        take(&b, TAKE_DRAWN, seed + k, "drawn.accuracy", drawn);
        take(&b, TAKE_SHUFFLED, seed + k, "shuffled.accuracy", NULL);
        measure_alone(&b, &random, "random.accuracy");
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
    spec.pairs = sentence_get_shape(classifier->net)->pair;
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
    Workers *workers = workers_new(request->threads > 0 ? request->threads : 1);
    Measures all = {0};
    measures_of_batches(workers, e.model->params, e.plan.n_batches, evaluate_batch, &e, &all);
    workers_free(workers);
    json_t *scores = NULL;
    if (stop_requested(request->stop)) {
        error_set(error, ERROR_CANCELLED, "stopped");
    } else {
        scores = json_object();
        for (int i = 0; i < all.n; i++)
            json_object_set_new(scores, all.item[i].name,
                                json_real(measures_get(&all, all.item[i].name)));
        json_object_set_new(scores, "examples", json_integer(e.sentences->n));
        if (request->times)
            evaluate_sentence_cost(request->model, e.sentences, scores);
        if (!evaluate_sentence_lengths(request, e.sentences, scores, error)) {
            json_decref(scores);
            scores = NULL;
        }
    }
    batch_plan_free(&e.plan);
    pairs_free(e.sentences);
    return scores;
}
