/* gallery.h - samples of every view: a trace, a place in it, options. The demo draws them as
 * pictures, the tests as text. */
#ifndef FOVEA_TESTS_APP_VIEWS_GALLERY_H
#define FOVEA_TESTS_APP_VIEWS_GALLERY_H
#include "documents.h"
#include "pictures.h"
#include "views/chart.h"
#include "views/multiples.h"
#include "views/view.h"

typedef struct Sample {
    const char *view, *name;
    int sentence;               /* of traces_sentences, or ... */
    const Trace *(*make)(void); /* ... what this makes     */
    int step;
    int other;              /* 1 + a sentence to compare with; 0: none */
    const char *options[6]; /* "name=value" */
    float hover_x, hover_y; /* pointer; 0: none */
    float width, height;    /* 0: 828 x 708 */
    float zoom;
    int language;
} Sample;

static const Trace *traces_huge(void)
{
    enum { SIDE = 4096 };
    TraceBuilder *b = trace_builder_new();
    TraceAxis axis = {.name = "token", .kind = TRACE_AXIS_INDEX, .len = SIDE, .parent_axis = -1};
    int32_t i = trace_add_axis(b, &axis);
    const int32_t axes[2] = {i, i};
    float *data = trace_new_tensor(b, "attention.weights", TRACE_WEIGHTS, 2, axes);
    for (int r = 0; data && r < SIDE; r++) {
        float *row = data + (size_t)r * SIDE, sum = 0;
        for (int c = 0; c <= r; c++)
            sum += row[c] = (c == r ? 4 : c % 512 == 0 ? 0.5f : 0.002f) * traces_noise(r, c);
        for (int c = 0; c <= r; c++)
            row[c] /= sum;
    }
    Error error = {0};
    return trace_seal(b, &error);
}

static const Sample samples[] = {
    {"heatmap", "short", SENTENCE_SHORT, .step = 3, .hover_x = 500, .hover_y = 330},
    {"heatmap", "done", SENTENCE_SHORT, .step = 99, .options = {"gold=yes", "sums=yes", "top=2"}},
    {"heatmap", "long", SENTENCE_LONG, .step = 30, .hover_x = 300, .hover_y = 300},
    {"heatmap", "long-zoomed", SENTENCE_LONG, .step = 30, .zoom = 4},
    {"heatmap", "chinese", SENTENCE_CHINESE, .step = 3, .language = 1},
    {"heatmap", "arabic", SENTENCE_ARABIC, .step = 4, .hover_x = 300, .hover_y = 300},
    {"heatmap", "one", SENTENCE_ONE, .step = 0},
    {"heatmap", "none", SENTENCE_NONE, .step = -1},
    {"heatmap", "strange", SENTENCE_STRANGE, .step = 99},
    {"heatmap", "scores", SENTENCE_LOCAL, .step = 99, .options = {"show=scores"}},
    {"heatmap", "local", SENTENCE_LOCAL, .step = 6, .options = {"scale=row", "gamma=0.5"}},
    {"heatmap", "hard", SENTENCE_HARD, .step = 99, .options = {"colormap=viridis"}},
    {"heatmap", "changed", SENTENCE_CHANGED, .step = 99},
    {"heatmap", "transposed", SENTENCE_CHANGED, .step = 3,
     .options = {"transpose=yes", "sums=yes", "hide_special=no", "merge_words=no"}},
    {"heatmap", "huge", .make = traces_huge, .step = 0},
    {"heatmap", "huge-zoomed", .make = traces_huge, .step = 0, .zoom = 60},
    {"links", "short", SENTENCE_SHORT, .step = 3},
    {"links", "hover", SENTENCE_SHORT, .step = 99, .hover_x = 346, .hover_y = 104},
    {"links", "long", SENTENCE_LONG, .step = 99},
    {"links", "chinese", SENTENCE_CHINESE, .step = 99, .language = 1},
    {"links", "arabic", SENTENCE_ARABIC, .step = 4},
    {"links", "strange", SENTENCE_STRANGE, .step = 99},
    {"links", "changed", SENTENCE_CHANGED, .step = 99},
    {"links", "one", SENTENCE_ONE, .step = 0},
    {"links", "none", SENTENCE_NONE, .step = -1},
    {"links", "huge", .make = traces_huge},
    {"links", "small", SENTENCE_LOCAL, .step = 99, .width = 360, .height = 300},
    {"text", "document", .make = make_short_document, .hover_x = 300, .hover_y = 215},
    {"text", "sorted", .make = make_short_document, .options = {"sort=yes", "shade=lift"}},
    {"text", "effect", .make = make_short_document, .options = {"shade=effect"}},
    {"text", "long", .make = make_long_document, .zoom = 1},
    {"text", "chinese", .make = make_chinese_document, .language = 1},
    {"text", "arabic", .make = make_arabic_document},
    {"text", "empty", .make = make_empty_document},
    {"text", "one", .make = make_one_word_document},
    {"text", "looking-back", .make = make_looking_back, .step = 11},
    {"text", "story", .make = make_patient_story},
    {"text", "impatient", .make = make_impatient_story, .step = 2},
    {"text", "translation", SENTENCE_SHORT, .step = 3},
    {"text", "translation-long", SENTENCE_LONG, .step = 20},
    {"text", "translation-arabic", SENTENCE_ARABIC, .step = 3},
    {"text", "narrow", .make = make_short_document, .width = 400, .height = 500},
    {"pipeline", "local", SENTENCE_LOCAL, .step = 5},
    {"pipeline", "additive", SENTENCE_SHORT, .step = 3, .hover_x = 300, .hover_y = 200},
    {"pipeline", "readings", SENTENCE_SHORT, .step = 3, .options = {"readings=yes"}},
    {"pipeline", "hard", SENTENCE_HARD, .step = 2, .options = {"readings=yes"}},
    {"pipeline", "draws", SENTENCE_HARD, .step = 2, .options = {"samples=yes"}},
    {"pipeline", "long", SENTENCE_LONG, .step = 20},
    {"pipeline", "chinese", SENTENCE_CHINESE, .step = 3, .language = 1},
    {"pipeline", "arabic", SENTENCE_ARABIC, .step = 4},
    {"pipeline", "one", SENTENCE_ONE, .step = 0},
    {"pipeline", "none", SENTENCE_NONE, .step = -1},
    {"pipeline", "small", SENTENCE_LOCAL, .step = 5, .width = 420, .height = 400},
    {"links", "heads", .make = make_encoder, .options = {"heads=each", "open=1,3,4"}},
    {"heads", "encoder", .make = make_encoder, .hover_x = 330, .hover_y = 290},
    {"heads", "sorted", .make = make_encoder, .options = {"sort=entropy", "find=previous"}},
    {"heads", "four", .make = make_four_heads},
    {"heads", "global", .make = make_encoder, .options = {"scale=global"}, .width = 500},
    {"heads", "none", SENTENCE_SHORT, .step = 0},
    {"heatmap", "heads", .make = make_encoder},
    {"selection", "short", .make = make_selection, .hover_x = 300, .hover_y = 400},
    {"selection", "long", .make = make_long_selection},
    {"selection", "arabic", .make = make_arabic_selection},
    {"selection", "stage-selection", .make = make_stages, .step = 0},
    {"selection", "stage-mask", .make = make_stages, .step = 1},
    {"selection", "stage-scores", .make = make_stages, .step = 2},
    {"selection", "stage-gate", .make = make_stages, .step = 4},
    {"selection", "stages", .make = make_stages, .step = 6, .hover_x = 700, .hover_y = 300},
    {"selection", "none", SENTENCE_SHORT, .step = 0},
    {"image", "glimpses", .make = make_glimpses, .step = 3},
    {"image", "seen", .make = make_glimpses, .step = 5, .options = {"seen=yes"}},
    {"image", "caption", .make = make_caption, .step = 3, .hover_x = 150, .hover_y = 200},
    {"image", "hard", .make = make_hard_caption, .step = 2, .options = {"overlay=veil"}},
    {"image", "none", SENTENCE_SHORT, .step = 0},
    {"image", "small", .make = make_glimpses, .step = 1, .width = 420, .height = 420},
    {"beam", "short", .make = make_beam, .hover_x = 320, .hover_y = 150},
    {"beam", "kept", .make = make_beam, .options = {"dropped=no"}},
    {"beam", "none", SENTENCE_SHORT, .step = 0},
    {"compare", "side", SENTENCE_SHORT, .step = 99, .other = 1 + SENTENCE_CHANGED, .hover_x = 200,
     .hover_y = 250},
    {"compare", "difference", SENTENCE_SHORT, .step = 99, .other = 1 + SENTENCE_CHANGED,
     .options = {"mode=difference"}, .hover_x = 400, .hover_y = 200},
    {"compare", "shapes", SENTENCE_SHORT, .step = 99, .other = 1 + SENTENCE_LOCAL,
     .options = {"mode=difference"}},
    {"compare", "alone", SENTENCE_SHORT, .step = 99},
    {"training", "probe", .make = make_checkpoints, .step = 99, .hover_x = 300, .hover_y = 150},
    {"training", "none", SENTENCE_SHORT, .step = 0},
    {"variance", "three", .make = make_variance, .hover_x = 400, .hover_y = 200},
    {"variance", "chinese", .make = make_variance, .language = 1, .width = 420, .height = 360},
    {"variance", "none", SENTENCE_SHORT, .step = 0},
    {"heatmap", "small", SENTENCE_SHORT, .step = 3, .width = 360, .height = 300},
};

enum { N_SAMPLES = sizeof samples / sizeof samples[0] };

typedef struct Gallery {
    const View *view;
    ViewFrame frame;
    Theme theme;
    Settings *options;
} Gallery;

static inline void gallery_open(Gallery *g, const Sample *sample, Fonts *fonts, ThemeKind kind)
{
    *g = (Gallery){.view = view_find(sample->view), .theme = theme_make(kind)};
    g->options = settings_new(g->view->options);
    Error error = {0};
    for (int i = 0; i < 6 && sample->options[i]; i++)
        if (!settings_assign(g->options, sample->options[i], &error))
            fprintf(stderr, "%s\n", error.message);
    g->frame = (ViewFrame){
        .trace =
            sample->make ? sample->make() : traces_sentence(&traces_sentences[sample->sentence]),
        .other = sample->other ? traces_sentence(&traces_sentences[sample->other - 1]) : NULL,
        .step = sample->step,
        .area = {0, 0, sample->width > 0 ? sample->width : 828,
                 sample->height > 0 ? sample->height : 708},
        .camera = {sample->zoom, sample->zoom > 0 ? 200 : 0, sample->zoom > 0 ? 150 : 0},
        .options = g->options,
        .theme = &g->theme,
        .fonts = fonts,
        .cache = view_cache_new(),
        .language = sample->language,
    };
    if (sample->hover_x > 0)
        g->frame.hover = g->view->hit(&g->frame, sample->hover_x, sample->hover_y);
}

static inline void gallery_charts(const ViewFrame *frame, Canvas *canvas)
{
    static const float bleu[2][6] = {{41, 40.2f, 38.5f, 35, 31, 24}, {39, 34, 27, 19, 12, 7}};
    static const char *const lengths[] = {"1-5", "6-10", "11-15", "16-20", "21-25", "26+"};
    float xs[80], ys[80];
    for (int i = 0; i < 80; i++) {
        xs[i] = traces_noise(i, 1);
        ys[i] = 0.1f * (xs[i] + traces_noise(i, 2) - 0.8f);
    }
    ChartSeries bars[] = {{"with attention", NULL, bleu[0], 6, 0},
                          {"without", NULL, bleu[1], 6, 0}};
    ChartSeries dots[] = {{"words", xs, ys, 80, 0}};
    ChartSpec spec = {.frame = frame,
                      .area = {30, 30, frame->area.w - 60, 300},
                      .kind = CHART_BARS,
                      .x = {.title = "words of the source"},
                      .y = {.title = "BLEU"},
                      .series = bars,
                      .n_series = 2,
                      .labels = lengths,
                      .marker = NAN,
                      .numbers = true};
    chart_draw(&spec, canvas);
    spec.area.y = 360;
    spec.kind = CHART_POINTS;
    spec.x.title = "attention weight";
    spec.y.title = "effect of leaving the word out";
    spec.series = dots;
    spec.n_series = 1;
    spec.labels = NULL;
    chart_draw(&spec, canvas);
}

static inline void gallery_multiples(const ViewFrame *frame, Canvas *canvas)
{
    static const char *const names[] = {"additive", "dot",    "scaled-dot",
                                        "general",  "cosine", "location"};
    const Trace *traces[6];
    for (int i = 0; i < 6; i++) {
        SentenceSpec sentence = traces_sentences[SENTENCE_SHORT];
        sentence.attention = names[i];
        traces[i] = traces_sentence(&sentence);
    }
    MultiplesSpec spec = {.frame = frame,
                          .traces = traces,
                          .titles = names,
                          .title = "Six score functions",
                          .subtitle = "one sentence",
                          .n = 6};
    multiples_draw(&spec, canvas);
    for (int i = 0; i < 6; i++)
        trace_release(traces[i]);
}

static inline void gallery_close(Gallery *g)
{
    view_cache_free(g->frame.cache);
    trace_release(g->frame.trace);
    trace_release(g->frame.other);
    settings_free(g->options);
}

#endif
