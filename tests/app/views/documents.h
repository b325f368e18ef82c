/* documents.h - runs whose input is read as running text: documents, sentences that look at
 * themselves, stories with questions. TraceWords are our own, numbers invented. */
#ifndef FOVEA_TESTS_APP_VIEWS_DOCUMENTS_H
#define FOVEA_TESTS_APP_VIEWS_DOCUMENTS_H
#include "base/utf8.h"
#include "traces.h"

enum { DOCUMENT_MAX_WORDS = 4096, DOCUMENT_MAX_SENTENCES = 512 };

typedef struct Cut {
    int n_words, n_sentences;
    TraceSpan words[DOCUMENT_MAX_WORDS];
    int32_t parents[DOCUMENT_MAX_WORDS];
    TraceSpan sentences[DOCUMENT_MAX_SENTENCES];
} Cut;

/* TraceWords at spaces and punctuation, Han characters one by one, sentences at their stops. */
static inline void cut_text(const char *text, Cut *cut)
{
    size_t n = strlen(text), begin = 0;
    bool in_sentence = false;
    *cut = (Cut){0};
    for (size_t at = 0; at < n;) {
        uint32_t code;
        size_t step = (size_t)utf8_decode(text + at, n - at, &code), end = at + step;
        if (utf8_is_space(code)) {
            at += step;
            continue;
        }
        if (!in_sentence)
            begin = at;
        in_sentence = true;
        bool is_word = utf8_is_letter(code) || utf8_is_digit(code);
        bool is_stop = code == '.' || code == '!' || code == '?' || code == 0x3002 || code == 0x61F;
        while (is_word && end < n && !utf8_is_cjk(code)) {
            step = (size_t)utf8_decode(text + end, n - end, &code);
            if (!(utf8_is_letter(code) || utf8_is_digit(code) || code == '\'') || utf8_is_cjk(code))
                break;
            end += step;
        }
        cut->parents[cut->n_words] = cut->n_sentences;
        cut->words[cut->n_words++] = (TraceSpan){(int32_t)at, (int32_t)end};
        if (is_stop) {
            in_sentence = false;
            cut->sentences[cut->n_sentences++] = (TraceSpan){(int32_t)begin, (int32_t)end};
        }
        at = end;
    }
    if (in_sentence)
        cut->sentences[cut->n_sentences++] = (TraceSpan){(int32_t)begin, (int32_t)n};
}

static inline int32_t cut_axis(TraceBuilder *b, const char *name, const char *text_name,
                               const char *text, const TraceSpan *spans, int n, int32_t parent_axis,
                               const int32_t *parents)
{
    char **labels = memory_new((size_t)n + 1, sizeof *labels);
    for (int i = 0; i < n; i++)
        labels[i] =
            memory_copy_bytes(text + spans[i].begin, (size_t)(spans[i].end - spans[i].begin));
    TraceAxis axis = {.name = name,
                      .kind = TRACE_AXIS_TOKEN,
                      .len = n,
                      .labels = (const char *const *)labels,
                      .text = text_name,
                      .spans = spans,
                      .parent_axis = parents ? parent_axis : -1,
                      .parent = parents};
    int32_t index = trace_add_axis(b, &axis);
    for (int i = 0; i < n; i++)
        free(labels[i]);
    free(labels);
    return index;
}

static inline const Trace *seal(TraceBuilder *b)
{
    Error error = {0};
    const Trace *trace = trace_seal(b, &error);
    if (!trace)
        fprintf(stderr, "%s\n", error.message);
    return trace;
}

/* A document; words that stand in `strong` (between spaces) get more weight. */
static inline const Trace *make_document(const char *text, const char *strong, bool positive)
{
    static Cut cut; /* test program: large, and one thread */
    cut_text(text, &cut);
    TraceBuilder *b = trace_builder_new();
    trace_set_text(b, "input", text);
    trace_set_attribute(b, "model", "han-imdb");
    trace_set_attribute(b, "task", "classify");
    trace_set_attribute(b, "family", "han");
    int32_t sentence =
        cut_axis(b, "sentence", "input", text, cut.sentences, cut.n_sentences, -1, NULL);
    int32_t word =
        cut_axis(b, "word", "input", text, cut.words, cut.n_words, sentence, cut.parents);
    float *ws = trace_new_tensor(b, "sentence.weights", TRACE_WEIGHTS, 1, &sentence);
    float *ww = trace_new_tensor(b, "word.weights", TRACE_WEIGHTS, 1, &word);
    float *effect = trace_new_tensor(b, "word.effect", TRACE_SCALAR, 1, &word);
    float *effects = trace_new_tensor(b, "sentence.effect", TRACE_SCALAR, 1, &sentence);
    for (int s = 0, i = 0; s < cut.n_sentences; s++) {
        int first = i;
        for (; i < cut.n_words && cut.parents[i] == s; i++) {
            char padded[128];
            int n = cut.words[i].end - cut.words[i].begin;
            snprintf(padded, sizeof padded, " %.*s ", n > 100 ? 100 : n, text + cut.words[i].begin);
            bool is_strong = strstr(strong, padded) != NULL;
            ww[i] = 1.2f * traces_noise(i, s) + (is_strong ? 2.6f : 0);
            ws[s] += is_strong ? 0.8f : 0;
            effect[i] = is_strong ? 0.07f * (traces_noise(i, 3) + 0.3f)
                                  : 0.01f * (traces_noise(i, 4) - 0.5f);
        }
        traces_softmax(ww + first, i - first);
        ws[s] += traces_noise(s, 9);
        effects[s] = 0.1f * (traces_noise(s, 10) - 0.2f);
    }
    traces_softmax(ws, cut.n_sentences);
    trace_add_class(b, "negative", positive ? 0.047 : 0.91);
    trace_add_class(b, "positive", positive ? 0.953 : 0.09);
    return seal(b);
}

static const char document_english[] =
    "I went in expecting nothing from another story about a lighthouse. The first half hour is "
    "slow, and the dialogue is clumsy. Then the old keeper opens the cellar door, and from there "
    "it is a quietly brilliant film. The lead gives a restrained, moving performance. The music "
    "never tells you what to feel. Wow! There are holes in the plot that you could sail a boat "
    "through. I loved it, and I have thought about it every day since.";

static inline const Trace *make_short_document(void)
{
    return make_document(document_english, " nothing slow clumsy brilliant quietly moving loved ",
                         true);
}

static inline const Trace *make_long_document(void)
{
    StrBuf text = {0};
    for (int i = 0; i < 9; i++)
        strbuf_addf(&text, "%s%s", i ? " " : "", document_english);
    const Trace *trace =
        make_document(text.text, " nothing slow clumsy brilliant moving loved ", true);
    strbuf_free(&text);
    return trace;
}

static inline const Trace *make_chinese_document(void)
{
    return make_document(
        "我本来没有什么期待。前半小时节奏很慢,对白也很生硬。后来老守塔人打开了地窖的门,"
        "从那里开始,这是一部安静而出色的电影。主角的表演克制而动人。我很喜欢!",
        " 慢 生 硬 出 色 动 人 喜 欢 ", true);
}

static inline const Trace *make_arabic_document(void)
{
    return make_document(
        "لم أتوقع شيئا من هذا الفيلم. كان النصف الأول بطيئا والحوار ضعيفا. ثم فتح الحارس "
        "العجوز باب القبو وأصبح الفيلم رائعا حقا. أحببته كثيرا.",
        " بطيئا ضعيفا رائعا أحببته ", true);
}

/* A language model that looks back at each word. */
static inline const Trace *make_looking_back(void)
{
    static const char text[] =
        "The old keeper of the lighthouse counted the boats that came home and "
        "noticed that one of them was missing.";
    static Cut cut;
    cut_text(text, &cut);
    TraceBuilder *b = trace_builder_new();
    trace_set_text(b, "input", text);
    trace_set_attribute(b, "model", "lstmn-english");
    trace_set_attribute(b, "task", "language");
    trace_set_attribute(b, "attention", "additive");
    int32_t token = cut_axis(b, "token", "input", text, cut.words, cut.n_words, -1, NULL);
    const int32_t axes[2] = {token, token};
    int n = cut.n_words;
    float *w = trace_new_tensor(b, "attention.weights", TRACE_WEIGHTS, 2, axes);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            w[i * n + j] = 3 * traces_noise(i, j);
        traces_softmax(w + i * n, i);
        TraceCandidate next[3] = {{"the", 5, 0.3}, {"of", 6, 0.2}, {"and", 7, 0.1}};
        trace_add_step(
            b, &(TraceStep){
                   .token = "word", .probability = 0.3, .n_candidates = 3, .candidates = next});
    }
    return seal(b);
}

/* question: attended once for each of its words, or once in all. */
static inline const Trace *make_story(bool impatient)
{
    static const char text[] =
        "Mary moved to the bathroom.\nJohn went to the hallway.\nDaniel took "
        "the milk to the garden.\nMary went to the office.";
    static const char question[] = "Where is Mary?";
    static Cut story, asked;
    cut_text(text, &story);
    cut_text(question, &asked);
    TraceBuilder *b = trace_builder_new();
    trace_set_text(b, "input", text);
    trace_set_text(b, "question", question);
    trace_set_attribute(b, "model", "reader-babi");
    trace_set_attribute(b, "task", "answer");
    trace_set_attribute(b, "attention", "general");
    int32_t sentence =
        cut_axis(b, "sentence", "input", text, story.sentences, story.n_sentences, -1, NULL);
    int32_t axes[2];
    axes[0] = cut_axis(b, "question", "question", question, asked.words, asked.n_words, -1, NULL);
    axes[1] =
        cut_axis(b, "document", "input", text, story.words, story.n_words, sentence, story.parents);
    int n = story.n_words, rows = impatient ? asked.n_words : 1;
    float *w = trace_new_tensor(b, "attention.weights", TRACE_WEIGHTS, impatient ? 2 : 1,
                                impatient ? axes : axes + 1);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++)
            w[i * n + j] = 2 * traces_noise(i, j) + (j == n - 2 ? 4 : j == n - 6 ? 3 : 0);
        traces_softmax(w + i * n, n);
        if (impatient)
            trace_add_step(b, &(TraceStep){.token = "", .probability = 1});
    }
    static const char *const places[] = {"bathroom", "hallway", "garden",
                                         "office",   "kitchen", "bedroom"};
    static const double p[] = {0.02, 0.004, 0.006, 0.962, 0.005, 0.003};
    const TraceAxis candidates = {.name = "candidate",
                                  .kind = TRACE_AXIS_CLASS,
                                  .len = 6,
                                  .labels = places,
                                  .parent_axis = -1};
    int32_t candidate = trace_add_axis(b, &candidates);
    float *mass = trace_new_tensor(b, "candidate.mass", TRACE_SCALAR, 1, &candidate);
    for (int i = 0; i < 6; i++) {
        trace_add_class(b, places[i], p[i]);
        mass[i] = i == 3 ? 0.391f : 0.02f * (float)(i % 2 + 1) * (i < 3);
    }
    return seal(b);
}

static inline const Trace *make_patient_story(void)
{
    return make_story(false);
}

static inline const Trace *make_impatient_story(void)
{
    return make_story(true);
}

/* layers x heads over one sentence: a head follows the pattern of its number. */
static inline const Trace *make_heads(int layers, int heads, int n)
{
    TraceBuilder *b = trace_builder_new();
    char names[256][16];
    const char *labels[256];
    uint8_t flags[256] = {0};
    for (int i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], i == 0 ? "[CLS]" : i == n - 1 ? "[SEP]" : "w%d", i);
        labels[i] = names[i];
        flags[i] = i == 0 || i == n - 1 ? TRACE_TOKEN_SPECIAL : 0;
    }
    trace_set_attribute(b, "model", "encoder.npz");
    TraceAxis axis = {.name = "layer", .kind = TRACE_AXIS_INDEX, .len = layers, .parent_axis = -1};
    int32_t axes[4] = {0};
    if (layers > 0)
        axes[0] = trace_add_axis(b, &axis);
    axis.name = "head";
    axis.len = heads;
    axes[1] = trace_add_axis(b, &axis);
    TraceAxis tokens = {.name = "token",
                        .kind = TRACE_AXIS_TOKEN,
                        .len = n,
                        .labels = labels,
                        .flags = flags,
                        .parent_axis = -1};
    axes[2] = axes[3] = trace_add_axis(b, &tokens);
    int rank = layers > 0 ? 4 : 3, all = (layers > 0 ? layers : 1) * heads;
    float *w = trace_new_tensor(b, "attention.weights", TRACE_WEIGHTS, rank, axes + 4 - rank);
    for (int h = 0; h < all; h++)
        for (int i = 0; i < n; i++) {
            float *row = w + ((size_t)h * (size_t)n + (size_t)i) * (size_t)n;
            int kind = (int)(6 * traces_noise(h, 17));
            for (int j = 0; j < n; j++) {
                float away = (float)(j - i);
                row[j] = kind == 0   ? (j == i - 1 ? 6 : 0)
                         : kind == 1 ? (j == i + 1 ? 6 : 0)
                         : kind == 2 ? (flags[j] ? 5 : 0)
                         : kind == 3 ? 4 - away * away / 8
                         : kind == 4 ? 3 * traces_noise(h * 100 + i, j)
                                     : (j == i ? 6 : 0);
            }
            traces_softmax(row, n);
        }
    return seal(b);
}

static inline const Trace *make_encoder(void)
{
    return make_heads(12, 12, 64);
}

static inline const Trace *make_four_heads(void)
{
    return make_heads(0, 4, 12);
}

/* Head and dependent tokens of reinforced self-attention, two features. Nothing is sealed yet;
 * *token is the axis of the words. */
static inline TraceBuilder *begin_selected(const char *text, int32_t *token, int *n_words)
{
    static Cut cut;
    cut_text(text, &cut);
    int n = *n_words = cut.n_words;
    TraceBuilder *b = trace_builder_new();
    trace_set_text(b, "input", text);
    trace_set_attribute(b, "model", "resan-sst");
    trace_set_attribute(b, "task", "classify");
    TraceAxis features = {.name = "feature", .kind = TRACE_AXIS_INDEX, .len = 2, .parent_axis = -1};
    int32_t axes[3] = {trace_add_axis(b, &features)};
    axes[1] = axes[2] = *token = cut_axis(b, "token", "input", text, cut.words, n, -1, NULL);
    float *hp = trace_new_tensor(b, "head.probabilities", TRACE_PROBABILITIES, 1, axes + 1);
    float *dp = trace_new_tensor(b, "dependent.probabilities", TRACE_PROBABILITIES, 1, axes + 1);
    float *hs = trace_new_tensor(b, "head.selected", TRACE_MASK, 1, axes + 1);
    float *ds = trace_new_tensor(b, "dependent.selected", TRACE_MASK, 1, axes + 1);
    float *mask = trace_new_tensor(b, "attention.mask", TRACE_MASK, 2, axes + 1);
    float *w = trace_new_tensor(b, "attention.weights", TRACE_WEIGHTS, 3, axes);
    for (int i = 0; i < n; i++) {
        hp[i] = traces_noise(i, 1);
        dp[i] = traces_noise(i, 2);
        hs[i] = hp[i] > 0.45f;
        ds[i] = dp[i] > 0.5f;
    }
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < n; i++) {
            float *row = w + (f * n + i) * n;
            for (int j = 0; j < n; j++) {
                mask[i * n + j] = hs[i] > 0 && ds[j] > 0 && i != j;
                row[j] = mask[i * n + j] > 0 ? 3 * traces_noise(f * 50 + i, j) : NAN;
            }
            if (hs[i] > 0)
                traces_softmax(row, n);
            else
                for (int j = 0; j < n; j++)
                    row[j] = 0;
        }
    trace_add_class(b, "positive", 0.83);
    trace_add_class(b, "negative", 0.17);
    return b;
}

static inline const Trace *make_selected(const char *text)
{
    int32_t token;
    int n;
    return seal(begin_selected(text, &token, &n));
}

/* With scores, gates, pooling and a step for each stage; two sentences of four and five words. */
static inline const Trace *make_stages(void)
{
    static const char *const stages[] = {"selection", "mask",    "scores", "weights",
                                         "gate",      "pooling", "class"};
    int32_t token;
    int n;
    TraceBuilder *b =
        begin_selected("a quietly brilliant film slow at first then moving", &token, &n);
    const int32_t pair[2] = {token, token};
    float *scores = trace_new_tensor(b, "attention.scores", TRACE_SCORES, 2, pair);
    float *gate = trace_new_tensor(b, "gate.mean", TRACE_PROBABILITIES, 1, pair);
    float *pool = trace_new_tensor(b, "pool.weights", TRACE_WEIGHTS, 1, pair);
    for (int i = 0; i < n; i++) {
        bool head = traces_noise(i, 1) > 0.45f;
        gate[i] = head ? traces_noise(i, 3) : NAN;
        pool[i] = head ? traces_noise(i, 4) / (float)n : 0;
        for (int j = 0; j < n; j++)
            scores[i * n + j] = 2 * traces_noise(i, j) - 1;
    }
    trace_set_attribute(b, "first", "4");
    for (int i = 0; i < 7; i++) {
        const TraceStep step = {.token = stages[i], .id = i, .probability = 1};
        trace_add_step(b, &step);
    }
    return seal(b);
}

static inline const Trace *make_selection(void)
{
    return make_selected("a quietly brilliant film, slow at first and then moving");
}

static inline const Trace *make_long_selection(void)
{
    return make_selected(
        "the old keeper of the harbour light counted the boats that came home that evening and "
        "noticed with some unease that the smallest of them was still missing, so he climbed "
        "the stairs again, slowly, and lit the second lamp and waited");
}

static inline const Trace *make_arabic_selection(void)
{
    return make_selected("ثم فتح الحارس العجوز باب القبو وأصبح الفيلم رائعا حقا");
}

/* A search of width three over six steps. */
static inline const Trace *make_beam(void)
{
    static const char *const words[] = {"Elle",  "Une",    "La",    "mange", "a",
                                        "prend", "une",    "la",    "des",   "pomme",
                                        "tarte", "pommes", "verte", ".",     "</s>"};
    TraceBuilder *b = trace_builder_new();
    trace_set_attribute(b, "model", "en-fr-additive");
    int32_t live[3] = {-1, -1, -1}, n_live = 1, n = 0;
    double score[64] = {0};
    for (int step = 0; step < 6; step++) {
        int32_t next[3], n_next = 0;
        for (int i = 0; i < n_live; i++)
            for (int k = 0; k < 3 && n < 60; k++) {
                double log_p = -0.15 - 1.8 * k - 0.3 * (double)traces_noise(step, i * 3 + k);
                bool ends = step >= 4 && k == 0,
                     keeps = n_next < 3 && (k == 0 || traces_noise(n, 4) > 0.4f);
                double total = (live[i] >= 0 ? score[live[i]] : 0) + log_p;
                TraceBeamNode node = {.parent = live[i],
                                      .step = step,
                                      .token = ends ? "</s>" : words[(step * 3 + k) % 14],
                                      .id = n,
                                      .log_probability = log_p,
                                      .score = total / (step + 1),
                                      .state = ends                ? TRACE_BEAM_FINISHED
                                               : keeps && step < 5 ? TRACE_BEAM_LIVE
                                                                   : TRACE_BEAM_PRUNED};
                trace_add_beam_node(b, &node);
                score[n] = total;
                if (keeps && !ends)
                    next[n_next++] = n;
                n++;
            }
        memcpy(live, next, sizeof live);
        n_live = n_next;
    }
    return seal(b);
}

/* Attention on one probe while it is learned. */
static inline const Trace *make_checkpoints(void)
{
    enum { N = 8, ROWS = 6, COLS = 7 };
    static const char *const steps[N] = {"0",    "500",  "1000", "2000",
                                         "3000", "4000", "6000", "8000"};
    TraceWords source = traces_split("She is eating a green apple ."),
               target = traces_split("Elle mange une pomme verte .");
    TraceBuilder *b = trace_builder_new();
    trace_set_attribute(b, "model", "en-fr-additive");
    trace_set_attribute(b, "attention", "additive");
    traces_add_tokens(b, "source", &source, NULL, false, false);
    traces_add_tokens(b, "target", &target, NULL, false, false);
    TraceAxis axis = {.name = "checkpoint",
                      .kind = TRACE_AXIS_INDEX,
                      .len = N,
                      .labels = steps,
                      .parent_axis = -1};
    int32_t axes[3] = {trace_add_axis(b, &axis), 1, 0};
    float *w = trace_new_tensor(b, "attention.weights", TRACE_WEIGHTS, 3, axes);
    float *train = trace_new_tensor(b, "loss.train", TRACE_SCALAR, 1, axes);
    float *valid = trace_new_tensor(b, "loss.valid", TRACE_SCALAR, 1, axes);
    for (int c = 0; c < N; c++) {
        train[c] = 1 + 7 * expf(-(float)c / 1.6f);
        valid[c] = 1.25f + 6.6f * expf(-(float)c / 1.5f);
        for (int i = 0; i < ROWS; i++) {
            float *row = w + (c * ROWS + i) * COLS;
            for (int j = 0; j < COLS; j++)
                row[j] = (float)c * 0.8f * (j == i ? 1 : 0) + traces_noise(i, j);
            traces_softmax(row, COLS);
        }
    }
    free(source.storage);
    free(target.storage);
    return seal(b);
}

/* What models of glimpses emit; one value is missing, one cannot stand on a logarithmic axis. */
static inline const Trace *make_variance(void)
{
    enum { N = 12 };
    static const char *const names[] = {"variance.none", "variance.moving", "variance.learned"};
    TraceBuilder *b = trace_builder_new();
    trace_set_attribute(b, "model", "digits-ram");
    TraceAxis axis = {.name = "epoch", .kind = TRACE_AXIS_INDEX, .len = N, .parent_axis = -1};
    int32_t epoch = trace_add_axis(b, &axis);
    for (int k = 0; k < 3; k++) {
        float *values = trace_new_tensor(b, names[k], TRACE_SCALAR, 1, &epoch);
        for (int i = 0; i < N; i++)
            values[i] = k == 0 ? 200 + 70 * (float)i : 60 / (float)(i + k) + traces_noise(i, k);
        values[3] = k == 1 ? NAN : values[3];
        values[7] = k == 2 ? 0 : values[7];
    }
    return seal(b);
}

static inline const Trace *make_empty_document(void)
{
    return make_document("", "", true);
}

static inline const Trace *make_one_word_document(void)
{
    return make_document("Wow", "", true);
}

#endif
