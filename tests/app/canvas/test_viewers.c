/* What other programs make of the files: librsvg, poppler and libxml2's command-line tools
 * read them as a user's viewer would. */
#include "testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cairo.h>

#include "base/file.h"
#include "base/memory.h"
#include "canvas/canvas_cairo.h"
#include "canvas/canvas_svg.h"
#include "page.h"

typedef struct Bench {
    Fonts *fonts;
    char directory[40];
    char *svg, *pdf, *png, *text;
} Bench;

static int setup(void **state)
{
    Error error = {0};
    Bench *bench = memory_new(1, sizeof *bench);
    strncpy(bench->directory, "/tmp/fovea-viewers-XXXXXX", sizeof bench->directory - 1);
    if (!mkdtemp(bench->directory))
        return -1;
    bench->fonts = fonts_new(&error);
    bench->svg = file_join(bench->directory, "figure.svg");
    bench->pdf = file_join(bench->directory, "figure.pdf");
    bench->png = file_join(bench->directory, "viewer.png");
    bench->text = file_join(bench->directory, "viewer.txt");
    *state = bench;
    return bench->fonts ? 0 : -1;
}

static int teardown(void **state)
{
    Bench *bench = *state;
    fonts_free(bench->fonts);
    free(bench->svg);
    free(bench->pdf);
    free(bench->png);
    free(bench->text);
    free(bench);
    return 0;
}

/* Runs the program with its output in a file; fails unless it exits with 0. */
static void run(const char *output, const char *const arguments[])
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd < 0 || dup2(fd, 1) < 0)
            _exit(126);
        execvp(arguments[0], (char *const *)arguments);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("%s: status %d (127: not installed)", arguments[0], WEXITSTATUS(status));
}

static void save(const char *path, const StrBuf *bytes)
{
    Error error = {0};
    assert_ok(file_write(path, bytes->text, bytes->length, &error));
}

static void save_svg(const Bench *bench, const Canvas *canvas, const SvgOptions *options)
{
    Error error = {0};
    StrBuf out = {0};
    assert_ok(canvas_encode_svg(canvas, bench->fonts, options, &out, &error));
    save(bench->svg, &out);
    strbuf_free(&out);
}

static void save_pdf(const Bench *bench, const Canvas *const *pages, int n,
                     const PdfOptions *options)
{
    Error error = {0};
    StrBuf out = {0};
    assert_ok(canvas_encode_pdf(pages, n, bench->fonts, options, &out, &error));
    save(bench->pdf, &out);
    strbuf_free(&out);
}

static void draw_svg(const Bench *bench)
{
    run(bench->png, (const char *[]){"rsvg-convert", bench->svg, NULL});
}

static void draw_pdf(const Bench *bench)
{
    run(bench->png,
        (const char *[]){"pdftoppm", "-r", "96", "-png", "-singlefile", bench->pdf, NULL});
}

static void check_xml(const Bench *bench)
{
    run(bench->text, (const char *[]){"xmllint", "--noout", bench->svg, NULL});
}

static char *read_text(const char *path)
{
    Error error = {0};
    Bytes bytes;
    assert_ok(file_read(path, 1 << 22, &bytes, &error));
    return bytes.data;
}

/* How the viewer's picture and ours differ: the mean over all channels, and the largest
 * difference between means of 8 x 8 pixels (text is hinted differently, but nothing may be
 * missing, moved or of another colour). */
static void compare(const Bench *bench, const Canvas *canvas, double *mean, double *block)
{
    enum { SIDE = 8 };
    Error error = {0};
    int width = (int)canvas_width(canvas);
    int height = (int)canvas_height(canvas);
    CanvasPixels ours = {
        .width = width, .height = height, .stride = width * 4, .scale = 1, .opaque = true};
    ours.data = memory_new((size_t)width * (size_t)height, 4);
    memset(ours.data, 255, (size_t)width * (size_t)height * 4);
    assert_ok(canvas_draw_pixels(canvas, bench->fonts, &ours, &error));
    cairo_surface_t *theirs = cairo_image_surface_create_from_png(bench->png);
    assert_int_equal(cairo_surface_status(theirs), CAIRO_STATUS_SUCCESS);
    assert_int_equal(cairo_image_surface_get_width(theirs), width);
    assert_int_equal(cairo_image_surface_get_height(theirs), height);
    const unsigned char *data = cairo_image_surface_get_data(theirs);
    int stride = cairo_image_surface_get_stride(theirs);
    double total = 0;
    *block = 0;
    for (int y = 0; y + SIDE <= height; y += SIDE)
        for (int x = 0; x + SIDE <= width; x += SIDE)
            for (int channel = 0; channel < 3; channel++) {
                double difference = 0;
                for (int i = 0; i < SIDE * SIDE; i++) {
                    int px = x + i % SIDE;
                    int py = y + i / SIDE;
                    int own = (int)(ours.data[py * width + px] >> 8 * channel & 255);
                    int other = data[(ptrdiff_t)py * stride + 4 * px + channel];
                    difference += own - other;
                    total += abs(own - other);
                }
                *block = fmax(*block, fabs(difference) / (SIDE * SIDE));
            }
    *mean = total / (width * height * 3.0);
    cairo_surface_destroy(theirs);
    free(ours.data);
}

/* The page with neither ligatures nor emoji, which librsvg draws differently. */
static void the_page_looks_alike_in_librsvg_and_poppler(void **state)
{
    Bench *bench = *state;
    Canvas *canvas = canvas_new(1, 1);
    const Canvas *page = canvas;
    for (int words = 0; words < 3; words++)
        for (int dark = 0; dark < 2; dark++) {
            double mean, block;
            page_record(canvas, bench->fonts, dark, words);
            save_svg(bench, canvas, &(SvgOptions){0});
            check_xml(bench);
            draw_svg(bench);
            compare(bench, canvas, &mean, &block);
            print_message("librsvg, words %d, dark %d: mean %.2f, block %.1f\n", words, dark, mean,
                          block);
            assert_true(mean < 1 && block < 40);
            save_pdf(bench, &page, 1, &(PdfOptions){0});
            draw_pdf(bench);
            compare(bench, canvas, &mean, &block);
            print_message("poppler, words %d, dark %d: mean %.2f, block %.1f\n", words, dark, mean,
                          block);
            assert_true(mean < 2 && block < 40);
        }
    canvas_free(canvas);
}

static void record_shapes(Canvas *canvas)
{
    static Color cells[80 * 80];
    for (int i = 0; i < 80 * 80; i++)
        cells[i] = (i / 80 + i % 80) % 3 ? 0x2C63D6FF : (Color)(i * 40503) << 8 | 0xFF;
    uint8_t pixels[3 * 2 * 4];
    for (int i = 0; i < 24; i++)
        pixels[i] = (uint8_t)(i % 4 == 3 ? 200 : i * 37);
    Stroke line = {0x1A7F5AFF, 2, 0};
    canvas_clear(canvas, 640, 480);
    canvas_fill(canvas, (Rect){0, 0, 640, 480}, 0, 0xF6F6F3FF);
    canvas_fill(canvas, (Rect){10, 10, 100, 60}, 12, 0x2C63D680);
    canvas_fill(canvas, (Rect){60, 40, 100, 60}, 0, 0xB4530A80);
    canvas_frame(canvas, (Rect){180, 10, 100, 60}, 8, line);
    canvas_frame(canvas, (Rect){300, 10, 100, 60}, 0, (Stroke){0x000000FF, 3, 6});
    canvas_line(canvas, (Point){420, 10}, (Point){600, 70}, line);
    canvas_line(canvas, (Point){420, 80}, (Point){600, 80}, line);
    canvas_path(
        canvas,
        (const Point[]){
            {10, 200}, {60, 100}, {160, 300}, {220, 130}, {260, 60}, {300, 300}, {350, 200}},
        7, true, (Stroke){0x7AA5FFFF, 3, 0});
    canvas_path(canvas, (const Point[]){{380, 120}, {420, 200}, {460, 120}, {500, 200}}, 4, false,
                (Stroke){0x1D2127FF, 4, 0});
    canvas_polygon(canvas, (const Point[]){{540, 120}, {620, 160}, {560, 210}}, 3, 0xB4530AFF);
    canvas_circle(canvas, (Point){60, 260}, 30, 0xE9EFFCFF, line);
    canvas_clip_push(canvas, (Rect){120, 230, 60, 40});
    canvas_circle(canvas, (Point){150, 260}, 40, 0x1A7F5AFF, (Stroke){0});
    canvas_clip_push(canvas, (Rect){150, 200, 100, 100});
    canvas_fill(canvas, (Rect){0, 0, 640, 480}, 0, 0xF0A35AFF);
    canvas_clip_pop(canvas);
    canvas_clip_pop(canvas);
    canvas_cells(canvas, (Rect){200, 230, 160, 160}, 80, 80, cells); /* a picture   */
    canvas_cells(canvas, (Rect){380, 230, 160, 160}, 4, 5, cells);   /* rectangles  */
    canvas_image(canvas, (Rect){560, 230, 60, 40}, 3, 2, pixels, false);
    canvas_image(canvas, (Rect){560, 290, 60, 40}, 3, 2, pixels, false);
    TextStyle style = {.face = FACE_UI, .size = 16, .color = 0x1D2127FF, .turn = -40};
    canvas_text(canvas, (Point){40, 420}, "already", style);
    style.align = ALIGN_END;
    canvas_text(canvas, (Point){160, 420}, "house", style);
    style.turn = 90;
    style.align = ALIGN_MIDDLE;
    canvas_text(canvas, (Point){600, 400}, "مرحبا", style);
}

static void every_command_looks_alike_in_librsvg_and_poppler(void **state)
{
    Bench *bench = *state;
    Canvas *canvas = canvas_new(1, 1);
    const Canvas *page = canvas;
    double mean, block;
    record_shapes(canvas);
    save_svg(bench, canvas, &(SvgOptions){0});
    check_xml(bench);
    draw_svg(bench);
    compare(bench, canvas, &mean, &block);
    print_message("librsvg, shapes: mean %.2f, block %.1f\n", mean, block);
    assert_true(mean < 1 && block < 40);
    save_pdf(bench, &page, 1, &(PdfOptions){0});
    draw_pdf(bench);
    compare(bench, canvas, &mean, &block);
    print_message("poppler, shapes: mean %.2f, block %.1f\n", mean, block);
    assert_true(mean < 3 && block < 40); /* observed: 1.96, half of it one pixel of the matrix */
    canvas_free(canvas);
}

static const char *const hostile[] = {
    "<script>alert(1)</script>",
    "]]>",
    "&amp; & &#0;",
    "\"'`",
    "-->",
    "<!--",
    "<?xml?>",
    "\x01\x02\x1B[31m",
    "\xFF\xFE\xC0\x80",
    "\xEF\xBF\xBF\xEF\xBF\xBE",
    "\xED\xA0\x80",
    "\xE2\x80\xAEoverride",
    "a\r\nb\tc",
    "%s%n%d",
    "\\(\\)",
    "(unbalanced",
    "\xF3\xA0\x81\xA1",
    "𝒜𓀀",
    "👨‍👩‍👧",
    "e\xCC\x81\xCC\x81\xCC\x81\xCC\x81",
    "مرحبا <b> שלום",
    "\xE2\x80\xA8",
};
enum { N_HOSTILE = sizeof hostile / sizeof hostile[0] };

static void record_hostile(Canvas *canvas, const char *text)
{
    canvas_clear(canvas, 400, 80);
    TextStyle style = {.face = FACE_UI, .size = 14, .color = 0x1D2127FF};
    canvas_text(canvas, (Point){10, 20}, text, style);
    style.max_width = 30;
    style.turn = 30;
    canvas_text(canvas, (Point){10, 40}, text, style);
    canvas_tag(canvas, (Rect){0, 0, 10, 10}, TAG_CELL, text, text);
}

static void hostile_text_makes_valid_files_of_every_kind(void **state)
{
    Bench *bench = *state;
    Error error = {0};
    Canvas *pages[N_HOSTILE];
    const Canvas *list[N_HOSTILE];
    int delays[N_HOSTILE];
    StrBuf out = {0};
    for (int i = 0; i < N_HOSTILE; i++) {
        list[i] = pages[i] = canvas_new(1, 1);
        delays[i] = 100;
        record_hostile(pages[i], hostile[i]);
        CanvasNote note = {"text", hostile[i]};
        save_svg(bench, pages[i], &(SvgOptions){.title = hostile[i], .notes = {&note, 1}});
        check_xml(bench);
        draw_svg(bench);
        assert_ok(canvas_encode_png(pages[i], bench->fonts, &(PngOptions){.notes = {&note, 1}},
                                    &out, &error));
        save(bench->png, &out);
        strbuf_clear(&out);
        cairo_surface_t *image = cairo_image_surface_create_from_png(bench->png);
        assert_int_equal(cairo_surface_status(image), CAIRO_STATUS_SUCCESS);
        cairo_surface_destroy(image);
    }
    save_pdf(bench, list, N_HOSTILE,
             &(PdfOptions){.title = "(\xFF\xEF\xBF\xBF\n", .subject = hostile[0]});
    run(bench->text, (const char *[]){"pdfinfo", bench->pdf, NULL});
    char *info = read_text(bench->text);
    assert_non_null(strstr(info, "Pages:           22"));
    assert_non_null(strstr(info, "<script>alert(1)</script>"));
    free(info);
    run(bench->text, (const char *[]){"pdftotext", bench->pdf, "-", NULL});
    char *text = read_text(bench->text);
    assert_non_null(strstr(text, hostile[0]));
    assert_non_null(strstr(text, "‹202E›override"));
    free(text);
    assert_ok(canvas_encode_gif(list, delays, N_HOSTILE, bench->fonts,
                                &(GifOptions){.comment = hostile[8]}, &out, &error));
    strbuf_free(&out);
    for (int i = 0; i < N_HOSTILE; i++)
        canvas_free(pages[i]);
}

static void text_of_a_pdf_can_be_copied_in_any_script(void **state)
{
    static const char *const texts[] = {"pomme", "她正在吃", "हिन्दी", "→α≈∇", "ffi", "👍🏽"};
    Bench *bench = *state;
    Canvas *canvas = canvas_new(400, 300);
    const Canvas *page = canvas;
    TextStyle style = {.face = FACE_UI, .size = 14, .color = 0x1D2127FF};
    for (int i = 0; i < 6; i++)
        canvas_text(canvas, (Point){10, 30 + 40.0f * (float)i}, texts[i], style);
    canvas_text(
        canvas, (Point){390, 290}, "مرحبا بالعالم",
        (TextStyle){.face = FACE_UI, .size = 14, .align = ALIGN_END, .bold = true, .color = 0xFF});
    save_pdf(bench, &page, 1, &(PdfOptions){.title = "Alignment", .author = "A. Author"});
    run(bench->text, (const char *[]){"pdftotext", bench->pdf, "-", NULL});
    char *text = read_text(bench->text);
    for (int i = 0; i < 6; i++)
        if (!strstr(text, texts[i]))
            fail_msg("\"%s\" is not in the page: %s", texts[i], text);
    assert_non_null(strstr(text, "مرحبا"));
    free(text);
    run(bench->text, (const char *[]){"pdfinfo", bench->pdf, NULL});
    text = read_text(bench->text);
    assert_non_null(strstr(text, "Alignment"));
    assert_non_null(strstr(text, "A. Author"));
    assert_non_null(strstr(text, "300 x 225 pts"));
    free(text);
    canvas_free(canvas);
}

static void an_svg_holds_real_text_exact_cells_and_titles(void **state)
{
    Bench *bench = *state;
    Color cells[4] = {0xFF0000FF, 0xFF0000FF, 0x00FF0080, 0x0000FF00};
    Canvas *canvas = canvas_new(100, 50);
    canvas_cells(canvas, (Rect){0, 0, 90, 30}, 2, 2, cells);
    canvas_text(
        canvas, (Point){50, 45}, "a < b & \"c\"",
        (TextStyle){
            .face = FACE_UI, .size = 12, .align = ALIGN_MIDDLE, .bold = true, .color = 0x000000FF});
    canvas_text(canvas, (Point){0, 45}, "שלום", (TextStyle){.face = FACE_UI, .size = 12});
    canvas_text(canvas, (Point){0, 45}, "a long label",
                (TextStyle){.face = FACE_UI, .size = 12, .color = 0xFF, .max_width = 40});
    canvas_tag(canvas, (Rect){0, 0, 45, 15}, TAG_CELL, "pomme <- apple", "0.77");
    canvas_tag(canvas, (Rect){0, 0, 45, 15}, TAG_BUTTON, "export", NULL);
    save_svg(bench, canvas, &(SvgOptions){.background = 0xFFFFFFFF});
    check_xml(bench);
    char *svg = read_text(bench->svg);
    assert_non_null(
        strstr(svg, "<rect x=\"0\" y=\"0\" width=\"90\" height=\"15\" fill=\"#ff0000\"/>"));
    assert_non_null(strstr(svg, "fill=\"#00ff00\" fill-opacity=\"0.502\""));
    assert_null(strstr(svg, "#0000ff"));
    assert_non_null(strstr(svg, ">a &lt; b &amp; &quot;c&quot;</text>"));
    assert_non_null(strstr(svg, "text-anchor=\"middle\""));
    assert_non_null(strstr(svg, "direction=\"rtl\" text-anchor=\"end\""));
    assert_non_null(strstr(svg, "<title>a long label</title>"));
    assert_non_null(strstr(svg, "<title>pomme &lt;- apple: 0.77</title>"));
    assert_null(strstr(svg, "export"));
    free(svg);
    canvas_free(canvas);
}

static void large_matrices_become_one_picture_in_an_svg(void **state)
{
    Bench *bench = *state;
    enum { SIDE = 64 };
    Color *cells = memory_new(SIDE * (SIDE + 1), sizeof *cells);
    for (int i = 0; i < SIDE * (SIDE + 1); i++)
        cells[i] = (Color)(i * 7919) << 8 | 0xFF;
    Canvas *canvas = canvas_new(260, 260);
    canvas_cells(canvas, (Rect){0, 0, 260, 260}, SIDE, SIDE, cells);
    save_svg(bench, canvas, &(SvgOptions){0});
    char *svg = read_text(bench->svg);
    assert_null(strstr(svg, "<image"));
    free(svg);
    canvas_clear(canvas, 260, 260);
    canvas_cells(canvas, (Rect){0, 0, 260, 256}, SIDE, SIDE + 1, cells);
    save_svg(bench, canvas, &(SvgOptions){0});
    svg = read_text(bench->svg);
    assert_non_null(strstr(svg, "<image"));
    assert_null(strstr(svg, "<rect"));
    free(svg);
    double mean, block;
    draw_svg(bench);
    compare(bench, canvas, &mean, &block);
    assert_true(mean < 0.01);
    free(cells);
    canvas_free(canvas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_looks_alike_in_librsvg_and_poppler),
        cmocka_unit_test(every_command_looks_alike_in_librsvg_and_poppler),
        cmocka_unit_test(hostile_text_makes_valid_files_of_every_kind),
        cmocka_unit_test(text_of_a_pdf_can_be_copied_in_any_script),
        cmocka_unit_test(an_svg_holds_real_text_exact_cells_and_titles),
        cmocka_unit_test(large_matrices_become_one_picture_in_an_svg),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
