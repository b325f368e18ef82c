/* Every view of every sample: what is drawn, what is hit. FOVEA_ACCEPT=1 in the environment
 * writes the accepted dumps anew; look at the pictures of demo_views before committing. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "canvas/canvas_dump.h"
#include "canvas/canvas_svg.h"
#include "gallery.h"
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

static Canvas *drawn(Gallery *g)
{
    Canvas *canvas = canvas_new(g->frame.area.w, g->frame.area.h);
    g->view->draw(&g->frame, canvas);
    return canvas;
}

/* ---- accepted dumps ---- */

static void compare_with_accepted(const Sample *sample, const StrBuf *dump)
{
    char path[512];
    snprintf(path, sizeof path, "%s/views/%s-%s.txt", FOVEA_TEST_DATA, sample->view, sample->name);
    Error error = {0};
    if (getenv("FOVEA_ACCEPT"))
        assert_ok(file_write(path, dump->text, dump->length, &error));
    Bytes accepted;
    assert_ok(file_read(path, FILE_MAX_READ_BYTES, &accepted, &error));
    size_t at = 0, line = 1;
    while (at < dump->length && at < accepted.size && dump->text[at] == accepted.data[at])
        line += dump->text[at++] == '\n';
    if (at < dump->length || at < accepted.size) {
        while (at > 0 && dump->text[at - 1] != '\n')
            at--;
        fail_msg("%s line %zu:\n  now      %.*s\n  accepted %.*s", path, line,
                 (int)strcspn(dump->text + at, "\n"), dump->text + at,
                 (int)strcspn(accepted.data + at, "\n"), accepted.data + at);
    }
    bytes_free(&accepted);
}

static void every_view_draws_what_was_accepted(void **state)
{
    (void)state;
    for (int i = 0; i < N_SAMPLES; i++) {
        Gallery g;
        gallery_open(&g, &samples[i], fonts, THEME_LIGHT);
        Canvas *canvas = drawn(&g);
        StrBuf dump = {0};
        Error error = {0};
        assert_ok(canvas_dump(canvas, &dump, &error));
        compare_with_accepted(&samples[i], &dump);
        strbuf_free(&dump);
        canvas_free(canvas);
        gallery_close(&g);
    }
}

static void charts_and_small_multiples_draw_what_was_accepted(void **state)
{
    (void)state;
    static const Sample charts = {"plain", "charts", SENTENCE_SHORT, .step = 3};
    static const Sample multiples = {"plain", "multiples", SENTENCE_SHORT, .step = 3};
    Gallery g;
    gallery_open(&g, &samples[0], fonts, THEME_LIGHT);
    g.frame.hover = (ViewHit){0};
    Canvas *canvas = canvas_new(g.frame.area.w, g.frame.area.h);
    Error error = {0};
    for (int k = 0; k < 2; k++) {
        StrBuf dump = {0};
        canvas_clear(canvas, g.frame.area.w, g.frame.area.h);
        (k == 0 ? gallery_charts : gallery_multiples)(&g.frame, canvas);
        assert_ok(canvas_dump(canvas, &dump, &error));
        compare_with_accepted(k == 0 ? &charts : &multiples, &dump);
        strbuf_free(&dump);
    }
    canvas_free(canvas);
    gallery_close(&g);
}

static void every_view_has_samples(void **state)
{
    (void)state;
    for (int v = 0; view_at(v); v++) {
        int n = 0;
        for (int i = 0; i < N_SAMPLES; i++)
            n += strcmp(samples[i].view, view_at(v)->name) == 0;
        if (n < 2)
            fail_msg("%s has %d samples", view_at(v)->name, n);
    }
}

static void a_warm_cache_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < N_SAMPLES; i++) {
        Gallery g;
        gallery_open(&g, &samples[i], fonts, THEME_DARK);
        Canvas *cold = drawn(&g), *warm = drawn(&g);
        assert_true(canvas_hash(cold) == canvas_hash(warm));
        view_cache_clear(g.frame.cache);
        canvas_clear(warm, g.frame.area.w, g.frame.area.h);
        g.view->draw(&g.frame, warm);
        if (canvas_hash(cold) != canvas_hash(warm))
            fail_msg("%s of %s depends on the cache", samples[i].view, samples[i].name);
        canvas_free(cold);
        canvas_free(warm);
        gallery_close(&g);
    }
}

static void a_figure_shows_no_pointer(void **state)
{
    (void)state;
    for (int i = 0; i < N_SAMPLES; i++) {
        if (samples[i].hover_x <= 0)
            continue;
        Gallery g;
        gallery_open(&g, &samples[i], fonts, THEME_LIGHT);
        g.frame.is_figure = true;
        Canvas *with = drawn(&g);
        g.frame.hover = (ViewHit){0};
        Canvas *without = drawn(&g);
        Rect rect;
        assert_false(canvas_find_tag(with, "tooltip", &rect));
        if (canvas_hash(with) != canvas_hash(without))
            fail_msg("a figure of %s %s shows where the pointer is", samples[i].view,
                     samples[i].name);
        canvas_free(with);
        canvas_free(without);
        gallery_close(&g);
    }
}

/* ---- hits ---- */

static bool same_target(const ViewHit *a, const ViewHit *b)
{
    return a->kind == b->kind && a->row == b->row && a->col == b->col && a->axis == b->axis;
}

static Rect cut(Rect r, Rect by)
{
    float x = fmaxf(r.x, by.x), y = fmaxf(r.y, by.y);
    return (Rect){x, y, fminf(r.x + r.w, by.x + by.w) - x, fminf(r.y + r.h, by.y + by.h) - y};
}

static void check_hits(Gallery *g, const Sample *sample)
{
    Rect area = g->frame.area;
    bool has_place = strcmp(sample->view, "pipeline") != 0; /* columns are outlined below */
    g->frame.hover = (ViewHit){0};
    for (float y = 3; y < area.h; y += 31)
        for (float x = 5; x < area.w; x += 37) {
            ViewHit hit = g->view->hit(&g->frame, x, y);
            if (hit.kind == HIT_NOTHING || hit.kind == HIT_STEP || hit.place.w <= 2 ||
                hit.place.h <= 2 || !has_place)
                continue;
            if (!rect_contains(rect_inset(hit.place, -6, -6), x, y))
                fail_msg("%s %s: the hit at %g,%g is placed at %g,%g", sample->view, sample->name,
                         (double)x, (double)y, (double)hit.place.x, (double)hit.place.y);
            Rect seen = cut(hit.place, area);
            if (hit.kind == HIT_CELL || hit.kind == HIT_ITEM || hit.kind == HIT_HEAD) {
                float cx = fminf(fmaxf(seen.x + seen.w / 2, x - 1), x + 1);
                ViewHit again = g->view->hit(&g->frame, cx, y);
                if (cx > seen.x && cx < seen.x + seen.w && !same_target(&hit, &again))
                    fail_msg("%s %s: a neighbouring pixel of %g,%g is another thing", sample->view,
                             sample->name, (double)x, (double)y);
            }
        }
}

static void what_is_hit_is_where_it_says(void **state)
{
    (void)state;
    for (int i = 0; i < N_SAMPLES; i++) {
        Gallery g;
        gallery_open(&g, &samples[i], fonts, THEME_LIGHT);
        check_hits(&g, &samples[i]);
        gallery_close(&g);
    }
}

static const Sample *find_sample(const char *view, const char *name)
{
    for (int i = 0; i < N_SAMPLES; i++)
        if (strcmp(samples[i].view, view) == 0 && strcmp(samples[i].name, name) == 0)
            return &samples[i];
    fail_msg("there is no sample %s %s", view, name);
    return NULL;
}

/* The number written inside a place of the canvas: text commands of the dump. */
static bool text_inside(const Canvas *canvas, Rect place, char *out, size_t size)
{
    StrBuf dump = {0};
    Error error = {0};
    assert_ok(canvas_dump(canvas, &dump, &error));
    bool found = false;
    for (char *line = dump.text; line && *line && !found; line = strchr(line, '\n')) {
        line += *line == '\n';
        float x, y;
        char text[64];
        const char *p = line + strspn(line, " ");
        if (sscanf(p, "text %f %f \"%63[^\"]\"", &x, &y, text) == 3 && rect_contains(place, x, y)) {
            snprintf(out, size, "%s", text);
            found = true;
        }
    }
    strbuf_free(&dump);
    return found;
}

static void the_number_in_a_cell_is_what_its_tooltip_says(void **state)
{
    (void)state;
    static const char *const names[] = {"short", "arabic", "transposed", "local", "changed"};
    for (int k = 0; k < 5; k++) {
        Gallery g;
        gallery_open(&g, find_sample("heatmap", names[k]), fonts, THEME_LIGHT);
        g.frame.hover = (ViewHit){0};
        Canvas *canvas = drawn(&g);
        int checked = 0;
        for (float y = 5; y < g.frame.area.h; y += 17)
            for (float x = 5; x < g.frame.area.w; x += 31) {
                ViewHit hit = g.view->hit(&g.frame, x, y);
                char text[64];
                if (hit.kind != HIT_CELL || !text_inside(canvas, hit.place, text, sizeof text))
                    continue;
                float weight, shown = strtof(text, NULL);
                assert_int_equal(sscanf(hit.lines[1], "weight %f", &weight), 1);
                assert_close(weight, shown, 0.0051);
                checked++;
            }
        assert_true(checked > 60);
        canvas_free(canvas);
        gallery_close(&g);
    }
}

static void hits_name_items_of_the_trace_not_of_merged_words(void **state)
{
    (void)state;
    Gallery g;
    gallery_open(&g, find_sample("heatmap", "short"), fonts, THEME_LIGHT);
    Rect cells;
    Canvas *canvas = drawn(&g);
    assert_true(canvas_find_tag(canvas, "attention.weights", &cells));
    /* "She is eat +ing a": the fourth column is the fifth token. */
    ViewHit hit = g.view->hit(&g.frame, cells.x + cells.w / 7 * 3.5f, cells.y + 5);
    assert_int_equal(hit.kind, HIT_CELL);
    assert_int_equal(hit.col, 4);
    hit = g.view->hit(&g.frame, cells.x + cells.w / 7 * 2.5f, cells.y - 8);
    assert_int_equal(hit.kind, HIT_COL);
    assert_int_equal(hit.col, 2);
    assert_string_equal(hit.lines[0], "eating");
    canvas_free(canvas);
    gallery_close(&g);
}

static void a_right_to_left_source_runs_from_the_right(void **state)
{
    (void)state;
    Gallery g;
    gallery_open(&g, find_sample("heatmap", "arabic"), fonts, THEME_LIGHT);
    Canvas *canvas = drawn(&g);
    Rect cells;
    assert_true(canvas_find_tag(canvas, "attention.weights", &cells));
    assert_int_equal(g.view->hit(&g.frame, cells.x + cells.w - 4, cells.y + 4).col, 0);
    assert_int_equal(g.view->hit(&g.frame, cells.x + 4, cells.y + 4).col, 8);
    canvas_free(canvas);
    gallery_close(&g);
}

/* ---- stepping, sizes ---- */

static void the_figure_does_not_move_while_it_is_stepped_through(void **state)
{
    (void)state;
    static const int sentences[] = {SENTENCE_SHORT, SENTENCE_LONG, SENTENCE_ARABIC};
    for (int k = 0; k < 3; k++) {
        Sample sample = {"heatmap", "stepping", sentences[k], .step = -1};
        Rect first = {0};
        for (int step = -1; step < 9; step++) {
            Gallery g;
            sample.step = step;
            gallery_open(&g, &sample, fonts, THEME_LIGHT);
            Canvas *canvas = drawn(&g);
            Rect cells;
            assert_true(canvas_find_tag(canvas, "attention.weights", &cells));
            if (step == -1)
                first = cells;
            assert_memory_equal(&first, &cells, sizeof first);
            canvas_free(canvas);
            gallery_close(&g);
        }
    }
}

static void half_the_type_on_half_the_page_is_the_same_drawing(void **state)
{
    (void)state;
    static const char *const views[] = {"heatmap", "links", "pipeline"};
    for (int k = 0; k < 3; k++) {
        Rect found[2];
        for (int half = 0; half < 2; half++) {
            Sample sample = {views[k], "sizes", SENTENCE_SHORT, .step = 3};
            Gallery g;
            gallery_open(&g, &sample, fonts, THEME_LIGHT);
            float scale = half ? 0.5f : 1;
            g.theme.text_size *= scale;
            g.theme.input_size *= scale;
            g.theme.caption_size *= scale;
            g.frame.area = (Rect){0, 0, 828 * scale, 708 * scale};
            Canvas *canvas = drawn(&g);
            assert_true(
                canvas_find_tag(canvas, k == 0 ? "attention.weights" : "apple", &found[half]));
            canvas_free(canvas);
            gallery_close(&g);
        }
        assert_close(found[0].x, 2 * found[1].x, 1.5);
        assert_close(found[0].y, 2 * found[1].y, 1.5);
        assert_close(found[0].w, 2 * found[1].w, 1.5);
    }
}

static void the_wanted_height_holds_everything(void **state)
{
    (void)state;
    static const float widths[] = {325, 680, 1000};
    for (int i = 0; i < N_SAMPLES; i++)
        for (int k = 0; k < 3; k++) {
            Gallery g;
            gallery_open(&g, &samples[i], fonts, THEME_LIGHT);
            g.frame.is_figure = true;
            float height = g.view->wanted_height(&g.frame, widths[k]);
            assert_true(isfinite(height) && height > 0);
            g.frame.area = (Rect){0, 0, widths[k], height};
            g.frame.camera = (ViewCamera){0};
            ViewPort port = g.view->port ? g.view->port(&g.frame) : (ViewPort){0};
            bool scrolls = port.max_zoom == 1 && port.height > port.place.h + 1;
            if (scrolls && strcmp(samples[i].view, "heads") != 0)
                fail_msg("%s %s at %g wants %g and still scrolls (%g in %g)", samples[i].view,
                         samples[i].name, (double)widths[k], (double)height, (double)port.height,
                         (double)port.place.h);
            gallery_close(&g);
        }
}

/* ---- SVG ---- */

static void svg_holds_words_as_text(void **state)
{
    (void)state;
    static const char *const of[][3] = {
        {"heatmap", "short", ">pomme<"},     {"heatmap", "arabic", "تفاحة"},
        {"links", "chinese", ">苹<"},        {"text", "document", "quietly brilliant film"},
        {"pipeline", "local", ">déjà<"},     {"selection", "short", ">brilliant<"},
        {"heatmap", "strange", "&lt;b&gt;"}, {"beam", "short", ">mange<"},
    };
    for (int i = 0; i < 8; i++) {
        Gallery g;
        gallery_open(&g, find_sample(of[i][0], of[i][1]), fonts, THEME_LIGHT);
        g.frame.step = 7;
        Canvas *canvas = drawn(&g);
        StrBuf svg = {0};
        Error error = {0};
        assert_ok(canvas_encode_svg(canvas, fonts, &(SvgOptions){0}, &svg, &error));
        if (!strstr(svg.text, of[i][2]))
            fail_msg("%s is no text in %s %s", of[i][2], of[i][0], of[i][1]);
        strbuf_free(&svg);
        canvas_free(canvas);
        gallery_close(&g);
    }
}

/* ---- choosing ---- */

static void each_kind_of_run_opens_with_the_view_that_suits_it(void **state)
{
    (void)state;
    static const struct {
        const Trace *(*make)(void);
        const char *first;
        const char *offered, *refused;
    } runs[] = {
        {make_short_document, "text", "text", "heatmap"},
        {make_glimpses, "image", "image", "links"},
        {make_caption, "image", "heatmap", "text"},
        {make_looking_back, "text", "links", "heads"},
        {make_encoder, "heatmap", "heads", "image"},
        {make_selection, "selection", "text", "beam"},
        {make_beam, "beam", "beam", "heatmap"},
        {make_checkpoints, "heatmap", "training", "selection"},
        {make_patient_story, "text", "text", "image"},
        {make_variance, "variance", "variance", "heatmap"},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        const Trace *trace = runs[i].make();
        assert_string_equal(view_first(trace)->name, runs[i].first);
        assert_true(view_find(runs[i].offered)->offers(trace));
        assert_false(view_find(runs[i].refused)->offers(trace));
        trace_release(trace);
    }
    assert_null(view_find("no such view"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_view_draws_what_was_accepted),
        cmocka_unit_test(charts_and_small_multiples_draw_what_was_accepted),
        cmocka_unit_test(every_view_has_samples),
        cmocka_unit_test(a_warm_cache_changes_nothing),
        cmocka_unit_test(a_figure_shows_no_pointer),
        cmocka_unit_test(what_is_hit_is_where_it_says),
        cmocka_unit_test(the_number_in_a_cell_is_what_its_tooltip_says),
        cmocka_unit_test(hits_name_items_of_the_trace_not_of_merged_words),
        cmocka_unit_test(a_right_to_left_source_runs_from_the_right),
        cmocka_unit_test(the_figure_does_not_move_while_it_is_stepped_through),
        cmocka_unit_test(half_the_type_on_half_the_page_is_the_same_drawing),
        cmocka_unit_test(the_wanted_height_holds_everything),
        cmocka_unit_test(svg_holds_words_as_text),
        cmocka_unit_test(each_kind_of_run_opens_with_the_view_that_suits_it),
    };
    return cmocka_run_group_tests(tests, open_fonts, close_fonts);
}
