#include "models/leave_one_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/compare.h"
#include "trace/grid.h"

/* One run without one word. */
typedef struct Without {
    double *lost; /* [n_rows] effects */
    char *output;
    Error error;
} Without;

typedef struct Work {
    const LeaveOneOutSpec *spec;
    const Trace *base;
    int verdict; /* the class that was chosen, or -1: a run that writes */
    LeaveOneOut *out;
    Intervention *forced; /* what was written, with the person's other choices */
    int n_forced;
    Without *without; /* [n_words] */
} Work;

/* ---- words and weights ---- */

/* Over a token axis, or NULL. Of a classifier what the verdict is made from: the pooled words. */
static const TraceTensor *word_weights(const Trace *trace)
{
    static const char *const names[] = {"pool.weights", "attention.weights", "word.weights"};
    for (size_t i = trace_n_classes(trace) > 0 ? 0 : 1; i < sizeof names / sizeof names[0]; i++) {
        const TraceTensor *t = trace_find(trace, names[i]);
        if (t && trace_axis(trace, t->axis[t->rank - 1])->kind == TRACE_AXIS_TOKEN)
            return t;
    }
    return NULL;
}

bool leave_one_out_is_possible(const Trace *trace)
{
    return word_weights(trace) != NULL;
}

/* A document's words count as much as their sentence does. */
static void weigh_sentences(const Trace *trace, Grid *grid)
{
    const TraceTensor *sentences = trace_find(trace, "sentence.weights");
    const TraceTensor *words = word_weights(trace);
    const TraceAxis *axis = trace_axis(trace, words->axis[words->rank - 1]);
    if (!sentences || sentences->rank != 1 || !axis->parent ||
        axis->parent_axis != sentences->axis[0])
        return;
    TraceMatrix weights = trace_matrix(trace, sentences, NULL);
    for (int32_t j = 0; j < grid->cols; j++) {
        int32_t sentence = axis->parent[grid->col[j].first];
        for (int32_t i = 0; sentence >= 0 && i < grid->rows; i++)
            grid->data[(size_t)i * (size_t)grid->cols + (size_t)j] *=
                trace_matrix_get(&weights, 0, sentence);
    }
}

static void find_words(LeaveOneOut *out, const Grid *grid)
{
    out->words = arena_get_zeroed(out->arena, (size_t)grid->cols, sizeof *out->words);
    for (int32_t j = 0; j < grid->cols; j++) {
        const GridItem *item = &grid->col[j];
        if (item->flags & (TRACE_TOKEN_SPECIAL | TRACE_TOKEN_PADDING))
            continue;
        out->words[out->n_words++] = (LeftOut){
            .word = arena_copy_string(out->arena, item->label),
            .first = item->first,
            .count = item->count,
        };
    }
}

static bool read_grid(const Trace *trace, Grid *grid, Error *error)
{
    const TraceTensor *tensor = word_weights(trace);
    if (!tensor)
        return error_set(error, ERROR_UNSUPPORTED,
                         "leaving out words needs a model that attends to words");
    const int32_t all[TRACE_MAX_RANK] = {GRID_ALL, GRID_ALL, GRID_ALL,
                                         GRID_ALL, GRID_ALL, GRID_ALL};
    if (!grid_init_reduced(grid, trace, tensor, all, GRID_MEAN, error))
        return false;
    weigh_sentences(trace, grid);
    grid_merge_words(grid, GRID_COLS);
    return true;
}

/* Rows of a writing run are its steps; a classifier has one, the mean over all. */
static void read_weights(Work *w, const Grid *grid)
{
    LeaveOneOut *out = w->out;
    size_t n = (size_t)out->n_words;
    out->weights = arena_get_zeroed(out->arena, (size_t)out->n_rows * n, sizeof(float));
    out->effects = arena_get_zeroed(out->arena, (size_t)out->n_rows * n, sizeof(float));
    for (int32_t i = 0; i < grid->rows; i++)
        for (int32_t k = 0; k < out->n_words; k++) {
            float value = grid_get(grid, i, grid_find_col(grid, out->words[k].first));
            if (w->verdict >= 0)
                out->weights[k] += value / (float)grid->rows;
            else if (i < out->n_rows)
                out->weights[(size_t)i * n + (size_t)k] = value;
            out->words[k].weight += value / (float)grid->rows;
        }
}

static int verdict_of(const Trace *trace)
{
    int best = -1;
    for (int32_t i = 0; i < trace_n_classes(trace); i++)
        if (best < 0 || trace_class(trace, i)->probability > trace_class(trace, best)->probability)
            best = i;
    return best;
}

static bool prepare(Work *w, Error *error)
{
    LeaveOneOut *out = w->out;
    Grid grid = {0};
    if (!read_grid(w->base, &grid, error))
        return false;
    find_words(out, &grid);
    w->verdict = verdict_of(w->base);
    out->n_rows = w->verdict >= 0 ? 1 : trace_n_steps(w->base);
    bool fits = out->n_words <= LEAVE_ONE_OUT_MAX_WORDS;
    if (!fits)
        error_set(error, ERROR_LIMIT, "%d words to leave out; the limit is %d", out->n_words,
                  LEAVE_ONE_OUT_MAX_WORDS);
    if (fits)
        read_weights(w, &grid);
    grid_deinit(&grid);
    out->rows = arena_get(out->arena, (size_t)out->n_rows, sizeof *out->rows);
    for (int32_t i = 0; i < out->n_rows; i++)
        out->rows[i] =
            arena_copy_string(out->arena, w->verdict >= 0 ? trace_class(w->base, w->verdict)->label
                                                          : trace_step(w->base, i)->token);
    return fits;
}

/* ---- the runs ---- */

static const StepChoice *choice_at(const LeaveOneOutSpec *spec, int step)
{
    for (int i = 0; i < spec->n_interventions; i++)
        if (spec->interventions[i].step == step)
            return &spec->interventions[i].choice;
    return NULL;
}

/* Every token as it was; the person's other choices stay. */
static void force_tokens(Work *w)
{
    const LeaveOneOutSpec *spec = w->spec;
    w->forced = memory_new((size_t)w->out->n_rows + 1, sizeof *w->forced);
    if (w->verdict >= 0) {
        w->n_forced = 0;
        return;
    }
    w->n_forced = w->out->n_rows;
    for (int i = 0; i < w->n_forced; i++) {
        const StepChoice *given = choice_at(spec, i);
        w->forced[i] = (Intervention){i, given ? *given : STEP_CHOICE_NONE};
        if (i == 0 && model_task(spec->model) == TASK_LANGUAGE)
            continue; /* its first token is the begin mark in any case */
        w->forced[i].choice.token = trace_step(w->base, i)->id;
        w->forced[i].choice.word = NULL;
    }
}

static RunOptions options_without(const Work *w, const LeftOut *word, int *hidden)
{
    RunOptions o = w->spec->options ? *w->spec->options : (RunOptions){0};
    if (o.n_hidden > 0)
        memcpy(hidden, o.hidden, (size_t)o.n_hidden * sizeof *hidden);
    for (int32_t i = 0; i < word->count; i++)
        hidden[o.n_hidden++] = word->first + i;
    o.hidden = hidden;
    return o;
}

static double class_probability(const Trace *trace, const char *label)
{
    for (int32_t i = 0; i < trace_n_classes(trace); i++)
        if (strcmp(trace_class(trace, i)->label, label) == 0)
            return trace_class(trace, i)->probability;
    return NAN;
}

static void read_effects(const Work *w, const Trace *trace, double *lost)
{
    const char *label = w->verdict >= 0 ? w->out->rows[0] : NULL;
    for (int32_t i = 0; i < w->out->n_rows; i++) {
        double before = label ? trace_class(w->base, w->verdict)->probability
                              : trace_step(w->base, i)->probability;
        double after = label                      ? class_probability(trace, label)
                       : i < trace_n_steps(trace) ? trace_step(trace, i)->probability
                                                  : NAN;
        lost[i] = log(before) - log(after);
    }
}

static char *output_of(const Trace *trace)
{
    int best = verdict_of(trace);
    const char *text = best >= 0 ? trace_class(trace, best)->label : trace_text(trace, "output");
    return memory_copy_string(text ? text : "");
}

static void run_without(void *context, int k)
{
    Work *w = context;
    Without *without = &w->without[k];
    const LeaveOneOutSpec *spec = w->spec;
    int n_hidden = spec->options ? spec->options->n_hidden : 0;
    int *hidden = memory_new((size_t)(n_hidden + w->out->words[k].count), sizeof *hidden);
    RunOptions options = options_without(w, &w->out->words[k], hidden);
    RunOptions forced = options;
    forced.beam = 1; /* there is nothing to search for */
    forced.force = NULL;
    const Trace *same = model_run(spec->model, spec->input, w->verdict >= 0 ? &options : &forced,
                                  w->n_forced, w->forced, &without->error);
    if (same)
        read_effects(w, same, without->lost);
    const Trace *free_run = same && w->verdict < 0 ? model_run(spec->model, spec->input, &options,
                                                               spec->n_interventions,
                                                               spec->interventions, &without->error)
                                                   : trace_retain(same);
    if (free_run)
        without->output = output_of(free_run);
    trace_release(same);
    trace_release(free_run);
    free(hidden);
}

/* ---- together ---- */

static void correlate(LeaveOneOut *out)
{
    int32_t n = out->n_words;
    float *weights = memory_new((size_t)n, sizeof *weights);
    float *effects = memory_new((size_t)n, sizeof *effects);
    for (int32_t k = 0; k < n; k++) {
        weights[k] = out->words[k].weight;
        effects[k] = out->words[k].effect;
    }
    out->kendall = compare_kendall(weights, effects, n);
    out->spearman = compare_spearman(weights, effects, n);
    double sum = 0;
    int rows = 0;
    for (int32_t i = 0; i < out->n_rows; i++) {
        size_t at = (size_t)i * (size_t)n;
        double tau = compare_kendall(out->weights + at, out->effects + at, n);
        if (isfinite(tau)) {
            sum += tau;
            rows++;
        }
    }
    out->row_kendall = rows > 0 ? sum / rows : NAN;
    free(weights);
    free(effects);
}

static bool gather(Work *w, Error *error)
{
    LeaveOneOut *out = w->out;
    char *output = output_of(w->base);
    bool ok = true;
    for (int32_t k = 0; k < out->n_words && ok; k++) {
        Without *without = &w->without[k];
        LeftOut *word = &out->words[k];
        ok = without->output || error_set(error, without->error.kind, "without \"%s\": %s",
                                          word->word, without->error.message);
        if (!ok)
            break;
        word->output = arena_copy_string(out->arena, without->output);
        word->changes_output = strcmp(word->output, output) != 0;
        for (int32_t i = 0; i < out->n_rows; i++) {
            out->effects[(size_t)i * (size_t)out->n_words + (size_t)k] = (float)without->lost[i];
            word->effect += (float)without->lost[i];
        }
    }
    free(output);
    if (ok)
        correlate(out);
    return ok;
}

static bool run_all(Work *w, Error *error)
{
    LeaveOneOut *out = w->out;
    force_tokens(w);
    w->without = memory_new((size_t)out->n_words, sizeof *w->without);
    for (int32_t k = 0; k < out->n_words; k++)
        w->without[k].lost = arena_get(out->arena, (size_t)out->n_rows, sizeof(double));
    Workers *workers = workers_new(w->spec->n_threads > 0 ? w->spec->n_threads : 1);
    workers_run(workers, out->n_words, run_without, w);
    workers_free(workers);
    bool ok = gather(w, error);
    for (int32_t k = 0; k < out->n_words; k++)
        free(w->without[k].output);
    free(w->without);
    free(w->forced);
    return ok;
}

bool leave_one_out(const LeaveOneOutSpec *spec, LeaveOneOut *out, Error *error)
{
    *out = (LeaveOneOut){.arena = arena_new()};
    const Trace *base = model_run(spec->model, spec->input, spec->options, spec->n_interventions,
                                  spec->interventions, error);
    Work work = {.spec = spec, .base = base, .out = out};
    bool ok = base && prepare(&work, error) && run_all(&work, error);
    trace_release(base);
    if (!ok)
        leave_one_out_free(out);
    return ok;
}

void leave_one_out_free(LeaveOneOut *result)
{
    arena_free(result->arena);
    *result = (LeaveOneOut){0};
}
