/* traces.h - small runs to draw: sentences short, long, Chinese, Arabic, of one word and of
 * none; each kind of attention. The words are our own and the numbers invented. */
#ifndef FOVEA_TESTS_APP_VIEWS_TRACES_H
#define FOVEA_TESTS_APP_VIEWS_TRACES_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "trace/trace.h"

#define TRACES_MAX_WORDS 128

typedef struct TraceWords {
    int n;
    const char *at[TRACES_MAX_WORDS];
    char *storage;
} TraceWords;

static inline TraceWords traces_split(const char *text)
{
    TraceWords words = {0};
    words.storage = memory_copy_string(text);
    for (char *p = words.storage; *p;) {
        if (*p == ' ') {
            *p++ = '\0';
            continue;
        }
        words.at[words.n++] = p;
        p += strcspn(p, " ");
    }
    return words;
}

/* A number in [0, 1) that looks random and is the same everywhere. */
static inline float traces_noise(int a, int b)
{
    unsigned x = (unsigned)a * 2654435761u ^ (unsigned)b * 2246822519u ^ 0x9E3779B9u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (float)(x & 0xFFFF) / 65536;
}

static inline void traces_softmax(float *row, int n)
{
    float max = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(row[i]))
            max = fmaxf(max, row[i]);
    for (int i = 0; i < n; i++) {
        row[i] = isnan(row[i]) ? 0 : expf(row[i] - max);
        sum += row[i];
    }
    /* Rounded, so that pictures do not depend on the last digit of a machine's expf. */
    for (int i = 0; i < n && sum > 0; i++)
        row[i] = roundf(row[i] / sum * 10000) / 10000;
}

typedef struct SentenceSpec {
    const char *input;  /* words of the source, by spaces; "+x" continues the word before */
    const char *output; /* likewise                                                       */
    const char *attention, *align;
    int window;   /* D of a local window, 0: none */
    bool changed; /* a person repainted row 1 and forced token 2 */
    bool gold;
} SentenceSpec;

static inline int32_t traces_add_tokens(TraceBuilder *b, const char *name, const TraceWords *words,
                                        const char *text, bool ends, bool forced)
{
    int n = words->n + (ends ? 1 : 0);
    const char *labels[TRACES_MAX_WORDS + 1];
    uint8_t flags[TRACES_MAX_WORDS + 1] = {0};
    TraceSpan spans[TRACES_MAX_WORDS + 1] = {{0, 0}};
    const char *from = text;
    for (int i = 0; i < words->n; i++) {
        bool continues = words->at[i][0] == '+' && words->at[i][1];
        labels[i] = words->at[i] + (continues ? 1 : 0);
        flags[i] = continues ? TRACE_TOKEN_CONTINUES : 0;
        const char *found = text ? strstr(from, labels[i]) : NULL;
        if (found) {
            spans[i] = (TraceSpan){(int32_t)(found - text),
                                   (int32_t)(found - text + (ptrdiff_t)strlen(labels[i]))};
            from = found + strlen(labels[i]);
        }
    }
    if (ends) {
        labels[words->n] = "</s>";
        flags[words->n] = TRACE_TOKEN_SPECIAL;
    }
    if (forced && n > 2)
        flags[2] |= TRACE_TOKEN_FORCED;
    TraceAxis axis = {.name = name,
                      .kind = TRACE_AXIS_TOKEN,
                      .len = n,
                      .labels = labels,
                      .flags = flags,
                      .text = text ? "input" : NULL,
                      .spans = text ? spans : NULL,
                      .parent_axis = -1};
    return trace_add_axis(b, &axis);
}

/* "a +b c" -> "ab c" */
static inline char *traces_plain(const char *text)
{
    StrBuf out = {0};
    strbuf_add(&out, "");
    for (const char *p = text; *p; p++) {
        if (p[0] == ' ' && p[1] == '+' && p[2] && p[2] != ' ') {
            p++;
            continue;
        }
        strbuf_add_char(&out, *p);
    }
    return strbuf_take(&out);
}

static inline void traces_scores(const SentenceSpec *spec, int row, int n_rows, int n, float *out)
{
    float centre = n_rows > 1 ? (float)row * (float)(n - 1) / (float)(n_rows - 1) : 0;
    for (int j = 0; j < n; j++) {
        float away = ((float)j - centre) / 0.9f;
        float score = 4 * expf(-away * away / 2) - 1 + 2.2f * (traces_noise(row, j) - 0.6f);
        out[j] = roundf(score * 1000) / 1000;
        if (spec->window > 0 && fabsf((float)j - centre) > (float)spec->window)
            out[j] = NAN;
    }
}

static inline void traces_add_step(TraceBuilder *b, const SentenceSpec *spec, const char *token,
                                   int i, int n_rows, int n_source)
{
    static const char *const others[] = {"verte", "tarte", "poire", "grande", "petite"};
    TraceCandidate candidates[6] = {{token, 10, 0.86 - 0.4 * (double)traces_noise(i, 77)}};
    double rest = 1 - candidates[0].probability;
    for (int k = 1; k < 6; k++) {
        candidates[k] = (TraceCandidate){others[k - 1], 20 + k, rest * 0.6};
        rest *= 0.4;
    }
    TraceScalar scalars[] = {{"entropy", 0.4 + (double)traces_noise(i, 5)},
                             {"effective", 1.5 + (double)traces_noise(i, 6)},
                             {"context.norm", 5.62},
                             {"state.norm", 7.1},
                             {"gate.reset", 0.61},
                             {"gate.update", 0.48}};
    double centre = n_rows > 1 ? (double)i * (n_source - 1) / (n_rows - 1) : 0;
    TraceWindow window = {centre, (int32_t)fmax(0, floor(centre) - spec->window),
                          (int32_t)fmin(n_source - 1, floor(centre) + spec->window),
                          spec->window / 2.0};
    int32_t selected = (int32_t)lround(centre);
    TraceStep step = {.token = token,
                      .id = 10,
                      .probability = candidates[0].probability,
                      .forced = spec->changed && i == 2,
                      .n_candidates = 6,
                      .candidates = candidates,
                      .n_scalars = 6,
                      .scalars = scalars,
                      .window = spec->window > 0 ? &window : NULL,
                      .n_selected = strcmp(spec->align, "hard") == 0,
                      .selected = &selected};
    trace_add_step(b, &step);
}

static inline void traces_add_gold(TraceBuilder *b, int rows, int cols)
{
    const int32_t axes[2] = {1, 0};
    float *sure = trace_new_tensor(b, "gold.sure", TRACE_MASK, 2, axes);
    float *possible = trace_new_tensor(b, "gold.possible", TRACE_MASK, 2, axes);
    for (int i = 0; sure && possible && i < rows - 1 && i < cols; i++) {
        sure[i * cols + i] = i % 3 != 2;
        possible[i * cols + i] = 1;
        if (i + 1 < cols)
            possible[i * cols + i + 1] = i % 4 == 1;
    }
}

static inline void traces_align(const SentenceSpec *spec, int i, int rows, int n, float *softmax,
                                float *weights)
{
    traces_softmax(softmax, n);
    memcpy(weights, softmax, (size_t)n * sizeof *weights);
    float centre = rows > 1 ? (float)i * (float)(n - 1) / (float)(rows - 1) : 0;
    for (int j = 0; j < n; j++) {
        float away = (float)j - centre;
        if (strcmp(spec->align, "local-p") == 0)
            weights[j] =
                roundf(10000 * weights[j] *
                       expf(-away * away / (2 * (float)(spec->window * spec->window) / 4))) /
                10000;
        if (strcmp(spec->align, "hard") == 0)
            weights[j] = j == (int)lroundf(centre);
    }
}

static inline const Trace *traces_sentence(const SentenceSpec *spec)
{
    TraceWords source = traces_split(spec->input), target = traces_split(spec->output);
    TraceBuilder *b = trace_builder_new();
    char *plain = traces_plain(spec->input), *output = traces_plain(spec->output);
    trace_set_text(b, "input", plain);
    trace_set_text(b, "output", output);
    trace_set_attribute(b, "model", "en-fr-%s", spec->attention);
    trace_set_attribute(b, "task", "translate");
    trace_set_attribute(b, "family", "seq2seq");
    trace_set_attribute(b, "attention", "%s", spec->attention);
    trace_set_attribute(b, "align", "%s", spec->align);
    trace_set_attribute(b, "query", spec->window > 0 ? "current" : "previous");
    trace_set_attribute(b, "cell", "gru");
    traces_add_tokens(b, "source", &source, plain, false, false);
    traces_add_tokens(b, "target", &target, NULL, target.n > 0, spec->changed);
    int rows = target.n > 0 ? target.n + 1 : 0, n = source.n;
    const int32_t axes[2] = {1, 0};
    float *w = trace_new_tensor(b, "attention.weights", TRACE_WEIGHTS, 2, axes);
    float *e = trace_new_tensor(b, "attention.scores", TRACE_SCORES, 2, axes);
    float *a = trace_new_tensor(b, "attention.softmax", TRACE_WEIGHTS, 2, axes);
    float *own =
        spec->changed ? trace_new_tensor(b, "attention.own_weights", TRACE_WEIGHTS, 2, axes) : NULL;
    for (int i = 0; i < rows; i++) {
        traces_scores(spec, i, rows, n, e + i * n);
        memcpy(a + i * n, e + i * n, (size_t)n * sizeof *a);
        traces_align(spec, i, rows, n, a + i * n, w + i * n);
        if (own)
            memcpy(own + i * n, w + i * n, (size_t)n * sizeof *own);
        if (own && i == 1)
            for (int j = 0; j < n; j++)
                w[i * n + j] = j == n - 1 ? 0.7f : 0.3f / (float)(n - 1);
        traces_add_step(b, spec, i < target.n ? target.at[i] + (target.at[i][0] == '+') : "</s>", i,
                        rows, n);
    }
    if (spec->gold)
        traces_add_gold(b, rows, n);
    if (spec->changed) {
        trace_add_change(b, &(TraceChange){1, "weights", "weights repainted"});
        trace_add_change(b, &(TraceChange){2, "token", "\"une\" instead of \"la\""});
    }
    Error error = {0};
    const Trace *trace = trace_seal(b, &error);
    free(plain);
    free(output);
    free(source.storage);
    free(target.storage);
    return trace;
}

enum {
    SENTENCE_SHORT,
    SENTENCE_LONG,
    SENTENCE_CHINESE,
    SENTENCE_ARABIC,
    SENTENCE_ONE,
    SENTENCE_NONE,
    SENTENCE_STRANGE,
    SENTENCE_LOCAL,
    SENTENCE_HARD,
    SENTENCE_CHANGED,
    N_SENTENCES
};

static const SentenceSpec traces_sentences[N_SENTENCES] = {
    [SENTENCE_SHORT] = {"She is eat +ing a green apple .", "Elle mange une pomme ver +te .",
                        "additive", "global", .gold = true},
    [SENTENCE_LONG] =
        {"When the old keeper of the harbour light had counted the boats that came home that "
         "evening , he noticed with some unease that the smallest of them , painted blue by his "
         "brother many summers ago , was still missing , and so he climbed the stairs again , "
         "slowly , lit the second lamp and waited until the morning .",
         "Quand le vieux gardien du phare eut compt +é les bateaux qui rentraient ce soir -là , il "
         "remarqua avec une certaine inqui +étude que le plus petit d' entre eux , peint en bleu "
         "par son frère bien des étés plus tôt , manquait encore , et il remonta donc l' escalier "
         ", "
         "lentement , alluma la seconde lampe et attendit jusqu' au matin .",
         "additive", "global", .window = 0},
    [SENTENCE_CHINESE] = {"她 正 在 吃 一 个 绿 色 的 苹 果 。", "Elle mange une pomme verte .",
                          "general", "global", .window = 0},
    [SENTENCE_ARABIC] = {"هي تأكل تفاحة خضراء كل صباح في الحديقة .",
                         "היא אוכלת תפוח ירוק כל בוקר בגן .", "dot", "global", .window = 0},
    [SENTENCE_ONE] = {"Yes", "Oui", "additive", "global", .window = 0},
    [SENTENCE_NONE] = {"", "", "additive", "global", .window = 0},
    [SENTENCE_STRANGE] =
        {"Donaudampfschifffahrtsgesellschaft <b> &amp; \" \n x -> हिन्दी 👍🏽 "
         "l'aujourd'hui",
         "antidisestablishmentarianism 'x' != שלום <0xE6> ]]>", "cosine", "global", .window = 0},
    [SENTENCE_LOCAL] = {"I did not know that she had already left the house when we arrived .",
                        "Je ne savais pas qu' elle était déjà partie quand nous sommes arrivés .",
                        "general", "local-p", .window = 4},
    [SENTENCE_HARD] = {"the small dog sleeps under the table", "le petit chien dort sous la table",
                       "additive", "hard", .window = 0},
    [SENTENCE_CHANGED] = {"She is eat +ing a green apple .", "Elle mange une pomme ver +te .",
                          "additive", "global", .changed = true},
};

#endif
