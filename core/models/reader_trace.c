/* What a reader did, as a trace: see app/views/README.md, "Readers". */
#include "models/reader_session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAMED 8 /* unknown words in a note */

typedef struct TraceWork {
    ReaderSession *s;
    TraceBuilder *b;
    int n_looks;
    int32_t sentence, document, question, look;
} TraceWork;

/* ---- axes ---- */

static int32_t add_words(const ReaderSession *s, TraceBuilder *b, const char *name,
                         const TokenList *words, const char *text, const char *text_name,
                         int32_t parent_axis, const int32_t *parent)
{
    size_t n = words->n;
    char **labels = arena_get(s->arena, n + 1, sizeof *labels);
    TraceSpan *spans = arena_get(s->arena, n + 1, sizeof *spans);
    uint8_t *flags = arena_get(s->arena, n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        const Token *t = &words->items[i];
        labels[i] = memory_copy_bytes(text + t->begin, (size_t)(t->end - t->begin));
        spans[i] = (TraceSpan){t->begin, t->end};
        flags[i] = (uint8_t)((t->starts_word ? 0 : TRACE_TOKEN_CONTINUES) |
                             (t->id == VOCABULARY_UNKNOWN ? TRACE_TOKEN_UNKNOWN : 0));
        int item = parent && s->shape->over_sentences ? parent[i] : (int)i;
        if (parent && s->keep && !s->keep[item])
            flags[i] |= TRACE_TOKEN_HIDDEN;
    }
    const TraceAxis axis = {.name = name,
                            .kind = TRACE_AXIS_TOKEN,
                            .len = (int32_t)n,
                            .labels = (const char *const *)labels,
                            .text = text_name,
                            .spans = spans,
                            .flags = flags,
                            .parent_axis = parent_axis,
                            .parent = parent};
    int32_t index = trace_add_axis(b, &axis);
    for (size_t i = 0; i < n; i++)
        free(labels[i]);
    return index;
}

static void add_sentence_axis(TraceWork *w, int32_t *parent)
{
    const ReaderSession *s = w->s;
    int n = s->read.n_sentences;
    char **labels = arena_get(s->arena, (size_t)n, sizeof *labels);
    TraceSpan *spans = arena_get(s->arena, (size_t)n, sizeof *spans);
    for (int i = 0, k = 0; i < n; i++) {
        int32_t begin = s->read.words.items[k].begin;
        for (int j = 0; j < s->read.length[i]; j++)
            parent[k++] = i;
        spans[i] = (TraceSpan){begin, s->read.words.items[k - 1].end};
        labels[i] = memory_copy_bytes(s->text + begin, (size_t)(spans[i].end - begin));
    }
    uint8_t *flags = arena_get_zeroed(s->arena, (size_t)n, 1);
    for (int i = 0; s->keep && s->shape->over_sentences && i < n; i++)
        flags[i] = s->keep[i] ? 0 : TRACE_TOKEN_HIDDEN;
    const TraceAxis axis = {.name = "sentence",
                            .kind = TRACE_AXIS_TOKEN,
                            .len = n,
                            .flags = flags,
                            .labels = (const char *const *)labels,
                            .text = "input",
                            .spans = spans,
                            .parent_axis = -1};
    w->sentence = trace_add_axis(w->b, &axis);
    for (int i = 0; i < n; i++)
        free(labels[i]);
}

static void add_look_axis(TraceWork *w)
{
    const ReaderSession *s = w->s;
    char(*names)[24] = arena_get(s->arena, (size_t)w->n_looks + 1, sizeof *names);
    const char **labels = arena_get(s->arena, (size_t)w->n_looks + 1, sizeof *labels);
    for (int k = 0; k < w->n_looks; k++) {
        snprintf(names[k], sizeof names[k], s->n_looks > 1 ? "look %d" : "look", k + 1);
        labels[k] = names[k];
    }
    const TraceAxis axis = {.name = "look",
                            .kind = TRACE_AXIS_STEP,
                            .len = w->n_looks,
                            .labels = labels,
                            .parent_axis = -1};
    w->look = trace_add_axis(w->b, &axis);
}

static void add_axes(TraceWork *w)
{
    ReaderSession *s = w->s;
    int32_t *parent = arena_get(s->arena, s->read.words.n, sizeof *parent);
    add_sentence_axis(w, parent);
    w->document =
        add_words(s, w->b, "document", &s->read.words, s->text, "input", w->sentence, parent);
    w->question =
        add_words(s, w->b, "question", &s->read.question, s->question, "question", -1, NULL);
    if (s->shape->attention != READER_IMPATIENT)
        add_look_axis(w);
}

/* ---- attention ---- */

typedef enum { ROWS_WEIGHTS, ROWS_SCORES, ROWS_OWN } Rows;

static const float *row_of(const LookRecord *r, Rows rows)
{
    return rows == ROWS_SCORES ? r->scores : rows == ROWS_OWN && r->own ? r->own : r->weights;
}

static void add_rows(const TraceWork *w, const char *name, TraceRole role, Rows rows)
{
    const ReaderSession *s = w->s;
    bool impatient = s->shape->attention == READER_IMPATIENT;
    const int32_t axes[2] = {impatient ? w->question : w->look,
                             s->shape->over_sentences ? w->sentence : w->document};
    float *out = trace_new_tensor(w->b, name, role, 2, axes);
    int n = impatient ? (int)s->read.question.n : w->n_looks;
    for (int k = 0; out && k < n; k++)
        for (int i = 0; i < s->n_items; i++) {
            bool sees = k < w->n_looks && (!s->keep || s->keep[i]);
            float beyond = rows == ROWS_SCORES ? NAN : 0;
            out[(size_t)k * (size_t)s->n_items + (size_t)i] =
                sees || rows == ROWS_WEIGHTS ? k < w->n_looks ? row_of(&s->looks[k], rows)[i] : 0
                                             : beyond;
        }
}

static void add_attention(const TraceWork *w)
{
    const ReaderSession *s = w->s;
    bool changed = false;
    if (w->n_looks == 0)
        return;
    for (int k = 0; k < w->n_looks; k++)
        changed = changed || s->looks[k].own;
    add_rows(w, "attention.weights", TRACE_WEIGHTS, ROWS_WEIGHTS);
    if (s->looks[0].scores)
        add_rows(w, "attention.scores", TRACE_SCORES, ROWS_SCORES);
    if (changed)
        add_rows(w, "attention.own_weights", TRACE_WEIGHTS, ROWS_OWN);
}

static void add_support(const TraceWork *w)
{
    const ReaderSession *s = w->s;
    if (!s->support)
        return;
    float *out = trace_new_tensor(w->b, "gold.support", TRACE_MASK, 1, &w->sentence);
    for (int i = 0; out && i < s->read.n_sentences; i++)
        out[i] = s->support[i];
}

/* ---- the answer ---- */

static double mass_of_word(const ReaderSession *s, int32_t id)
{
    const float *weights = s->looks[s->n_looks - 1].weights;
    double mass = 0;
    for (int i = 0, k = 0; i < s->read.n_sentences; i++) {
        bool named = false;
        for (int j = 0; j < s->read.length[i]; j++, k++) {
            bool is_it = s->read.word_ids[k] == id;
            named = named || is_it;
            mass += is_it && !s->shape->over_sentences ? (double)weights[k] : 0;
        }
        mass += named && s->shape->over_sentences ? (double)weights[i] : 0;
    }
    return mass;
}

/* Attention of the last look on the words, or sentences with a word, that are an answer by
 * themselves. */
static void add_mentions(const TraceWork *w, int32_t axis)
{
    const ReaderSession *s = w->s;
    const ClassNames *answers = s->answerer->answers;
    float *mass = trace_new_tensor(w->b, "candidate.mass", TRACE_SCALAR, 1, &axis);
    for (int c = 0; mass && c < class_names_count(answers); c++) {
        int32_t id = vocabulary_find(s->answerer->vocabulary, class_names_at(answers, c));
        mass[c] = id != VOCABULARY_UNKNOWN ? (float)mass_of_word(s, id) : 0;
    }
}

static void add_answers(const TraceWork *w)
{
    const ReaderSession *s = w->s;
    const ClassNames *answers = s->answerer->answers;
    int n = class_names_count(answers), best = 0;
    const char **labels = arena_get(s->arena, (size_t)n, sizeof *labels);
    for (int c = 0; c < n; c++) {
        labels[c] = class_names_at(answers, c);
        trace_add_class(w->b, labels[c], softmax_probability(s->logits->value, n, c));
        best = s->logits->value[c] > s->logits->value[best] ? c : best;
    }
    const TraceAxis axis = {.name = "candidate",
                            .kind = TRACE_AXIS_CLASS,
                            .len = n,
                            .labels = labels,
                            .parent_axis = -1};
    add_mentions(w, trace_add_axis(w->b, &axis));
    trace_set_text(w->b, "output", labels[best]);
    trace_set_score(w->b, log(softmax_probability(s->logits->value, n, best)));
}

/* ---- steps ---- */

static int n_unknown(const TokenList *words)
{
    int n = 0;
    for (size_t i = 0; i < words->n; i++)
        n += words->items[i].id == VOCABULARY_UNKNOWN;
    return n;
}

static void add_reading_step(const ReaderSession *s, TraceBuilder *b, int step)
{
    StepScalars scalars = {0};
    const char *token = "story";
    char *word = NULL;
    if (step == 0) {
        scalars_add(&scalars, "sentences", s->read.n_sentences);
        scalars_add(&scalars, "words", (double)s->read.words.n);
        scalars_add(&scalars, "words.unknown", n_unknown(&s->read.words));
    } else {
        const Token *t = &s->read.question.items[step - 1];
        token = word = memory_copy_bytes(s->question + t->begin, (size_t)(t->end - t->begin));
    }
    scalars_add(&scalars, "asked", reader_n_asked(s, step + 1));
    const TraceStep out = {.token = token,
                           .id = step == 0 ? -1 : s->read.question_ids[step - 1],
                           .probability = 1,
                           .n_scalars = scalars.n,
                           .scalars = scalars.item};
    trace_add_step(b, &out);
    free(word);
}

static void add_look_step(const ReaderSession *s, TraceBuilder *b, int step)
{
    int k = reader_n_looks(s, step), top = 0;
    const LookRecord *r = &s->looks[k];
    StepScalars scalars = r->scalars;
    char name[24];
    char *word = NULL;
    for (int i = 0; i < s->n_items; i++)
        top = r->weights[i] > r->weights[top] ? i : top;
    snprintf(name, sizeof name, s->n_looks > 1 ? "look %d" : "look", k + 1);
    if (s->shape->attention == READER_IMPATIENT) {
        const Token *t = &s->read.question.items[k];
        word = memory_copy_bytes(s->question + t->begin, (size_t)(t->end - t->begin));
    }
    scalars_add(&scalars, "asked", reader_n_asked(s, step + 1));
    const TraceStep out = {.token = word ? word : name,
                           .id = k,
                           .probability = 1,
                           .forced = r->own != NULL,
                           .n_scalars = scalars.n,
                           .scalars = scalars.item};
    trace_add_step(b, &out);
    free(word);
}

static void add_answer_step(const ReaderSession *s, TraceBuilder *b, int step)
{
    int n = s->logits->cols;
    TopCandidates top = top_candidates(s->arena, s->logits->value, n);
    for (int i = 0; i < top.n; i++)
        top.item[i].token = class_names_at(s->answerer->answers, top.item[i].id);
    StepScalars scalars = {0};
    scalars_add(&scalars, "look", s->n_looks);
    scalars_add(&scalars, "asked", reader_n_asked(s, step + 1));
    if (s->gold >= 0)
        scalars_add(&scalars, "expected", softmax_probability(s->logits->value, n, s->gold));
    const TraceStep out = {.token = top.item[0].token,
                           .id = top.item[0].id,
                           .probability = top.item[0].probability,
                           .n_candidates = top.n,
                           .candidates = top.item,
                           .n_scalars = scalars.n,
                           .scalars = scalars.item};
    trace_add_step(b, &out);
}

static void add_steps(const TraceWork *w)
{
    for (int i = 0; i < w->s->base.n_steps; i++)
        switch (reader_stage(w->s, i)) {
        case READER_STORY:
        case READER_QUESTION: add_reading_step(w->s, w->b, i); break;
        case READER_LOOK: add_look_step(w->s, w->b, i); break;
        case READER_ANSWER: add_answer_step(w->s, w->b, i); break;
        }
}

/* ---- what a person should know ---- */

/* Whether the word was unknown in another place before. */
static bool was_named(const TokenList *words, size_t i, const char *text)
{
    const Token *t = &words->items[i];
    size_t n = (size_t)(t->end - t->begin);
    for (size_t k = 0; k < i; k++) {
        const Token *o = &words->items[k];
        if (o->id == VOCABULARY_UNKNOWN && (size_t)(o->end - o->begin) == n &&
            memcmp(text + o->begin, text + t->begin, n) == 0)
            return true;
    }
    return false;
}

static void note_unknown(const ReaderSession *s, TraceBuilder *b, const char *where,
                         const TokenList *words, const char *text)
{
    StrBuf names = {0};
    int n = n_unknown(words), named = 0;
    for (size_t i = 0; i < words->n && named <= MOST_NAMED; i++) {
        const Token *t = &words->items[i];
        if (t->id != VOCABULARY_UNKNOWN || was_named(words, i, text))
            continue;
        if (named == MOST_NAMED)
            strbuf_add(&names, ", ...");
        else
            strbuf_addf(&names, "%s\"%.*s\"", named ? ", " : "", (int)(t->end - t->begin),
                        text + t->begin);
        named++;
    }
    if (n > 0)
        trace_add_note(b, "%s has never seen %d %s of the %s: %s; all read alike",
                       model_name(s->base.model), n, n > 1 ? "words" : "word", where, names.text);
    strbuf_free(&names);
}

/* A word, or a whole sentence. */
static void add_hidden(const TraceWork *w, int item)
{
    const ReaderSession *s = w->s;
    int first = item, last = item;
    if (s->shape->over_sentences) {
        first = 0;
        for (int i = 0; i < item; i++)
            first += s->read.length[i];
        last = first + s->read.length[item] - 1;
    }
    int32_t begin = s->read.words.items[first].begin, end = s->read.words.items[last].end;
    trace_add_hidden(w->b, s->text + begin, (size_t)(end - begin));
}

static void add_changes(const TraceWork *w)
{
    const ReaderSession *s = w->s;
    for (int i = 0; s->keep && i < s->n_items; i++)
        if (!s->keep[i])
            add_hidden(w, i);
    for (int i = 0; i < s->base.n_steps; i++)
        if (reader_stage(s, i) == READER_LOOK && s->looks[reader_n_looks(s, i)].own) {
            char text[64];
            snprintf(text, sizeof text, "weights of look %d by hand", reader_n_looks(s, i) + 1);
            const TraceChange change = {.step = i, .kind = "weights", .text = text};
            trace_add_change(w->b, &change);
        }
}

const Trace *reader_trace(Session *session, Error *error)
{
    ReaderSession *s = (ReaderSession *)session;
    const Settings *settings = session->model->settings;
    TraceWork w = {.s = s, .b = trace_builder_new()};
    w.n_looks = reader_n_looks(s, session->n_steps);
    trace_set_text(w.b, "input", s->text);
    trace_set_text(w.b, "question", s->question);
    trace_add_model_attributes(w.b, session->model, &s->options);
    trace_set_attribute(w.b, "attention", "%s", settings_text(settings, "attention"));
    trace_set_attribute(w.b, "memory", "%s", settings_text(settings, "memory"));
    trace_set_attribute(w.b, "hops", "%d", s->shape->hops);
    if (s->gold >= 0)
        trace_set_attribute(w.b, "expected", "%s", class_names_at(s->answerer->answers, s->gold));
    note_unknown(s, w.b, "story", &s->read.words, s->text);
    note_unknown(s, w.b, "question", &s->read.question, s->question);
    add_axes(&w);
    add_attention(&w);
    add_support(&w);
    if (s->logits)
        add_answers(&w);
    add_steps(&w);
    add_changes(&w);
    return trace_seal(w.b, error);
}
