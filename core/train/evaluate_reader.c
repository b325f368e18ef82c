/* Readers on bAbI tasks: how often the answer is right, and where the attention was. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "train/evaluate_tasks.h"
#include "train/reader_data.h"

enum { BATCH = 32 };

/* A task counts as solved from this share of right answers on (Weston et al. 2015). */
#define SOLVED 0.95

typedef struct Outcome {
    int answer; /* the likeliest */
    ReaderSupport support;
} Outcome;

typedef struct Evaluation {
    const Model *model;
    const Answerer *answerer;
    ReaderTasks tasks;
    ReaderExamples examples;
    BatchPlan plan;
    Outcome *outcomes; /* [examples.n] */
    const StopFlag *stop;
} Evaluation;

static void evaluate_batch(void *context, int i)
{
    Evaluation *e = context;
    if (stop_requested(e->stop))
        return;
    Tape *tape = tape_new_inference(e->model->params);
    ReaderExamplesBatch batch =
        reader_examples_batch(tape_arena(tape), &e->examples, &e->plan, i, 0, 1, 0, NULL);
    ReaderRun run = reader_run(e->answerer->net, tape, &batch.batch, NULL);
    for (int k = 0; k < batch.n; k++) {
        const Real *logits = var_row(run.logits, k);
        int best = 0;
        for (int c = 1; c < run.logits->cols; c++)
            best = logits[c] > logits[best] ? c : best;
        e->outcomes[batch.examples[k] - e->examples.items] =
            (Outcome){best, reader_support(tape_arena(tape), batch.examples[k], &run, k)};
    }
    tape_free(tape);
}

/* ---- figures ---- */

typedef struct Figures {
    int n, n_right, n_known, n_top;
    double mass, even;
} Figures;

static void count(Figures *f, const ReaderExample *example, const Outcome *outcome)
{
    f->n++;
    f->n_right += example->answer == outcome->answer;
    if (!outcome->support.known)
        return;
    f->n_known++;
    f->n_top += outcome->support.top;
    f->mass += outcome->support.mass;
    f->even += outcome->support.even;
}

/* In percent, to a hundredth: what a file keeps of twenty tasks stays short. */
static void put(json_t *scores, const char *name, double value)
{
    json_object_set_new(scores, name, json_real(round(value * 1e4) / 100));
}

static void put_figures(json_t *scores, const Figures *f)
{
    put(scores, "accuracy", (double)f->n_right / f->n);
    if (f->n_known == 0)
        return;
    put(scores, "support", f->mass / f->n_known);
    put(scores, "top", (double)f->n_top / f->n_known);
    put(scores, "even", f->even / f->n_known);
}

static json_t *score(const Evaluation *e)
{
    json_t *scores = json_object();
    Figures all = {0}, *tasks = memory_new((size_t)e->tasks.n, sizeof *tasks);
    int solved = 0;
    for (int i = 0; i < e->examples.n; i++) {
        count(&all, &e->examples.items[i], &e->outcomes[i]);
        count(&tasks[e->examples.items[i].task], &e->examples.items[i], &e->outcomes[i]);
    }
    put_figures(scores, &all);
    json_t *by_task = json_object();
    for (int i = 0; e->tasks.n > 1 && i < e->tasks.n; i++) {
        if (tasks[i].n == 0)
            continue;
        solved += tasks[i].n_right >= SOLVED * tasks[i].n;
        json_t *figures = json_object();
        put_figures(figures, &tasks[i]);
        json_object_set_new(by_task, e->tasks.items[i].name, figures);
    }
    bool has_tasks = json_object_size(by_task) > 0;
    if (has_tasks)
        json_object_set_new(scores, "solved", json_integer(solved));
    json_object_set_new(scores, "examples", json_integer(e->examples.n));
    if (has_tasks)
        json_object_set(scores, "tasks", by_task);
    json_decref(by_task);
    free(tasks);
    return scores;
}

static bool write_answers(const Evaluation *e, const char *path, Error *error)
{
    FileWriter file;
    if (!path)
        return true;
    if (!file_begin_write(path, &file, error))
        return false;
    for (int i = 0; i < e->examples.n; i++)
        fprintf(file.stream, "%s\n", class_names_at(e->answerer->answers, e->outcomes[i].answer));
    return file_end_write(&file, error);
}

json_t *evaluate_readers(const EvaluateRequest *request, Error *error)
{
    Evaluation e = {
        .model = request->model, .answerer = request->model->network, .stop = request->stop};
    const ReaderEncoding all = {0, 0, 1};
    json_t *scores = NULL;
    bool ok = reader_tasks_read(request->data, "_test.txt", &e.tasks, error) &&
              reader_encode(&e.tasks, e.answerer, &all, &e.examples, error);
    if (ok) {
        if (request->limit > 0 && request->limit < e.examples.n)
            e.examples.n = request->limit;
        e.outcomes = memory_new((size_t)e.examples.n + 1, sizeof *e.outcomes);
        reader_plan(&e.plan, &e.examples, BATCH, NULL);
        Workers *workers = workers_new(request->threads > 0 ? request->threads : 1);
        workers_run(workers, e.plan.n_batches, evaluate_batch, &e);
        workers_free(workers);
        if (stop_requested(request->stop))
            error_set(error, ERROR_CANCELLED, "stopped");
        else if (write_answers(&e, request->output, error))
            scores = score(&e);
    }
    free(e.outcomes);
    batch_plan_free(&e.plan);
    reader_examples_free(&e.examples);
    reader_tasks_free(&e.tasks);
    return scores;
}
