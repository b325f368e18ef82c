/* Formulas of a step, with its numbers put in.
 *
 * Sources of the notation: Bahdanau, Cho, Bengio 2015 (additive, query s of the step before);
 * Luong, Pham, Manning 2015 (dot, general, location, local; query h of the step itself);
 * Vaswani et al. 2017 (scaled dot product); Graves, Wayne, Danihelka 2014 (cosine); Shen et al.
 * 2017 and 2018 (multi-dimensional: a vector for each pair, shown as the mean over features). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/pipeline.h"

void formula_index(char letter, int index, char out[32])
{
    static const char *const digits[] = {"\u2080", "\u2081", "\u2082", "\u2083", "\u2084",
                                         "\u2085", "\u2086", "\u2087", "\u2088", "\u2089"};
    char plain[12];
    snprintf(plain, sizeof plain, "%d", index < 0 ? 0 : index);
    size_t n = 0;
    out[n++] = letter;
    for (const char *p = plain; *p && n + 4 < 32; p++) {
        memcpy(out + n, digits[*p - '0'], 3);
        n += 3;
    }
    out[n] = '\0';
}

static bool is_current_query(const PipelinePlan *plan)
{
    return strcmp(view_attribute(plan->frame->trace, "query"), "current") == 0;
}

/* A word's own state asks: rows and columns are the same words. */
static bool is_self(const PipelinePlan *plan)
{
    const TraceTensor *t = plan->tensor;
    return t->rank > 1 && t->axis[t->rank - 1] == t->axis[t->rank - 2] && !plan->step;
}

/* "s\u2083", the state before the step, or "h\u2084", the state of the step. */
static void query_name(const PipelinePlan *plan, char out[32])
{
    if (is_current_query(plan) || is_self(plan))
        formula_index('h', plan->row + 1, out);
    else
        formula_index('s', plan->row, out);
}

/* What each score is, with the query and the key put in. */
static const char *score_pattern(const char *name)
{
    static const char *const patterns[][2] = {
        {"additive", "v\u1d40 tanh(W %s + U %s)"},
        {"concat", "v\u1d40 tanh(W [%s ; %s])"},
        {"dot", "%s\u1d40 %s"},
        {"general", "%s\u1d40 W %s"},
        {"scaled-dot", "%s\u1d40 %s / \u221ad"},
        {"projected dot", "(W %s)\u1d40 U %s"},
        {"projected scaled-dot", "(W %s)\u1d40 U %s / \u221ad"},
        {"cosine", "\u03b2 cos(%s, %s)"},
        {"disan", "mean\u2096 c tanh((W\u2082 %s + W\u2081 %s + b) / c)"},
        {"resan", "mean\u2096 c tanh((W\u2082 %s + W\u2081 %s + b) / c)"},
    };
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        if (strcmp(patterns[i][0], name) == 0)
            return patterns[i][1];
    return NULL;
}

void formula_score(const PipelinePlan *plan, char out[PIPELINE_FORMULA_BYTES])
{
    char query[32], key[32], e[32], body[96] = "";
    if (!isfinite(plan->scores[plan->focus])) {
        snprintf(out, PIPELINE_FORMULA_BYTES, "%s", view_word(plan->frame, WORD_PIPELINE_NOTHING));
        return;
    }
    query_name(plan, query);
    formula_index('h', plan->focus + 1, key);
    formula_index('e', plan->focus + 1, e);
    if (is_current_query(plan)) { /* Luong writes the encoder's states with a bar */
        char index[32];
        memcpy(index, key, sizeof index);
        snprintf(key, sizeof key, "h\u0304%.24s", index + 1);
    }
    const char *name = view_attribute(plan->frame->trace, "attention");
    char full[48];
    bool projected = strcmp(view_attribute(plan->frame->trace, "projected"), "yes") == 0;
    snprintf(full, sizeof full, "%s%.30s", projected ? "projected " : "", name);
    const char *pattern = score_pattern(full);
    if (pattern)
        snprintf(body, sizeof body, pattern, query, key);
    else if (strcmp(name, "location") == 0)
        snprintf(body, sizeof body, "(W %s)", query);
    snprintf(out, PIPELINE_FORMULA_BYTES, "%s = %s%s%s", e, body, body[0] ? " = " : "",
             view_number((double)plan->scores[plan->focus], 2).text);
}

void formula_softmax(const PipelinePlan *plan, const float *values, char *out)
{
    char a[32], e[32];
    formula_index('a', plan->focus + 1, a);
    formula_index('e', plan->focus + 1, e);
    double value = (double)values[plan->focus];
    const char *name = view_attribute(plan->frame->trace, "attention");
    if (strcmp(name, "disan") == 0 || strcmp(name, "resan") == 0)
        snprintf(out, PIPELINE_FORMULA_BYTES,
                 "\u03b1%s = mean\u2096 exp(f\u2096) / \u03a3 exp(f\u2096) = %s", a + 1,
                 view_number(value, 3).text);
    else if (plan->temperature != 1)
        snprintf(out, PIPELINE_FORMULA_BYTES,
                 "\u03b1%s = exp(%s / T) / \u03a3 exp(e / T) = %s, T = %s", a + 1, e,
                 view_number(value, 3).text, view_short_number((double)plan->temperature).text);
    else
        snprintf(out, PIPELINE_FORMULA_BYTES, "\u03b1%s = exp(%s) / \u03a3 exp(e) = %s", a + 1, e,
                 view_number(value, 3).text);
}

void formula_gaussian(const PipelinePlan *plan, char *out)
{
    snprintf(out, PIPELINE_FORMULA_BYTES,
             "exp(\u2212(j \u2212 p)\u00b2 / 2\u03c3\u00b2), p = 1 + (S \u2212 1) \u03c3(v\u1d40 "
             "tanh(W h)) = %s, \u03c3 = D / 2 = %s",
             view_number(plan->window.centre + 1, 1).text,
             view_short_number(plan->window.sigma).text);
}

static double sum_of(const PipelinePlan *plan, const float *values)
{
    double sum = 0;
    for (int32_t i = 0; i < plan->n; i++)
        sum += (double)values[i];
    return sum;
}

bool pipeline_has_no_attention(const PipelinePlan *plan)
{
    return strcmp(view_attribute(plan->frame->trace, "attention"), "none") == 0;
}

void formula_weights(const PipelinePlan *plan, char *out)
{
    if (pipeline_has_no_attention(plan)) {
        char j[32], y[32];
        formula_index('x', plan->focus + 1, j);
        formula_index('y', plan->row + 1, y);
        snprintf(out, PIPELINE_FORMULA_BYTES,
                 "\u2016\u2202 log p(%s) / \u2202%s\u2016 / \u03a3 = %s", y, j,
                 view_number((double)plan->weights[plan->focus], 2).text);
        return;
    }
    double sum = sum_of(plan, plan->weights);
    if (sum > 0.995 && sum < 1.005)
        snprintf(out, PIPELINE_FORMULA_BYTES, "\u03a3 \u03b1 = 1");
    else
        snprintf(out, PIPELINE_FORMULA_BYTES, "\u03a3 \u03b1 = %s", view_number(sum, 2).text);
}

void formula_choice(const PipelinePlan *plan, char *out)
{
    double draw = plan->step ? trace_step_scalar(plan->step, "draw") : NAN;
    int z = plan->step && plan->step->n_selected > 0 ? plan->step->selected[0] + 1 : 0;
    if (!isnan(draw))
        snprintf(out, PIPELINE_FORMULA_BYTES, "z ~ \u03b1, u = %s: z = %d",
                 view_number(draw, 2).text, z);
    else
        snprintf(out, PIPELINE_FORMULA_BYTES, "z = argmax \u03b1 = %d", z);
}

void formula_draws(const PipelinePlan *plan, const float *soft, char *out)
{
    char room[SIDE_LABEL_BYTES];
    int32_t worst = 0;
    for (int32_t i = 1; i < plan->n; i++)
        if (fabsf(plan->draws[i] - soft[i]) > fabsf(plan->draws[worst] - soft[worst]))
            worst = i;
    snprintf(out, PIPELINE_FORMULA_BYTES,
             "N = %d, max |f \u2212 \u03b1| = %s (%.60s), seed %" PRIu64,
             settings_int(plan->frame->options, "samples_number"),
             view_number((double)fabsf(plan->draws[worst] - soft[worst]), 3).text,
             side_label(&plan->side, worst, room), reading_seed(plan));
}

void formula_query(const PipelinePlan *plan, char *out)
{
    char query[32], state[96] = "";
    query_name(plan, query);
    double norm = plan->step ? trace_step_scalar(plan->step, "state.norm") : NAN;
    if (is_current_query(plan) && !isnan(norm))
        snprintf(state, sizeof state, ",  \u2016%s\u2016 = %s", query, view_number(norm, 2).text);
    const TraceStep *before =
        plan->step && plan->row > 0 ? trace_step(plan->frame->trace, plan->row - 1) : NULL;
    snprintf(out, PIPELINE_FORMULA_BYTES, "%s%s%s%s%s", query, before ? "  \u2190 \u201c" : "",
             before ? before->token : "", before ? "\u201d" : "", state);
}

void formula_context(const PipelinePlan *plan, char *out)
{
    char c[32];
    formula_index('c', plan->row + 1, c);
    double norm = plan->step ? trace_step_scalar(plan->step, "context.norm") : NAN;
    const char *value = is_current_query(plan) ? "h\u0304" : "h";
    if (pipeline_has_no_attention(plan) && isnan(norm)) /* the first state is all there is */
        snprintf(out, PIPELINE_FORMULA_BYTES, "s\u2080 = f(h\u209b, h\u2081)");
    else if (pipeline_has_no_attention(plan))
        snprintf(out, PIPELINE_FORMULA_BYTES, "c = [h\u209b ; h\u2081],  \u2016c\u2016 = %s",
                 view_number(norm, 2).text);
    else if (isnan(norm))
        snprintf(out, PIPELINE_FORMULA_BYTES, "%s = \u03a3 \u03b1\u2c7c %s\u2c7c", c, value);
    else
        snprintf(out, PIPELINE_FORMULA_BYTES,
                 "%s = \u03a3 \u03b1\u2c7c %s\u2c7c,  \u2016%s\u2016 = %s", c, value, c,
                 view_number(norm, 2).text);
}
