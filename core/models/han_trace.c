/* What a document classifier did, as a trace: see app/views/README.md, "Documents". Only the
 * stages that were stepped through are in it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/han_session.h"
#include "trace/compare.h"

#define MOST_STATES (1 << 20) /* numbers; states of longer documents are left out */

typedef struct TraceWork {
    HanSession *s;
    TraceBuilder *b;
    int32_t word, sentence, unit;
    StepScalars scalars[HAN_N_STAGES];
} TraceWork;

static bool has_stage(const TraceWork *w, HanSessionStage stage)
{
    return w->s->base.n_steps > (int)stage;
}

/* ---- axes ---- */

static char *piece(const HanSession *s, size_t begin, size_t end)
{
    return memory_copy_bytes(s->text + begin, end - begin);
}

static void add_sentence_axis(TraceWork *w)
{
    const HanSession *s = w->s;
    TokenAxis axis = token_axis_new(s->n_sentences);
    char **labels = memory_new((size_t)s->n_sentences, sizeof *labels);
    for (int i = 0; i < s->n_sentences; i++) {
        const Sentence *sentence = &s->read.sentences.items[i];
        const Token place = {
            .begin = (int32_t)sentence->begin, .end = (int32_t)sentence->end, .starts_word = true};
        labels[i] = piece(s, sentence->begin, sentence->end);
        token_axis_set(&axis, i, &place, labels[i]);
    }
    w->sentence = token_axis_add(&axis, w->b, "sentence", "input");
    for (int i = 0; i < s->n_sentences; i++)
        free(labels[i]);
    free(labels);
}

static void add_word_axis(TraceWork *w)
{
    const HanSession *s = w->s;
    size_t n = (size_t)s->n_words;
    const char **labels = memory_new(n, sizeof *labels);
    TraceSpan *spans = memory_new(n, sizeof *spans);
    uint8_t *flags = memory_new(n, 1);
    for (size_t i = 0; i < n; i++) {
        const Token *token = &s->read.words.items[i];
        labels[i] = piece(s, (size_t)token->begin, (size_t)token->end);
        spans[i] = (TraceSpan){token->begin, token->end};
        flags[i] = token->id == VOCABULARY_UNKNOWN ? TRACE_TOKEN_UNKNOWN : 0;
        if (s->visible && !s->visible[i])
            flags[i] |= TRACE_TOKEN_HIDDEN;
    }
    const TraceAxis axis = {
        .name = "word",
        .kind = TRACE_AXIS_TOKEN,
        .len = s->n_words,
        .labels = labels,
        .text = "input",
        .spans = spans,
        .flags = flags,
        .parent_axis = w->sentence,
        .parent = s->sentence_of,
    };
    w->word = trace_add_axis(w->b, &axis);
    for (size_t i = 0; i < n; i++)
        free((char *)labels[i]);
    free(labels);
    free(spans);
    free(flags);
}

static void add_unit_axis(TraceWork *w)
{
    const TraceAxis axis = {.name = "unit",
                            .kind = TRACE_AXIS_INDEX,
                            .len = 2 * han_get_shape(w->s->classifier->net)->hidden,
                            .parent_axis = -1};
    w->unit = trace_add_axis(w->b, &axis);
}

/* ---- tensors ---- */

static void add(TraceWork *w, const char *name, TraceRole role, int32_t axis, const float *values)
{
    if (values)
        trace_add_tensor(w->b, name, role, 1, &axis, values);
}

static void add_states(TraceWork *w, const char *name, int32_t axis, int n, const Real *states)
{
    int d = 2 * han_get_shape(w->s->classifier->net)->hidden;
    const int32_t axes[2] = {axis, w->unit};
    if ((int64_t)n * d > MOST_STATES)
        return;
    float *out = trace_new_tensor(w->b, name, TRACE_STATE, 2, axes);
    for (int64_t i = 0; out && i < (int64_t)n * d; i++)
        out[i] = (float)states[i];
}

/* Means over sentences of two words and more: what one word attends to is no choice. */
static void word_scalars(TraceWork *w)
{
    const HanSession *s = w->s;
    double entropy = 0, effective = 0, largest = 0, n = 0;
    for (int i = 0; s->run.word_weights && i < s->n_sentences; i++) {
        StepScalars one = {0};
        if (s->length[i] < 2)
            continue;
        scalars_add_attention(&one, s->run.word_weights + s->first[i], s->length[i]);
        entropy += one.item[0].value;
        effective += one.item[1].value;
        largest += one.item[2].value;
        n++;
    }
    if (n == 0)
        return;
    scalars_add(&w->scalars[HAN_STAGE_WORDS], "entropy", entropy / n);
    scalars_add(&w->scalars[HAN_STAGE_WORDS], "effective", effective / n);
    scalars_add(&w->scalars[HAN_STAGE_WORDS], "largest", largest / n);
}

static void add_words(TraceWork *w)
{
    const HanSession *s = w->s;
    add(w, "word.weights", TRACE_WEIGHTS, w->word, s->run.word_weights);
    add(w, "word.own_weights", TRACE_WEIGHTS, w->word, s->run.word_own);
    add(w, "word.scores", TRACE_SCORES, w->word, s->run.word_scores);
    add_states(w, "word.states", w->word, s->n_words, s->run.states);
    word_scalars(w);
}

static void add_vectors(TraceWork *w)
{
    const HanSession *s = w->s;
    int d = 2 * han_get_shape(s->classifier->net)->hidden;
    add_states(w, "sentence.vectors", w->sentence, s->n_sentences, s->run.vectors);
    double norm = 0;
    for (int i = 0; i < s->n_sentences; i++)
        norm += vector_norm(s->run.vectors + (size_t)i * (size_t)d, d);
    scalars_add(&w->scalars[HAN_STAGE_VECTORS], "vector.norm", norm / s->n_sentences);
}

static void add_sentences(TraceWork *w)
{
    const HanRun *run = &w->s->run;
    add(w, "sentence.weights", TRACE_WEIGHTS, w->sentence, run->sentence_weights);
    add(w, "sentence.own_weights", TRACE_WEIGHTS, w->sentence, run->sentence_own);
    add(w, "sentence.scores", TRACE_SCORES, w->sentence, run->sentence_scores);
    if (run->sentence_weights)
        scalars_add_attention(&w->scalars[HAN_STAGE_SENTENCES], run->sentence_weights,
                              w->s->n_sentences);
}

/* ---- the verdict, and what it rests on ---- */

/* Kendall's tau of what an item received and how much it moves the verdict, over the items
 * whose effect is known. */
static double agreement(int n, const float *weights, const float *effects)
{
    float *x = memory_new((size_t)n + 1, sizeof *x), *y = memory_new((size_t)n + 1, sizeof *y);
    int32_t known = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(effects[i])) {
            x[known] = weights[i];
            y[known++] = fabsf(effects[i]);
        }
    double tau = compare_kendall(x, y, known);
    free(x);
    free(y);
    return tau;
}

static void add_agreement(TraceWork *w, const char *name, int n, const float *weights,
                          const float *effects)
{
    double tau = agreement(n, weights, effects);
    if (!isnan(tau))
        scalars_add(&w->scalars[HAN_STAGE_CLASS], name, tau);
}

/* Its measures have their places, so that nothing moves when they come. */
static void promise_effects(TraceWork *w)
{
    const HanSession *s = w->s;
    trace_set_attribute(w->b, "effects", "later");
    if (!s->run.sentence_weights)
        return;
    static const char *const names[] = {"tau.sentences", "tau.words", "tau.gradient"};
    for (size_t i = s->n_sentences < 2; i < sizeof names / sizeof *names; i++)
        scalars_add(&w->scalars[HAN_STAGE_CLASS], names[i], NAN);
}

static void add_effects(TraceWork *w)
{
    const HanSession *s = w->s;
    if (s->options.verdict_first && han_has_effects(s))
        promise_effects(w);
    if (!s->has_effects)
        return;
    add(w, "sentence.effect", TRACE_SCALAR, w->sentence, s->effects.sentence);
    add(w, "word.effect", TRACE_SCALAR, w->word, s->effects.word);
    add(w, "word.gradient", TRACE_SCALAR, w->word, s->effects.gradient);
    if (s->effects.is_partial)
        trace_add_note(w->b, "the document is long: only words of its heaviest sentences were "
                             "left out one at a time");
    if (!s->run.sentence_weights)
        return;
    add_agreement(w, "tau.sentences", s->n_sentences, s->run.sentence_weights, s->effects.sentence);
    float *share = memory_new((size_t)s->n_words, sizeof *share);
    for (int i = 0; i < s->n_words; i++)
        share[i] = s->run.word_weights[i] * s->run.sentence_weights[s->sentence_of[i]];
    add_agreement(w, "tau.words", s->n_words, share, s->effects.word);
    add_agreement(w, "tau.gradient", s->n_words, share, s->effects.gradient);
    free(share);
}

static void add_classes(TraceWork *w)
{
    const HanSession *s = w->s;
    const ClassNames *classes = s->classifier->classes;
    for (int c = 0; c < class_names_count(classes); c++)
        trace_add_class(w->b, class_names_at(classes, c), s->run.probability[c]);
    trace_set_text(w->b, "output", class_names_at(classes, s->run.best));
    trace_set_score(w->b, log(s->run.probability[s->run.best]));
    add_effects(w);
}

/* ---- all ---- */

static void add_steps(TraceWork *w)
{
    static const char *const names[HAN_N_STAGES] = {"words", "vectors", "sentences", "class"};
    for (int i = 0; i < w->s->base.n_steps; i++) {
        const TraceStep step = {
            .token = names[i],
            .id = i,
            .probability = 1,
            .forced = (i == HAN_STAGE_SENTENCES && w->s->weights) ||
                      (i == HAN_STAGE_WORDS && w->s->word_weights),
            .n_scalars = w->scalars[i].n,
            .scalars = w->scalars[i].item,
        };
        trace_add_step(w->b, &step);
    }
}

/* A text in another language, or none at all: its verdict says little. */
static void note_unknown(TraceWork *w)
{
    const HanSession *s = w->s;
    int unknown = 0;
    for (int i = 0; i < s->n_words; i++)
        unknown += s->ids[i] == VOCABULARY_UNKNOWN;
    if (2 * unknown > s->n_words)
        trace_add_note(w->b, "most words of this text are unknown to the model: the verdict says "
                             "little");
}

static void add_changes(TraceWork *w)
{
    const HanSession *s = w->s;
    if (s->word_weights) {
        const TraceChange change = {HAN_STAGE_WORDS, "weights",
                                    "weights of the words given by hand"};
        trace_add_change(w->b, &change);
    }
    if (s->weights) {
        const TraceChange change = {HAN_STAGE_SENTENCES, "weights",
                                    "weights of the sentences given by hand"};
        trace_add_change(w->b, &change);
    }
    for (int i = 0; s->visible && i < s->n_words; i++) {
        if (s->visible[i])
            continue;
        const Token *token = &s->read.words.items[i];
        trace_add_hidden(w->b, s->text + token->begin, (size_t)(token->end - token->begin));
    }
}

const Trace *han_trace(Session *session, Error *error)
{
    TraceWork w = {.s = (HanSession *)session, .b = trace_builder_new()};
    trace_set_text(w.b, "input", w.s->text);
    trace_add_model_attributes(w.b, session->model, &w.s->options);
    trace_set_attribute(w.b, "attention", "%s", model_attention(session->model));
    add_sentence_axis(&w);
    add_word_axis(&w);
    add_unit_axis(&w);
    if (has_stage(&w, HAN_STAGE_WORDS))
        add_words(&w);
    if (has_stage(&w, HAN_STAGE_VECTORS))
        add_vectors(&w);
    if (has_stage(&w, HAN_STAGE_SENTENCES))
        add_sentences(&w);
    if (has_stage(&w, HAN_STAGE_CLASS))
        add_classes(&w);
    add_steps(&w);
    note_unknown(&w);
    add_changes(&w);
    return trace_seal(w.b, error);
}
