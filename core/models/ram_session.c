/* Stepping through a picture: one glimpse a step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/digit.h"
#include "image/drawing.h"
#include "models/ram_model.h"
#include "models/session_tools.h"

enum { CANVAS_SIDE = 140 };

/* What a glimpse leaves behind; arrays in the session's arena. */
typedef struct GlimpseRecord {
    Real mean[2];   /* m that this place was chosen with; NaN: none          */
    Real sample[2]; /* before clipping                                        */
    Real place[2];  /* where the retina was                                   */
    bool forced;
    Real *state;     /* h after the glimpse           */
    Real *seen;      /* [k g^2]                       */
    Real *answer;    /* [10] logits of a stop here    */
    Real next[2];    /* m for the glimpse after this  */
    double expected; /* b                           */
    Random random_before;
} GlimpseRecord;

typedef struct RamSession {
    Session base;
    const Ram *net;
    RunOptions options;
    char *text;
    int truth; /* the right digit, or -1 */
    int max_steps;
    Real *picture; /* [side, side] */
    Random random;
    Tape *step; /* reset at every step */
    Arena *arena;
    GlimpseRecord *records; /* [max_steps] */
} RamSession;

static const SessionType ram_session;

/* ---- beginning ---- */

static DigitLayout layout_of(const RamShape *shape)
{
    return shape->canvas == CANVAS_PLAIN ? DIGIT_CENTRED : DIGIT_PLACED;
}

/* A pen as thick as MNIST's strokes will be once the canvas has the model's size. */
static float pen_of(const RamShape *shape)
{
    const float stroke = 2.6f; /* pixels of 28 */
    float pixels = shape->canvas == CANVAS_PLAIN ? 28 : (float)shape->side;
    return stroke * CANVAS_SIDE / pixels;
}

static bool draw_text(const RamShape *shape, const char *text, float *out, Error *error)
{
    float *canvas = memory_new((size_t)CANVAS_SIDE * CANVAS_SIDE, sizeof *canvas);
    bool ok = drawing_render(text, canvas, CANVAS_SIDE, pen_of(shape), error) &&
              digit_from_canvas(canvas, CANVAS_SIDE, CANVAS_SIDE, layout_of(shape), shape->side,
                                out, error);
    free(canvas);
    return ok;
}

static bool prepare_picture(RamSession *s, const RunInput *input, Error *error)
{
    const RamShape *shape = ram_get_shape(s->net);
    size_t n = (size_t)shape->side * (size_t)shape->side;
    float *picture = memory_new(n, sizeof *picture);
    bool ok;
    if (input->image)
        ok = digit_prepare(input->image, layout_of(shape), shape->side, picture, error);
    else if (input->text)
        ok = draw_text(shape, input->text, picture, error);
    else
        ok = error_set(error, ERROR_INPUT, "a picture of a digit was expected");
    s->picture = arena_get(s->arena, n, sizeof *s->picture);
    for (size_t i = 0; ok && i < n; i++)
        s->picture[i] = picture[i];
    free(picture);
    return ok;
}

static bool check_options(RamSession *s, Error *error)
{
    const RunOptions *o = &s->options;
    const RamShape *shape = ram_get_shape(s->net);
    s->max_steps = o->max_steps > 0 ? o->max_steps : shape->glimpses;
    if (s->max_steps > RAM_MAX_GLIMPSES)
        return error_set(error, ERROR_INPUT, "%d glimpses: at most %d", s->max_steps,
                         RAM_MAX_GLIMPSES);
    if (o->paths < 0 || o->paths > RUN_MAX_PATHS)
        return error_set(error, ERROR_INPUT, "%d paths: 0 to %d were expected", o->paths,
                         RUN_MAX_PATHS);
    s->truth = -1;
    if (!o->force)
        return true;
    if (strlen(o->force) != 1 || o->force[0] < '0' || o->force[0] > '9')
        return error_set(error, ERROR_INPUT, "the right answer is a digit, not \"%s\"", o->force);
    s->truth = o->force[0] - '0';
    return true;
}

Session *ram_session_begin(const Model *model, const RunInput *input, const RunOptions *options,
                           Error *error)
{
    RamSession *s = memory_new(1, sizeof *s);
    s->base.type = &ram_session;
    s->base.model = model_retain(model);
    s->net = model->network;
    s->options = *options;
    s->text = memory_copy_string(input->text ? input->text : "");
    s->random = random_seed(options->seed, RANDOM_SAMPLE);
    s->step = tape_new_inference(model->params);
    s->arena = arena_new();
    if (check_options(s, error) && prepare_picture(s, input, error)) {
        s->records = memory_new((size_t)s->max_steps, sizeof *s->records);
        return &s->base;
    }
    session_free(&s->base);
    return NULL;
}

static void ram_session_free(Session *session)
{
    RamSession *s = (RamSession *)session;
    tape_free(s->step);
    arena_free(s->arena);
    free(s->records);
    free(s->text);
}

/* ---- one step ---- */

static Real clip(Real value)
{
    return value > 1 ? 1 : value < -1 ? -1 : value;
}

/* The model's own place for glimpse t. */
static void choose_place(RamSession *s, int t, GlimpseRecord *r)
{
    const RamShape *shape = ram_get_shape(s->net);
    if (shape->looking != LOOKING_LEARNED) {
        ram_control_place(shape, t, &s->random, r->sample);
        return;
    }
    if (t == 0) {
        ram_first_place(shape, &s->random, r->sample);
        return;
    }
    for (int k = 0; k < 2; k++) {
        r->mean[k] = s->records[t - 1].next[k];
        double noise = s->options.sample ? shape->sigma * random_normal(&s->random) : 0;
        r->sample[k] = r->mean[k] + (Real)noise;
    }
}

static bool decide_place(RamSession *s, const StepChoice *choice, int t, GlimpseRecord *r,
                         Error *error)
{
    r->mean[0] = r->mean[1] = (Real)NAN;
    choose_place(s, t, r);
    if (choice->moves_window) {
        if (!(choice->centre >= 0 && choice->centre <= 1 && choice->centre_y >= 0 &&
              choice->centre_y <= 1))
            return error_set(error, ERROR_INPUT,
                             "a glimpse at (%g, %g): parts of the picture, 0 to 1, were expected",
                             choice->centre, choice->centre_y);
        r->forced = true;
        r->sample[0] = (Real)(2 * choice->centre - 1);
        r->sample[1] = (Real)(2 * choice->centre_y - 1);
    }
    r->place[0] = clip(r->sample[0]);
    r->place[1] = clip(r->sample[1]);
    return true;
}

static Real *keep(RamSession *s, const Var *x)
{
    Real *copy = arena_get(s->arena, var_size(x), sizeof *copy);
    return memcpy(copy, x->value, var_size(x) * sizeof *copy);
}

static void look(RamSession *s, int t, GlimpseRecord *r)
{
    const RamShape *shape = ram_get_shape(s->net);
    tape_reset(s->step);
    const Real *picture = s->picture;
    Var *seen = ram_look(s->net, s->step, 1, &picture, r->place);
    Var *where = tape_constant(s->step, 1, 2, r->place);
    Var *before = t > 0 ? tape_borrow(s->step, 1, shape->hidden, s->records[t - 1].state) : NULL;
    Var *state = ram_step(s->net, s->step, seen, where, before);
    r->state = keep(s, state);
    r->seen = keep(s, seen);
    r->answer = keep(s, ram_classify(s->net, s->step, state));
    r->next[0] = r->next[1] = (Real)NAN;
    r->expected = NAN;
    if (shape->looking != LOOKING_LEARNED)
        return;
    memcpy(r->next, ram_locate(s->net, s->step, state)->value, sizeof r->next);
    r->expected = (double)ram_baseline(s->net, s->step, state)->value[0];
}

static bool ram_session_step(Session *session, const StepChoice *choice, Error *error)
{
    RamSession *s = (RamSession *)session;
    int t = session->n_steps;
    GlimpseRecord r = {.random_before = s->random};
    if (!decide_place(s, choice, t, &r, error)) {
        s->random = r.random_before;
        return false;
    }
    look(s, t, &r);
    s->records[t] = r;
    session->n_steps++;
    session->is_done = session->n_steps >= s->max_steps;
    return true;
}

static void ram_session_rewind(Session *session, int step)
{
    RamSession *s = (RamSession *)session;
    if (step < session->n_steps)
        s->random = s->records[step].random_before;
    session->n_steps = step;
    session->is_done = false;
}

/* ---- trace ---- */

static const char *const digit_names[RAM_N_CLASSES] = {"0", "1", "2", "3", "4",
                                                       "5", "6", "7", "8", "9"};

static void add_image(const RamSession *s, TraceBuilder *b)
{
    int side = ram_get_shape(s->net)->side;
    size_t n = (size_t)side * (size_t)side;
    uint8_t *rgba = memory_new(n, 4);
    for (size_t i = 0; i < n; i++) {
        uint8_t ink = (uint8_t)lround(255 * fmin(fmax((double)s->picture[i], 0), 1));
        rgba[4 * i] = rgba[4 * i + 1] = rgba[4 * i + 2] = ink;
        rgba[4 * i + 3] = 255;
    }
    trace_set_image(b, &(TraceImage){side, side, rgba});
    free(rgba);
}

typedef struct Axes {
    int32_t glimpse, patch, pixel, digit, xy;
} Axes;

static Axes add_axes(const RamSession *s, TraceBuilder *b)
{
    static const char *const directions[] = {"x", "y"};
    const RamShape *shape = ram_get_shape(s->net);
    int g = shape->retina.patch;
    TraceAxis axis = {.name = "glimpse", .kind = TRACE_AXIS_STEP, .parent_axis = -1};
    Axes a;
    axis.len = s->base.n_steps;
    a.glimpse = trace_add_axis(b, &axis);
    axis = (TraceAxis){.name = "patch", .kind = TRACE_AXIS_INDEX, .parent_axis = -1};
    axis.len = shape->retina.scales;
    a.patch = trace_add_axis(b, &axis);
    axis = (TraceAxis){.name = "pixel", .kind = TRACE_AXIS_GRID, .parent_axis = -1};
    axis.len = g * g;
    axis.rows = axis.cols = g;
    a.pixel = trace_add_axis(b, &axis);
    axis = (TraceAxis){.name = "class", .kind = TRACE_AXIS_CLASS, .parent_axis = -1};
    axis.len = RAM_N_CLASSES;
    axis.labels = digit_names;
    a.digit = trace_add_axis(b, &axis);
    axis = (TraceAxis){.name = "xy", .kind = TRACE_AXIS_INDEX, .parent_axis = -1};
    axis.len = 2;
    axis.labels = directions;
    a.xy = trace_add_axis(b, &axis);
    return a;
}

static void softmax(const Real *logits, float *out)
{
    for (int c = 0; c < RAM_N_CLASSES; c++)
        out[c] = (float)softmax_probability(logits, RAM_N_CLASSES, c);
}

static void add_tensors(const RamSession *s, TraceBuilder *b, const Axes *a)
{
    size_t n_seen = (size_t)retina_size(&ram_get_shape(s->net)->retina);
    float *seen = trace_new_tensor(b, "glimpse.patches", TRACE_STATE, 3,
                                   (const int32_t[]){a->glimpse, a->patch, a->pixel});
    float *answer = trace_new_tensor(b, "class.probabilities", TRACE_PROBABILITIES, 2,
                                     (const int32_t[]){a->glimpse, a->digit});
    float *place = trace_new_tensor(b, "glimpse.locations", TRACE_SCALAR, 2,
                                    (const int32_t[]){a->glimpse, a->xy});
    if (!seen || !answer || !place)
        return;
    for (int t = 0; t < s->base.n_steps; t++) {
        const GlimpseRecord *r = &s->records[t];
        for (size_t i = 0; i < n_seen; i++)
            seen[(size_t)t * n_seen + i] = (float)r->seen[i];
        softmax(r->answer, answer + t * RAM_N_CLASSES);
        place[2 * t] = (float)r->place[0];
        place[2 * t + 1] = (float)r->place[1];
    }
}

static void add_place_scalars(const RamSession *s, const GlimpseRecord *r, StepScalars *out)
{
    const RamShape *shape = ram_get_shape(s->net);
    scalars_add(out, "location.x", (double)r->place[0]);
    scalars_add(out, "location.y", (double)r->place[1]);
    if (!isnan((double)r->mean[0])) {
        scalars_add(out, "mean.x", (double)r->mean[0]);
        scalars_add(out, "mean.y", (double)r->mean[1]);
        scalars_add(out, "sigma", shape->sigma);
        scalars_add(out, "log_choice", gaussian_log_density(r->mean, r->sample, shape->sigma));
    }
    if (!isnan(r->expected))
        scalars_add(out, "baseline", r->expected);
}

static void add_step(RamSession *s, TraceBuilder *b, int t)
{
    const RamShape *shape = ram_get_shape(s->net);
    const GlimpseRecord *r = &s->records[t];
    TraceBox boxes[RETINA_MAX_SCALES];
    double inside = 0;
    float side = (float)shape->side;
    for (int j = 0; j < shape->retina.scales; j++) {
        PatchBox box = retina_box(&shape->retina, j, shape->side, r->place[0], r->place[1]);
        inside = retina_overlap(&box, shape->side);
        boxes[j] = (TraceBox){(float)box.x / side, (float)box.y / side, (float)box.side / side,
                              (float)box.side / side};
    }
    StepScalars scalars = {0};
    add_place_scalars(s, r, &scalars);
    scalars_add(&scalars, "inside", inside);
    float answer[RAM_N_CLASSES];
    softmax(r->answer, answer);
    scalars_add_attention(&scalars, answer, RAM_N_CLASSES);
    TopCandidates top = top_candidates(s->arena, r->answer, RAM_N_CLASSES);
    for (int i = 0; i < top.n; i++)
        top.item[i].token = digit_names[top.item[i].id];
    if (s->truth >= 0) {
        const Real *last = s->records[s->base.n_steps - 1].answer;
        TopCandidates final = top_candidates(s->arena, last, RAM_N_CLASSES);
        double reward = final.item[0].id == s->truth ? 1 : 0;
        scalars_add(&scalars, "reward", reward);
        scalars_add(&scalars, "advantage", reward - r->expected);
    }
    trace_add_step(b, &(TraceStep){
                          .token = top.item[0].token,
                          .id = top.item[0].id,
                          .probability = top.item[0].probability,
                          .forced = r->forced,
                          .n_candidates = top.n,
                          .candidates = top.item,
                          .n_scalars = scalars.n,
                          .scalars = scalars.item,
                          .n_boxes = shape->retina.scales,
                          .boxes = boxes,
                      });
    if (r->forced)
        trace_add_change(b, &(TraceChange){t, "glimpse", "the glimpse was put there"});
}

/* Monte Carlo: many sampled runs of the same picture, side by side. mean [10]: their average
 * verdict (Mnih et al. 2014 average over such runs at test). */
static void add_paths(const RamSession *s, TraceBuilder *b, const Axes *a, double *mean)
{
    int n = s->options.paths, glimpses = ram_get_shape(s->net)->glimpses;
    TraceAxis axis = {.name = "path", .kind = TRACE_AXIS_INDEX, .len = n, .parent_axis = -1};
    int32_t path = trace_add_axis(b, &axis);
    axis = (TraceAxis){.name = "path.glimpse", .kind = TRACE_AXIS_STEP, .parent_axis = -1};
    axis.len = glimpses;
    int32_t glimpse = trace_add_axis(b, &axis);
    float *place = trace_new_tensor(b, "paths.locations", TRACE_SCALAR, 3,
                                    (const int32_t[]){path, glimpse, a->xy});
    float *answer = trace_new_tensor(b, "paths.classes", TRACE_PROBABILITIES, 2,
                                     (const int32_t[]){path, a->digit});
    if (!place || !answer)
        return;
    Tape *tape = tape_new_inference(s->base.model->params);
    const Real **pictures = arena_get(tape_arena(tape), (size_t)n, sizeof *pictures);
    for (int i = 0; i < n; i++)
        pictures[i] = s->picture;
    Random random = random_seed(s->options.seed, RANDOM_EXPLORE);
    RamPaths paths =
        ram_walk(s->net, tape, n, pictures, ram_get_shape(s->net)->sigma, NULL, &random);
    Var *logits = ram_classify(s->net, tape, paths.state[glimpses - 1]);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 2 * glimpses; k++)
            place[2 * i * glimpses + k] = (float)clip(paths.sample[k / 2][2 * i + k % 2]);
        softmax(var_row(logits, i), answer + i * RAM_N_CLASSES);
        for (int c = 0; c < RAM_N_CLASSES; c++)
            mean[c] += (double)answer[i * RAM_N_CLASSES + c] / n;
    }
    tape_free(tape);
}

/* mean NULL: the run's own last answer. */
static void add_verdict(const RamSession *s, TraceBuilder *b, const double *mean)
{
    const Real *last = s->records[s->base.n_steps - 1].answer;
    int best = 0;
    double chance[RAM_N_CLASSES];
    for (int c = 0; c < RAM_N_CLASSES; c++) {
        chance[c] = mean ? mean[c] : softmax_probability(last, RAM_N_CLASSES, c);
        best = chance[c] > chance[best] ? c : best;
        trace_add_class(b, digit_names[c], chance[c]);
    }
    trace_set_text(b, "output", digit_names[best]);
}

static const Trace *ram_session_trace(Session *session, Error *error)
{
    RamSession *s = (RamSession *)session;
    TraceBuilder *b = trace_builder_new();
    const Model *model = session->model;
    trace_set_text(b, "input", s->text);
    trace_add_model_attributes(b, model, &s->options);
    static const char *const names[] = {"canvas", "looking", "patch", "scales", "sigma"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        trace_set_attribute(b, names[i], "%s", settings_text(model->settings, names[i]));
    add_image(s, b);
    Axes axes = add_axes(s, b);
    add_tensors(s, b, &axes);
    ram_add_history(model, b);
    double mean[RAM_N_CLASSES] = {0};
    if (s->options.paths > 0)
        add_paths(s, b, &axes, mean);
    for (int t = 0; t < session->n_steps; t++)
        add_step(s, b, t);
    if (session->n_steps > 0)
        add_verdict(s, b, s->options.paths > 0 ? mean : NULL);
    return trace_seal(b, error);
}

static const SessionType ram_session = {
    ram_session_step,
    ram_session_rewind,
    ram_session_trace,
    ram_session_free,
};
