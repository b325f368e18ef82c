/* The parts that views are made of: camera, cache, numbers, words, sides, shades, values,
 * formulas, ticks. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/canvas_backend.h"
#include "gallery.h"
#include "views/flow.h"
#include "views/heads.h"
#include "views/links.h"
#include "views/pipeline.h"
#include "views/views.h"

static Fonts *fonts;

static int open_fonts(void **state)
{
    (void)state;
    Error error = {0};
    fonts = fonts_new(&error);
    return fonts ? 0 : -1;
}

static int close_fonts(void **state)
{
    (void)state;
    fonts_free(fonts);
    return 0;
}

static void open_sample(Gallery *g, const char *view, int sentence, int step)
{
    Sample sample = {view, "part", sentence, .step = step};
    gallery_open(g, &sample, fonts, THEME_LIGHT);
}

/* ---- camera ---- */

static void zooming_keeps_the_point_under_the_pointer(void **state)
{
    (void)state;
    Gallery g;
    open_sample(&g, "heatmap", SENTENCE_LONG, 99);
    ViewPort port = g.view->port(&g.frame);
    float x = port.place.x + port.place.w * 0.6f, y = port.place.y + port.place.h * 0.3f;
    ViewHit before = g.view->hit(&g.frame, x, y);
    for (int i = 0; i < 6; i++) {
        g.frame.camera = view_zoom(g.view, &g.frame, x, y, 1.5f);
        ViewHit after = g.view->hit(&g.frame, x, y);
        assert_int_equal(after.row, before.row);
        assert_int_equal(after.col, before.col);
    }
    for (int i = 0; i < 20; i++)
        g.frame.camera = view_zoom(g.view, &g.frame, x, y, 0.5f);
    assert_close(g.frame.camera.zoom, 1, 1e-6);
    assert_close(g.frame.camera.x, 0, 1e-3);
    gallery_close(&g);
}

static void panning_and_zooming_stay_inside_the_content(void **state)
{
    (void)state;
    Gallery g;
    open_sample(&g, "heatmap", SENTENCE_LONG, 99);
    ViewPort port = g.view->port(&g.frame);
    g.frame.camera = view_zoom(g.view, &g.frame, 400, 300, 1e9f);
    assert_close(g.frame.camera.zoom, port.max_zoom, port.max_zoom * 1e-5f);
    for (int i = 0; i < 4; i++) {
        g.frame.camera = view_pan(g.view, &g.frame, i % 2 ? 1e7f : -1e7f, i < 2 ? 1e7f : -1e7f);
        float right = g.frame.camera.x + port.place.w / g.frame.camera.zoom;
        assert_true(g.frame.camera.x >= 0 && right <= port.width * 1.0001f);
    }
    g.frame.camera = (ViewCamera){0};
    Rect box = {port.place.x + 100, port.place.y + 100, 50, 40};
    g.frame.camera = view_zoom_to(g.view, &g.frame, box);
    ViewHit middle =
        g.view->hit(&g.frame, port.place.x + port.place.w / 2, port.place.y + port.place.h / 2);
    g.frame.camera = (ViewCamera){0};
    ViewHit wanted = g.view->hit(&g.frame, box.x + box.w / 2, box.y + box.h / 2);
    assert_int_equal(middle.row, wanted.row);
    assert_int_equal(middle.col, wanted.col);
    gallery_close(&g);
}

static void a_view_without_content_does_not_zoom(void **state)
{
    (void)state;
    Gallery g;
    open_sample(&g, "heatmap", SENTENCE_NONE, 0);
    ViewCamera camera = view_zoom(g.view, &g.frame, 100, 100, 3);
    assert_close(camera.zoom, 1, 0);
    gallery_close(&g);
}

/* ---- cache ---- */

static void count_free(void *value)
{
    ++*(int *)value;
}

static void the_cache_keeps_what_a_frame_uses_and_drops_the_oldest(void **state)
{
    (void)state;
    enum { N = 2 * VIEW_CACHE_LEAST };
    int freed[N + 1] = {0};
    ViewCache *cache = view_cache_new();
    for (int i = 0; i < N; i++) {
        ViewKey key = view_key("%d", i);
        view_cache_put(cache, &key, &freed[i], VIEW_CACHE_BYTES / 8, count_free);
        /* what was asked for lately is still there, full or not */
        for (int back = 0; back < VIEW_CACHE_LEAST / 2 && back <= i; back++)
            assert_int_equal(freed[i - back], 0);
    }
    ViewKey first = view_key("0"), last = view_key("%d", N - 1);
    assert_null(view_cache_find(cache, &first));
    assert_int_equal(freed[0], 1);
    assert_ptr_equal(view_cache_find(cache, &last), &freed[N - 1]);
    view_cache_free(cache);
    for (int i = 0; i < N; i++)
        assert_int_equal(freed[i], 1);
}

/* ---- numbers, words ---- */

static void numbers_read_well(void **state)
{
    (void)state;
    static const struct {
        double value;
        int digits;
        const char *text;
    } cases[] = {
        {0.934, 2, "0.93"},   {-0.004, 2, "0.00"},          {-0.8, 2, "\u22120.80"},
        {NAN, 2, "nan"},      {-INFINITY, 2, "\u2212inf"},  {2.5e7, 2, "2.5e+07"},
        {0.00001, 2, "0.00"}, {0.00001, 4, "1.0e\u221205"}, {0, 4, "0.0000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(view_number(cases[i].value, cases[i].digits).text, cases[i].text);
    assert_string_equal(view_short_number(8000).text, "8000");
    assert_string_equal(view_short_number(-0.0).text, "0");
    assert_string_equal(view_percent(0.9344).text, "93.4");
}

/* The conversions of a format, in order: "%d%s". */
static void conversions(const char *text, char out[32])
{
    size_t n = 0;
    for (; *text && n + 1 < 32; text++) {
        if (*text != '%')
            continue;
        text++;
        if (*text != '%')
            out[n++] = *text;
    }
    out[n] = '\0';
}

static void both_languages_take_the_same_arguments(void **state)
{
    (void)state;
    ViewFrame english = {.language = 0}, chinese = {.language = 1};
    for (int i = 0; i < WORD_COUNT; i++) {
        char a[32], b[32];
        conversions(view_word(&english, (ViewWord)i), a);
        conversions(view_word(&chinese, (ViewWord)i), b);
        if (strcmp(a, b) != 0)
            fail_msg("\"%s\" takes %s, \"%s\" takes %s", view_word(&english, (ViewWord)i), a,
                     view_word(&chinese, (ViewWord)i), b);
        assert_true(view_word(&chinese, (ViewWord)i)[0] != '\0');
    }
}

/* ---- labels ---- */

typedef struct Seen {
    int n_texts, n_cells;
    CanvasText texts[4096];
    Color *cells;
    int rows, cols;
} Seen;

static void see_text(void *self, const CanvasText *text, Error *error)
{
    (void)error;
    Seen *seen = self;
    if (seen->n_texts < 4096)
        seen->texts[seen->n_texts++] = *text;
}

static void see_cells(void *self, const CanvasCells *cells, Error *error)
{
    (void)error;
    Seen *seen = self;
    if (seen->n_cells++ > 0)
        return;
    size_t bytes = (size_t)cells->rows * (size_t)cells->cols * sizeof(Color);
    seen->rows = cells->rows;
    seen->cols = cells->cols;
    seen->cells = memory_new(bytes, 1);
    memcpy(seen->cells, cells->cells, bytes);
}

static Seen *look(Gallery *g, Canvas *canvas)
{
    static const CanvasBackend backend = {.text = see_text, .cells = see_cells};
    Seen *seen = memory_new(1, sizeof *seen);
    Error error = {0};
    g->view->draw(&g->frame, canvas);
    assert_ok(canvas_replay(canvas, &backend, seen, &error));
    return seen;
}

static void close_seen(Seen *seen)
{
    free(seen->cells);
    free(seen);
}

static void labels_never_touch_each_other(void **state)
{
    (void)state;
    static const int sentences[] = {SENTENCE_SHORT, SENTENCE_LONG, SENTENCE_CHINESE,
                                    SENTENCE_LOCAL};
    static const float widths[] = {300, 500, 828, 1400};
    for (int k = 0; k < 16; k++) {
        Gallery g;
        open_sample(&g, "heatmap", sentences[k / 4], 99);
        g.frame.area = (Rect){0, 0, widths[k % 4], 600};
        Canvas *canvas = canvas_new(widths[k % 4], 600);
        Seen *seen = look(&g, canvas);
        float last_y = -1000, last_x = -1000;
        for (int i = 0; i < seen->n_texts; i++) {
            const CanvasText *text = &seen->texts[i];
            if (text->style.align == ALIGN_END && text->style.face == FACE_UI &&
                text->style.turn == 0 && text->baseline.y > last_y) {
                assert_true(text->baseline.y - last_y >= text->style.size * 1.05f);
                last_y = text->baseline.y;
            }
            if (text->style.turn < 0) { /* distance of parallel lines */
                float sine = sinf(-text->style.turn * 0.0174533f);
                assert_true((text->baseline.x - last_x) * sine >= text->style.size * 1.05f);
                last_x = text->baseline.x;
            }
        }
        close_seen(seen);
        canvas_free(canvas);
        gallery_close(&g);
    }
}

static void the_direction_of_a_side_is_that_of_most_letters(void **state)
{
    (void)state;
    static const struct {
        int sentence;
        bool right_to_left;
    } cases[] = {{SENTENCE_SHORT, false},
                 {SENTENCE_ARABIC, true},
                 {SENTENCE_CHINESE, false},
                 {SENTENCE_STRANGE, false},
                 {SENTENCE_NONE, false}};
    for (int i = 0; i < 5; i++) {
        const Trace *trace = traces_sentence(&traces_sentences[cases[i].sentence]);
        Side side = side_of_axis(trace, trace_find_axis(trace, "source"));
        assert_int_equal(side_reads_right_to_left(&side), cases[i].right_to_left);
        trace_release(trace);
    }
}

/* ---- values ---- */

static void every_peak_of_a_huge_matrix_is_seen(void **state)
{
    (void)state;
    Sample sample = {"heatmap", "huge", .make = traces_huge, .step = 0};
    Gallery g;
    gallery_open(&g, &sample, fonts, THEME_LIGHT);
    Canvas *canvas = canvas_new(g.frame.area.w, g.frame.area.h);
    Seen *seen = look(&g, canvas);
    assert_true(seen->rows < 900 && seen->cols < 900); /* at most one cell a pixel */
    Color quiet = seen->cells[seen->cols - 1];
    for (int i = 0; i < seen->rows; i++) { /* the diagonal, on every row */
        bool found = false;
        for (int j = i - 2; j <= i + 2; j++)
            found = found || (j >= 0 && j < seen->cols &&
                              color_lightness(seen->cells[i * seen->cols + j]) <
                                  color_lightness(quiet) - 0.02f);
        assert_true(found);
    }
    close_seen(seen);
    canvas_free(canvas);
    gallery_close(&g);
}

static void shaped_values_keep_what_a_row_sums_to(void **state)
{
    (void)state;
    Gallery g;
    open_sample(&g, "heatmap", SENTENCE_SHORT, 99);
    ValuesSpec spec = values_spec(&g.frame, values_main(g.frame.trace));
    assert_true(spec.merge_words && spec.hide_special);
    Error error = {0};
    const Values *v = values_get(&g.frame, &spec, &error);
    assert_non_null(v);
    assert_int_equal(v->matrix.rows, 6); /* "ver +te" is one, "</s>" is hidden */
    assert_int_equal(v->matrix.cols, 7);
    assert_int_equal(v->n_padding, 0);
    for (int32_t i = 0; i < v->matrix.rows; i++) {
        double sum = 0;
        for (int32_t j = 0; j < v->matrix.cols; j++)
            sum += (double)values_at(v, i, j);
        assert_close(sum, 1, 0.002);
    }
    assert_ptr_equal(values_get(&g.frame, &spec, &error), v); /* from the cache */
    gallery_close(&g);
}

static void assert_same_heads(const Head *a, const Head *b, int32_t n)
{
    for (int32_t i = 0; a && i < n; i++) {
        assert_int_equal(a[i].rows, b[i].rows);
        assert_int_equal(a[i].cols, b[i].cols);
        for (int32_t k = 0; k < a[i].rows * a[i].cols; k++)
            assert_close(a[i].cells[k], b[i].cells[k], 1e-7);
    }
}

static void heads_are_read_frame_by_frame(void **state)
{
    (void)state;
    Gallery whole, sliced;
    Error error = {0};
    Sample sample = {"heads", "part", .make = make_encoder};
    gallery_open(&whole, &sample, fonts, THEME_LIGHT);
    gallery_open(&sliced, &sample, fonts, THEME_LIGHT);
    const HeadSet *all = heads_get(&whole.frame, values_main(whole.frame.trace), &error), *set;
    assert_ok(all);
    assert_false(view_cache_is_asked_again(whole.frame.cache));
    sliced.frame.until = 1e-9; /* long ago: a matrix a frame */
    int frames = 0;
    do {
        set = heads_get(&sliced.frame, values_main(sliced.frame.trace), &error);
        assert_ok(set);
        assert_int_equal(set->n_done, ++frames);
    } while (view_cache_is_asked_again(sliced.frame.cache));
    assert_int_equal(set->n_done, all->n_all);
    assert_same_heads(set->heads, all->heads, all->n);
    assert_same_heads(set->means, all->means, all->n_layers);
    assert_same_heads(set->maxima, all->maxima, all->n_layers);
    assert_same_heads(set->rollouts, all->rollouts, all->n_layers);
    gallery_close(&whole);
    gallery_close(&sliced);
}

static void tensors_of_one_group_find_each_other(void **state)
{
    (void)state;
    const Trace *trace = traces_sentence(&traces_sentences[SENTENCE_CHANGED]);
    const TraceTensor *main = values_main(trace);
    assert_string_equal(main->name, "attention.weights");
    assert_string_equal(values_sibling(trace, main, "scores")->name, "attention.scores");
    assert_null(values_sibling(trace, main, "no_such"));
    assert_string_equal(values_candidate(trace, 0)->name, "attention.weights");
    int n = 0;
    while (values_candidate(trace, n))
        n++;
    assert_int_equal(n, 4); /* weights, own, softmax, scores */
    assert_string_equal(values_named(trace, "attention.scores")->name, "attention.scores");
    assert_string_equal(values_named(trace, "gone")->name, "attention.weights");
    trace_release(trace);
}

static void legends_end_in_round_numbers(void **state)
{
    (void)state;
    static const float cases[][2] = {{0.93f, 1},      {0.41f, 0.5f}, {0.2f, 0.2f},
                                     {0.013f, 0.02f}, {7, 10},       {1e-6f, 1e-6f}};
    for (int i = 0; i < 6; i++)
        assert_close(shade_round_up(cases[i][0]), cases[i][1], cases[i][1] * 1e-5f);
    float ticks[16];
    int n = chart_ticks(0.3f, 8.4f, 6, ticks);
    assert_int_equal(n, 4);
    assert_close(ticks[0], 2, 1e-6);
    assert_close(ticks[3], 8, 1e-6);
    assert_int_equal(chart_ticks(1, 1, 6, ticks), 0);
}

/* Text on a shade has to be read whatever is shaded. */
static void a_log_scale_parts_what_a_sink_leaves_over(void **state)
{
    (void)state;
    Gallery g;
    open_sample(&g, "heatmap", SENTENCE_SHORT, 99);
    GridRange range = {0, 1};
    Shade plain = shade_make(&g.frame, (ShadeOptions){.gamma = 1}, TRACE_WEIGHTS, range);
    Shade bent =
        shade_make(&g.frame, (ShadeOptions){.gamma = 1, .log = true}, TRACE_WEIGHTS, range);
    /* Both ends stay; a thousandth is a quarter of the way up. */
    assert_int_equal(shade_color(&bent, 0, 1), shade_color(&plain, 0, 1));
    assert_int_equal(shade_color(&bent, 1, 1), shade_color(&plain, 1, 1));
    assert_int_equal(shade_color(&bent, 1e-3f, 1), shade_color(&plain, 0.25f, 1));
    assert_int_equal(shade_color(&bent, 1e-5f, 1), shade_color(&plain, 0, 1));
    assert_int_equal(shade_color(&bent, NAN, 1), plain.map.nan);
    assert_int_equal(shade_color(&bent, INFINITY, 1), plain.map.nan);
    float values[] = {0, 1e-3f, 1};
    Color row[3];
    shade_row(&bent, values, 3, 1, row);
    for (int i = 0; i < 3; i++)
        assert_int_equal(row[i], shade_color(&bent, values[i], 1));
    gallery_close(&g);
}

/* Sixteen heads are told apart, and so are the next sixteen. */
static void colours_of_heads_do_not_repeat(void **state)
{
    (void)state;
    enum { HEADS = 32 };
    for (int kind = 0; kind < 2; kind++) {
        Theme theme = theme_make(kind ? THEME_DARK : THEME_LIGHT);
        for (int a = 0; a < HEADS; a++) {
            Color x = links_head_color(&theme, a);
            assert_true(color_contrast(x, theme.panel) >= 3);
            for (int b = 0; b < a; b++) {
                Color y = links_head_color(&theme, b);
                int apart = 0;
                for (int shift = 8; shift < 32; shift += 8)
                    apart += abs((int)(x >> shift & 255) - (int)(y >> shift & 255));
                assert_true(apart >= (a < 16 ? 40 : 8));
            }
        }
    }
}

static void heads_are_opened_and_closed_one_by_one(void **state)
{
    (void)state;
    Error error = {0};
    Settings *options = settings_new(view_find("links")->options);
    links_toggle_head(options, 4);
    assert_string_equal(settings_text(options, "open"), "5");
    links_toggle_head(options, 0);
    assert_string_equal(settings_text(options, "open"), "1,5");
    links_toggle_head(options, 4);
    assert_string_equal(settings_text(options, "open"), "1");
    links_toggle_head(options, 0);
    assert_string_equal(settings_text(options, "open"), "");
    links_toggle_head(options, LINKS_MAX_HEADS); /* is none */
    links_toggle_head(options, -1);
    assert_string_equal(settings_text(options, "open"), "");
    assert_ok(settings_set(options, "open", "x,3,,999999999999,2", &error));
    links_toggle_head(options, 2);
    settings_free(options);
}

static void numbers_on_cells_have_enough_contrast(void **state)
{
    (void)state;
    for (int dark = 0; dark < 2; dark++)
        for (int map = 0; map <= COLORMAP_COUNT; map++) {
            Theme theme = theme_make(dark ? THEME_DARK : THEME_LIGHT);
            ViewFrame frame = {.theme = &theme};
            Shade shade = shade_make(&frame, (ShadeOptions){.colormap = map, .gamma = 1},
                                     TRACE_WEIGHTS, (GridRange){0, 1});
            for (int i = 0; i <= 100; i++) {
                Color cell = shade_color(&shade, (float)i / 100, 0);
                assert_true(color_contrast(shade_ink(cell, i == 0), cell) >= 4.5f);
            }
        }
}

/* ---- text ---- */

static void boxes_of_tokens_cover_their_bytes(void **state)
{
    (void)state;
    static const char text[] = "one  two\nthree";
    static const TraceSpan spans[] = {{0, 3}, {5, 8}, {9, 14}};
    Gallery g;
    open_sample(&g, "text", SENTENCE_SHORT, 0);
    TextStyle style = theme_input(&g.theme);
    FlowBlock block = {0, {0, 14}};
    FlowSpec spec = {text, spans, 3, &block, 1, style, 500, 20, 0, false};
    const Flow *flow = flow_get(&g.frame, "test", &spec);
    assert_int_equal(flow->n_lines, 2);
    assert_string_equal(flow->lines[0].text, "one  two");
    assert_string_equal(flow->lines[1].text, "three");
    assert_int_equal(flow->n_boxes, 3);
    assert_close(flow->boxes[0].x, 0, 0.01);
    assert_close(flow->boxes[0].width, fonts_width(fonts, "one", &style), 0.5);
    assert_close(flow->boxes[1].x, fonts_width(fonts, "one  ", &style), 0.5);
    assert_close(flow->height, 40, 0.01);
    gallery_close(&g);
}

static void a_token_that_is_broken_over_lines_has_a_box_on_each(void **state)
{
    (void)state;
    static const char text[] = "Donaudampfschifffahrtsgesellschaft";
    static const TraceSpan span = {0, 34};
    Gallery g;
    open_sample(&g, "text", SENTENCE_SHORT, 0);
    FlowBlock block = {0, {0, 34}};
    FlowSpec spec = {text, &span, 1, &block, 1, theme_input(&g.theme), 100, 20, 0, false};
    const Flow *flow = flow_get(&g.frame, "long", &spec);
    assert_true(flow->n_lines >= 3);
    assert_int_equal(flow->n_boxes, flow->n_lines);
    gallery_close(&g);
}

/* ---- formulas ---- */

static void formulas_are_those_of_the_papers(void **state)
{
    (void)state;
    static const struct {
        const char *attention, *align, *score;
        int window;
    } cases[] = {
        {"additive", "global", "e\u2083 = v\u1d40 tanh(W s\u2082 + U h\u2083) = ", 0},
        {"dot", "global", "e\u2083 = s\u2082\u1d40 h\u2083 = ", 0},
        {"general", "local-p", "e\u2083 = h\u2083\u1d40 W h\u0304\u2083 = ", 3},
        {"scaled-dot", "global", "e\u2083 = s\u2082\u1d40 h\u2083 / \u221ad = ", 0},
        {"cosine", "global", "e\u2083 = \u03b2 cos(s\u2082, h\u2083) = ", 0},
        {"location", "global", "e\u2083 = (W s\u2082) = ", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SentenceSpec sentence = traces_sentences[SENTENCE_HARD];
        sentence.attention = cases[i].attention;
        sentence.align = cases[i].align;
        sentence.window = cases[i].window;
        Gallery g;
        open_sample(&g, "pipeline", SENTENCE_HARD, 2);
        trace_release(g.frame.trace);
        g.frame.trace = traces_sentence(&sentence);
        g.frame.hover = (ViewHit){.kind = HIT_COL, .col = 2};
        PipelinePlan plan;
        pipeline_plan(&plan, &g.frame);
        char formula[PIPELINE_FORMULA_BYTES];
        formula_score(&plan, formula);
        if (strncmp(formula, cases[i].score, strlen(cases[i].score)) != 0)
            fail_msg("%s: %s", cases[i].attention, formula);
        pipeline_plan_free(&plan);
        gallery_close(&g);
    }
}

static void the_same_scores_read_as_the_model_read_them(void **state)
{
    (void)state;
    Gallery g;
    open_sample(&g, "pipeline", SENTENCE_SHORT, 3);
    PipelinePlan plan;
    pipeline_plan(&plan, &g.frame);
    const float *soft = reading_softmax(&plan, plan.scores, 1);
    TraceWindow wide = {3, 0, plan.n - 1, 0};
    const float *local = reading_local(&plan, plan.scores, &wide, 1);
    const float *hard = reading_hard(&plan, plan.scores);
    float sum = 0;
    for (int32_t i = 0; i < plan.n; i++) {
        assert_close(soft[i], plan.weights[i], 2e-4); /* the trace rounds to 1e-4 */
        assert_close(local[i], soft[i], 1e-6);        /* a window as wide as the sentence */
        sum += hard[i];
    }
    assert_close(sum, 1, 0);
    TraceWindow narrow = {3, 2, 4, 1};
    local = reading_local(&plan, plan.scores, &narrow, 1);
    assert_close(local[1], 0, 0);
    assert_close(local[5], 0, 0);
    assert_true(local[2] + local[3] + local[4] < 1); /* the product is not renormalised */
    pipeline_plan_free(&plan);
    gallery_close(&g);
}

static void many_draws_come_near_the_weights_that_they_come_from(void **state)
{
    (void)state;
    Gallery g;
    open_sample(&g, "pipeline", SENTENCE_HARD, 2);
    PipelinePlan plan;
    pipeline_plan(&plan, &g.frame);
    enum { N = 1000 };
    const float *draws = reading_draws(&plan, plan.softmax, N);
    const float *again = reading_draws(&plan, plan.softmax, N);
    float sum = 0;
    for (int32_t i = 0; i < plan.n; i++) {
        double a = (double)plan.softmax[i], deviation = sqrt(a * (1 - a) / N);
        assert_close(draws[i], a, 4 * deviation + 1e-9);
        assert_close(draws[i], again[i], 0); /* one seed, one histogram */
        sum += draws[i];
    }
    assert_close(sum, 1, 1e-5);
    plan.row++; /* another step draws anew */
    const float *other = reading_draws(&plan, plan.softmax, N);
    bool same = true;
    for (int32_t i = 0; i < plan.n; i++)
        same = same && other[i] == draws[i];
    assert_false(same);
    pipeline_plan_free(&plan);
    gallery_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zooming_keeps_the_point_under_the_pointer),
        cmocka_unit_test(panning_and_zooming_stay_inside_the_content),
        cmocka_unit_test(a_view_without_content_does_not_zoom),
        cmocka_unit_test(the_cache_keeps_what_a_frame_uses_and_drops_the_oldest),
        cmocka_unit_test(numbers_read_well),
        cmocka_unit_test(both_languages_take_the_same_arguments),
        cmocka_unit_test(labels_never_touch_each_other),
        cmocka_unit_test(the_direction_of_a_side_is_that_of_most_letters),
        cmocka_unit_test(every_peak_of_a_huge_matrix_is_seen),
        cmocka_unit_test(shaped_values_keep_what_a_row_sums_to),
        cmocka_unit_test(heads_are_read_frame_by_frame),
        cmocka_unit_test(tensors_of_one_group_find_each_other),
        cmocka_unit_test(legends_end_in_round_numbers),
        cmocka_unit_test(a_log_scale_parts_what_a_sink_leaves_over),
        cmocka_unit_test(colours_of_heads_do_not_repeat),
        cmocka_unit_test(heads_are_opened_and_closed_one_by_one),
        cmocka_unit_test(numbers_on_cells_have_enough_contrast),
        cmocka_unit_test(boxes_of_tokens_cover_their_bytes),
        cmocka_unit_test(a_token_that_is_broken_over_lines_has_a_box_on_each),
        cmocka_unit_test(formulas_are_those_of_the_papers),
        cmocka_unit_test(the_same_scores_read_as_the_model_read_them),
        cmocka_unit_test(many_draws_come_near_the_weights_that_they_come_from),
    };
    return cmocka_run_group_tests(tests, open_fonts, close_fonts);
}
