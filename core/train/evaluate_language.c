/* Language models on held-out text: perplexity of a token and of a word. */
#include <math.h>
#include <stdlib.h>

#include "models/language_model.h"
#include "train/evaluate_tasks.h"
#include "train/language_loss.h"

enum { BATCH = 64 };

typedef struct Evaluation {
    const Model *model;
    const LanguageModel *language;
    Pairs *sentences;
    BatchPlan plan;
    const StopFlag *stop;
} Evaluation;

static void evaluate_batch(void *context, int i, Tape *tape, Measures *measures)
{
    const Evaluation *e = context;
    if (stop_requested(e->stop))
        return;
    LanguageBatch batch = language_batch(tape_arena(tape), e->sentences, &e->plan, i, 0, 1);
    language_loss(e->language->net, tape, &batch, 0, NULL, 1, measures);
}

/* Pieces that begin a word, and end marks: what a perplexity per word divides by. */
static double count_words(const Evaluation *e)
{
    double words = 0;
    for (int i = 0; i < e->sentences->n; i++)
        for (int t = 0; t < e->sentences->pairs[i].n_target; t++)
            words +=
                tokenizer_starts_word(e->language->tokenizer, e->sentences->pairs[i].target[t]);
    return words;
}

static json_t *figures(const Evaluation *e, const Measures *all)
{
    double tokens = 0;
    for (int i = 0; i < e->sentences->n; i++)
        tokens += e->sentences->pairs[i].n_target;
    double nll = measures_get(all, "loss");
    json_t *scores = json_object();
    json_object_set_new(scores, "perplexity", json_real(exp(nll)));
    json_object_set_new(scores, "word_perplexity", json_real(exp(nll * tokens / count_words(e))));
    json_object_set_new(scores, "nll", json_real(nll));
    static const char *const others[] = {"accuracy", "entropy", "distance"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!isnan(measures_get(all, others[i])))
            json_object_set_new(scores, others[i], json_real(measures_get(all, others[i])));
    json_object_set_new(scores, "tokens", json_integer((json_int_t)tokens));
    json_object_set_new(scores, "examples", json_integer(e->sentences->n));
    return scores;
}

static Pairs *read_sentences(const EvaluateRequest *request, Error *error)
{
    const LanguageModel *language = request->model->network;
    LanguageLines lines;
    if (!language_lines_read(request->data, &lines, error))
        return NULL;
    if (request->limit > 0 && request->limit < lines.n)
        lines.n = request->limit;
    Pairs *sentences = language_encode(&lines, request->data, language->tokenizer, 0, error);
    language_lines_free(&lines);
    return sentences;
}

json_t *evaluate_language(const EvaluateRequest *request, Error *error)
{
    Evaluation e = {.model = request->model,
                    .language = request->model->network,
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
    if (stop_requested(request->stop))
        error_set(error, ERROR_CANCELLED, "stopped");
    else
        scores = figures(&e, &all);
    batch_plan_free(&e.plan);
    pairs_free(e.sentences);
    return scores;
}
