/* A description in progress as a trace. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "models/caption_session.h"

/* ---- picture and axes ---- */

static void add_image(const CaptionSession *s, TraceBuilder *b)
{
    int side = caption_get_shape(s->describer->net)->side;
    size_t n = (size_t)side * (size_t)side;
    uint8_t *rgba = memory_new(n, 4);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < 3; c++)
            rgba[4 * i + c] = (uint8_t)lround(255 * fmin(fmax((double)s->rgb[3 * i + c], 0), 1));
        rgba[4 * i + 3] = 255;
    }
    trace_set_image(b, &(TraceImage){side, side, rgba});
    free(rgba);
}

static int32_t add_words_axis(const CaptionSession *s, TraceBuilder *b)
{
    int n = s->base.n_steps;
    TokenAxis axis = token_axis_new(n);
    for (int i = 0; i < n; i++) {
        const WordRecord *r = &s->records[i];
        axis.labels[i] = s->describer->words[r->word];
        axis.flags[i] = (uint8_t)((r->word == CAPTION_END ? TRACE_TOKEN_SPECIAL : 0) |
                                  (r->forced ? TRACE_TOKEN_FORCED : 0));
    }
    return token_axis_add(&axis, b, "target", NULL);
}

static int32_t add_cells_axis(const CaptionSession *s, TraceBuilder *b)
{
    int grid = caption_get_shape(s->describer->net)->grid;
    TraceAxis axis = {.name = "cell", .kind = TRACE_AXIS_GRID, .parent_axis = -1};
    axis.len = s->n_cells;
    axis.rows = axis.cols = grid;
    uint8_t *flags = arena_get_zeroed(s->arena, (size_t)s->n_cells, 1);
    for (int i = 0; s->keep && i < s->n_cells; i++)
        flags[i] = s->keep[i] ? 0 : TRACE_TOKEN_HIDDEN;
    axis.flags = s->keep ? flags : NULL;
    return trace_add_axis(b, &axis);
}

/* The objects of a composed scene with their boxes, for comparing attention with the truth. */
static void add_objects(const CaptionSession *s, TraceBuilder *b)
{
    static const char *const corners[] = {"x", "y", "w", "h"};
    const Scene *scene = &s->scene;
    if (scene->n == 0)
        return;
    const char *labels[SCENE_MAX_OBJECTS];
    for (int i = 0; i < scene->n; i++)
        labels[i] = scene_kind(scene->objects[i].kind)->name;
    TraceAxis axis = {.name = "object", .kind = TRACE_AXIS_INDEX, .parent_axis = -1};
    axis.len = scene->n;
    axis.labels = labels;
    int32_t axes[2] = {trace_add_axis(b, &axis), 0};
    axis = (TraceAxis){.name = "corner", .kind = TRACE_AXIS_INDEX, .len = 4, .labels = corners};
    axis.parent_axis = -1;
    axes[1] = trace_add_axis(b, &axis);
    float boxes[SCENE_MAX_OBJECTS * 4];
    for (int i = 0; i < scene->n; i++) {
        const SceneObject *o = &scene->objects[i];
        boxes[4 * i] = (float)(o->x - o->size / 2);
        boxes[4 * i + 1] = (float)(o->y - o->size / 2);
        boxes[4 * i + 2] = boxes[4 * i + 3] = (float)o->size;
    }
    trace_add_tensor(b, "object.boxes", TRACE_SCALAR, 2, axes, boxes);
}

/* ---- attention ---- */

static void add_rows(const CaptionSession *s, TraceBuilder *b, const char *name, TraceRole role,
                     const int32_t axes[2], size_t member)
{
    float *out = trace_new_tensor(b, name, role, 2, axes);
    for (int i = 0; out && i < s->base.n_steps; i++) {
        const float *row = *(float **)((char *)&s->records[i] + member);
        if (!row) /* a person's weights elsewhere only: the model's own are what was used */
            row = s->records[i].weights;
        memcpy(out + (size_t)i * (size_t)s->n_cells, row, (size_t)s->n_cells * sizeof *out);
    }
}

/* Sums of the softmax over the words so far. */
static void add_coverage(const CaptionSession *s, TraceBuilder *b, const int32_t axes[2])
{
    float *out = trace_new_tensor(b, "attention.coverage", TRACE_SCALAR, 2, axes);
    for (int i = 0; out && i < s->base.n_steps; i++)
        for (int j = 0; j < s->n_cells; j++) {
            float *cell = out + (size_t)i * (size_t)s->n_cells + j;
            *cell = s->records[i].aligned[j] + (i > 0 ? cell[-s->n_cells] : 0);
        }
}

static void add_attention(const CaptionSession *s, TraceBuilder *b, const int32_t axes[2])
{
    if (s->base.n_steps == 0)
        return;
    bool changed = false;
    for (int i = 0; i < s->base.n_steps; i++)
        changed = changed || s->records[i].own_weights;
    add_rows(s, b, "attention.weights", TRACE_WEIGHTS, axes, offsetof(WordRecord, weights));
    add_rows(s, b, "attention.scores", TRACE_SCORES, axes, offsetof(WordRecord, scores));
    if (caption_get_shape(s->describer->net)->is_hard)
        add_rows(s, b, "attention.softmax", TRACE_WEIGHTS, axes, offsetof(WordRecord, aligned));
    if (changed)
        add_rows(s, b, "attention.own_weights", TRACE_WEIGHTS, axes,
                 offsetof(WordRecord, own_weights));
    add_coverage(s, b, axes);
}

/* Sampled runs over the same words: the cells that they took, and how often. Each run follows
 * its own states, so a later row differs from the softmax of the run that is shown. */
static void add_paths(const CaptionSession *s, TraceBuilder *b, const int32_t axes[2])
{
    int n = s->options.paths, steps = s->base.n_steps;
    if (n == 0 || steps == 0 || !caption_get_shape(s->describer->net)->is_hard)
        return;
    TraceAxis axis = {.name = "path", .kind = TRACE_AXIS_INDEX, .len = n, .parent_axis = -1};
    int32_t path = trace_add_axis(b, &axis);
    float *cells =
        trace_new_tensor(b, "paths.cells", TRACE_SCALAR, 2, (const int32_t[]){path, axes[0]});
    float *frequency = trace_new_tensor(b, "paths.weights", TRACE_WEIGHTS, 2, axes);
    if (!cells || !frequency)
        return;
    const Caption *net = s->describer->net;
    Random random = random_seed(s->options.seed, RANDOM_EXPLORE);
    Tape *tape = tape_new_inference(s->base.model->params);
    for (int k = 0; k < n; k++) {
        tape_reset(tape);
        Var *state = s->source.first_state;
        for (int i = 0; i < steps; i++) {
            int last = i > 0 ? s->records[i - 1].word : -1;
            double draw = random_uniform(&random);
            const CaptionControl control = {.temperature = 1, .keep = s->keep, .draws = &draw};
            CaptionStep step = caption_step(net, tape, &s->source,
                                            caption_embed(net, tape, 1, &last), state, &control);
            state = step.state;
            cells[k * steps + i] = (float)step.chosen[0];
            frequency[i * s->n_cells + step.chosen[0]] += 1 / (float)n;
        }
    }
    tape_free(tape);
}

/* ---- steps ---- */

static void add_step(const CaptionSession *s, TraceBuilder *b, int i)
{
    const WordRecord *r = &s->records[i];
    bool is_hard = r->chosen >= 0;
    trace_add_step(b, &(TraceStep){
                          .token = s->describer->words[r->word],
                          .id = r->word,
                          .probability = r->probability,
                          .forced = r->forced,
                          .n_candidates = r->candidates.n,
                          .candidates = r->candidates.item,
                          .n_scalars = r->scalars.n,
                          .scalars = r->scalars.item,
                          .n_selected = is_hard,
                          .selected = &r->chosen,
                      });
    if (r->is_given)
        trace_add_change(b, &(TraceChange){i, "token", "the word was given"});
    if (r->own_weights)
        trace_add_change(b, &(TraceChange){i, "weights", "the weights were painted"});
    if (r->cell_forced)
        trace_add_change(b, &(TraceChange){i, "selection", "the cell was chosen by hand"});
}

static void add_changes(const CaptionSession *s, TraceBuilder *b)
{
    char text[32];
    for (int i = 0; s->keep && i < s->n_cells; i++) {
        if (s->keep[i])
            continue;
        snprintf(text, sizeof text, "hidden: cell %d", i + 1);
        trace_add_change(b, &(TraceChange){-1, "cell", text});
    }
    trace_add_forced(b, &s->options);
}

static void add_texts(const CaptionSession *s, TraceBuilder *b)
{
    StrBuf out = {0};
    double total = 0;
    for (int i = 0; i < s->base.n_steps; i++) {
        const WordRecord *r = &s->records[i];
        total += log(r->probability);
        if (r->word != CAPTION_END)
            strbuf_addf(&out, "%s%s", i > 0 ? " " : "", s->describer->words[r->word]);
    }
    trace_set_text(b, "input", s->text);
    trace_set_text(b, "output", out.text ? out.text : "");
    trace_set_score(b, total);
    strbuf_free(&out);
    SceneSpec spec;
    if (!scene_describe(&s->scene, &spec))
        return;
    StrBuf truth = {0};
    scene_write(&spec, &truth);
    trace_set_text(b, "reference", truth.text);
    strbuf_free(&truth);
}

const Trace *caption_session_trace(Session *session, Error *error)
{
    CaptionSession *s = (CaptionSession *)session;
    TraceBuilder *b = trace_builder_new();
    trace_add_model_attributes(b, session->model, &s->options);
    static const char *const names[] = {"attention", "gate"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        trace_set_attribute(b, names[i], "%s", settings_text(session->model->settings, names[i]));
    add_changes(s, b);
    add_texts(s, b);
    add_image(s, b);
    int32_t axes[2];
    axes[0] = add_words_axis(s, b);
    axes[1] = add_cells_axis(s, b);
    add_attention(s, b, axes);
    add_paths(s, b, axes);
    add_objects(s, b);
    for (int i = 0; i < session->n_steps; i++)
        add_step(s, b, i);
    return trace_seal(b, error);
}
