/* Sentence classifiers as sentences grow: over how many words attention is spread, and how much of
 * it stays on a sentence when other text is put around it. One sentence at a time, on the calling
 * thread. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "train/evaluate_tasks.h"
#include "train/sentence_loss.h"

#define PADDING_MAX_BYTES ((size_t)1 << 20)

/* One example with its words anywhere, as it was read. */
typedef struct Reading {
    const SentenceNet *net;
    Tape *tape;
    Ragged rows;
    const int *ids;
    const unsigned char *own; /* [rows] 0: a word that was put around it; NULL: there is none */
    Selection selection;      /* picked[] NULL: every word */
    SentenceRun run;
} Reading;

static bool is_own(const Reading *r, int row)
{
    return !r->own || r->own[row];
}

static bool is_kept(const Reading *r, int row)
{
    const unsigned char *head = r->selection.picked[SELECT_HEAD];
    const unsigned char *dependent = r->selection.picked[SELECT_DEPENDENT];
    return !head || head[row] || (dependent && dependent[row]);
}

static void read_example(Reading *r, bool selects)
{
    tape_reset(r->tape);
    Var *x = sentence_embed(r->net, r->tape, &r->rows, r->ids);
    r->selection = (Selection){{NULL}};
    if (selects)
        r->selection =
            sentence_draw(tape_arena(r->tape), sentence_select(r->net, r->tape, &r->rows, x), NULL);
    r->run = sentence_run(r->net, r->tape, &r->rows, x, selects ? &r->selection : NULL, NULL);
}

/* ---- how weights are spread ---- */

/* Sums over distributions; one that holds nothing is not counted. */
typedef struct Spread {
    double entropy, largest, own, n;
} Spread;

/* Weights w[0], w[stride], ... of n words; row[i], or first + i, is the batch row of word i. */
static void add_weights(Spread *s, const Reading *r, const Real *w, size_t stride, int n,
                        const int *row, int first)
{
    double entropy = 0, largest = 0, own = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        double a = (double)w[(size_t)i * stride];
        entropy -= a > 0 ? a * log(a) : 0;
        largest = fmax(largest, a);
        sum += a;
        own += is_own(r, row ? row[i] : first + i) ? a : 0;
    }
    if (sum <= 0)
        return;
    s->entropy += entropy;
    s->largest += largest;
    s->own += own;
    s->n++;
}

static void put_spread(const Reading *r, const Spread *s, const char *const names[3], Measures *out)
{
    if (s->n == 0)
        return;
    measures_add(out, names[0], exp(s->entropy / s->n), 1);
    measures_add(out, names[1], s->largest / s->n, 1);
    if (r->own)
        measures_add(out, names[2], s->own / s->n, 1);
}

/* Each feature (or hop) by itself; without weights it is an even mean. */
static void measure_pooling(const Reading *r, Measures *out)
{
    static const char *const names[3] = {"pool.effective", "pool.largest", "pool.own"};
    const Var *a = r->run.pool_weights;
    const Ragged *pooled = r->run.out;
    Spread s = {0};
    for (int i = 0; i < pooled->n; i++) {
        int first = pooled->start[i], n = pooled->length[i];
        const int *row = r->run.out_row + first;
        const Real even = n > 0 ? (Real)1 / (Real)n : 0;
        for (int k = 0; k < (a ? a->cols : 1); k++) {
            const Real *w = a && n > 0 ? var_row(a, first) + k : &even;
            add_weights(&s, r, w, a ? (size_t)a->cols : 0, n, row, 0);
        }
    }
    put_spread(r, &s, names, out);
}

static void add_block(Spread *s, const Reading *r, const SentenceBlock *block)
{
    const SentenceShape *shape = sentence_get_shape(r->net);
    Arena *arena = tape_arena(r->tape);
    const Ragged *heads = block->pairs.heads, *dependents = block->pairs.dependents;
    size_t d = (size_t)shape->hidden, most = (size_t)dependents->steps * d + 1;
    FeatureLook *look = feature_look_begin(arena, block->a, block->b, shape->c, &block->pairs);
    Real *weights = arena_get(arena, most, sizeof *weights);
    Real *scores = arena_get(arena, most, sizeof *scores);
    for (int i = 0; i < heads->n; i++)
        for (int h = heads->start[i]; h < heads->start[i] + heads->length[i]; h++) {
            if (!is_own(r, block->head_row[h]))
                continue;
            feature_look(look, i, h, weights, scores);
            for (size_t k = 0; k < d; k++)
                add_weights(s, r, weights + k, d, dependents->length[i],
                            block->dependent_row + dependents->start[i], 0);
        }
}

static void add_heads(Spread *s, const Reading *r, const MultiHead *run)
{
    size_t n = (size_t)r->rows.rows;
    for (size_t i = 0; i < n * (size_t)sentence_get_shape(r->net)->heads; i++) {
        int row = (int)(i % n), part = 0;
        while (row >= r->rows.start[part] + r->rows.length[part])
            part++;
        if (is_own(r, row))
            add_weights(s, r, run->weights + i * (size_t)r->rows.steps, 1, r->rows.length[part],
                        NULL, r->rows.start[part]);
    }
}

/* What the words of the example read, each word and feature (or head) by itself. */
static void measure_words(const Reading *r, Measures *out)
{
    static const char *const names[3] = {"words.effective", "words.largest", "words.own"};
    Spread s = {0};
    for (int i = 0; i < r->run.n_blocks; i++)
        add_block(&s, r, &r->run.block[i]);
    for (int i = 0; i < r->run.n_heads; i++)
        add_heads(&s, r, &r->run.heads[i]);
    put_spread(r, &s, names, out);
}

static void measure_kept(const Reading *r, Measures *out)
{
    double n[2] = {0}, kept[2] = {0};
    for (int row = 0; row < r->rows.rows; row++) {
        n[is_own(r, row)]++;
        kept[is_own(r, row)] += is_kept(r, row);
    }
    measures_add(out, "kept.own", kept[1] / n[1], 1);
    if (n[0] > 0)
        measures_add(out, "kept.padding", kept[0] / n[0], 1);
}

static void measure(Reading *r, int class, bool selects, Measures *out)
{
    read_example(r, selects);
    const Real *logits = r->run.logits->value;
    int best = 0;
    for (int c = 1; c < r->run.logits->cols; c++)
        best = logits[c] > logits[best] ? c : best;
    measures_add(out, "accuracy", best == class, 1);
    measure_pooling(r, out);
    measure_words(r, out);
    if (selects)
        measure_kept(r, out);
}

static void put(json_t *row, const char *prefix, const Measures *m)
{
    for (int i = 0; i < m->n; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s%s", prefix, m->item[i].name);
        json_object_set_new(row, key, json_real(measures_get(m, m->item[i].name)));
    }
}

/* ---- by length ---- */

typedef struct Range {
    int least, most;
} Range;

static void read_parts(const Pair *pair, int length[2])
{
    length[0] = pair->n_source == 2 ? pair->source[1] : pair->n_target;
    length[1] = pair->n_target - length[0];
}

/* Of the words of a sentence; a pair counts as its longer one. */
static int longest(const Pair *pair)
{
    int length[2];
    read_parts(pair, length);
    return length[0] > length[1] ? length[0] : length[1];
}

static json_t *measure_range(const EvaluateRequest *request, const Pairs *sentences, Reading *r,
                             Range range)
{
    bool selects = sentence_n_selectors(sentence_get_shape(r->net)) > 0;
    Measures m = {0}, all = {0};
    int n = 0;
    double words = 0;
    for (int i = 0; i < sentences->n && !stop_requested(request->stop); i++) {
        const Pair *pair = &sentences->pairs[i];
        if (longest(pair) < range.least || longest(pair) > range.most)
            continue;
        int length[2];
        read_parts(pair, length);
        Arena *arena = arena_new();
        r->rows = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, pair->n_source, length);
        r->ids = pair->target;
        measure(r, pair->source[0], selects, &m);
        if (selects)
            measure(r, pair->source[0], false, &all);
        arena_free(arena);
        words += (double)pair->n_target / pair->n_source;
        n++;
    }
    if (n == 0)
        return NULL;
    json_t *row = json_pack("{s:i, s:i, s:i, s:f}", "least_words", range.least, "most_words",
                            range.most, "examples", n, "words", words / n);
    put(row, "", &m);
    put(row, "all.", &all);
    return row;
}

static json_t *by_length(const EvaluateRequest *request, const Pairs *sentences, Reading *r)
{
    static const Range ranges[] = {{1, 9}, {10, 19}, {20, 29}, {30, 39}, {40, 1 << 30}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        json_t *row = measure_range(request, sentences, r, ranges[i]);
        if (row)
            json_array_append_new(list, row);
    }
    return list;
}

/* ---- with other text around ---- */

/* Every part grows to `total` words: the padding's end before it, its beginning after it. */
static void pad(Arena *arena, const Pair *pair, const TokenList *padding, int total, Reading *r)
{
    int own[2], length[2] = {total, total}, at = 0, n = (int)padding->n;
    read_parts(pair, own);
    r->rows = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, pair->n_source, length);
    int *ids = arena_get(arena, (size_t)r->rows.rows, sizeof *ids);
    unsigned char *flags = arena_get(arena, (size_t)r->rows.rows, 1);
    const int *word = pair->target;
    for (int part = 0; part < pair->n_source; part++) {
        int before = (total - own[part]) / 2;
        for (int t = 0; t < total; t++, at++) {
            flags[at] = t >= before && t < before + own[part];
            int from = t < before ? n - 1 - (before - 1 - t) % n : (t - before - own[part]) % n;
            ids[at] = flags[at] ? *word++ : padding->items[from].id;
        }
    }
    r->ids = ids;
    r->own = flags;
}

static json_t *measure_padded(const EvaluateRequest *request, const Pairs *sentences, Reading *r,
                              const TokenList *padding, int total)
{
    bool selects = sentence_n_selectors(sentence_get_shape(r->net)) > 0;
    Measures m = {0}, all = {0};
    int n = 0;
    for (int i = 0; i < sentences->n && !stop_requested(request->stop); i++) {
        const Pair *pair = &sentences->pairs[i];
        if (longest(pair) >= total)
            continue;
        Arena *arena = arena_new();
        pad(arena, pair, padding, total, r);
        measure(r, pair->source[0], selects, &m);
        if (selects)
            measure(r, pair->source[0], false, &all);
        arena_free(arena);
        measures_add(&m, "even", (double)pair->n_target / r->rows.rows, 1);
        n++;
    }
    r->own = NULL;
    if (n == 0)
        return NULL;
    json_t *row = json_pack("{s:i, s:i}", "words", total, "examples", n);
    put(row, "", &m);
    put(row, "all.", &all);
    return row;
}

static bool read_padding(const EvaluateRequest *request, const SentenceClassifier *classifier,
                         TokenList *padding, Error *error)
{
    Bytes text;
    if (!file_read(request->padding, PADDING_MAX_BYTES, &text, error))
        return false;
    vocabulary_encode(classifier->vocabulary, text.data, text.size, padding);
    bytes_free(&text);
    return padding->n > 0 ||
           error_set(error, ERROR_FORMAT, "%s: there is no word to put around sentences",
                     request->padding);
}

static json_t *padded(const EvaluateRequest *request, const Pairs *sentences, Reading *r,
                      const TokenList *padding)
{
    static const int totals[] = {50, 100, 200};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        json_t *row = measure_padded(request, sentences, r, padding, totals[i]);
        if (row)
            json_array_append_new(list, row);
    }
    return list;
}

bool evaluate_sentence_lengths(const EvaluateRequest *request, const Pairs *sentences,
                               json_t *scores, Error *error)
{
    const SentenceClassifier *classifier = request->model->network;
    TokenList padding = {0};
    if (request->padding && !read_padding(request, classifier, &padding, error)) {
        token_list_free(&padding);
        return false;
    }
    Reading r = {.net = classifier->net, .tape = tape_new_inference(request->model->params)};
    if (request->by_length)
        json_object_set_new(scores, "by_length", by_length(request, sentences, &r));
    if (request->padding)
        json_object_set_new(scores, "padded", padded(request, sentences, &r, &padding));
    tape_free(r.tape);
    token_list_free(&padding);
    return true;
}
