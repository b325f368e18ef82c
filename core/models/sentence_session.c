/* Stepping through the stages of a sentence classifier. */
#include "models/sentence_session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DRAWS_AT_ONCE 32 /* copies of the sentence in one batch */
#define PAIR_BAR      "|||"

static const SessionType sentence_session;

/* ---- stages ---- */

static void set_stages(SentenceSession *s)
{
    static const bool has[][STAGE_N] = {
        [SENTENCE_NONE] = {0, 0, 0, 0, 0, 1, 1},
        [SENTENCE_MULTI_HEAD] = {0, 0, 1, 1, 0, 1, 1},
        [SENTENCE_STRUCTURED] = {0, 0, 0, 0, 0, 1, 1},
        [SENTENCE_DISAN] = {0, 1, 1, 1, 1, 1, 1},
        [SENTENCE_RESAN] = {1, 1, 1, 1, 1, 1, 1},
        [SENTENCE_HARD] = {1, 0, 0, 0, 0, 1, 1},
    };
    for (int i = 0; i < STAGE_N; i++)
        if (has[s->shape->kind][i])
            s->stage[s->n_stages++] = (SentenceStage)i;
}

/* ---- selection ---- */

int sentence_n_flips(const SentenceSession *s)
{
    return sentence_n_selectors(s->shape) * s->n;
}

static void select_words(SentenceSession *s)
{
    for (int k = 0; k < sentence_n_selectors(s->shape); k++)
        for (int i = 0; i < s->n; i++) {
            double a = (double)var_row(s->select_logits, i)[k];
            bool z = s->draws[k] ? s->draws[k][i] < 1 / (1 + exp(-a)) : a > 0;
            s->picked[k][i] =
                (z != (s->flipped[k * s->n + i] != 0)) && (!s->visible || s->visible[i]);
        }
}

static Selection selection_of(const SentenceSession *s)
{
    if (sentence_n_selectors(s->shape) == 0)
        return (Selection){{s->visible, s->visible}};
    return (Selection){{s->picked[0], s->picked[1]}};
}

static void run(SentenceSession *s)
{
    tape_reset(s->tape);
    if (s->select_logits)
        select_words(s);
    Selection selection = selection_of(s);
    s->run = sentence_run(s->classifier->net, s->tape, &s->rows, s->embedded,
                          selection.picked[0] ? &selection : NULL, NULL);
    s->expected = NULL;
}

/* ---- beginning ---- */

/* Appends the words of the text's part [begin, end); returns how many. */
static int append_words(SentenceSession *s, size_t begin, size_t end)
{
    size_t before = s->tokens.n;
    vocabulary_encode(s->classifier->vocabulary, s->text + begin, end - begin, &s->tokens);
    for (size_t i = before; i < s->tokens.n; i++) {
        s->tokens.items[i].begin += (int32_t)begin;
        s->tokens.items[i].end += (int32_t)begin;
    }
    return (int)(s->tokens.n - before);
}

/* Where the first bar, TAB or line end between words is, and how long; the length of the text
 * and 0 when there is none. */
static size_t find_bar(const char *text, size_t from, size_t *length)
{
    from += strspn(text + from, " \t\r\n");
    size_t at = from + strcspn(text + from, "\t\r\n");
    const char *bar = strstr(text + from, PAIR_BAR);
    *length = text[at] != '\0';
    if (!bar || (size_t)(bar - text) > at)
        return at;
    *length = strlen(PAIR_BAR);
    return (size_t)(bar - text);
}

static bool read_pair(SentenceSession *s, int length[2], Error *error)
{
    size_t bar, next, end = find_bar(s->text, 0, &bar), last = find_bar(s->text, end + bar, &next);
    length[0] = append_words(s, 0, end);
    length[1] = append_words(s, end + bar, last);
    if (length[0] > 0 && length[1] > 0 &&
        s->text[last + next + strspn(s->text + last + next, " \t\r\n")] == '\0')
        return true;
    return error_set(error, ERROR_INPUT,
                     "%s compares two sentences: \"first " PAIR_BAR " second\" was expected",
                     model_name(s->base.model));
}

static bool read_words(SentenceSession *s, Error *error)
{
    int length[2] = {0};
    if (s->shape->pair && !read_pair(s, length, error))
        return false;
    if (!s->shape->pair)
        length[0] = append_words(s, 0, strlen(s->text));
    if (s->tokens.n == 0)
        return error_set(error, ERROR_INPUT, "there is no word to classify in the input");
    if (s->tokens.n > SENTENCE_MAX_WORDS)
        return error_set(error, ERROR_LIMIT, "the input has %zu words; the limit is %d",
                         s->tokens.n, SENTENCE_MAX_WORDS);
    s->n = (int)s->tokens.n;
    s->ids = arena_get(s->arena, (size_t)s->n, sizeof *s->ids);
    for (int i = 0; i < s->n; i++)
        s->ids[i] = s->tokens.items[i].id;
    s->rows = ragged_new(s->arena, RAGGED_SEQUENCE_MAJOR, sentence_n_parts(s->shape), length);
    return true;
}

static bool hide_words(SentenceSession *s, Error *error)
{
    const RunOptions *o = &s->options;
    if (o->n_hidden == 0)
        return true;
    s->visible = arena_get(s->arena, (size_t)s->n, 1);
    memset(s->visible, 1, (size_t)s->n);
    for (int i = 0; i < o->n_hidden; i++) {
        if (o->hidden[i] < 0 || o->hidden[i] >= s->n)
            return error_set(error, ERROR_INPUT, "word %d cannot be hidden: there are %d",
                             o->hidden[i] + 1, s->n);
        s->visible[o->hidden[i]] = 0;
    }
    return true;
}

static bool check_options(SentenceSession *s, Error *error)
{
    const RunOptions *o = &s->options;
    bool selects = sentence_n_selectors(s->shape) > 0;
    if (o->paths < 0 || o->paths > RUN_MAX_PATHS)
        return error_set(error, ERROR_INPUT, "%d draws: expected 1 to %d", o->paths, RUN_MAX_PATHS);
    if (o->paths > 0 && !selects)
        return error_set(error, ERROR_INPUT, "%s draws no selection to take a mean over",
                         model_name(s->base.model));
    if (o->feature < 0 || o->feature >= s->shape->hidden)
        return error_set(error, ERROR_INPUT, "feature %d: there are %d", o->feature + 1,
                         s->shape->hidden);
    const ClassNames *classes = s->classifier->classes;
    s->gold = o->force ? class_names_find(classes, o->force, strlen(o->force)) : -1;
    if (o->force && s->gold < 0)
        return error_set(error, ERROR_INPUT, "\"%s\" is none of the %d classes of %s", o->force,
                         class_names_count(classes), model_name(s->base.model));
    return true;
}

/* The uniform numbers are drawn once, so a flip or a step back changes no other word. */
static void prepare_selection(SentenceSession *s)
{
    int n = sentence_n_selectors(s->shape);
    s->embedded = sentence_embed(s->classifier->net, s->words, &s->rows, s->ids);
    if (n == 0)
        return;
    s->select_logits = sentence_select(s->classifier->net, s->words, &s->rows, s->embedded);
    s->flipped = arena_get_zeroed(s->arena, (size_t)sentence_n_flips(s), 1);
    Random random = random_seed(s->options.seed, RANDOM_SAMPLE);
    for (int k = 0; k < n; k++) {
        s->picked[k] = arena_get(s->arena, (size_t)s->n, 1);
        if (!s->options.sample)
            continue;
        s->draws[k] = arena_get(s->arena, (size_t)s->n, sizeof(double));
        for (int i = 0; i < s->n; i++)
            s->draws[k][i] = random_uniform(&random);
    }
}

static bool begin(SentenceSession *s, const RunInput *input, Error *error)
{
    if (!input->text)
        return error_set(error, ERROR_INPUT, "a text was expected");
    if (!check_options(s, error) || !read_words(s, error) || !hide_words(s, error))
        return false;
    set_stages(s);
    prepare_selection(s);
    run(s);
    return true;
}

Session *sentence_session_begin(const Model *model, const RunInput *input,
                                const RunOptions *options, Error *error)
{
    SentenceSession *s = memory_new(1, sizeof *s);
    s->base.type = &sentence_session;
    s->base.model = model_retain(model);
    s->classifier = model->network;
    s->shape = sentence_get_shape(s->classifier->net);
    s->options = *options;
    s->text = memory_copy_string(input->text ? input->text : "");
    s->arena = arena_new();
    s->words = tape_new_inference(model->params);
    s->tape = tape_new_inference(model->params);
    if (begin(s, input, error))
        return &s->base;
    session_free(&s->base);
    return NULL;
}

static void sentence_session_free(Session *session)
{
    SentenceSession *s = (SentenceSession *)session;
    tape_free(s->tape);
    tape_free(s->words);
    arena_free(s->arena);
    token_list_free(&s->tokens);
    free(s->text);
}

/* ---- interventions ---- */

static bool flip(SentenceSession *s, const StepChoice *choice, Error *error)
{
    int n = sentence_n_flips(s);
    for (int i = 0; i < choice->n_flips; i++)
        if (choice->flips[i] < 0 || choice->flips[i] >= n)
            return error_set(error, ERROR_INPUT,
                             "selection %d cannot be turned over: there are %d, first the heads, "
                             "then the dependents",
                             choice->flips[i], n);
    memset(s->flipped, 0, (size_t)n);
    for (int i = 0; i < choice->n_flips; i++)
        s->flipped[choice->flips[i]] ^= 1;
    run(s);
    return true;
}

/* ---- expectation ---- */

static void add_probabilities(const Var *logits, double *sum, double *square)
{
    for (int i = 0; i < logits->rows; i++)
        for (int c = 0; c < logits->cols; c++) {
            double p = softmax_probability(var_row(logits, i), logits->cols, c);
            sum[c] += p;
            square[c] += p * p;
        }
}

/* Some copies of the sentence or the pair, each with words drawn anew. */
static void run_copies(SentenceSession *s, int n, Random *random, double *sum, double *square)
{
    Tape *tape = tape_new_inference(s->base.model->params);
    Arena *arena = tape_arena(tape);
    int parts = s->rows.n, *length = arena_get(arena, (size_t)(n * parts), sizeof *length);
    int *index = arena_get(arena, (size_t)n * (size_t)s->n, sizeof *index);
    for (int i = 0; i < n; i++) {
        memcpy(length + i * parts, s->rows.length, (size_t)parts * sizeof *length);
        for (int t = 0; t < s->n; t++)
            index[i * s->n + t] = t;
    }
    Ragged rows = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, n * parts, length);
    Selection drawn =
        sentence_draw(arena, op_gather(tape, s->select_logits, rows.rows, index), random);
    for (int k = 0; s->visible && k < SELECT_MOST; k++)
        for (int i = 0; drawn.picked[k] && i < rows.rows; i++)
            ((unsigned char *)drawn.picked[k])[i] &= s->visible[i % s->n];
    SentenceRun run = sentence_run(s->classifier->net, tape, &rows,
                                   op_gather(tape, s->embedded, rows.rows, index), &drawn, NULL);
    add_probabilities(run.logits, sum, square);
    tape_free(tape);
}

static bool expect(SentenceSession *s, Error *error)
{
    int n = s->options.paths, classes = s->shape->classes;
    if (n == 0 || s->expected)
        return true;
    double *sum = arena_get_zeroed(s->arena, (size_t)classes, sizeof *sum);
    double *square = arena_get_zeroed(s->arena, (size_t)classes, sizeof *square);
    Random random = random_seed(s->options.seed, RANDOM_EXPLORE);
    for (int done = 0; done < n; done += DRAWS_AT_ONCE) {
        if (stop_requested(s->options.stop))
            return error_set(error, ERROR_CANCELLED, "stopped after %d of %d draws", done, n);
        run_copies(s, n - done < DRAWS_AT_ONCE ? n - done : DRAWS_AT_ONCE, &random, sum, square);
    }
    for (int c = 0; c < classes; c++) {
        sum[c] /= n;
        square[c] = sqrt(fmax(0, square[c] / n - sum[c] * sum[c]));
    }
    s->expected = sum;
    s->deviation = square;
    return true;
}

const double *sentence_probabilities(SentenceSession *s)
{
    if (s->expected)
        return s->expected;
    const Var *logits = s->run.logits;
    double *p = arena_get(s->arena, (size_t)logits->cols, sizeof *p);
    for (int c = 0; c < logits->cols; c++)
        p[c] = softmax_probability(logits->value, logits->cols, c);
    return p;
}

/* ---- stepping ---- */

static bool check_choice(const SentenceSession *s, SentenceStage stage, const StepChoice *choice,
                         Error *error)
{
    if (choice->token >= 0 || choice->word || choice->n_weights > 0 || choice->selected >= 0 ||
        choice->moves_window || choice->window > 0)
        return error_set(error, ERROR_INPUT,
                         "%s takes no tokens, weights or windows: only selections can be turned "
                         "over",
                         model_name(s->base.model));
    if (choice->n_flips > 0 && stage != STAGE_SELECTION)
        return error_set(error, ERROR_INPUT, "selections are turned over at the selection step");
    return true;
}

static bool sentence_step(Session *session, const StepChoice *choice, Error *error)
{
    SentenceSession *s = (SentenceSession *)session;
    SentenceStage stage = s->stage[session->n_steps];
    if (!check_choice(s, stage, choice, error))
        return false;
    if (stage == STAGE_SELECTION && !flip(s, choice, error))
        return false;
    if (stage == STAGE_CLASS && !expect(s, error))
        return false;
    session->n_steps++;
    session->is_done = session->n_steps == s->n_stages;
    return true;
}

static void sentence_rewind(Session *session, int step)
{
    SentenceSession *s = (SentenceSession *)session;
    session->n_steps = step;
    session->is_done = step == s->n_stages;
    if (step > 0 || !s->flipped)
        return;
    memset(s->flipped, 0, (size_t)sentence_n_flips(s));
    run(s);
}

static const SessionType sentence_session = {
    sentence_step,
    sentence_rewind,
    sentence_trace,
    sentence_session_free,
};
