#include "models/ram.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

const Setting ram_settings[] = {
    {"canvas", SETTING_CHOICE, "plain", 0, 0, "plain|translated|cluttered",
     "digits as they are, somewhere on a larger picture, or there among pieces of others"},
    {"side", SETTING_INT, "28", 8, RAM_MAX_SIDE, NULL, "pixels of the picture's side"},
    {"patch", SETTING_INT, "8", 2, RETINA_MAX_PATCH, NULL, "pixels of the finest patch's side"},
    {"scales", SETTING_INT, "1", 1, RETINA_MAX_SCALES, NULL,
     "patches of a glimpse, each twice as wide as the one before"},
    {"glimpses", SETTING_INT, "6", 1, RAM_MAX_GLIMPSES, NULL, "looks at each picture"},
    {"hidden", SETTING_INT, "256", 1, 8192, NULL, "units of the core and of a glimpse"},
    {"glimpse-hidden", SETTING_INT, "128", 1, 8192, NULL, "units for what and for where"},
    {"location-hidden", SETTING_INT, "0", 0, 8192, NULL,
     "units of a layer before the location; 0: none, as in the paper"},
    {"reach", SETTING_REAL, "0", 0, 1, NULL,
     "share of the policy's gradient that goes on into the core"},
    {"sigma", SETTING_REAL, "0.1", 1e-3, 2, NULL, "spread of sampled locations"},
    {"looking", SETTING_CHOICE, "learned", 0, 0, "learned|random|fixed",
     "who decides where to look (random and fixed are controls)"},
    {"first", SETTING_CHOICE, "middle", 0, 0, "middle|random", "place of the first glimpse"},
    {0},
};

struct Ram {
    RamShape shape;
    const Param *what_w, *what_b, *where_w, *where_b;
    const Param *join_what, *join_where, *join_b;
    const Param *core_g, *core_h, *core_b;
    const Param *action_w, *action_b;
    const Param *hidden_w, *hidden_b; /* NULL without the layer */
    const Param *location_w, *location_b;
    const Param *baseline_w, *baseline_b;
};

bool ram_shape(const Settings *settings, RamShape *shape, Error *error)
{
    *shape = (RamShape){
        .retina = {settings_int(settings, "patch"), settings_int(settings, "scales")},
        .side = settings_int(settings, "side"),
        .glimpses = settings_int(settings, "glimpses"),
        .hidden = settings_int(settings, "hidden"),
        .glimpse_hidden = settings_int(settings, "glimpse-hidden"),
        .location_hidden = settings_int(settings, "location-hidden"),
        .reach = settings_real(settings, "reach"),
        .sigma = settings_real(settings, "sigma"),
        .looking = (Looking)settings_choice(settings, "looking"),
        .canvas = (DigitCanvas)settings_choice(settings, "canvas"),
        .starts_in_the_middle = settings_choice(settings, "first") == 0,
    };
    if (shape->retina.patch % 2 != 0)
        return error_set(error, ERROR_INPUT, "patch=%d: an even number was expected",
                         shape->retina.patch);
    int widest = shape->retina.patch << (shape->retina.scales - 1);
    if (widest > 2 * shape->side)
        return error_set(error, ERROR_INPUT,
                         "the widest patch has %d pixels, the picture %d: fewer scales were "
                         "expected",
                         widest, shape->side);
    if (shape->side < 28)
        return error_set(error, ERROR_INPUT,
                         "side=%d: a digit has 28 x 28 pixels, so at least 28 "
                         "were expected",
                         shape->side);
    return true;
}

static const Param *add_policy(ParamSet *p, const char *name, int rows, int cols, Init init,
                               double gain)
{
    Param *param = param_add(p, name, rows, cols, init, gain);
    param->group = PARAM_GROUP_POLICY;
    return param;
}

static void add_location(Ram *net, ParamSet *p)
{
    int d = net->shape.hidden, v = net->shape.location_hidden;
    if (v > 0) {
        net->hidden_w = add_policy(p, "location.hidden.W", v, d, INIT_GLOROT, 1);
        net->hidden_b = add_policy(p, "location.hidden.b", 1, v, INIT_ZERO, 0);
    }
    net->location_w = add_policy(p, "location.W", 2, v > 0 ? v : d, INIT_GLOROT, 0.1);
    net->location_b = add_policy(p, "location.b", 1, 2, INIT_ZERO, 0);
}

Ram *ram_new(const RamShape *shape, ParamSet *p)
{
    Ram *net = memory_new(1, sizeof *net);
    net->shape = *shape;
    int a = shape->glimpse_hidden, d = shape->hidden;
    net->what_w = param_add(p, "what.W", a, retina_size(&shape->retina), INIT_GLOROT, 1);
    net->what_b = param_add(p, "what.b", 1, a, INIT_ZERO, 0);
    net->where_w = param_add(p, "where.W", a, 2, INIT_GLOROT, 1);
    net->where_b = param_add(p, "where.b", 1, a, INIT_ZERO, 0);
    net->join_what = param_add(p, "glimpse.W_what", d, a, INIT_GLOROT, 1);
    net->join_where = param_add(p, "glimpse.W_where", d, a, INIT_GLOROT, 1);
    net->join_b = param_add(p, "glimpse.b", 1, d, INIT_ZERO, 0);
    net->core_g = param_add(p, "core.W", d, d, INIT_GLOROT, 1);
    net->core_h = param_add(p, "core.U", d, d, INIT_ORTHOGONAL, 1);
    net->core_b = param_add(p, "core.b", 1, d, INIT_ZERO, 0);
    net->action_w = param_add(p, "action.W", RAM_N_CLASSES, d, INIT_GLOROT, 1);
    net->action_b = param_add(p, "action.b", 1, RAM_N_CLASSES, INIT_ZERO, 0);
    add_location(net, p);
    net->baseline_w = param_add(p, "baseline.w", 1, d, INIT_ZERO, 0);
    net->baseline_b = param_add(p, "baseline.b", 1, 1, INIT_ZERO, 0);
    return net;
}

void ram_free(Ram *net)
{
    free(net);
}

const RamShape *ram_get_shape(const Ram *net)
{
    return &net->shape;
}

static Var *linear(Tape *tape, Var *x, const Param *w, const Param *b)
{
    return op_linear(tape, x, tape_weights(tape, w), b ? tape_param(tape, b) : NULL);
}

Var *ram_step(const Ram *net, Tape *tape, Var *seen, Var *where, Var *state)
{
    Var *a = op_relu(tape, linear(tape, seen, net->what_w, net->what_b));
    Var *w = op_relu(tape, linear(tape, where, net->where_w, net->where_b));
    Var *g = op_relu(tape, op_add(tape, linear(tape, a, net->join_what, net->join_b),
                                  linear(tape, w, net->join_where, NULL)));
    Var *h = linear(tape, g, net->core_g, net->core_b);
    if (state)
        h = op_add(tape, h, linear(tape, state, net->core_h, NULL));
    return op_relu(tape, h);
}

Var *ram_classify(const Ram *net, Tape *tape, Var *state)
{
    return linear(tape, state, net->action_w, net->action_b);
}

/* h in the forward pass; its gradient is reach times what comes back. */
static Var *partly_detached(Tape *tape, Var *h, double reach)
{
    Var *constant = tape_detach(tape, h);
    if (reach == 0)
        return constant;
    return op_add(tape, op_scale(tape, h, (Real)reach),
                  op_scale(tape, constant, (Real)(1 - reach)));
}

Var *ram_locate(const Ram *net, Tape *tape, Var *state)
{
    Var *h = partly_detached(tape, state, net->shape.reach);
    if (net->hidden_w)
        h = op_relu(tape, linear(tape, h, net->hidden_w, net->hidden_b));
    return op_tanh(tape, linear(tape, h, net->location_w, net->location_b));
}

Var *ram_baseline(const Ram *net, Tape *tape, Var *state)
{
    return linear(tape, tape_detach(tape, state), net->baseline_w, net->baseline_b);
}

Var *ram_look(const Ram *net, Tape *tape, int n, const Real *const *pictures, const Real *where)
{
    Var *seen = tape_new_var(tape, n, retina_size(&net->shape.retina), false);
    for (int i = 0; i < n; i++)
        retina_look(&net->shape.retina, pictures[i], net->shape.side, where[2 * i],
                    where[2 * i + 1], var_row(seen, i));
    return seen;
}

static void anywhere(Random *random, Real place[2])
{
    place[0] = (Real)(2 * random_uniform(random) - 1);
    place[1] = (Real)(2 * random_uniform(random) - 1);
}

void ram_first_place(const RamShape *shape, Random *random, Real place[2])
{
    place[0] = place[1] = 0;
    if (!shape->starts_in_the_middle || shape->looking == LOOKING_RANDOM)
        anywhere(random, place);
}

/* The fixed path fills the picture's inner part row by row, as evenly as N allows: a grid of
 * r rows with about N / r places each, at the middles of equal cells. */
void ram_control_place(const RamShape *shape, int glimpse, Random *random, Real place[2])
{
    if (shape->looking == LOOKING_RANDOM) {
        anywhere(random, place);
        return;
    }
    int rows = (int)floor(sqrt((double)shape->glimpses) + 0.5);
    int row = glimpse * rows / shape->glimpses;
    int begin = (row * shape->glimpses + rows - 1) / rows;
    int end = ((row + 1) * shape->glimpses + rows - 1) / rows;
    const double reach = 0.75; /* the border of a picture is nearly always empty */
    place[0] = (Real)(reach * (2 * (glimpse - begin + 0.5) / (end - begin) - 1));
    place[1] = (Real)(reach * (2 * (row + 0.5) / rows - 1));
}
