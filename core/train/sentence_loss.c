#include "train/sentence_loss.h"

#include <math.h>
#include <string.h>

#include "attention/pooling.h"

#define LEAST_LOG_LIKELIHOOD (-5.0) /* one hopeless sentence must not drown the others */

/* ---- shares ---- */

/* i: an example */
static bool is_anchor(const SentenceLossSpec *spec, int i)
{
    return spec->anchor && i % spec->copies == 0;
}

static bool is_picked(const unsigned char *flags, int row)
{
    return !flags || flags[row];
}

/* A single word has no pairs; its share counts as 1. */
SentenceShares sentence_shares(const Ragged *rows, int sentence, const Selection *selection)
{
    double heads = 0, dependents = 0, either = 0, both = 0, n = rows->length[sentence];
    for (int t = 0; t < rows->length[sentence]; t++) {
        int row = ragged_row(rows, sentence, t);
        bool h = is_picked(selection->picked[SELECT_HEAD], row);
        bool d = is_picked(selection->picked[SELECT_DEPENDENT], row);
        heads += h;
        dependents += d;
        either += h || d;
        both += h && d;
    }
    return (SentenceShares){heads / n, dependents / n, either / n,
                            n > 1 ? (heads * dependents - both) / (n * (n - 1)) : 1};
}

static void add_shares(const SentenceBatch *batch, const SentenceLossSpec *spec,
                       const Selection *selection, int n_selectors, Measures *measures)
{
    for (int i = 0; i < batch->rows.n; i++) {
        if (is_anchor(spec, i / batch->n_parts))
            continue;
        SentenceShares s = sentence_shares(&batch->rows, i, selection);
        measures_add(measures, "share.head", s.head, 1);
        if (n_selectors == 1)
            continue;
        measures_add(measures, "share.dependent", s.dependent, 1);
        measures_add(measures, "share.pairs", s.pairs, 1);
        measures_add(measures, "share.kept", s.kept, 1);
    }
}

/* ---- selections ---- */

/* The flags of each sentence's words, moved by one random order for heads and dependents. */
static Selection shuffle_selection(Arena *arena, const Ragged *rows, const Selection *from,
                                   Random *random)
{
    Selection moved = {{NULL}};
    unsigned char *to[SELECT_MOST];
    for (int k = 0; k < SELECT_MOST; k++)
        moved.picked[k] = to[k] =
            from->picked[k] ? arena_get(arena, (size_t)rows->rows + 1, 1) : NULL;
    int *order = arena_get(arena, (size_t)rows->steps + 1, sizeof *order);
    for (int i = 0; i < rows->n; i++) {
        for (int t = 0; t < rows->length[i]; t++)
            order[t] = t;
        random_shuffle(random, order, rows->length[i]);
        for (int t = 0; t < rows->length[i]; t++)
            for (int k = 0; k < SELECT_MOST; k++)
                if (to[k])
                    to[k][rows->start[i] + t] = from->picked[k][rows->start[i] + order[t]];
    }
    return moved;
}

static Selection draw_uniform(Arena *arena, int n_selectors, int rows, double probability,
                              Random *random)
{
    Selection selection = {{NULL}};
    for (int k = 0; k < n_selectors; k++) {
        unsigned char *z = arena_get(arena, (size_t)rows + 1, 1);
        for (int i = 0; i < rows; i++)
            z[i] = random_uniform(random) < probability;
        selection.picked[k] = z;
    }
    return selection;
}

/* Every word of the anchors. */
static void select_anchors(const SentenceBatch *batch, const SentenceLossSpec *spec,
                           Selection *selection)
{
    for (int i = 0; i < batch->rows.n; i++)
        for (int k = 0; is_anchor(spec, i / batch->n_parts) && k < SELECT_MOST; k++)
            if (selection->picked[k])
                memset((unsigned char *)selection->picked[k] + batch->rows.start[i], 1,
                       (size_t)batch->rows.length[i]);
}

static Selection take_words(Arena *arena, const SentenceBatch *batch, const SentenceLossSpec *spec,
                            const Var *logits, Random *random)
{
    if (spec->given)
        return *spec->given;
    switch (spec->take) {
    case TAKE_DRAWN: return sentence_draw(arena, logits, random);
    case TAKE_LIKELY: return sentence_draw(arena, logits, NULL);
    case TAKE_UNIFORM:
        return draw_uniform(arena, logits->cols, logits->rows, spec->uniform, random);
    case TAKE_SHUFFLED: {
        Selection likely = sentence_draw(arena, logits, NULL);
        return shuffle_selection(arena, &batch->rows, &likely, random);
    }
    case TAKE_ALL: break;
    }
    return (Selection){{NULL}};
}

/* ---- rewards ---- */

static double cost_of(const SentenceLossSpec *spec, const SentenceShares *s, int n_selectors)
{
    double cost = fmax(0, s->head - spec->floor);
    return n_selectors == 2 ? (cost + fmax(0, s->dependent - spec->floor)) / 2 : cost;
}

static const double *rewards(Arena *arena, const SentenceBatch *batch, const SentenceLossSpec *spec,
                             const Selection *selection, int n_selectors, const Real *nll)
{
    double *reward = arena_get(arena, (size_t)batch->n + 1, sizeof *reward);
    for (int i = 0; i < batch->n; i++) {
        double cost = 0;
        for (int k = i * batch->n_parts; k < (i + 1) * batch->n_parts; k++) {
            SentenceShares s = sentence_shares(&batch->rows, k, selection);
            cost += cost_of(spec, &s, n_selectors) / batch->n_parts;
        }
        reward[i] = fmax(-(double)nll[i], LEAST_LOG_LIKELIHOOD) - spec->lambda * cost;
    }
    return reward;
}

static double baseline_of(const SentenceLossSpec *spec, const double *reward, int i)
{
    if (spec->baseline == SENTENCE_BASELINE_MOVING)
        return spec->moving;
    int first = i / spec->copies * spec->copies, n = 0;
    double sum = 0;
    for (int k = first; k < first + spec->copies; k++)
        if (k != i && !is_anchor(spec, k)) {
            sum += reward[k];
            n++;
        }
    return spec->baseline == SENTENCE_BASELINE_OTHERS && n > 0 ? sum / n : 0;
}

/* - scale sum_i (r_i - b_i) log p(z_i) - scale entropy sum_i H(pi_i) */
static Var *policy_loss(Tape *tape, const SentenceBatch *batch, const SentenceLossSpec *spec,
                        Var *logits, const Selection *selection, const double *reward, Real scale)
{
    size_t n = var_size(logits), cols = (size_t)logits->cols;
    unsigned char *z = arena_get(tape_arena(tape), n + 1, 1);
    Real *weight = arena_get(tape_arena(tape), n + 1, sizeof *weight);
    for (int i = 0; i < batch->rows.n; i++) {
        int example = i / batch->n_parts;
        bool anchor = is_anchor(spec, example);
        Real advantage = anchor ? 0 : (Real)(reward[example] - baseline_of(spec, reward, example));
        for (int t = 0; t < batch->rows.length[i]; t++)
            for (size_t k = 0; k < cols; k++) {
                size_t row = (size_t)ragged_row(&batch->rows, i, t);
                z[row * cols + k] = selection->picked[k][row];
                weight[row * cols + k] = advantage;
            }
    }
    Var *terms[2] = {op_bernoulli_log(tape, logits, z, weight, -scale),
                     op_bernoulli_entropy(tape, logits, -scale * spec->entropy)};
    const Real ones[2] = {1, 1};
    return op_weighted_sum(tape, 2, terms, ones);
}

/* ---- all together ---- */

static void add_measures(const SentenceBatch *batch, const SentenceLossSpec *spec,
                         const CrossEntropy *ce, const SentenceOutcome *o, int n_selectors,
                         Measures *measures)
{
    measures_add(measures, "loss", ce->sum_nll / batch->n, batch->n);
    measures_add(measures, "accuracy", (double)ce->n_correct / batch->n, batch->n);
    if (n_selectors == 0)
        return;
    add_shares(batch, spec, &o->selection, n_selectors, measures);
    for (int i = 0; i < batch->n; i++)
        if (!is_anchor(spec, i))
            measures_add(measures, "reward", o->reward[i], 1);
}

Var *sentence_loss(const SentenceNet *net, Tape *tape, const SentenceBatch *batch,
                   const SentenceLossSpec *spec, Random *random, Real scale, Measures *measures,
                   SentenceOutcome *outcome)
{
    SentenceOutcome o;
    memset(&o, 0, sizeof o);
    SentenceDropout dropout = spec->dropout;
    dropout.random = random;
    int n_selectors = sentence_n_selectors(sentence_get_shape(net));
    Var *x = sentence_embed(net, tape, &batch->rows, batch->ids), *logits = NULL;
    if (n_selectors > 0) {
        o.select_logits = logits = sentence_select(net, tape, &batch->rows, x);
        o.selection = take_words(tape_arena(tape), batch, spec, logits, random);
        if (!spec->given)
            select_anchors(batch, spec, &o.selection);
    }
    bool selects = o.selection.picked[SELECT_HEAD] != NULL;
    o.run = sentence_run(net, tape, &batch->rows, x, selects ? &o.selection : NULL,
                         random ? &dropout : NULL);
    scale /= (Real)spec->copies;
    CrossEntropy ce = op_cross_entropy(
        tape, spec->teaches_network ? o.run.logits : tape_detach(tape, o.run.logits),
        batch->classes, NULL, random ? spec->smoothing : 0, scale);
    o.nll = ce.nll;
    o.reward = rewards(tape_arena(tape), batch, spec, &o.selection, n_selectors, ce.nll);
    add_measures(batch, spec, &ce, &o, n_selectors, measures);
    Var *terms[3] = {ce.loss};
    int n_terms = 1;
    if (sentence_get_shape(net)->kind == SENTENCE_STRUCTURED && spec->penalty > 0)
        terms[n_terms++] =
            op_pool_penalty(tape, o.run.pool_weights, scale * spec->penalty, o.run.out);
    if (spec->teaches_policy && selects)
        terms[n_terms++] = policy_loss(tape, batch, spec, logits, &o.selection, o.reward, scale);
    const Real ones[3] = {1, 1, 1};
    if (outcome)
        *outcome = o;
    return op_weighted_sum(tape, n_terms, terms, ones);
}
