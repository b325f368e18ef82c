/* Document classifiers on labelled documents: how often they are right, how sure they are of
 * it, and whether their weights say anything. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "train/documents.h"
#include "train/evaluate_tasks.h"

enum {
    BATCH = 32,
    BATCH_WORDS = 20000,
    BINS = 15,      /* of confidence                          */
    COMMON = 50,    /* occurrences of a word that is listed   */
    LISTED = 10,    /* words at each end                      */
    LEFT_OUT = 200, /* documents read again without each part */
};

typedef struct Mean {
    double sum, n;
} Mean;

static void mean_add(Mean *mean, double value)
{
    if (isnan(value))
        return;
    mean->sum += value;
    mean->n++;
}

static void put_mean(json_t *scores, const char *name, Mean mean)
{
    if (mean.n > 0)
        json_object_set_new(scores, name, json_real(mean.sum / mean.n));
}

typedef struct Evaluation {
    const Model *model;
    const HanClassifier *classifier;
    Labelled labelled;
    Documents documents;
    int n_classes;
    Mean right, nll;
    double *confusion;  /* [classes, classes]: true, given */
    double *value;      /* [classes] when all are numbers: stars; else NULL */
    Mean off, mean_off; /* distance of the likeliest class, and of the mean, from the true one */
    struct {
        Mean sure, right;
    } bin[BINS];
    Mean words, words_effective, sentences, sentences_effective;
    Mean *lift; /* [vocabulary] of alpha_t T */
} Evaluation;

/* ---- the verdicts ---- */

/* Classes that are numbers: a four for a three is not as wrong as a ten. */
static double *class_values(const ClassNames *classes)
{
    int n = class_names_count(classes);
    double *value = memory_new((size_t)n, sizeof *value);
    for (int c = 0; c < n; c++) {
        const char *name = class_names_at(classes, c);
        if (number_parse(name, strlen(name), &value[c]) != strlen(name) || !isfinite(value[c])) {
            free(value);
            return NULL;
        }
    }
    return value;
}

static void tally_distance(Evaluation *e, const Real *logits, int best, int target)
{
    double mean = 0, sum = 0;
    for (int c = 0; c < e->n_classes; c++) {
        double p = exp((double)logits[c] - (double)logits[best]);
        sum += p;
        mean += p * e->value[c];
    }
    mean_add(&e->off, fabs(e->value[best] - e->value[target]));
    mean_add(&e->mean_off, fabs(mean / sum - e->value[target]));
}

static void tally_verdict(Evaluation *e, const Real *logits, int target)
{
    int n = e->n_classes, best = 0;
    double highest = (double)logits[0], sum = 0;
    for (int c = 1; c < n; c++)
        if ((double)logits[c] > highest) {
            highest = (double)logits[c];
            best = c;
        }
    for (int c = 0; c < n; c++)
        sum += exp((double)logits[c] - highest);
    mean_add(&e->nll, highest + log(sum) - (double)logits[target]);
    mean_add(&e->right, best == target);
    e->confusion[target * n + best]++;
    int bin = (int)(BINS / sum);
    bin = bin < BINS ? bin : BINS - 1;
    mean_add(&e->bin[bin].sure, 1 / sum);
    mean_add(&e->bin[bin].right, best == target);
    if (e->value)
        tally_distance(e, logits, best, target);
}

/* ---- the weights ---- */

static double effective(const HanLayout *layout, int i, const Real *weights)
{
    double entropy = 0;
    for (int t = 0; t < layout->batch.length[layout->column[i]]; t++) {
        double a = (double)weights[han_row(layout, i, t)];
        entropy -= a > 0 ? a * log(a) : 0;
    }
    return exp(entropy);
}

static void tally_words(Evaluation *e, const HanLayout *layout, const Real *weights)
{
    for (int i = 0; i < layout->batch.n; i++) {
        int n = layout->batch.length[layout->column[i]];
        if (n < 2)
            continue; /* nothing to choose from */
        mean_add(&e->words, n);
        mean_add(&e->words_effective, effective(layout, i, weights));
        for (int t = 0; t < n; t++) {
            int row = han_row(layout, i, t);
            mean_add(&e->lift[layout->distinct[layout->item[row]]], (double)weights[row] * n);
        }
    }
}

static void tally_sentences(Evaluation *e, const HanLayout *layout, const Real *weights)
{
    for (int i = 0; i < layout->batch.n; i++) {
        if (layout->batch.length[layout->column[i]] == 0)
            continue;
        mean_add(&e->sentences, layout->batch.length[layout->column[i]]);
        mean_add(&e->sentences_effective, effective(layout, i, weights));
    }
}

static void evaluate_batch(Evaluation *e, int n, const int *order)
{
    const Han *net = e->classifier->net;
    Tape *tape = tape_new_inference(e->model->params);
    DocumentBatch b = document_batch(tape_arena(tape), &e->documents, n, order, 0, NULL);
    HanReading w =
        han_read(net, tape, HAN_WORDS, &b.words, han_embed(net, tape, &b.words, NULL), NULL, NULL);
    HanReading s = han_read(net, tape, HAN_SENTENCES, &b.sentences, w.vectors, NULL, NULL);
    Var *logits = han_classify(net, tape, s.vectors, NULL);
    for (int i = 0; i < n; i++)
        tally_verdict(e, var_row(logits, i), b.target[i]);
    if (w.weights)
        tally_words(e, &b.words, w.weights->value);
    if (s.weights)
        tally_sentences(e, &b.sentences, s.weights->value);
    tape_free(tape);
}

/* ---- leaving out ---- */

typedef struct Agreement {
    double words, sentences, gradient;
} Agreement;

typedef struct Leaving {
    const Evaluation *evaluation;
    Agreement *out;
    const StopFlag *stop;
} Leaving;

static void leave_out(void *context, int i)
{
    const Leaving *l = context;
    const LabelledItem *item = &l->evaluation->labelled.items[i];
    char *text = memory_copy_bytes(item->text, item->n);
    const RunInput input = {.text = text};
    const RunOptions options = {.stop = l->stop};
    Error ignored = {0}; /* a document without a word has nothing to leave out */
    l->out[i] = (Agreement){NAN, NAN, NAN};
    const Trace *trace = model_run(l->evaluation->model, &input, &options, 0, NULL, &ignored);
    if (trace) {
        const TraceStep *verdict = trace_step(trace, trace_n_steps(trace) - 1);
        l->out[i] = (Agreement){trace_step_scalar(verdict, "tau.words"),
                                trace_step_scalar(verdict, "tau.sentences"),
                                trace_step_scalar(verdict, "tau.gradient")};
    }
    trace_release(trace);
    free(text);
}

static void put_agreement(const Evaluation *e, const EvaluateRequest *request, json_t *scores)
{
    int n = e->labelled.n < LEFT_OUT ? e->labelled.n : LEFT_OUT;
    Leaving leaving = {e, memory_new((size_t)n + 1, sizeof(Agreement)), request->stop};
    Workers *workers = workers_new(request->threads > 0 ? request->threads : 1);
    workers_run(workers, n, leave_out, &leaving);
    workers_free(workers);
    Mean words = {0}, sentences = {0}, gradient = {0};
    for (int i = 0; i < n; i++) {
        mean_add(&words, leaving.out[i].words);
        mean_add(&sentences, leaving.out[i].sentences);
        mean_add(&gradient, leaving.out[i].gradient);
    }
    put_mean(scores, "tau.words", words);
    put_mean(scores, "tau.sentences", sentences);
    put_mean(scores, "tau.gradient", gradient);
    free(leaving.out);
}

/* ---- figures ---- */

static void put_confusion(const Evaluation *e, json_t *scores)
{
    json_t *all = json_object();
    for (int i = 0; i < e->n_classes; i++) {
        json_t *row = json_object();
        for (int j = 0; j < e->n_classes; j++)
            json_object_set_new(row, class_names_at(e->classifier->classes, j),
                                json_integer((json_int_t)e->confusion[i * e->n_classes + j]));
        json_object_set_new(all, class_names_at(e->classifier->classes, i), row);
    }
    json_object_set_new(scores, "confusion", all);
}

/* sum over bins of n_b / n |right_b - sure_b| (Guo et al. 2017, eq. 3). */
static double calibration(const Evaluation *e)
{
    double sum = 0;
    for (int i = 0; i < BINS; i++)
        sum += fabs(e->bin[i].right.sum - e->bin[i].sure.sum);
    return sum / e->right.n;
}

typedef struct Lift {
    int word;
    double mean;
} Lift;

static int higher_first(const void *a, const void *b)
{
    const Lift *x = a, *y = b;
    return x->mean != y->mean ? (x->mean < y->mean) - (x->mean > y->mean) : x->word - y->word;
}

static void put_words(const Evaluation *e, json_t *scores, const char *name, int n,
                      const Lift *lifts)
{
    json_t *words = json_object();
    for (int i = 0; i < n; i++)
        json_object_set_new(words, vocabulary_form(e->classifier->vocabulary, lifts[i].word),
                            json_real(lifts[i].mean));
    json_object_set_new(scores, name, words);
}

static void put_lift(const Evaluation *e, json_t *scores)
{
    int count = vocabulary_count(e->classifier->vocabulary), n = 0;
    Lift *lifts = memory_new((size_t)count, sizeof *lifts);
    for (int i = VOCABULARY_N_SPECIAL; i < count; i++)
        if (e->lift[i].n >= COMMON)
            lifts[n++] = (Lift){i, e->lift[i].sum / e->lift[i].n};
    qsort(lifts, (size_t)n, sizeof *lifts, higher_first);
    if (n >= 2 * LISTED) {
        put_words(e, scores, "lift.top", LISTED, lifts);
        put_words(e, scores, "lift.bottom", LISTED, lifts + n - LISTED);
    }
    free(lifts);
}

static json_t *figures(const Evaluation *e, const EvaluateRequest *request)
{
    json_t *scores = json_object();
    put_mean(scores, "accuracy", e->right);
    put_mean(scores, "nll", e->nll);
    json_object_set_new(scores, "calibration", json_real(calibration(e)));
    put_mean(scores, "distance", e->off);
    put_mean(scores, "distance.of.mean", e->mean_off);
    put_confusion(e, scores);
    put_mean(scores, "words", e->words);
    put_mean(scores, "words.effective", e->words_effective);
    put_mean(scores, "sentences", e->sentences);
    put_mean(scores, "sentences.effective", e->sentences_effective);
    put_lift(e, scores);
    put_agreement(e, request, scores);
    json_object_set_new(scores, "examples", json_integer(e->documents.n));
    return scores;
}

/* ---- data ---- */

static bool read_documents(Evaluation *e, const EvaluateRequest *request, Error *error)
{
    Settings *settings = evaluate_label_settings(request->model, error);
    if (!settings)
        return false;
    LabelledSpec spec = labelled_spec(settings);
    ClassNames *classes = e->classifier->classes;
    bool ok = labelled_read(request->data, &spec, &classes, &e->labelled, error);
    settings_free(settings);
    if (ok && request->limit > 0 && request->limit < e->labelled.n)
        e->labelled.n = request->limit;
    if (ok)
        e->documents = documents_encode(&e->labelled, e->classifier);
    return ok;
}

static bool evaluate_all(Evaluation *e, const StopFlag *stop, Error *error)
{
    BatchPlan plan = {0};
    document_plan(&plan, &e->documents, &(BatchPlanSpec){BATCH, BATCH_WORDS}, NULL);
    bool ok = true;
    for (int i = 0; ok && i < plan.n_batches; i++) {
        evaluate_batch(e, plan.start[i + 1] - plan.start[i], plan.order + plan.start[i]);
        ok = !stop_requested(stop) || error_set(error, ERROR_CANCELLED, "stopped");
    }
    batch_plan_free(&plan);
    return ok;
}

json_t *evaluate_documents(const EvaluateRequest *request, Error *error)
{
    Evaluation e = {.model = request->model, .classifier = request->model->network};
    e.n_classes = class_names_count(e.classifier->classes);
    size_t n = (size_t)e.n_classes;
    e.confusion = memory_new(n * n, sizeof *e.confusion);
    e.value = class_values(e.classifier->classes);
    e.lift = memory_new((size_t)vocabulary_count(e.classifier->vocabulary), sizeof *e.lift);
    json_t *scores = NULL;
    if (read_documents(&e, request, error) && evaluate_all(&e, request->stop, error))
        scores = figures(&e, request);
    documents_free(&e.documents);
    labelled_free(&e.labelled);
    free(e.confusion);
    free(e.value);
    free(e.lift);
    return scores;
}
