#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "canvas/cairo_painter.h"
#include "canvas/fonts_internal.h"

static const TextStyle ui = {.face = FACE_UI, .size = 13};

static Fonts *open_fonts(void)
{
    Error error = {0};
    Fonts *fonts = fonts_new(&error);
    if (!fonts)
        fail_msg("%s", error.message);
    return fonts;
}

static int setup(void **state)
{
    *state = open_fonts();
    return 0;
}

static int teardown(void **state)
{
    fonts_free(*state);
    return 0;
}

/* Coverage on a sheet of its own; the baseline starts at (MARGIN, BASELINE). */
enum { WIDTH = 4000, HEIGHT = 200, MARGIN = 60, BASELINE = 100 };

typedef struct Ink {
    double sum;         /* pixels */
    double x, y;        /* centre */
    int left, right;    /* columns with more than a tenth of a pixel */
    int top, bottom;    /* rows */
    double cols[WIDTH]; /* ink of each column */
} Ink;

static void measure(const uint8_t *mask, int stride, Ink *ink)
{
    *ink = (Ink){.left = WIDTH, .top = HEIGHT, .right = -1, .bottom = -1};
    for (int row = 0; row < HEIGHT; row++) {
        double total = 0;
        for (int col = 0; col < WIDTH; col++) {
            double value = mask[row * stride + col] / 255.0;
            total += value;
            ink->cols[col] += value;
            ink->x += value * (col + 0.5);
        }
        ink->sum += total;
        ink->y += total * (row + 0.5);
        if (total > 0.1) {
            ink->top = row < ink->top ? row : ink->top;
            ink->bottom = row;
        }
    }
    for (int col = 0; col < WIDTH; col++)
        if (ink->cols[col] > 0.1) {
            ink->left = col < ink->left ? col : ink->left;
            ink->right = col;
        }
    ink->x /= ink->sum;
    ink->y /= ink->sum;
}

static void ink_of_picture(const TextPicture *picture, Ink *ink)
{
    assert_non_null(picture);
    assert_non_null(picture->mask);
    uint8_t *mask = memory_new((size_t)WIDTH * HEIGHT, 1);
    for (int row = 0; row < picture->height; row++)
        for (int col = 0; col < picture->width; col++) {
            int x = MARGIN + picture->x + col;
            int y = BASELINE + picture->y + row;
            assert_true(x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT);
            mask[y * WIDTH + x] = picture->mask[row * picture->stride + col];
        }
    measure(mask, WIDTH, ink);
    free(mask);
}

/* The glyphs of the layout as a page gets them: by another rasteriser, unhinted, anywhere
 * between pixels. */
static void ink_of_page(Fonts *fonts, const TextLayout *layout, const TextStyle *style, Ink *ink)
{
    cairo_surface_t *sheet = cairo_image_surface_create(CAIRO_FORMAT_A8, WIDTH, HEIGHT);
    cairo_t *cairo = cairo_create(sheet);
    TextStyle black = *style;
    black.color = 0x000000FF;
    cairo_show_layout(cairo, fonts, layout, &black, MARGIN, BASELINE);
    cairo_destroy(cairo);
    cairo_surface_flush(sheet);
    measure(cairo_image_surface_get_data(sheet), cairo_image_surface_get_stride(sheet), ink);
    cairo_surface_destroy(sheet);
}

/* Ink in different columns, as a share: columns count over five neighbours, so that half a
 * pixel of rounding is little and a wrong or displaced letter is much. */
static double difference(const Ink *a, const Ink *b)
{
    double sum = 0;
    for (int col = 2; col + 2 < WIDTH; col++) {
        double apart = 0;
        for (int i = -2; i <= 2; i++)
            apart += a->cols[col + i] - b->cols[col + i];
        sum += fabs(apart) / 5;
    }
    return sum / b->sum;
}

/* Tolerances: letters begin on whole pixels and their rows are sharpened, which moves ink
 * between letters. Seen: 1.19 across in 95 columns, 0.62 down, 0.150 apart. */
static void compare(Fonts *fonts, const char *text, const TextStyle *style)
{
    const TextLayout *layout = fonts_layout(fonts, text, style);
    Ink *drawn = memory_new(2, sizeof *drawn);
    Ink *expected = drawn + 1;
    ink_of_picture(text_picture(fonts, layout, style->size, 0), drawn);
    ink_of_page(fonts, layout, style, expected);
    double apart = difference(drawn, expected);
    bool same = fabs(drawn->x - expected->x) < 1.25 + 0.002 * (expected->right - expected->left) &&
                fabs(drawn->y - expected->y) < 0.75 && abs(drawn->left - expected->left) <= 1 &&
                abs(drawn->right - expected->right) <= 1 && abs(drawn->top - expected->top) <= 1 &&
                abs(drawn->bottom - expected->bottom) <= 1 && apart < 0.16;
    if (!same)
        fail_msg("\"%s\" in face %d at %g: centre %.2f, %.2f and %.2f, %.2f; columns %d-%d and "
                 "%d-%d; rows %d-%d and %d-%d; %.3f apart",
                 text, (int)style->face, (double)style->size, drawn->x, drawn->y, expected->x,
                 expected->y, drawn->left, drawn->right, expected->left, expected->right,
                 drawn->top, drawn->bottom, expected->top, expected->bottom, apart);
    free(drawn);
}

static void letters_stand_where_they_were_laid_out(void **state)
{
    static const char *const texts[] = {
        "She is eating a green apple.",
        "jgf fj AVATAR To, Wo.",
        "x -> y != z <= 2x3 A-B 12:30 (A) ==>",
        "softmax, coefficient, ffi, official",
        "e = vᵀ tanh(W s₃ + U h₆) ≤ Σ α",
        "她正在吃一个绿色的苹果。漢字かな",
        "هي تأكل تفاحة خضراء الآن",
        "abc مرحبا -> (بالعالم) 12:30 def",
        "שלום abc עולם",
        "हिन्दी में लिखा हुआ क्षत्रिय",
        "ไทยน้ำ ត្រី বাংলা",
        "e\xCC\x81 a\xCC\x8A Ấ Ễ ǖ",
        "a\nb\tc\xE2\x80\x8B",
    };
    static const float sizes[] = {9, 11, 11.5f, 13, 15, 16.25f, 26};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (int face = 0; face < FACE_COUNT; face++)
            for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++)
                compare(*state, texts[i], &(TextStyle){.face = (Face)face, .size = sizes[j]});
}

static void bold_and_italic_letters_stand_there_too(void **state)
{
    for (int i = 1; i < 4; i++) {
        TextStyle style = {.size = 14, .bold = (i & 1) != 0, .italic = (i & 2) != 0};
        for (int face = 0; face < FACE_COUNT; face++) {
            style.face = (Face)face;
            compare(*state, "jgf She is eating", &style);
        }
        style.bold = false;
        compare(*state, "漢字 हिन्दी", &style);
    }
}

static void nothing_is_cut_off_that_reaches_beyond_its_line(void **state)
{
    StrBuf tower = {0};
    strbuf_add(&tower, "Z");
    for (int i = 0; i < 3; i++)
        strbuf_add(&tower, "\xCC\x82\xCC\xA7"); /* a circumflex above, a cedilla below */
    static const char *const texts[] = {
        "\xCC\xB2j",                 /* a mark before its base */
        "Ấ\xCC\x82\xCC\x82",         /* above only             */
        "g\xCC\xA7\xCC\xA7\xCC\xA7", /* below only             */
        "لَّهِ ۟ ﷺ",                     /* far up and down        */
        "བསྒྲུབས",                      /* a stack of Tibetan     */
        "fffffj",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        compare(*state, texts[i], &(TextStyle){.face = FACE_UI, .size = 15});
    compare(*state, tower.text, &(TextStyle){.face = FACE_SERIF, .size = 15});
    compare(*state, "fjfj", &(TextStyle){.face = FACE_SERIF, .size = 15, .italic = true});
    strbuf_free(&tower);
}

static void small_errors_do_not_add_up_in_a_long_line(void **state)
{
    static const char *const words[] = {"attention ", "漢字かな", "مرحبا ", "0.25 "};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (int face = 0; face < 2; face++) {
            StrBuf text = {0};
            TextStyle style = {.face = (Face)face, .size = 11.3f};
            for (int n = 0; n < 50; n++)
                strbuf_add(&text, words[i]);
            compare(*state, text.text, &style);
            strbuf_free(&text);
        }
}

static int count_pieces(Fonts *fonts, const TextLayout *layout, const TextRun *run)
{
    PieceCursor cursor = {.layout = layout, .run = run};
    TextPiece piece;
    int n = 0;
    int n_glyphs = 0;
    for (; text_piece_next(fonts, &cursor, &piece); n++)
        n_glyphs += piece.line.n_glyphs;
    assert_int_equal(n_glyphs, run->n_glyphs);
    return n;
}

/* Each of these is a ligature or another form of a letter in one of the fonts. */
static void a_run_without_its_ligatures_is_still_drawn_whole(void **state)
{
    static const char *const texts[] = {"a -> b", "!= ==", "12:30 (A)", "2x3",
                                        "fi ffi", "A-B",   "== fi ->"};
    for (int face = 0; face < FACE_COUNT; face++)
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
            TextStyle style = {.face = (Face)face, .size = 13};
            const TextLayout *layout = fonts_layout(*state, texts[i], &style);
            assert_int_equal(layout->n_runs, 1);
            assert_true(layout->runs[0].literal);
            assert_int_equal(count_pieces(*state, layout, &layout->runs[0]), 1);
        }
}

static void what_cannot_be_had_in_one_piece_is_drawn_letter_by_letter(void **state)
{
    TextLayout layout = *fonts_layout(*state, "word", &ui);
    TextGlyph glyphs[4];
    memcpy(glyphs, layout.glyphs, sizeof glyphs);
    for (int i = 0; i < 4; i++) {
        glyphs[i].x += 0.3f * (float)i;
        glyphs[i].advance += 0.3f;
    }
    layout.glyphs = glyphs;
    TextRun run = layout.runs[0];
    run.width += 1.2f;
    PieceCursor cursor = {.layout = &layout, .run = &run};
    TextPiece piece;
    float pads = 0;
    for (int i = 0; i < 4; i++) {
        assert_true(text_piece_next(*state, &cursor, &piece));
        assert_int_equal(piece.start, i);
        assert_int_equal(piece.end, i + 1);
        pads = i == 0 ? -piece.x : pads;
        assert_close(piece.x, glyphs[i].x - pads, 0.02);
    }
    assert_false(text_piece_next(*state, &cursor, &piece));
}

static void a_long_word_is_cut_and_no_letter_is_lost(void **state)
{
    static const char *const letters[] = {"x", "ب", "漢"};
    for (int i = 0; i < 3; i++) {
        StrBuf text = {0};
        for (int n = 0; n < 1000; n++)
            strbuf_add(&text, letters[i]);
        const TextLayout *layout = fonts_layout(*state, text.text, &ui);
        int n = count_pieces(*state, layout, &layout->runs[0]);
        assert_true(n >= 3 && n <= 8);
        strbuf_free(&text);
    }
}

static void emoji_fill_the_width_that_was_laid_out(void **state)
{
    static const char *const texts[] = {"👍",       "👍🏽", "👨‍👩‍👧", "❤️",
                                        "1️⃣", "🇫🇷",       "👍\xE2\x80\x8D👎"};
    static const float sizes[] = {11, 13, 26, 200};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (int j = 0; j < 4; j++) {
            const TextLayout *layout = fonts_layout(*state, texts[i], &ui);
            const TextPicture *picture = text_picture(*state, layout, sizes[j], 0);
            assert_non_null(picture);
            assert_null(picture->mask);
            float width = layout->width * sizes[j];
            assert_true(picture->x >= 0 && picture->x + picture->width <= ceilf(width));
            assert_true((float)picture->width > 0.7f * width);
            assert_true(picture->y < -0.5f * sizes[j] && picture->y > -1.2f * sizes[j]);
        }
}

static void a_made_up_weight_is_heavier_and_keeps_its_counters_open(void **state)
{
    TextStyle bold = ui;
    bold.bold = true;
    const TextLayout *layout = fonts_layout(*state, "口口", &bold);
    if (!layout->runs[0].font->fake_bold)
        skip();
    Ink *ink = memory_new(2, sizeof *ink);
    for (float size = 10; size < 60; size += 7) {
        ink_of_picture(text_picture(*state, fonts_layout(*state, "口口", &ui), size, 0), &ink[0]);
        ink_of_picture(text_picture(*state, fonts_layout(*state, "口口", &bold), size, 0), &ink[1]);
        assert_true(ink[1].sum > 1.08 * ink[0].sum);
        assert_true(ink[1].sum < 1.6 * ink[0].sum);
        assert_true(ink[1].left == ink[0].left && ink[1].bottom == ink[0].bottom);
    }
    free(ink);
}

static void a_turned_picture_is_the_upright_one_turned(void **state)
{
    static const float turns[] = {30, 90, 180, -45};
    static const char *const texts[] = {"Fovea", "漢字", "مرحبا"};
    Ink *ink = memory_new(2, sizeof *ink);
    for (int i = 0; i < 12; i++) {
        double angle = (double)turns[i % 4] * 3.14159265358979 / 180;
        const TextLayout *layout = fonts_layout(*state, texts[i / 4], &ui);
        ink_of_picture(text_picture(*state, layout, 20, 0), &ink[0]);
        double x = ink[0].x - MARGIN;
        double y = ink[0].y - BASELINE;
        ink_of_picture(text_picture(*state, layout, 20, turns[i % 4]), &ink[1]);
        assert_close(ink[1].sum / ink[0].sum, 1, 0.06);
        assert_close(ink[1].x - MARGIN, x * cos(angle) - y * sin(angle), 0.6);
        assert_close(ink[1].y - BASELINE, x * sin(angle) + y * cos(angle), 0.6);
    }
    free(ink);
}

static void very_large_letters_are_enlarged(void **state)
{
    const TextLayout *layout = fonts_layout(*state, "H", &ui);
    float size = 3000;
    const TextPicture *picture = text_picture(*state, layout, size, 0);
    assert_non_null(picture);
    const TextGlyph *glyph = &layout->glyphs[0];
    hb_glyph_extents_t extents;
    const FontFile *file = (const FontFile *)layout->runs[0].font;
    assert_true(hb_font_get_glyph_extents(file->shaper, glyph->id, &extents));
    float scale = size / file->units_per_em;
    assert_close(picture->x, (float)extents.x_bearing * scale, 8);
    assert_close(picture->width, (float)extents.width * scale, 12);
    assert_close(picture->height, -(float)extents.height * scale, 12);
}

static void known_text_is_drawn_once(void **state)
{
    const TextLayout *layout = fonts_layout(*state, "known", &ui);
    const TextPicture *first = text_picture(*state, layout, 13, 0);
    assert_ptr_not_equal(first, text_picture(*state, layout, 26, 0));
    assert_ptr_equal(first, text_picture(*state, layout, 13, 0));
}

/* SDL_ttf is one library with many users. */
static void fonts_come_and_go_while_others_draw(void **state)
{
    (void)state;
    Fonts *first = open_fonts();
    Fonts *second = open_fonts();
    assert_non_null(text_picture(first, fonts_layout(first, "first", &ui), 13, 0));
    assert_non_null(text_picture(second, fonts_layout(second, "second", &ui), 13, 0));
    fonts_free(first);
    assert_non_null(text_picture(second, fonts_layout(second, "漢字 more", &ui), 15, 0));
    fonts_free(second);
    Fonts *third = open_fonts();
    assert_non_null(text_picture(third, fonts_layout(third, "third", &ui), 13, 0));
    fonts_free(third);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_stand_where_they_were_laid_out),
        cmocka_unit_test(bold_and_italic_letters_stand_there_too),
        cmocka_unit_test(nothing_is_cut_off_that_reaches_beyond_its_line),
        cmocka_unit_test(small_errors_do_not_add_up_in_a_long_line),
        cmocka_unit_test(a_run_without_its_ligatures_is_still_drawn_whole),
        cmocka_unit_test(what_cannot_be_had_in_one_piece_is_drawn_letter_by_letter),
        cmocka_unit_test(a_long_word_is_cut_and_no_letter_is_lost),
        cmocka_unit_test(emoji_fill_the_width_that_was_laid_out),
        cmocka_unit_test(a_made_up_weight_is_heavier_and_keeps_its_counters_open),
        cmocka_unit_test(a_turned_picture_is_the_upright_one_turned),
        cmocka_unit_test(very_large_letters_are_enlarged),
        cmocka_unit_test(known_text_is_drawn_once),
        cmocka_unit_test(fonts_come_and_go_while_others_draw),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
