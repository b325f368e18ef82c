/* Figures as files: sizes, pages, frames, what is replaced and what is not. */
#include "testing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "canvas/canvas_cairo.h"
#include "canvas/canvas_dump.h"
#include "drawn.h"
#include "figure/figure_page.h"
#include "format/import.h"

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

static const Sample short_one = {"heatmap", "short", SENTENCE_SHORT, .step = 99};

static StrBuf encoded(const Figure *figure, FigureFormat format)
{
    StrBuf out = {0};
    Error error = {0};
    assert_ok(figure_encode(figure, fonts, format, &out, &error));
    return out;
}

static unsigned big_endian(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
}

static int count(const StrBuf *text, const char *what)
{
    int n = 0;
    for (const char *p = text->text; (p = strstr(p, what)); p++)
        n++;
    return n;
}

/* ---- formats ---- */

static void a_format_is_told_by_its_name_or_a_path(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        FigureFormat format;
    } cases[] = {
        {"png", FIGURE_PNG},     {"a/b.PDF", FIGURE_PDF},
        {"x.y.svg", FIGURE_SVG}, {"dir.d/a.json", FIGURE_JSON},
        {"tsv", FIGURE_TSV},     {"run.safetensors", FIGURE_SAFETENSORS},
    };
    Error error = {0};
    FigureFormat format;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_ok(figure_format_find(cases[i].text, &format, &error));
        assert_int_equal(format, cases[i].format);
    }
    assert_refused(figure_format_find("figure.jpg", &format, &error), "expected png, svg");
    assert_refused(figure_format_find("figure", &format, &error), "figure");
    assert_refused(figure_format_find("", &format, &error), "which kind");
}

static void every_sample_becomes_an_svg_and_a_table(void **state)
{
    (void)state;
    for (int i = 0; i < N_SAMPLES; i++) {
        if (samples[i].make == traces_huge)
            continue; /* a table of sixteen million numbers */
        Drawn d;
        drawn_open(&d, &samples[i], fonts);
        drawn_set(&d, "origin", "no");
        drawn_set(&d, "caption", "yes");
        StrBuf svg = encoded(&d.figure, FIGURE_SVG), table = {0};
        assert_non_null(strstr(svg.text, "</svg>"));
        Error error = {0};
        bool ok = figure_encode(&d.figure, fonts, FIGURE_CSV, &table, &error);
        if (ok == error_is_set(&error) || ok != (table.length > 0))
            fail_msg("%s of %s: a table of %zu bytes, \"%s\"", samples[i].view, samples[i].name,
                     table.length, error.message);
        strbuf_free(&svg);
        strbuf_free(&table);
        drawn_close(&d);
    }
}

static void equal_figures_give_equal_files(void **state)
{
    (void)state;
    Drawn d;
    drawn_open(&d, &short_one, fonts);
    drawn_set(&d, "width", "60");
    static const FigureFormat formats[] = {FIGURE_PNG, FIGURE_SVG, FIGURE_GIF, FIGURE_JSON};
    for (int i = 0; i < 4; i++) {
        StrBuf a = encoded(&d.figure, formats[i]), b = encoded(&d.figure, formats[i]);
        assert_int_equal(a.length, b.length);
        assert_memory_equal(a.text, b.text, a.length);
        strbuf_free(&a);
        strbuf_free(&b);
    }
    drawn_close(&d);
}

/* ---- sizes ---- */

static void a_picture_is_as_wide_as_its_millimetres_at_its_resolution(void **state)
{
    (void)state;
    static const struct {
        const char *width, *height, *dpi;
        unsigned w, h;
    } cases[] = {
        {"25.4", "25.4", "300", 300, 300},
        {"50.8", "25.4", "96", 192, 96},
        {"127", "63.5", "0", 1500, 750}, /* 300 dpi if nobody says */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Drawn d;
        drawn_open(&d, &short_one, fonts);
        drawn_set(&d, "width", cases[i].width);
        drawn_set(&d, "height", cases[i].height);
        drawn_set(&d, "dpi", cases[i].dpi);
        StrBuf png = encoded(&d.figure, FIGURE_PNG);
        assert_int_equal(big_endian(png.text + 16), cases[i].w);
        assert_int_equal(big_endian(png.text + 20), cases[i].h);
        strbuf_free(&png);
        drawn_close(&d);
    }
}

static void larger_type_makes_the_same_drawing_larger(void **state)
{
    (void)state;
    Drawn d;
    drawn_open(&d, &short_one, fonts);
    Canvas *small = figure_canvas(&d.figure, fonts);
    drawn_set(&d, "font", "16");
    drawn_set(&d, "width", "320");
    Canvas *large = figure_canvas(&d.figure, fonts);
    assert_close(canvas_width(large), 2 * canvas_width(small), 0.01);
    assert_close(canvas_height(large), 2 * canvas_height(small), 1.01);
    canvas_free(small);
    canvas_free(large);
    drawn_close(&d);
}

static void a_figure_without_background_is_transparent(void **state)
{
    (void)state;
    Drawn d;
    drawn_open(&d, &short_one, fonts);
    drawn_set(&d, "width", "60");
    StrBuf plain = encoded(&d.figure, FIGURE_PNG);
    drawn_set(&d, "background", "transparent");
    StrBuf clear = encoded(&d.figure, FIGURE_PNG);
    assert_int_equal(plain.text[25], 2); /* colour type: RGB */
    assert_int_equal(clear.text[25], 6); /* with alpha       */
    strbuf_free(&plain);
    strbuf_free(&clear);
    drawn_close(&d);
}

/* ---- captions ---- */

static void a_title_and_a_caption_stand_in_the_figure(void **state)
{
    (void)state;
    Drawn d;
    drawn_open(&d, &short_one, fonts);
    StrBuf plain = encoded(&d.figure, FIGURE_SVG);
    drawn_set(&d, "title", "Attention & <alignment>");
    drawn_set(&d, "caption", "yes");
    Canvas *canvas = figure_canvas(&d.figure, fonts);
    StrBuf titled = encoded(&d.figure, FIGURE_SVG);
    assert_int_equal(count(&plain, "Attention &amp; &lt;alignment&gt;"), 0);
    assert_true(count(&titled, "Attention &amp; &lt;alignment&gt;") > 0);
    /* The caption quotes the input; the file's own title does so in both. */
    assert_true(count(&titled, "\xE2\x80\x9C") > count(&plain, "\xE2\x80\x9C"));
    canvas_free(canvas);
    strbuf_free(&plain);
    strbuf_free(&titled);
    drawn_close(&d);
}

static void a_picture_nobody_sized_is_as_fine_as_it_can_be(void **state)
{
    (void)state;
    Drawn d;
    drawn_open(&d, &short_one, fonts);
    assert_true(figure_scale_fit(&d.figure, FIGURE_PNG, 600, 800) == 300.0f / 96);
    float tall = figure_scale_fit(&d.figure, FIGURE_PNG, 600, 60000);
    assert_true(tall * 60000 <= CANVAS_MAX_SIDE_PX && tall * 60000 > CANVAS_MAX_SIDE_PX - 2);
    drawn_set(&d, "dpi", "300"); /* what was asked for is done or refused */
    assert_true(figure_scale_fit(&d.figure, FIGURE_PNG, 600, 60000) == 300.0f / 96);
    drawn_close(&d);
}

/* ---- pages for a browser ---- */

static void assert_balanced(const StrBuf *page, const char *name)
{
    static const char *const elements[][2] = {
        {"<p", "</p>"},         {"<span", "</span>"}, {"<div", "</div>"},
        {"<table", "</table>"}, {"<tr", "</tr>"},     {"<td", "</td>"},
        {"<main", "</main>"},   {"<html", "</html>"}, {"<body", "</body>"}};
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        int opened = 0;
        for (const char *p = page->text; (p = strstr(p, elements[i][0])); p++) {
            char next = p[strlen(elements[i][0])];
            opened += next == '>' || next == ' ';
        }
        if (opened != count(page, elements[i][1]))
            fail_msg("%s: %d of %s, %d of %s", name, opened, elements[i][0],
                     count(page, elements[i][1]), elements[i][1]);
    }
}

/* What a reader sees: everything between the tags of the body. */
static char *page_text(const StrBuf *page)
{
    StrBuf out = {0};
    bool in_tag = false;
    for (const char *p = strstr(page->text, "<main>"); *p; p++) {
        in_tag = in_tag || *p == '<';
        if (!in_tag)
            strbuf_add_char(&out, *p);
        in_tag = in_tag && *p != '>';
    }
    return strbuf_take(&out);
}

static void every_sample_becomes_a_page_that_is_whole(void **state)
{
    (void)state;
    for (int i = 0; i < N_SAMPLES; i++) {
        if (samples[i].make == traces_huge)
            continue;
        Drawn d;
        drawn_open(&d, &samples[i], fonts);
        drawn_set(&d, "origin", "no");
        StrBuf page = encoded(&d.figure, FIGURE_HTML);
        assert_memory_equal(page.text, "<!DOCTYPE html>", 15);
        assert_balanced(&page, samples[i].name);
        assert_null(strstr(page.text, "<?xml"));
        bool is_picture = strstr(page.text, "<svg") != NULL;
        if (strcmp(samples[i].view, "text") != 0)
            assert_true(is_picture);
        strbuf_free(&page);
        drawn_close(&d);
    }
}

static void the_text_of_a_page_can_be_copied_and_its_words_explain_themselves(void **state)
{
    (void)state;
    static const Sample document = {"text", "document", .make = make_short_document};
    Drawn d;
    drawn_open(&d, &document, fonts);
    StrBuf page = encoded(&d.figure, FIGURE_HTML);
    char *text = page_text(&page);
    assert_non_null(strstr(text, "from there it is a quietly brilliant film."));
    assert_non_null(strstr(text, "positive95.3"));
    assert_null(strstr(page.text, "<svg"));
    assert_non_null(strstr(page.text, "title=\"brilliant&#10;word weight 0."));
    assert_int_equal(count(&page, "class=\"bar\""), 8);
    drawn_set(&d, "title", "Mine & yours");
    drawn_set(&d, "theme", "dark");
    StrBuf dark = encoded(&d.figure, FIGURE_HTML);
    assert_non_null(strstr(dark.text, "<h1>Mine &amp; yours</h1>"));
    assert_non_null(strstr(dark.text, "color-scheme:dark"));
    strbuf_free(&dark);
    strbuf_free(&page);
    free(text);
    drawn_close(&d);
}

static const Trace *make_hostile_document(void)
{
    return make_document("<b>Bad</b> & \"worse\"\n\u202eback <script>x()</script>. Fine.", " x ",
                         false);
}

static void a_page_shows_markup_and_control_characters_as_such(void **state)
{
    (void)state;
    static const Sample hostile = {"text", "hostile", .make = make_hostile_document};
    Drawn d;
    drawn_open(&d, &hostile, fonts);
    drawn_set(&d, "origin", "no");
    StrBuf page = encoded(&d.figure, FIGURE_HTML);
    char *text = page_text(&page);
    assert_non_null(strstr(text, "&lt;b&gt;Bad&lt;/b&gt; &amp; &quot;worse&quot;\n"));
    assert_null(strstr(page.text, "<script"));
    assert_null(strstr(page.text, "\u202e"));
    assert_non_null(strstr(text, "202E"));
    free(text);
    strbuf_free(&page);
    drawn_close(&d);
}

/* ---- pages, frames, strips ---- */

static int count_pages(const Figure *figure)
{
    FigurePaper paper;
    figure_paper_init(&paper, figure, fonts);
    FigurePages pages = figure_draw_pages(&paper);
    int n = pages.n;
    for (int i = 0; i < n; i++)
        assert_true(canvas_width(pages.at[i]) == canvas_width(pages.at[0]));
    figure_pages_free(&pages);
    figure_paper_deinit(&paper);
    return n;
}

static void a_long_document_is_cut_into_pages(void **state)
{
    (void)state;
    static const Sample document = {"text", "long", .make = make_long_document};
    Drawn d;
    drawn_open(&d, &document, fonts);
    int tall = count_pages(&d.figure); /* nobody has to ask for pages */
    drawn_set(&d, "page", "0");
    assert_int_equal(count_pages(&d.figure), 1);
    drawn_set(&d, "page", "120");
    assert_true(tall > 1);
    assert_true(count_pages(&d.figure) > tall);
    StrBuf pdf = encoded(&d.figure, FIGURE_PDF);
    assert_memory_equal(pdf.text, "%PDF-", 5);
    strbuf_free(&pdf);
    drawn_close(&d);
}

static void what_fits_on_one_page_is_not_cut(void **state)
{
    (void)state;
    Drawn d;
    drawn_open(&d, &short_one, fonts);
    drawn_set(&d, "page", "297");
    assert_int_equal(count_pages(&d.figure), 1);
    drawn_close(&d);
}

static void an_animation_has_a_frame_a_step(void **state)
{
    (void)state;
    static const Sample whole = {"heatmap", "whole", SENTENCE_SHORT, .step = 99,
                                 .options = {"hide_special=no", "merge_words=no"}};
    Drawn d;
    drawn_open(&d, &whole, fonts);
    FigurePaper paper;
    FigurePages pages;
    Error error = {0};
    figure_paper_init(&paper, &d.figure, fonts);
    assert_ok(figure_draw_steps(&paper, &pages, &error));
    assert_int_equal(pages.n, trace_n_steps(d.figure.trace));
    for (int i = 1; i < pages.n; i++) {
        assert_true(canvas_height(pages.at[i]) == canvas_height(pages.at[0]));
        assert_true(canvas_hash(pages.at[i]) != canvas_hash(pages.at[i - 1]));
    }
    figure_pages_free(&pages);
    figure_paper_deinit(&paper);
    drawn_close(&d);
}

static void a_strip_shows_every_step(void **state)
{
    (void)state;
    Drawn d;
    drawn_open(&d, &short_one, fonts);
    Canvas *one = figure_canvas(&d.figure, fonts);
    drawn_set(&d, "steps", "strip");
    drawn_set(&d, "columns", "1");
    Canvas *strip = figure_canvas(&d.figure, fonts);
    float n = (float)trace_n_steps(d.figure.trace);
    assert_close(canvas_height(strip), n * canvas_height(one), n);
    canvas_free(one);
    canvas_free(strip);
    drawn_close(&d);
}

/* Every picture once with its word, and nothing that is the same in all of them. */
static void a_strip_of_pictures_is_a_film(void **state)
{
    (void)state;
    const Sample caption = {"image", "caption", .make = make_caption, .step = 3};
    Drawn d;
    drawn_open(&d, &caption, fonts);
    drawn_set(&d, "steps", "strip");
    Canvas *strip = figure_canvas(&d.figure, fonts);
    StrBuf dump = {0};
    Error error = {0};
    assert_ok(canvas_dump(strip, &dump, &error));
    int pictures = 0;
    for (const char *p = dump.text; (p = strstr(p, "\nimage ")); p++)
        pictures++;
    int n = trace_n_steps(d.figure.trace);
    assert_int_equal(pictures, n);
    for (int i = 0; i < n; i++) {
        char word[80];
        snprintf(word, sizeof word, "\"%s\"", trace_step(d.figure.trace, i)->token);
        assert_non_null(strstr(dump.text, word));
    }
    assert_null(strstr(dump.text, "Where it looks"));
    strbuf_free(&dump);
    canvas_free(strip);
    drawn_close(&d);
}

/* ---- numbers ---- */

static void a_table_has_the_labels_and_numbers_of_the_picture(void **state)
{
    (void)state;
    static const struct {
        Sample sample;
        const char *begins;
    } cases[] = {
        {{"heatmap", "short", SENTENCE_SHORT, .step = 99}, "\tShe\tis\teating\ta\tgreen\tapple"},
        {{"pipeline", "additive", SENTENCE_SHORT, .step = 2},
         "position\ttoken\tscore\tsoftmax\tweight\n1\tShe\t"},
        {{"text", "document", .make = make_short_document},
         "position\ttoken\tsentence\tsentence weight\t"},
        {{"heads", "encoder", .make = make_encoder}, "layer\thead\t"},
        {{"beam", "short", .make = make_beam}, "node\tparent\tstep\ttoken\tstate\t"},
        {{"image", "glimpses", .make = make_glimpses},
         "step\ttoken\tbox\tx\ty\twidth\theight\n1\t"},
        {{"compare", "difference", SENTENCE_SHORT, .step = 99, .other = 1 + SENTENCE_CHANGED},
         "row\tcolumn\tfirst\tsecond\tdifference\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Drawn d;
        drawn_open(&d, &cases[i].sample, fonts);
        StrBuf table = encoded(&d.figure, FIGURE_TSV);
        if (strncmp(table.text, cases[i].begins, strlen(cases[i].begins)) != 0)
            fail_msg("%s begins with \"%.80s\"", cases[i].sample.view, table.text);
        assert_true(count(&table, "\n") > 2);
        strbuf_free(&table);
        drawn_close(&d);
    }
}

static void a_table_of_nothing_is_refused(void **state)
{
    (void)state;
    static const Sample none = {"beam", "none", SENTENCE_SHORT, .step = 0};
    Drawn d;
    drawn_open(&d, &none, fonts);
    StrBuf out = {0};
    Error error = {0};
    assert_refused(figure_encode(&d.figure, fonts, FIGURE_CSV, &out, &error), "beam");
    strbuf_free(&out);
    drawn_close(&d);
}

/* ---- files ---- */

static void a_file_that_exists_is_replaced_only_if_told_so(void **state)
{
    (void)state;
    Drawn d;
    drawn_open(&d, &short_one, fonts);
    Error error = {0};
    assert_ok(file_write("test_figure.csv", "mine", 4, &error));
    assert_refused(figure_write(&d.figure, fonts, FIGURE_CSV, "test_figure.csv", false, &error),
                   "exists already");
    Bytes bytes;
    assert_ok(file_read("test_figure.csv", 1000, &bytes, &error));
    assert_string_equal(bytes.data, "mine");
    bytes_free(&bytes);
    assert_ok(figure_write(&d.figure, fonts, FIGURE_CSV, "test_figure.csv", true, &error));
    assert_ok(file_read("test_figure.csv", 100000, &bytes, &error));
    assert_memory_equal(bytes.data, ",She", 4);
    bytes_free(&bytes);
    unlink("test_figure.csv");
    drawn_close(&d);
}

static void where_nothing_can_be_written_is_said(void **state)
{
    (void)state;
    Drawn d;
    drawn_open(&d, &short_one, fonts);
    Error error = {0};
    StrBuf out = {0};
    assert_refused(
        figure_write(&d.figure, fonts, FIGURE_SVG, "no-such-folder/a.svg", false, &error),
        "no-such-folder/a.svg");
    assert_refused(figure_write(&d.figure, fonts, FIGURE_SVG, "/dev/full", true, &error),
                   "/dev/full");
    assert_refused(figure_encode(&d.figure, fonts, FIGURE_NPZ, &out, &error), "to a file only");
    strbuf_free(&out);
    drawn_close(&d);
}

static void whole_runs_read_back_as_they_were(void **state)
{
    (void)state;
    static const struct {
        FigureFormat format;
        const char *path;
    } cases[] = {{FIGURE_JSON, "test_figure.json"},
                 {FIGURE_NPZ, "test_figure.npz"},
                 {FIGURE_SAFETENSORS, "test_figure.safetensors"}};
    Drawn d;
    drawn_open(&d, &short_one, fonts);
    const TraceTensor *wanted = trace_find(d.figure.trace, "attention.weights");
    for (int i = 0; i < 3; i++) {
        Error error = {0};
        assert_ok(figure_write(&d.figure, fonts, cases[i].format, cases[i].path, true, &error));
        ImportSet *set = import_open(cases[i].path, NULL, &error);
        assert_ok(set);
        const Trace *trace = import_trace(set, 0, &error);
        assert_ok(trace);
        TraceMatrix a = trace_matrix(d.figure.trace, wanted, NULL);
        TraceMatrix b = trace_matrix(trace, trace_find(trace, "attention.weights"), NULL);
        for (int r = 0; r < a.rows; r++)
            for (int c = 0; c < a.cols; c++)
                assert_true(trace_matrix_get(&a, r, c) == trace_matrix_get(&b, r, c));
        trace_release(trace);
        import_close(set);
        unlink(cases[i].path);
    }
    drawn_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_format_is_told_by_its_name_or_a_path),
        cmocka_unit_test(every_sample_becomes_an_svg_and_a_table),
        cmocka_unit_test(equal_figures_give_equal_files),
        cmocka_unit_test(a_picture_is_as_wide_as_its_millimetres_at_its_resolution),
        cmocka_unit_test(larger_type_makes_the_same_drawing_larger),
        cmocka_unit_test(a_figure_without_background_is_transparent),
        cmocka_unit_test(a_title_and_a_caption_stand_in_the_figure),
        cmocka_unit_test(every_sample_becomes_a_page_that_is_whole),
        cmocka_unit_test(the_text_of_a_page_can_be_copied_and_its_words_explain_themselves),
        cmocka_unit_test(a_page_shows_markup_and_control_characters_as_such),
        cmocka_unit_test(a_picture_nobody_sized_is_as_fine_as_it_can_be),
        cmocka_unit_test(a_long_document_is_cut_into_pages),
        cmocka_unit_test(what_fits_on_one_page_is_not_cut),
        cmocka_unit_test(an_animation_has_a_frame_a_step),
        cmocka_unit_test(a_strip_shows_every_step),
        cmocka_unit_test(a_strip_of_pictures_is_a_film),
        cmocka_unit_test(a_table_has_the_labels_and_numbers_of_the_picture),
        cmocka_unit_test(a_table_of_nothing_is_refused),
        cmocka_unit_test(a_file_that_exists_is_replaced_only_if_told_so),
        cmocka_unit_test(where_nothing_can_be_written_is_said),
        cmocka_unit_test(whole_runs_read_back_as_they_were),
    };
    return cmocka_run_group_tests(tests, open_fonts, close_fonts);
}
