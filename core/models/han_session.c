/* Stepping through a document: words, sentence vectors, sentences, class. */
#include "models/han_session.h"

#include <stdlib.h>
#include <string.h>

static const SessionType han_session;

/* ---- beginning ---- */

static void index_words(HanSession *s)
{
    size_t n = (size_t)s->n_words, m = (size_t)s->n_sentences;
    s->length = arena_get(s->arena, m, sizeof *s->length);
    s->first = arena_get(s->arena, m + 1, sizeof *s->first);
    s->sentence_of = arena_get(s->arena, n, sizeof *s->sentence_of);
    s->ids = arena_get(s->arena, n, sizeof *s->ids);
    int word = 0;
    for (int i = 0; i < s->n_sentences; i++) {
        s->length[i] = s->read.sentences.items[i].n_words;
        s->first[i] = word;
        for (int t = 0; t < s->length[i]; t++, word++) {
            s->sentence_of[word] = i;
            s->ids[word] = s->read.words.items[word].id;
        }
    }
    s->first[s->n_sentences] = word;
}

static bool read_document(HanSession *s, Error *error)
{
    han_text_read(s->classifier, s->text, strlen(s->text), &s->read);
    if (s->read.words.n == 0)
        return error_set(error, ERROR_INPUT, "there is no word to classify in the input");
    if (s->read.words.n > HAN_MAX_TEXT_WORDS)
        return error_set(error, ERROR_LIMIT, "the input has %zu words; the limit is %d",
                         s->read.words.n, HAN_MAX_TEXT_WORDS);
    s->n_words = (int)s->read.words.n;
    s->n_sentences = (int)s->read.sentences.n;
    index_words(s);
    return true;
}

static bool hide_words(HanSession *s, Error *error)
{
    const RunOptions *o = &s->options;
    if (o->n_hidden == 0)
        return true;
    s->visible = arena_get(s->arena, (size_t)s->n_words, 1);
    memset(s->visible, 1, (size_t)s->n_words);
    for (int i = 0; i < o->n_hidden; i++) {
        if (o->hidden[i] < 0 || o->hidden[i] >= s->n_words)
            return error_set(error, ERROR_INPUT, "word %d cannot be hidden: there are %d",
                             o->hidden[i] + 1, s->n_words);
        s->visible[o->hidden[i]] = 0;
    }
    return true;
}

Session *han_session_begin(const Model *model, const RunInput *input, const RunOptions *options,
                           Error *error)
{
    HanSession *s = memory_new(1, sizeof *s);
    s->base.type = &han_session;
    s->base.model = model_retain(model);
    s->classifier = model->network;
    s->options = *options;
    s->text = memory_copy_string(input->text ? input->text : "");
    s->arena = arena_new();
    if ((input->text || error_set(error, ERROR_INPUT, "a text was expected")) &&
        read_document(s, error) && hide_words(s, error)) {
        han_run(s);
        return &s->base;
    }
    session_free(&s->base);
    return NULL;
}

static void han_session_free(Session *session)
{
    HanSession *s = (HanSession *)session;
    arena_free(s->arena);
    han_text_free(&s->read);
    free(s->text);
}

/* ---- running ---- */

static float *by_words(HanSession *s, const HanLayout *layout, const Var *x)
{
    if (!x)
        return NULL;
    float *out = arena_get(s->arena, (size_t)s->n_words, sizeof *out);
    for (int i = 0, word = 0; i < s->n_sentences; i++)
        for (int t = 0; t < s->length[i]; t++, word++)
            out[word] = (float)x->value[han_row(layout, i, t)];
    return out;
}

static float *by_sentences(HanSession *s, const HanLayout *layout, const Var *x)
{
    if (!x)
        return NULL;
    float *out = arena_get(s->arena, (size_t)s->n_sentences, sizeof *out);
    for (int i = 0; i < s->n_sentences; i++)
        out[i] = (float)x->value[han_row(layout, 0, i)];
    return out;
}

static Real *copy_rows(HanSession *s, const Var *x, int n, const int *row)
{
    size_t d = (size_t)x->cols;
    Real *out = arena_get(s->arena, (size_t)n * d, sizeof *out);
    for (int i = 0; i < n; i++)
        memcpy(out + (size_t)i * d, var_row(x, row[i]), d * sizeof *out);
    return out;
}

/* Which rows of the words' layout attention may see; NULL: all. */
static const unsigned char *visible_rows(HanSession *s, Arena *arena, const HanLayout *layout)
{
    if (!s->visible)
        return NULL;
    unsigned char *keep = arena_get(arena, (size_t)s->n_words, 1);
    for (int i = 0, word = 0; i < s->n_sentences; i++)
        for (int t = 0; t < s->length[i]; t++, word++)
            keep[han_row(layout, i, t)] = s->visible[word];
    return keep;
}

/* [sentences] A sentence whose words are all hidden is hidden itself; NULL: all are seen. */
static const unsigned char *seen_sentences(const HanSession *s, Arena *arena)
{
    if (!s->visible)
        return NULL;
    unsigned char *seen = arena_get_zeroed(arena, (size_t)s->n_sentences, 1);
    for (int word = 0; word < s->n_words; word++)
        seen[s->sentence_of[word]] |= s->visible[word];
    return seen;
}

static const unsigned char *visible_sentences(HanSession *s, Arena *arena, const HanLayout *layout)
{
    const unsigned char *seen = seen_sentences(s, arena);
    if (!seen)
        return NULL;
    unsigned char *keep = arena_get(arena, (size_t)s->n_sentences, 1);
    for (int i = 0; i < s->n_sentences; i++)
        keep[han_row(layout, 0, i)] = seen[i];
    return keep;
}

static const Real *persons_word_weights(HanSession *s, Arena *arena, const HanLayout *layout)
{
    if (!s->word_weights)
        return NULL;
    Real *w = arena_get(arena, (size_t)s->n_words, sizeof *w);
    for (int i = 0, word = 0; i < s->n_sentences; i++)
        for (int t = 0; t < s->length[i]; t++, word++)
            w[han_row(layout, i, t)] = s->word_weights[word];
    return w;
}

static const Real *persons_weights(HanSession *s, Arena *arena, const HanLayout *layout)
{
    if (!s->weights)
        return NULL;
    Real *w = arena_get(arena, (size_t)s->n_sentences, sizeof *w);
    for (int i = 0; i < s->n_sentences; i++)
        w[han_row(layout, 0, i)] = s->weights[i];
    return w;
}

static HanReading read_words(HanSession *s, Tape *tape, const HanLayout *words)
{
    const Han *net = s->classifier->net;
    HanControl control = {.keep = visible_rows(s, tape_arena(tape), words),
                          .temperature = (Real)s->options.temperature};
    Var *x = han_embed(net, tape, words, NULL);
    HanReading r = han_read(net, tape, HAN_WORDS, words, x, NULL, &control);
    s->run.word_own = NULL;
    control.weights = persons_word_weights(s, tape_arena(tape), words);
    if (control.weights) {
        s->run.word_own = by_words(s, words, r.weights);
        r = han_read(net, tape, HAN_WORDS, words, x, NULL, &control);
    }
    int *row = arena_get(tape_arena(tape), (size_t)s->n_words, sizeof *row);
    for (int i = 0, word = 0; i < s->n_sentences; i++)
        for (int t = 0; t < s->length[i]; t++, word++)
            row[word] = han_row(words, i, t);
    s->run.states = copy_rows(s, r.states, s->n_words, row);
    s->run.vectors = copy_rows(s, r.vectors, s->n_sentences, words->column);
    s->run.word_weights = by_words(s, words, r.weights);
    s->run.word_scores = by_words(s, words, r.scores);
    return r;
}

static Var *read_sentences(HanSession *s, Tape *tape, const HanLayout *words, Var *vectors)
{
    int *sentence = arena_get(tape_arena(tape), (size_t)s->n_sentences, sizeof *sentence);
    for (int i = 0; i < s->n_sentences; i++)
        sentence[i] = i;
    HanLayout layout = han_layout(tape_arena(tape), 1, &s->n_sentences, sentence, words);
    HanControl control = {.keep = visible_sentences(s, tape_arena(tape), &layout),
                          .temperature = (Real)s->options.temperature};
    const Han *net = s->classifier->net;
    HanReading r = han_read(net, tape, HAN_SENTENCES, &layout, vectors, NULL, &control);
    s->run.sentence_scores = by_sentences(s, &layout, r.scores);
    s->run.sentence_weights = by_sentences(s, &layout, r.weights);
    s->run.sentence_own = NULL;
    control.weights = persons_weights(s, tape_arena(tape), &layout);
    if (control.weights) {
        s->run.sentence_own = s->run.sentence_weights;
        r = han_read(net, tape, HAN_SENTENCES, &layout, vectors, NULL, &control);
        s->run.sentence_weights = by_sentences(s, &layout, r.weights);
    }
    return han_classify(net, tape, r.vectors, NULL);
}

void han_run(HanSession *s)
{
    Tape *tape = tape_new_inference(s->base.model->params);
    HanLayout words = han_layout(tape_arena(tape), s->n_sentences, s->length, s->ids, NULL);
    HanReading r = read_words(s, tape, &words);
    Var *logits = read_sentences(s, tape, &words, r.vectors);
    int n = logits->cols;
    s->run.probability = arena_get(s->arena, (size_t)n, sizeof(double));
    s->run.best = 0;
    for (int c = 0; c < n; c++) {
        s->run.probability[c] = softmax_probability(logits->value, n, c);
        s->run.best = s->run.probability[c] > s->run.probability[s->run.best] ? c : s->run.best;
    }
    s->has_effects = false;
    tape_free(tape);
}

/* ---- stepping ---- */

/* Of every sentence; one whose words are all hidden has none to give. */
static bool take_word_weights(HanSession *s, const StepChoice *choice, Error *error)
{
    Real *all = arena_get_zeroed(s->arena, (size_t)s->n_words, sizeof *all);
    for (int i = 0; i < s->n_sentences; i++) {
        const unsigned char *keep = s->visible ? s->visible + s->first[i] : NULL;
        if (keep && !memchr(keep, 1, (size_t)s->length[i]))
            continue;
        StepChoice part = *choice;
        part.weights = choice->weights + s->first[i];
        part.n_weights = s->length[i];
        Real *weights;
        if (!weights_take_seen(s->arena, &part, keep, &weights, error)) {
            error_prefix(error, "sentence %d", i + 1);
            return false;
        }
        memcpy(all + s->first[i], weights, (size_t)s->length[i] * sizeof *all);
    }
    s->word_weights = all;
    return true;
}

/* Words of all sentences and sentences can be given weights, each in their step. */
static bool choose(HanSession *s, const StepChoice *choice, Error *error)
{
    HanSessionStage stage = (HanSessionStage)s->base.n_steps;
    bool words = stage == HAN_STAGE_WORDS;
    if (choice->n_weights == 0)
        return true;
    if (!words && stage != HAN_STAGE_SENTENCES)
        return error_set(error, ERROR_INPUT,
                         "weights can be given to words, in step %d, and to sentences, in step %d; "
                         "this is step %d",
                         HAN_STAGE_WORDS + 1, HAN_STAGE_SENTENCES + 1, (int)stage + 1);
    if (!(words ? s->run.word_weights : s->run.sentence_weights))
        return error_set(error, ERROR_INPUT, "%s takes maxima: there are no weights",
                         model_name(s->base.model));
    int n = words ? s->n_words : s->n_sentences;
    if (choice->n_weights != n)
        return error_set(error, ERROR_INPUT, "%d weights were given for %d %s", choice->n_weights,
                         n, words ? "words" : "sentences");
    if (!(words ? take_word_weights(s, choice, error)
                : weights_take_seen(s->arena, choice, seen_sentences(s, s->arena), &s->weights,
                                    error)))
        return false;
    han_run(s);
    return true;
}

static bool han_step(Session *session, const StepChoice *choice, Error *error)
{
    HanSession *s = (HanSession *)session;
    if (choice->token >= 0 || choice->word || choice->selected >= 0 || choice->moves_window ||
        choice->n_flips > 0)
        return error_set(error, ERROR_INPUT,
                         "%s has no such choice: weights of words and sentences can be given",
                         model_name(session->model));
    if (!choose(s, choice, error))
        return false;
    if (session->n_steps == HAN_STAGE_CLASS && !s->options.verdict_first &&
        !han_run_effects(s, error))
        return false;
    session->n_steps++;
    session->is_done = session->n_steps == HAN_N_STAGES;
    return true;
}

static void han_rewind(Session *session, int step)
{
    HanSession *s = (HanSession *)session;
    session->n_steps = step;
    session->is_done = step == HAN_N_STAGES;
    bool changes = false;
    if (step <= HAN_STAGE_SENTENCES && s->weights) {
        s->weights = NULL;
        changes = true;
    }
    if (step <= HAN_STAGE_WORDS && s->word_weights) {
        s->word_weights = NULL;
        changes = true;
    }
    if (changes)
        han_run(s);
}

static const SessionType han_session = {
    han_step,
    han_rewind,
    han_trace,
    han_session_free,
};
