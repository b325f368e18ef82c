/* What a sentence classifier did, as a trace: see app/views/README.md, "Self-attention" and
 * "Token selection". Only the stages that were stepped through are in it. */
#include "models/sentence_session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ALL_FEATURES (1 << 18) /* numbers, for weights of every feature */

typedef struct Axes {
    int32_t token, direction, feature, channel, class, head, layer, hop;
} Axes;

typedef struct TraceWork {
    SentenceSession *s;
    TraceBuilder *b;
    Axes axes;
    bool all_features;
    StepScalars scalars[STAGE_N];
} TraceWork;

static bool has_stage(const SentenceSession *s, SentenceStage stage)
{
    for (int i = 0; i < s->base.n_steps; i++)
        if (s->stage[i] == stage)
            return true;
    return false;
}

/* ---- axes ---- */

static int32_t add_index_axis(TraceBuilder *b, const char *name, int n, const char *const *labels)
{
    const TraceAxis axis = {
        .name = name, .kind = TRACE_AXIS_INDEX, .len = n, .labels = labels, .parent_axis = -1};
    return trace_add_axis(b, &axis);
}

static void add_token_axis(TraceWork *w)
{
    SentenceSession *s = w->s;
    TokenAxis axis = token_axis_new(s->n);
    char **labels = memory_new((size_t)s->n + 1, sizeof *labels);
    for (int i = 0; i < s->n; i++) {
        const Token *token = &s->tokens.items[i];
        labels[i] = memory_copy_bytes(s->text + token->begin, (size_t)(token->end - token->begin));
        token_axis_set(&axis, i, token, labels[i]);
        if (token->id == VOCABULARY_UNKNOWN)
            axis.flags[i] |= TRACE_TOKEN_UNKNOWN;
        if (s->visible && !s->visible[i])
            axis.flags[i] |= TRACE_TOKEN_HIDDEN;
    }
    w->axes.token = token_axis_add(&axis, w->b, "token", "input");
    for (int i = 0; i < s->n; i++)
        free(labels[i]);
    free(labels);
}

static void add_class_axis(TraceWork *w)
{
    int n = w->s->shape->classes;
    const char **labels = memory_new((size_t)n, sizeof *labels);
    for (int c = 0; c < n; c++)
        labels[c] = class_names_at(w->s->classifier->classes, c);
    const TraceAxis axis = {
        .name = "class", .kind = TRACE_AXIS_CLASS, .len = n, .labels = labels, .parent_axis = -1};
    w->axes.class = trace_add_axis(w->b, &axis);
    free(labels);
}

static void add_axes(TraceWork *w)
{
    static const char *const directions[] = {"forward", "backward"};
    const SentenceSession *s = w->s;
    const SentenceShape *shape = s->shape;
    add_token_axis(w);
    if (s->run.n_blocks == 2)
        w->axes.direction = add_index_axis(w->b, "direction", 2, directions);
    size_t pairs = (size_t)s->n * (size_t)s->n * (size_t)s->run.n_blocks;
    w->all_features = pairs * (size_t)shape->hidden <= MOST_ALL_FEATURES;
    if (s->run.n_blocks > 0) {
        char label[16];
        const char *one = label;
        snprintf(label, sizeof label, "%d", s->options.feature);
        w->axes.feature = w->all_features ? add_index_axis(w->b, "feature", shape->hidden, NULL)
                                          : add_index_axis(w->b, "feature", 1, &one);
    }
    if (shape->kind == SENTENCE_MULTI_HEAD) {
        w->axes.layer = add_index_axis(w->b, "layer", shape->layers, NULL);
        w->axes.head = add_index_axis(w->b, "head", shape->heads, NULL);
    }
    if (shape->kind == SENTENCE_STRUCTURED)
        w->axes.hop = add_index_axis(w->b, "hop", shape->hops, NULL);
    else if (s->run.pool_weights)
        w->axes.channel = add_index_axis(w->b, "channel", s->run.pool_weights->cols, NULL);
    add_class_axis(w);
}

/* ---- selection ---- */

static double log_probability(const SentenceSession *s)
{
    double sum = 0;
    for (int k = 0; k < s->select_logits->cols; k++)
        for (int i = 0; i < s->n; i++) {
            double a = (double)var_row(s->select_logits, i)[k];
            a = s->picked[k][i] ? a : -a;
            sum += a < 0 ? a - log1p(exp(a)) : -log1p(exp(-a));
        }
    return sum;
}

static void add_selection(TraceWork *w)
{
    static const char *const names[SELECT_MOST][4] = {
        {"head.probabilities", "head.selected", "head.draws", "head.flipped"},
        {"dependent.probabilities", "dependent.selected", "dependent.draws", "dependent.flipped"}};
    static const char *const shares[SELECT_MOST] = {"share.head", "share.dependent"};
    SentenceSession *s = w->s;
    for (int k = 0; k < s->select_logits->cols; k++) {
        const int32_t *axis = &w->axes.token;
        float *pi = trace_new_tensor(w->b, names[k][0], TRACE_PROBABILITIES, 1, axis);
        float *z = trace_new_tensor(w->b, names[k][1], TRACE_MASK, 1, axis);
        float *u = s->draws[k] ? trace_new_tensor(w->b, names[k][2], TRACE_SCALAR, 1, axis) : NULL;
        int n = 0;
        bool turned = memchr(s->flipped + k * s->n, 1, (size_t)s->n) != NULL;
        float *t = turned ? trace_new_tensor(w->b, names[k][3], TRACE_MASK, 1, axis) : NULL;
        for (int i = 0; t && i < s->n; i++)
            t[i] = s->flipped[k * s->n + i];
        for (int i = 0; pi && z && i < s->n; i++) {
            pi[i] = (float)(1 / (1 + exp(-(double)var_row(s->select_logits, i)[k])));
            z[i] = s->picked[k][i];
            n += s->picked[k][i];
            if (u)
                u[i] = (float)s->draws[k][i];
        }
        scalars_add(&w->scalars[STAGE_SELECTION], shares[k], (double)n / s->n);
    }
    scalars_add(&w->scalars[STAGE_SELECTION], "log_probability", log_probability(s));
}

/* ---- pairs ---- */

static size_t cell(const SentenceSession *s, int block, int i, int j)
{
    return ((size_t)block * (size_t)s->n + (size_t)i) * (size_t)s->n + (size_t)j;
}

/* Where the tensors of the pairs begin, or NULL; all are rows = heads, columns = dependents. */
typedef struct PairTensors {
    float *mask, *scores, *weights, *features;
    int n_features;
} PairTensors;

static PairTensors new_pair_tensors(TraceWork *w)
{
    const SentenceSession *s = w->s;
    int32_t axes[4] = {w->axes.direction, w->axes.feature, w->axes.token, w->axes.token};
    bool both = s->run.n_blocks == 2;
    const int32_t pair[3] = {w->axes.direction, w->axes.token, w->axes.token};
    const int32_t *at = both ? pair : pair + 1;
    int rank = both ? 3 : 2;
    PairTensors t = {.n_features = w->all_features ? s->shape->hidden : 1};
    if (has_stage(s, STAGE_MASK))
        t.mask = trace_new_tensor(w->b, "attention.mask", TRACE_MASK, rank, at);
    if (has_stage(s, STAGE_SCORES))
        t.scores = trace_new_tensor(w->b, "attention.scores", TRACE_SCORES, rank, at);
    if (!has_stage(s, STAGE_WEIGHTS))
        return t;
    t.weights = trace_new_tensor(w->b, "attention.weights", TRACE_WEIGHTS, rank, at);
    t.features =
        trace_new_tensor(w->b, "features.weights", TRACE_WEIGHTS, rank + 1, both ? axes : axes + 1);
    return t;
}

/* A head of one sentence: weights and scores [dependents of the sentence, features]. */
static void fill_head(const TraceWork *w, const PairTensors *t, int block, int sentence, int head,
                      const Real *weights, const Real *scores)
{
    const SentenceSession *s = w->s;
    const SentenceBlock *blk = &s->run.block[block];
    int d = s->shape->hidden, row = blk->head_row[head];
    for (int j = 0; j < blk->pairs.dependents->length[sentence]; j++) {
        int col = blk->dependent_row[blk->pairs.dependents->start[sentence] + j];
        const Real *p = weights + (size_t)j * (size_t)d, *f = scores + (size_t)j * (size_t)d;
        size_t at = cell(s, block, row, col);
        if (t->mask)
            t->mask[at] = f[0] == f[0];
        if (t->scores)
            t->scores[at] = (float)vector_mean(f, d);
        if (t->weights)
            t->weights[at] = (float)vector_mean(p, d);
        for (int k = 0; t->features && k < t->n_features; k++) {
            int feature = w->all_features ? k : s->options.feature;
            t->features[cell(s, block * t->n_features + k, row, col)] = (float)p[feature];
        }
    }
}

static void add_block(TraceWork *w, const PairTensors *t, int block)
{
    SentenceSession *s = w->s;
    const SentenceBlock *blk = &s->run.block[block];
    for (size_t i = 0; t->scores && i < (size_t)s->n * (size_t)s->n; i++)
        t->scores[cell(s, block, 0, 0) + i] = NAN; /* not computed */
    Arena *arena = arena_new();
    FeatureLook *look = feature_look_begin(arena, blk->a, blk->b, s->shape->c, &blk->pairs);
    size_t n = (size_t)blk->pairs.dependents->rows * (size_t)s->shape->hidden;
    Real *weights = arena_get(arena, n, sizeof *weights),
         *scores = arena_get(arena, n, sizeof(Real));
    const Ragged *heads = blk->pairs.heads;
    for (int i = 0; i < heads->n; i++)
        for (int head = heads->start[i]; head < heads->start[i] + heads->length[i]; head++) {
            feature_look(look, i, head, weights, scores);
            fill_head(w, t, block, i, head, weights, scores);
        }
    arena_free(arena);
}

/* Means over rows [rows, words] of weights, which sum to one in every sentence or are none. */
static void scalars_of_rows(StepScalars *out, const float *weights, size_t rows,
                            const Ragged *sentences)
{
    double entropy = 0, largest = 0, used = 0;
    for (size_t i = 0; i < rows * (size_t)sentences->n; i++) {
        int k = (int)(i % (size_t)sentences->n);
        const float *row = weights + i / (size_t)sentences->n * (size_t)sentences->rows;
        double h = 0, most = 0, sum = 0;
        for (int j = sentences->start[k]; j < sentences->start[k] + sentences->length[k]; j++) {
            double a = (double)row[j];
            h -= a > 0 ? a * log(a) : 0;
            most = a > most ? a : most;
            sum += a;
        }
        if (sum <= 0)
            continue;
        entropy += h;
        largest += most;
        used++;
    }
    if (used == 0)
        return;
    scalars_add(out, "entropy", entropy / used);
    scalars_add(out, "effective", exp(entropy / used));
    scalars_add(out, "largest", largest / used);
}

/* Heads that may read nothing. */
static long count_empty(const FeaturePairs *pairs)
{
    const Ragged *heads = pairs->heads, *dependents = pairs->dependents;
    long empty = 0;
    for (int i = 0; i < heads->n; i++)
        for (int h = heads->start[i]; h < heads->start[i] + heads->length[i]; h++) {
            bool reads = false;
            for (int j = 0; j < dependents->length[i] && !reads; j++)
                reads = feature_pairs_allow(pairs, pairs->head_place[h],
                                            pairs->dependent_place[dependents->start[i] + j]);
            empty += !reads;
        }
    return empty;
}

static void add_pairs(TraceWork *w)
{
    SentenceSession *s = w->s;
    PairTensors t = new_pair_tensors(w);
    long pairs = 0, empty = 0;
    for (int i = 0; i < s->run.n_blocks; i++) {
        const SentenceBlock *block = &s->run.block[i];
        if (!trace_builder_failed(w->b))
            add_block(w, &t, i);
        pairs += feature_pairs_count(&block->pairs);
        empty += count_empty(&block->pairs);
    }
    double all = 0;
    for (int i = 0; i < s->rows.n; i++)
        all += (double)s->rows.length[i] * (s->rows.length[i] - 1);
    StepScalars *out = &w->scalars[STAGE_MASK];
    scalars_add(out, "pairs", (double)pairs);
    scalars_add(out, "share.pairs", all > 0 ? (double)pairs / all : 1);
    scalars_add(out, "heads.empty", (double)empty);
    if (t.weights)
        scalars_of_rows(&w->scalars[STAGE_WEIGHTS], t.weights,
                        (size_t)s->run.n_blocks * (size_t)s->n, &s->rows);
}

/* ---- heads of scaled dot-product attention ---- */

/* from [rows, longest sentence], columns within the row's own sentence -> to [rows, words] */
static void spread_rows(const SentenceSession *s, const Real *from, size_t rows, float elsewhere,
                        float *to)
{
    for (size_t i = 0; i < rows; i++) {
        int row = (int)(i % (size_t)s->n), k = 0;
        while (row >= s->rows.start[k] + s->rows.length[k])
            k++;
        for (int j = 0; j < s->n; j++) {
            int at = j - s->rows.start[k];
            bool inside = at >= 0 && at < s->rows.length[k];
            to[i * (size_t)s->n + (size_t)j] =
                inside ? (float)from[i * (size_t)s->rows.steps + (size_t)at] : elsewhere;
        }
    }
}

static void add_heads(TraceWork *w)
{
    const SentenceSession *s = w->s;
    const int32_t axes[4] = {w->axes.layer, w->axes.head, w->axes.token, w->axes.token};
    size_t rows = (size_t)s->shape->heads * (size_t)s->n;
    float *scores = trace_new_tensor(w->b, "attention.scores", TRACE_SCORES, 4, axes);
    float *weights = has_stage(s, STAGE_WEIGHTS)
                         ? trace_new_tensor(w->b, "attention.weights", TRACE_WEIGHTS, 4, axes)
                         : NULL;
    for (int layer = 0; scores && layer < s->run.n_heads; layer++) {
        const MultiHead *run = &s->run.heads[layer];
        size_t at = (size_t)layer * rows * (size_t)s->n;
        spread_rows(s, run->scores, rows, NAN, scores + at);
        if (weights)
            spread_rows(s, run->weights, rows, 0, weights + at);
    }
    if (weights)
        scalars_of_rows(&w->scalars[STAGE_WEIGHTS], weights, (size_t)s->run.n_heads * rows,
                        &s->rows);
}

/* ---- gate and pooling ---- */

static void add_gate(TraceWork *w)
{
    const SentenceSession *s = w->s;
    const int32_t axes[2] = {w->axes.direction, w->axes.token};
    bool both = s->run.n_blocks == 2;
    float *gate = trace_new_tensor(w->b, "gate.mean", TRACE_PROBABILITIES, both ? 2 : 1,
                                   both ? axes : axes + 1);
    double sum = 0;
    for (int i = 0; i < s->run.n_blocks * s->n; i++)
        if (gate)
            gate[i] = NAN; /* a word that is gone has no gate */
    for (int block = 0; gate && block < s->run.n_blocks; block++)
        for (int r = 0; r < s->run.out->rows; r++) {
            double mean = vector_mean(var_row(s->run.block[block].gate, r), s->shape->hidden);
            gate[block * s->n + s->run.out_row[r]] = (float)mean;
            sum += mean;
        }
    if (s->run.out->rows > 0)
        scalars_add(&w->scalars[STAGE_GATE], "gate", sum / (s->run.n_blocks * s->run.out->rows));
}

/* Structured: one row a hop. Otherwise the mean over channels, and every channel beside it. The
 * weights sum to one in each sentence. */
static void add_pooling(TraceWork *w)
{
    const SentenceSession *s = w->s;
    const Var *a = s->run.pool_weights;
    bool structured = s->shape->kind == SENTENCE_STRUCTURED;
    const int32_t axes[2] = {structured ? w->axes.hop : w->axes.channel, w->axes.token};
    float *mean =
        structured ? NULL : trace_new_tensor(w->b, "pool.weights", TRACE_WEIGHTS, 1, axes + 1);
    float *all = a ? trace_new_tensor(w->b, structured ? "pool.weights" : "channels.weights",
                                      TRACE_WEIGHTS, 2, axes)
                   : NULL;
    for (int r = 0; r < s->run.out->rows && !trace_builder_failed(w->b); r++) {
        int word = s->run.out_row[r];
        int pooled = s->run.out->length[word >= s->rows.length[0]];
        if (mean)
            mean[word] = (float)(a ? vector_mean(var_row(a, r), a->cols) : 1.0 / pooled);
        for (int k = 0; all && k < a->cols; k++)
            all[(size_t)k * (size_t)s->n + (size_t)word] = (float)var_row(a, r)[k];
    }
    const float *shown = structured ? all : mean;
    if (shown)
        scalars_of_rows(&w->scalars[STAGE_POOLING], shown, structured ? (size_t)a->cols : 1,
                        &s->rows);
}

/* ---- the verdict ---- */

static double mean_share(const SentenceSession *s)
{
    double sum = 0;
    int selectors = sentence_n_selectors(s->shape);
    for (int k = 0; k < selectors; k++)
        for (int i = 0; i < s->n; i++)
            sum += (double)s->picked[k][i] / s->rows.length[i >= s->rows.length[0]];
    return sum / (selectors * s->rows.n);
}

static void add_classes(TraceWork *w)
{
    SentenceSession *s = w->s;
    const double *p = sentence_probabilities(s);
    int best = 0;
    for (int c = 0; c < s->shape->classes; c++) {
        trace_add_class(w->b, class_names_at(s->classifier->classes, c), p[c]);
        best = p[c] > p[best] ? c : best;
    }
    trace_set_text(w->b, "output", class_names_at(s->classifier->classes, best));
    trace_set_score(w->b, log(p[best]));
    StepScalars *out = &w->scalars[STAGE_CLASS];
    int gold = s->gold >= 0 ? s->gold : best;
    if (s->expected) {
        float *deviation =
            trace_new_tensor(w->b, "class.deviation", TRACE_SCALAR, 1, &w->axes.class);
        for (int c = 0; deviation && c < s->shape->classes; c++)
            deviation[c] = (float)s->deviation[c];
        scalars_add(out, "deviation", s->deviation[gold]);
    }
    if (sentence_n_selectors(s->shape) == 0)
        return;
    double likelihood = log(softmax_probability(s->run.logits->value, s->run.logits->cols, gold));
    scalars_add(out, "reward.log_likelihood", likelihood);
    scalars_add(out, "reward.share", mean_share(s));
}

/* ---- steps ---- */

static void add_steps(TraceWork *w)
{
    static const char *const names[STAGE_N] = {"selection", "mask",    "scores", "weights",
                                               "gate",      "pooling", "class"};
    SentenceSession *s = w->s;
    int32_t *kept = memory_new((size_t)s->n + 1, sizeof *kept);
    int32_t n_kept = 0;
    for (int i = 0; s->select_logits && i < s->n; i++)
        if (s->picked[0][i] || (s->picked[1] && s->picked[1][i]))
            kept[n_kept++] = i;
    for (int i = 0; i < s->base.n_steps; i++) {
        SentenceStage stage = s->stage[i];
        TraceStep step = {
            .token = names[stage],
            .id = (int32_t)stage,
            .probability = 1,
            .n_scalars = w->scalars[stage].n,
            .scalars = w->scalars[stage].item,
        };
        if (stage == STAGE_SELECTION) {
            step.n_selected = n_kept;
            step.selected = kept;
        }
        trace_add_step(w->b, &step);
    }
    free(kept);
}

static void add_changes(TraceWork *w)
{
    const SentenceSession *s = w->s;
    for (int i = 0; s->visible && i < s->n; i++)
        if (!s->visible[i])
            trace_add_hidden(w->b, s->text + s->tokens.items[i].begin,
                             (size_t)(s->tokens.items[i].end - s->tokens.items[i].begin));
    for (int i = 0; s->flipped && i < sentence_n_flips(s); i++) {
        if (!s->flipped[i])
            continue;
        const Token *word = &s->tokens.items[i % s->n];
        StrBuf text = {0};
        strbuf_addf(&text, "\u201c%.*s\u201d turned over as %s", (int)(word->end - word->begin),
                    s->text + word->begin, i < s->n ? "head" : "dependent");
        const TraceChange change = {.step = 0, .kind = "selection", .text = text.text};
        trace_add_change(w->b, &change);
        strbuf_free(&text);
    }
}

static void add_attributes(const SentenceSession *s, TraceBuilder *b)
{
    const Model *model = s->base.model;
    trace_add_model_attributes(b, model, &s->options);
    trace_set_attribute(b, "attention", "%s", settings_text(model->settings, "attention"));
    if (s->shape->pair)
        trace_set_attribute(b, "first", "%d", s->rows.length[0]);
    if (s->shape->kind == SENTENCE_RESAN) {
        trace_set_attribute(b, "unselected", "%s", settings_text(model->settings, "unselected"));
        trace_set_attribute(b, "fusion", "%s", settings_text(model->settings, "fusion"));
    }
    if (s->run.n_blocks > 0) {
        trace_set_attribute(b, "direction", "%s", s->run.n_blocks == 2 ? "both" : "diagonal");
        trace_set_attribute(b, "c", "%g", (double)s->shape->c);
    }
    if (s->options.paths > 0)
        trace_set_attribute(b, "paths", "%d", s->options.paths);
}

const Trace *sentence_trace(Session *session, Error *error)
{
    SentenceSession *s = (SentenceSession *)session;
    TraceWork w = {.s = s, .b = trace_builder_new()};
    trace_set_text(w.b, "input", s->text);
    add_attributes(s, w.b);
    add_axes(&w);
    if (has_stage(s, STAGE_SELECTION))
        add_selection(&w);
    if (s->run.n_blocks > 0 && has_stage(s, STAGE_MASK))
        add_pairs(&w);
    if (s->run.n_heads > 0 && has_stage(s, STAGE_SCORES))
        add_heads(&w);
    if (has_stage(s, STAGE_GATE))
        add_gate(&w);
    if (has_stage(s, STAGE_POOLING))
        add_pooling(&w);
    if (has_stage(s, STAGE_CLASS))
        add_classes(&w);
    add_steps(&w);
    add_changes(&w);
    return trace_seal(w.b, error);
}
