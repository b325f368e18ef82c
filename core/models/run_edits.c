#include "models/run_edits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct RunEdits {
    RunOptions options;
    Intervention *steps; /* by rising step; arrays and words inside are owned */
    int n_steps;
};

/* ---- life ---- */

RunEdits *run_edits_new(void)
{
    RunEdits *edits = memory_new(1, sizeof *edits);
    edits->options.temperature = 1;
    edits->options.beam = 1;
    return edits;
}

static void *copy_array(const void *data, int n, size_t size)
{
    if (n == 0)
        return NULL;
    return memcpy(memory_new((size_t)n, size), data, (size_t)n * size);
}

static StepChoice copy_choice(const StepChoice *choice)
{
    StepChoice copy = *choice;
    copy.word = choice->word ? memory_copy_string(choice->word) : NULL;
    copy.weights = copy_array(choice->weights, choice->n_weights, sizeof *choice->weights);
    copy.flips = copy_array(choice->flips, choice->n_flips, sizeof *choice->flips);
    return copy;
}

static void free_choice(StepChoice *choice)
{
    free((char *)choice->word);
    free((float *)choice->weights);
    free((int *)choice->flips);
}

RunEdits *run_edits_copy(const RunEdits *edits)
{
    RunEdits *copy = memory_new(1, sizeof *copy);
    copy->options = edits->options;
    copy->options.force = edits->options.force ? memory_copy_string(edits->options.force) : NULL;
    copy->options.hidden =
        copy_array(edits->options.hidden, edits->options.n_hidden, sizeof *edits->options.hidden);
    copy->n_steps = edits->n_steps;
    copy->steps = memory_new((size_t)edits->n_steps, sizeof *copy->steps);
    for (int i = 0; i < edits->n_steps; i++)
        copy->steps[i] = (Intervention){edits->steps[i].step, copy_choice(&edits->steps[i].choice)};
    return copy;
}

void run_edits_free(RunEdits *edits)
{
    if (!edits)
        return;
    free((char *)edits->options.force);
    free((int *)edits->options.hidden);
    for (int i = 0; i < edits->n_steps; i++)
        free_choice(&edits->steps[i].choice);
    free(edits->steps);
    free(edits);
}

bool run_edits_equal(const RunEdits *a, const RunEdits *b)
{
    json_t *x = run_edits_to_json(a), *y = run_edits_to_json(b);
    bool equal = json_equal(x, y);
    json_decref(x);
    json_decref(y);
    return equal;
}

const RunOptions *run_edits_options(const RunEdits *edits)
{
    return &edits->options;
}

const Intervention *run_edits_interventions(const RunEdits *edits, int *n)
{
    *n = edits->n_steps;
    return edits->steps;
}

/* ---- the whole run ---- */

void run_edits_set_temperature(RunEdits *edits, double temperature)
{
    edits->options.temperature = temperature;
}

void run_edits_set_beam(RunEdits *edits, int width)
{
    edits->options.beam = width;
}

void run_edits_set_length_penalty(RunEdits *edits, double alpha)
{
    edits->options.length_penalty = alpha;
}

void run_edits_set_window(RunEdits *edits, int reach)
{
    edits->options.window = reach;
}

void run_edits_set_renormalise(RunEdits *edits, bool on)
{
    edits->options.renormalise = on;
}

void run_edits_set_sample(RunEdits *edits, bool on)
{
    edits->options.sample = on;
}

void run_edits_set_seed(RunEdits *edits, uint64_t seed)
{
    edits->options.seed = seed;
}

void run_edits_set_paths(RunEdits *edits, int paths)
{
    edits->options.paths = paths;
}

void run_edits_set_force(RunEdits *edits, const char *text)
{
    char *copy = text && *text ? memory_copy_string(text) : NULL;
    free((char *)edits->options.force);
    edits->options.force = copy;
}

/* Adds or removes a number in an owned array; `toggle` removes what is there. */
static int *with_item(const int *items, int *n, int item, bool wanted)
{
    int *out = memory_new((size_t)*n + 1, sizeof *out);
    int used = 0;
    for (int i = 0; i < *n; i++)
        if (items[i] != item)
            out[used++] = items[i];
    if (wanted)
        out[used++] = item;
    *n = used;
    return out;
}

void run_edits_hide(RunEdits *edits, int item, bool hidden)
{
    RunOptions *o = &edits->options;
    int *items = with_item(o->hidden, &o->n_hidden, item, hidden);
    free((int *)o->hidden);
    o->hidden = items;
}

/* ---- one step ---- */

static StepChoice *choice_at(RunEdits *edits, int step)
{
    int place = 0;
    while (place < edits->n_steps && edits->steps[place].step < step)
        place++;
    if (place < edits->n_steps && edits->steps[place].step == step)
        return &edits->steps[place].choice;
    edits->steps = memory_resize(edits->steps, (size_t)edits->n_steps + 1, sizeof *edits->steps);
    memmove(edits->steps + place + 1, edits->steps + place,
            (size_t)(edits->n_steps - place) * sizeof *edits->steps);
    edits->n_steps++;
    edits->steps[place] = (Intervention){step, STEP_CHOICE_NONE};
    return &edits->steps[place].choice;
}

static bool is_neutral(const StepChoice *c)
{
    return c->token < 0 && !c->word && c->n_weights == 0 && c->selected < 0 && !c->moves_window &&
           c->window == 0 && c->n_flips == 0;
}

static void drop_neutral(RunEdits *edits)
{
    int used = 0;
    for (int i = 0; i < edits->n_steps; i++) {
        if (is_neutral(&edits->steps[i].choice))
            free_choice(&edits->steps[i].choice);
        else
            edits->steps[used++] = edits->steps[i];
    }
    edits->n_steps = used;
}

void run_edits_set_token(RunEdits *edits, int step, int token, const char *word)
{
    StepChoice *c = choice_at(edits, step);
    char *copy = word ? memory_copy_string(word) : NULL;
    free((char *)c->word);
    c->token = token;
    c->word = copy;
    drop_neutral(edits);
}

void run_edits_set_weights(RunEdits *edits, int step, int n, const float *weights)
{
    StepChoice *c = choice_at(edits, step);
    float *copy = copy_array(weights, n, sizeof *weights);
    free((float *)c->weights);
    c->n_weights = n;
    c->weights = copy;
    drop_neutral(edits);
}

void run_edits_set_selected(RunEdits *edits, int step, int position)
{
    choice_at(edits, step)->selected = position;
    drop_neutral(edits);
}

void run_edits_set_centre(RunEdits *edits, int step, double x, double y)
{
    StepChoice *c = choice_at(edits, step);
    c->moves_window = true;
    c->centre = x;
    c->centre_y = y;
}

void run_edits_clear_centre(RunEdits *edits, int step)
{
    choice_at(edits, step)->moves_window = false;
    drop_neutral(edits);
}

void run_edits_set_step_window(RunEdits *edits, int step, int reach)
{
    choice_at(edits, step)->window = reach;
    drop_neutral(edits);
}

void run_edits_flip(RunEdits *edits, int step, int item)
{
    StepChoice *c = choice_at(edits, step);
    bool flipped = false;
    for (int i = 0; i < c->n_flips; i++)
        flipped = flipped || c->flips[i] == item;
    int *flips = with_item(c->flips, &c->n_flips, item, !flipped);
    free((int *)c->flips);
    c->flips = flips;
    drop_neutral(edits);
}

static void clear_flips(RunEdits *edits, int step)
{
    StepChoice *c = choice_at(edits, step);
    free((int *)c->flips);
    c->flips = NULL;
    c->n_flips = 0;
    drop_neutral(edits);
}

void run_edits_forget_after(RunEdits *edits, int step)
{
    while (edits->n_steps > 0 && edits->steps[edits->n_steps - 1].step > step)
        free_choice(&edits->steps[--edits->n_steps].choice);
}

/* ---- the list of changes ----
 * One walk over everything that can differ; naming and removing are what it does when it
 * reaches number i. */

typedef struct Walk {
    int wanted; /* number of the change to handle; -1: count only */
    int count;
    int step;
    bool removes;
    RunEdit found;
} Walk;

/* Counts a change; true when it is the wanted one, which is to be taken back. */
static bool reached(Walk *walk, RunEditKind kind, double number, const char *word)
{
    if (walk->count++ != walk->wanted)
        return false;
    walk->found = (RunEdit){kind, walk->step, number, word};
    return walk->removes;
}

static void walk_options(RunEdits *edits, Walk *walk)
{
    RunOptions *o = &edits->options;
    if (o->temperature != 1 && reached(walk, RUN_EDIT_TEMPERATURE, o->temperature, NULL))
        o->temperature = 1;
    if (o->beam > 1 && reached(walk, RUN_EDIT_BEAM, o->beam, NULL))
        o->beam = 1;
    if (o->length_penalty > 0 && reached(walk, RUN_EDIT_LENGTH_PENALTY, o->length_penalty, NULL))
        o->length_penalty = 0;
    if (o->window > 0 && reached(walk, RUN_EDIT_WINDOW, o->window, NULL))
        o->window = 0;
    if (o->renormalise && reached(walk, RUN_EDIT_RENORMALISE, 1, NULL))
        o->renormalise = false;
    if (o->sample && reached(walk, RUN_EDIT_SAMPLE, (double)o->seed, NULL))
        o->sample = false;
    if (o->paths > 0 && reached(walk, RUN_EDIT_PATHS, o->paths, NULL))
        o->paths = 0;
    if (o->force && reached(walk, RUN_EDIT_FORCE, 0, o->force))
        run_edits_set_force(edits, NULL);
    for (int i = 0; i < o->n_hidden; i++)
        if (reached(walk, RUN_EDIT_HIDDEN, o->hidden[i], NULL)) {
            run_edits_hide(edits, o->hidden[i], false);
            return;
        }
}

/* Taking one back may free the step's choice: nothing is looked at after that. */
static void walk_step(RunEdits *edits, int step, const StepChoice *c, Walk *walk)
{
    walk->step = step;
    if ((c->token >= 0 || c->word) && reached(walk, RUN_EDIT_TOKEN, c->token, c->word))
        run_edits_set_token(edits, step, -1, NULL);
    else if (c->n_weights > 0 && reached(walk, RUN_EDIT_WEIGHTS, c->n_weights, NULL))
        run_edits_set_weights(edits, step, 0, NULL);
    else if (c->selected >= 0 && reached(walk, RUN_EDIT_SELECTED, c->selected, NULL))
        run_edits_set_selected(edits, step, -1);
    else if (c->moves_window && reached(walk, RUN_EDIT_CENTRE, c->centre, NULL))
        run_edits_clear_centre(edits, step);
    else if (c->window > 0 && reached(walk, RUN_EDIT_STEP_WINDOW, c->window, NULL))
        run_edits_set_step_window(edits, step, 0);
    else if (c->n_flips > 0 && reached(walk, RUN_EDIT_FLIPS, c->n_flips, NULL))
        clear_flips(edits, step);
}

static void walk_all(RunEdits *edits, Walk *walk)
{
    walk->step = -1;
    walk_options(edits, walk);
    for (int i = 0; i < edits->n_steps && walk->count <= walk->wanted; i++)
        walk_step(edits, edits->steps[i].step, &edits->steps[i].choice, walk);
}

bool run_edits_check_steps(const RunEdits *edits, int n_steps, Error *error)
{
    for (int i = 0; i < edits->n_steps; i++)
        if (edits->steps[i].step >= n_steps)
            return error_set(error, ERROR_INPUT, "step %d cannot be changed: the run has %d steps",
                             edits->steps[i].step + 1, n_steps);
    return true;
}

int run_edits_count(const RunEdits *edits)
{
    Walk walk = {.wanted = RUN_EDITS_MAX_STEPS * 8};
    walk_all((RunEdits *)edits, &walk);
    return walk.count;
}

RunEdit run_edits_at(const RunEdits *edits, int i)
{
    Walk walk = {.wanted = i};
    walk_all((RunEdits *)edits, &walk);
    FOVEA_CHECK(i >= 0 && walk.count > i, "change %d of %d", i, walk.count);
    return walk.found;
}

void run_edits_remove(RunEdits *edits, int i)
{
    Walk walk = {.wanted = i, .removes = true};
    walk_all(edits, &walk);
}
