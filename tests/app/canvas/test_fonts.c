#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fontconfig/fontconfig.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "canvas/fonts.h"
#include "canvas/text_picture.h"

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

/* Everything that must hold for any text. */
static void check_layout(Fonts *fonts, const char *text, const TextStyle *style)
{
    const TextLayout *layout = fonts_layout(fonts, text, style);
    size_t n = strlen(text);
    assert_int_equal(layout->n_given, n);
    assert_int_equal(strlen(layout->text), layout->n_bytes);
    assert_true(utf8_is_valid(layout->text, layout->n_bytes));
    assert_true(isfinite(layout->width) && layout->width >= 0);
    if (style->max_width > 0)
        assert_true(layout->width * style->size <= style->max_width * 1.0001f);
    float width = 0;
    int n_glyphs = 0;
    uint32_t covered = 0;
    for (int i = 0; i < layout->n_runs; i++) {
        const TextRun *run = &layout->runs[i];
        assert_close(run->x, width, 1e-3);
        assert_int_equal(run->first_glyph, n_glyphs);
        assert_true(run->start < run->end && run->end <= layout->n_bytes);
        for (int j = 0; j < run->n_glyphs; j++) {
            const TextGlyph *glyph = &layout->glyphs[n_glyphs + j];
            assert_true(glyph->start >= run->start && glyph->start < run->end);
        }
        width += run->width;
        n_glyphs += run->n_glyphs;
        covered += run->end - run->start;
    }
    assert_close(width, layout->width, 1e-3);
    assert_int_equal(n_glyphs, layout->n_glyphs);
    assert_int_equal(covered, layout->n_bytes);
    for (int i = 0; i < layout->n_carets; i++) {
        const TextCaret *caret = &layout->carets[i];
        assert_true(caret->offset < n);
        assert_true(i == 0 ? caret->offset == 0 : caret->offset > caret[-1].offset);
        assert_true(caret->leading >= -1e-3f && caret->leading <= layout->width + 1e-3f);
        assert_true(caret->trailing >= -1e-3f && caret->trailing <= layout->width + 1e-3f);
    }
}

static void widths_grow_in_proportion_to_the_size(void **state)
{
    static const char *const texts[] = {"Hello, world", "0.81", "漢字", "مرحبا", "👍🏽"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        TextStyle large = ui;
        large.size = 130;
        float small = fonts_width(*state, texts[i], &ui);
        assert_true(small > 0);
        assert_close(fonts_width(*state, texts[i], &large), 10 * small, 1e-3);
        check_layout(*state, texts[i], &ui);
    }
}

static void digits_of_the_number_face_are_all_equally_wide(void **state)
{
    TextStyle mono = {.face = FACE_MONO, .size = 12};
    float width = fonts_width(*state, "0", &mono);
    for (char c = '1'; c <= '9'; c++)
        assert_close(fonts_width(*state, (char[]){c, 0}, &mono), width, 1e-4);
    assert_close(fonts_width(*state, "-0.25", &mono), 5 * width, 1e-3);
}

static void an_empty_text_has_no_width_but_the_line_its_height(void **state)
{
    const TextLayout *layout = fonts_layout(*state, "", &ui);
    assert_int_equal(layout->n_runs, 0);
    assert_close(layout->width, 0, 0);
    assert_true(layout->ascent > 0.5f && layout->descent > 0.1f);
    assert_true(fonts_ascent(*state, &ui) > 6 && fonts_descent(*state, &ui) > 1);
    assert_close(fonts_caret_x(*state, "", &ui, 0), 0, 0);
    assert_int_equal(fonts_offset_at(*state, "", &ui, 50), 0);
    assert_null(text_picture(*state, fonts_layout(*state, "", &ui), 13, 0));
    assert_null(text_picture(*state, fonts_layout(*state, "  ", &ui), 13, 0));
}

static void what_was_measured_before_changes_nothing(void **state)
{
    static const char *const texts[] = {"α ≈ 3 → ↵", "漢字かな", "مرحبا 3 abc",
                                        "हिन्दी",     "⏮ ◀ ▶ 👍",  "שלום (a)"};
    enum { N = sizeof texts / sizeof texts[0] };
    for (int i = N - 1; i >= 0; i--) {
        Fonts *fresh = open_fonts();
        const TextLayout *a = fonts_layout(fresh, texts[i], &ui);
        const TextLayout *b = fonts_layout(*state, texts[i], &ui);
        assert_int_equal(a->n_runs, b->n_runs);
        assert_true(a->width == b->width);
        for (int j = 0; j < a->n_runs; j++)
            assert_string_equal(a->runs[j].font->path, b->runs[j].font->path);
        fonts_free(fresh);
    }
}

static void a_layout_is_the_same_after_the_cache_was_full(void **state)
{
    Fonts *fonts = *state;
    const TextLayout *first = fonts_layout(fonts, "she is eating", &ui);
    assert_ptr_equal(first, fonts_layout(fonts, "she is eating", &ui));
    float width = first->width;
    char text[64];
    /* A layout of this takes about a kilobyte and its picture three: twice the limit. */
    for (int i = 0; i < 16000; i++) {
        snprintf(text, sizeof text, "number %d of many", i);
        TextStyle style = ui;
        style.size = 12 + (float)(i % 3);
        text_picture(fonts, fonts_layout(fonts, text, &style), style.size, 0);
    }
    assert_true(fonts_layout(fonts, "she is eating", &ui)->width == width);
    check_layout(fonts, "she is eating", &ui);
}

static void what_is_invisible_is_shown_by_a_sign(void **state)
{
    static const struct {
        const char *given, *shown;
    } cases[] = {
        {"a\nb\tc", "a↵b⇥c"},
        {"\r\n", "‹0D›↵"},
        {"\x01\x1B\x7F", "‹01›‹1B›‹7F›"},
        {"x\xC2\x85y", "x‹85›y"},
        {"a\xE2\x80\x8Bz", "a‹200B›z"},     /* zero-width space */
        {"\xEF\xBB\xBFtext", "‹FEFF›text"}, /* byte order mark  */
        {"a\xE2\x80\xAE"                    /* override         */
         "b\xE2\x81\xA6",
         "a‹202E›b‹2066›"},
        {"co\xC2\xADop", "co‹AD›op"}, /* soft hyphen      */
        {"a\xE2\x80\x8D"
         "b",
         "a‹200D›b"},                      /* a joiner in Latin */
        {"x\xF3\xA0\x84\x80", "x‹E0100›"}, /* a hidden selector */
        {"a\xF3\xA0\x81\xA1", "a‹E0061›"}, /* a hidden tag      */
        {"\xEF\xB8\x8F", "‹FE0F›"},
        {"\xEF\xBF\xBF", "‹FFFF›"},
        {"\xFF\xC3", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"👨‍👩‍👧", "👨‍👩‍👧"}, /* joiners that join */
        {"❤️", "❤️"},
        {"1️⃣", "1️⃣"},
        {"🏴\xF3\xA0\x81\xA7\xF3\xA0\x81\xA2\xF3\xA0\x81\xBF",
         "🏴\xF3\xA0\x81\xA7\xF3\xA0\x81\xA2\xF3\xA0\x81\xBF"},
        {"می\xE2\x80\x8Cخواهم", "می\xE2\x80\x8Cخواهم"}, /* Persian needs it  */
        {"क्\xE2\x80\x8D", "क्\xE2\x80\x8D"},
        {"a\xC2\xA0"
         "b\xE3\x80\x80",
         "a\xC2\xA0"
         "b\xE3\x80\x80"},
        {"<b>&\"'", "<b>&\"'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(fonts_layout(*state, cases[i].given, &ui)->text, cases[i].shown);
        check_layout(*state, cases[i].given, &ui);
    }
}

static void what_was_typed_is_not_replaced_by_a_ligature(void **state)
{
    static const Face faces[] = {FACE_UI, FACE_MONO};
    for (int i = 0; i < 2; i++) {
        TextStyle style = {.face = faces[i], .size = 13};
        uint32_t dash = fonts_layout(*state, "-", &style)->glyphs[0].id;
        uint32_t angle = fonts_layout(*state, ">", &style)->glyphs[0].id;
        const TextLayout *arrow = fonts_layout(*state, "->", &style);
        assert_int_equal(arrow->n_glyphs, 2);
        assert_int_equal(arrow->glyphs[0].id, dash);
        assert_int_equal(arrow->glyphs[1].id, angle);
    }
}

/* Runs from left to right as their text. */
static void expect_runs(Fonts *fonts, const char *text, const char *const *runs, int n)
{
    const TextLayout *layout = fonts_layout(fonts, text, &ui);
    int at = 0;
    for (int i = 0; i < layout->n_runs; at++) {
        StrBuf seen = {0};
        const TextRun *run = &layout->runs[i];
        bool rtl = run->right_to_left;
        /* Neighbours of one direction that differ in font count as one. */
        for (; i < layout->n_runs && layout->runs[i].right_to_left == rtl; i++) {
            run = &layout->runs[i];
            StrBuf joined = {0};
            strbuf_add_bytes(&joined, layout->text + run->start, run->end - run->start);
            if (!rtl || !seen.text) {
                strbuf_add_bytes(&seen, joined.text, joined.length);
            } else {
                strbuf_add_bytes(&joined, seen.text, seen.length);
                strbuf_clear(&seen);
                strbuf_add_bytes(&seen, joined.text, joined.length);
            }
            strbuf_free(&joined);
        }
        if (at >= n || strcmp(seen.text, runs[at]) != 0)
            fail_msg("run %d of \"%s\" is \"%s\"", at, text, seen.text);
        strbuf_free(&seen);
    }
    assert_int_equal(at, n);
    check_layout(fonts, text, &ui);
}

static void runs_stand_in_visual_order(void **state)
{
    expect_runs(*state, "abc אבג def", (const char *const[]){"abc ", "אבג", " def"}, 3);
    expect_runs(*state, "אבג abc דהו", (const char *const[]){" דהו", "abc", "אבג "}, 3);
    expect_runs(*state, "مرحبا 123", (const char *const[]){"123", "مرحبا "}, 2);
    expect_runs(*state, "مرحبا بالعالم", (const char *const[]){"مرحبا بالعالم"}, 1);
    assert_false(fonts_layout(*state, "abc אבג", &ui)->right_to_left);
    assert_true(fonts_layout(*state, "אבג abc", &ui)->right_to_left);
    assert_false(fonts_layout(*state, "123", &ui)->right_to_left);
}

static void quotation_marks_stay_where_the_sentence_has_them(void **state)
{
    /* Two quotations of the other direction do not become one. */
    expect_runs(*state, "m · “هي” → “هو” · 1",
                (const char *const[]){"m · “", "هي", "” → “", "هو", "” · 1"}, 5);
    expect_runs(*state, "“هي” hidden", (const char *const[]){"“", "هي", "” hidden"}, 3);
    expect_runs(*state, "step 2: \"هي\" (\"هو\") ok",
                (const char *const[]){"step 2: \"", "هي", "\" (\"", "هو", "\") ok"}, 5);
    assert_false(fonts_layout(*state, "“هي” hidden", &ui)->right_to_left);
    /* Nor does one that is not closed take the rest along. */
    assert_false(fonts_layout(*state, "a “هي", &ui)->right_to_left);
    expect_runs(*state, "هي “abc” هو", (const char *const[]){"” هو", "abc", "هي “"}, 3);
}

static void arabic_letters_join(void **state)
{
    const char *const letters[] = {"م", "ر", "ح", "ب", "ا"};
    float apart = 0;
    for (int i = 0; i < 5; i++)
        apart += fonts_width(*state, letters[i], &ui);
    /* Initial and medial forms are narrower than isolated ones. */
    assert_true(fonts_width(*state, "مرحبا", &ui) < 0.95f * apart);
}

static void the_caret_goes_right_in_latin_and_left_in_hebrew(void **state)
{
    const char *latin = "word";
    const char *hebrew = "שלום";
    float before = -1;
    for (size_t i = 0; i <= strlen(latin); i++) {
        float x = fonts_caret_x(*state, latin, &ui, i);
        assert_true(x > before);
        before = x;
    }
    assert_close(before, fonts_width(*state, latin, &ui), 1e-3);
    before = fonts_width(*state, hebrew, &ui) + 1;
    for (size_t i = 0; i <= strlen(hebrew); i += 2) {
        float x = fonts_caret_x(*state, hebrew, &ui, i);
        assert_true(x < before);
        before = x;
    }
    assert_close(before, 0, 1e-3);
    /* Inside a letter: its start. */
    assert_true(fonts_caret_x(*state, hebrew, &ui, 1) == fonts_caret_x(*state, hebrew, &ui, 0));
}

static void a_click_on_a_caret_gives_its_offset_back(void **state)
{
    static const char *const texts[] = {
        "plain words",           "שלום",    "مرحبا", "漢字", "e\xCC\x81te\xCC\x81",
        "👨‍👩‍👧 ok", "a\nb\x01"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t n = strlen(texts[i]);
        for (size_t at = 0; at <= n; at = at < n ? utf8_next_grapheme(texts[i], n, at) : n + 1) {
            float x = fonts_caret_x(*state, texts[i], &ui, at);
            assert_int_equal(fonts_offset_at(*state, texts[i], &ui, x), at);
        }
        float width = fonts_width(*state, texts[i], &ui);
        bool rtl = fonts_layout(*state, texts[i], &ui)->right_to_left;
        assert_int_equal(fonts_offset_at(*state, texts[i], &ui, -50), rtl ? n : 0);
        assert_int_equal(fonts_offset_at(*state, texts[i], &ui, width + 50), rtl ? 0 : n);
    }
}

static void a_selection_across_directions_is_two_spans(void **state)
{
    const char *text = "abc אבג";
    TextSpan spans[4];
    float width = fonts_width(*state, text, &ui);
    assert_int_equal(fonts_spans(*state, text, &ui, 0, strlen(text), spans, 4), 1);
    assert_close(spans[0].x, 0, 1e-3);
    assert_close(spans[0].width, width, 1e-2);
    /* "c " and the first Hebrew letter, which stands at the far right. */
    assert_int_equal(fonts_spans(*state, text, &ui, 2, 6, spans, 4), 2);
    assert_close(spans[1].x + spans[1].width, width, 1e-2);
    assert_true(spans[0].x + spans[0].width < spans[1].x);
    assert_int_equal(fonts_spans(*state, text, &ui, 2, 6, spans, 1), 1);
    assert_int_equal(fonts_spans(*state, text, &ui, 3, 3, spans, 4), 0);
}

static void a_cut_text_fits_and_ends_in_an_ellipsis_after_a_whole_grapheme(void **state)
{
    static const char *const texts[] = {"attention is all",
                                        "🇫🇷🇩🇪🇪🇸",
                                        "x\xCC\x81x\xCC\x81x\xCC\x81",
                                        "مرحبا بالعالم",
                                        "אבג דהו",
                                        "漢字かな交じり",
                                        "👨‍👩‍👧👨‍👩‍👧"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t n = strlen(texts[i]);
        float whole = fonts_width(*state, texts[i], &ui);
        for (float width = 1; width < whole + 2; width += 1.3f) {
            TextStyle style = ui;
            style.max_width = width;
            check_layout(*state, texts[i], &style);
            const TextLayout *layout = fonts_layout(*state, texts[i], &style);
            if (!layout->cut) {
                assert_string_equal(layout->text, texts[i]);
                assert_true(width >= whole * 0.9999f);
                continue;
            }
            if (layout->n_bytes == 0) {
                assert_true(width < fonts_width(*state, "…", &ui));
                continue;
            }
            size_t kept = layout->n_bytes - strlen("…");
            assert_string_equal(layout->text + kept, "…");
            assert_memory_equal(layout->text, texts[i], kept);
            size_t at = 0;
            while (at < kept)
                at = utf8_next_grapheme(texts[i], n, at);
            assert_int_equal(at, kept);
            assert_true(kept == 0 || layout->text[kept - 1] != ' ');
        }
    }
}

/* Code points of many scripts: letters, signs, emoji. */
static const uint32_t samples[] = {
    'A',        0xE9,   0x3B1,  0x416,   0x5D0,   0x627,   0x639,   0x915,   0x995,   0xB85,
    0xC05,      0xA85,  0xA05,  0xC85,   0xD05,   0xD85,   0xE01,   0xE81,   0x1780,  0x1000,
    0xF40,      0x10D0, 0x531,  0x1200,  0x4E2D,  0x3042,  0x30AB,  0xAC00,  0x3002,  0xFF01,
    0x2192,     0x2211, 0x221A, 0x2208,  0x2207,  0x211D,  0x1D538, 0x2080,  0x1D62,  0x2016,
    0x25D0,     0x25B6, 0x23EE, 0x23ED,  0x21B5,  0x21E5,  0x2039,  0x2026,  0x1F600, 0x1F34F,
    0x1F44D,    0x2764, 0x2705, 0x1F3F4, 0x20AC,  0x20BF,  0x16A0,  0x13000, 0x10330, 0x1D11E,
    0x2800 + 1, 0x1401, 0x13A0, 0x2D30,  0xA000,  0x1820,  0x710,   0x780,   0x7CA,   0x1B05,
    0x20000,    0xFFFD, 0x2400, 0x1E900, 0x12000, 0x104B0,
};

static bool some_font_has(const FcFontSet *all, uint32_t code)
{
    for (int i = 0; i < all->nfont; i++) {
        FcCharSet *set;
        if (FcPatternGetCharSet(all->fonts[i], FC_CHARSET, 0, &set) == FcResultMatch &&
            FcCharSetHasChar(set, code))
            return true;
    }
    return false;
}

static void nothing_is_an_empty_box_while_some_font_has_it(void **state)
{
    FcConfig *config = FcInitLoadConfigAndFonts();
    FcPattern *everything = FcPatternCreate();
    FcObjectSet *objects = FcObjectSetBuild(FC_CHARSET, (char *)NULL);
    FcFontSet *all = FcFontList(config, everything, objects);
    int n_covered = 0;
    for (int style = 0; style < FACE_COUNT * 4; style++)
        for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
            TextStyle text_style = {.face = (Face)(style / 4),
                                    .size = 13,
                                    .bold = style & 1,
                                    .italic = (style & 2) != 0};
            char text[8] = {0};
            text[utf8_encode(samples[i], text)] = '\0';
            const TextLayout *layout = fonts_layout(*state, text, &text_style);
            bool missing = layout->n_missing > 0;
            for (int j = 0; j < layout->n_glyphs; j++)
                missing = missing || layout->glyphs[j].id == 0;
            bool covered = some_font_has(all, samples[i]);
            n_covered += covered;
            if (missing == covered)
                fail_msg("U+%04X in style %d: %s", (unsigned)samples[i], style,
                         covered ? "a box, and a font has it" : "no font has it, and no box");
        }
    assert_true(n_covered > 100);
    FcFontSetDestroy(all);
    FcObjectSetDestroy(objects);
    FcPatternDestroy(everything);
    FcConfigDestroy(config);
}

static void a_mark_that_the_base_font_lacks_comes_from_another(void **state)
{
    /* A Latin letter with a Devanagari sign, a Hebrew point: no font has the first pair. */
    const char *texts[] = {"a\xE0\xA5\x87", "q\xD6\xB0"};
    for (int i = 0; i < 2; i++) {
        const TextLayout *layout = fonts_layout(*state, texts[i], &ui);
        assert_int_equal(layout->n_missing, 0);
        for (int j = 0; j < layout->n_glyphs; j++)
            assert_int_not_equal(layout->glyphs[j].id, 0);
        check_layout(*state, texts[i], &ui);
    }
}

static void emoji_come_in_colour_and_text_signs_do_not(void **state)
{
    static const struct {
        const char *text;
        bool colored;
    } cases[] = {
        {"😀", true},
        {"👍🏽", true},
        {"🇫🇷", true},
        {"❤️", true},
        {"1️⃣", true},
        {"✅", true},
        {"1", false},
        {"→", false},
        {"▶", false},
        {"©", false},
        {"▶\xEF\xB8\x8E", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const TextLayout *layout = fonts_layout(*state, cases[i].text, &ui);
        assert_int_equal(layout->n_runs, 1);
        assert_int_equal(layout->runs[0].font->colored, cases[i].colored);
        const TextPicture *picture = text_picture(*state, layout, 20, 0);
        assert_non_null(picture);
        assert_int_equal(picture->color != NULL, cases[i].colored);
        assert_int_equal(picture->mask != NULL, !cases[i].colored);
    }
}

static void weights_and_slants_that_a_font_lacks_are_made_up(void **state)
{
    TextStyle bold = {.face = FACE_UI, .size = 13, .bold = true, .italic = true};
    const TextLayout *own = fonts_layout(*state, "word", &bold);
    assert_true(own->runs[0].font->weight >= 600 || own->runs[0].font->fake_bold);
    assert_true(own->runs[0].font->slanted || own->runs[0].font->fake_italic);
    const Font *chinese = fonts_layout(*state, "漢", &bold)->runs[0].font;
    assert_true(chinese->weight >= 600 || chinese->fake_bold);
    assert_false(fonts_layout(*state, "漢", &ui)->runs[0].font->fake_bold);
}

static void lines_break_at_spaces_and_between_chinese_letters(void **state)
{
    static const struct {
        const char *text;
        const char *first; /* line at the width of `measure` */
        const char *measure;
    } cases[] = {
        {"one two three", "one two ", "one two"},
        {"one two three", "one two three", "one two three"},
        {"one", "one", "one"},
        {"incomprehensible", "incompr", "incompr"},
        {"a\nb c", "a\n", "a b c"},
        {"漢字かな交じり", "漢字かな", "漢字かな"},
        {"漢字。かな", "漢", "漢字"}, /* the full stop starts no line */
        {"one-two", "one-", "one-t"},
        {"a b", "a ", "a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float width = fonts_width(*state, cases[i].measure, &ui) + 0.5f;
        size_t n = fonts_break_line(*state, cases[i].text, strlen(cases[i].text), &ui, width);
        if (n != strlen(cases[i].first))
            fail_msg("\"%s\" breaks after %zu bytes, not %zu", cases[i].text, n,
                     strlen(cases[i].first));
    }
    assert_int_equal(fonts_break_line(*state, "", 0, &ui, 100), 0);
    assert_int_equal(fonts_break_line(*state, "word", 4, &ui, 0), 1);
}

static void every_line_of_a_paragraph_fits_and_none_is_lost(void **state)
{
    StrBuf text = {0};
    Random random = random_seed(7, RANDOM_EXPLORE);
    static const char *const words[] = {"attention", "is", "漢字", "a", "مرحبا", "👍", "well-kept"};
    for (int i = 0; i < 400; i++)
        strbuf_addf(&text, "%s ", words[random_below(&random, 7)]);
    size_t n_lines = 0;
    for (size_t at = 0; at < text.length; n_lines++) {
        size_t n = fonts_break_line(*state, text.text + at, text.length - at, &ui, 240);
        assert_true(n > 0);
        char *line = memory_copy_bytes(text.text + at, n);
        size_t end = n;
        while (end > 0 && line[end - 1] == ' ')
            line[--end] = '\0';
        assert_true(fonts_width(*state, line, &ui) <= 241);
        free(line);
        at += n;
    }
    assert_true(n_lines > 50);
    strbuf_free(&text);
}

static void hostile_bytes_keep_every_promise(void **state)
{
    static const char *const pieces[] = {"\xFF",
                                         "\xF0\x9F",
                                         "\xE2\x80\xAE",
                                         "\x01",
                                         "a",
                                         "א",
                                         "م",
                                         "漢",
                                         "\xCC\x81",
                                         "\xE2\x80\x8D",
                                         "👍",
                                         "\xEF\xB8\x8F",
                                         " ",
                                         "<",
                                         "\n",
                                         "(",
                                         "1",
                                         "\xE2\x80\x8B",
                                         "क्",
                                         "\xF3\xA0\x84\x80"};
    Random random = random_seed(11, RANDOM_EXPLORE);
    for (int i = 0; i < 1500; i++) {
        StrBuf text = {0};
        strbuf_add(&text, "");
        uint32_t n = random_below(&random, 12);
        for (uint32_t j = 0; j < n; j++)
            strbuf_add(&text, pieces[random_below(&random, sizeof pieces / sizeof pieces[0])]);
        TextStyle style = {.face = (Face)random_below(&random, 3),
                           .size = 11,
                           .bold = random_below(&random, 2) != 0};
        style.max_width = random_below(&random, 2) ? (float)random_below(&random, 90) : 0;
        check_layout(*state, text.text, &style);
        assert_true(fonts_offset_at(*state, text.text, &style, (float)random_below(&random, 99)) <=
                    text.length);
        assert_true(isfinite(fonts_caret_x(*state, text.text, &style, random_below(&random, 40))));
        text_picture(*state, fonts_layout(*state, text.text, &style), 11, (float)(i % 3) * 45);
        strbuf_free(&text);
    }
}

/* Runs fonts_new with a configuration that knows only `directory`. */
static Fonts *fonts_of(const char *directory, Error *error)
{
    StrBuf config = {0};
    strbuf_addf(&config,
                "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\">"
                "<fontconfig><dir>%s</dir><cachedir>%s/cache</cachedir></fontconfig>",
                directory, directory);
    char *path = file_join(directory, "fonts.conf");
    Error written = {0};
    if (!file_write(path, config.text, config.length, &written))
        fail_msg("%s", written.message);
    setenv("FONTCONFIG_FILE", path, 1);
    Fonts *fonts = fonts_new(error);
    unsetenv("FONTCONFIG_FILE");
    free(path);
    strbuf_free(&config);
    return fonts;
}

static void without_fonts_the_error_says_what_to_install(void **state)
{
    (void)state;
    char directory[] = "/tmp/fovea-fonts-XXXXXX";
    assert_non_null(mkdtemp(directory));
    Error error = {0};
    assert_refused(fonts_of(directory, &error), "fonts-dejavu-core");
    char *broken = file_join(directory, "broken.ttf");
    assert_ok(file_write(broken, "this is no font", 15, &error));
    assert_refused(fonts_of(directory, &error), "fonts-dejavu-core");
    free(broken);
}

static void one_font_is_enough_for_every_face(void **state)
{
    char directory[] = "/tmp/fovea-fonts-XXXXXX";
    assert_non_null(mkdtemp(directory));
    Error error = {0};
    const char *source = fonts_font(*state, &ui)->path;
    char *link = file_join(directory, "only.otf");
    assert_int_equal(symlink(source, link), 0);
    Fonts *fonts = fonts_of(directory, &error);
    assert_ok(fonts != NULL);
    for (int style = 0; style < FACE_COUNT * 4; style++) {
        TextStyle text_style = {
            .face = (Face)(style / 4), .size = 13, .bold = style & 1, .italic = (style & 2) != 0};
        const TextLayout *layout = fonts_layout(fonts, "word 0.5", &text_style);
        assert_int_equal(layout->n_missing, 0);
        assert_string_equal(layout->runs[0].font->path, link);
        layout = fonts_layout(fonts, "漢字", &text_style);
        assert_int_equal(layout->n_missing, 2);
        check_layout(fonts, "漢字", &text_style);
    }
    fonts_free(fonts);
    free(link);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_grow_in_proportion_to_the_size),
        cmocka_unit_test(digits_of_the_number_face_are_all_equally_wide),
        cmocka_unit_test(an_empty_text_has_no_width_but_the_line_its_height),
        cmocka_unit_test(what_was_measured_before_changes_nothing),
        cmocka_unit_test(a_layout_is_the_same_after_the_cache_was_full),
        cmocka_unit_test(what_is_invisible_is_shown_by_a_sign),
        cmocka_unit_test(what_was_typed_is_not_replaced_by_a_ligature),
        cmocka_unit_test(runs_stand_in_visual_order),
        cmocka_unit_test(quotation_marks_stay_where_the_sentence_has_them),
        cmocka_unit_test(arabic_letters_join),
        cmocka_unit_test(the_caret_goes_right_in_latin_and_left_in_hebrew),
        cmocka_unit_test(a_click_on_a_caret_gives_its_offset_back),
        cmocka_unit_test(a_selection_across_directions_is_two_spans),
        cmocka_unit_test(a_cut_text_fits_and_ends_in_an_ellipsis_after_a_whole_grapheme),
        cmocka_unit_test(nothing_is_an_empty_box_while_some_font_has_it),
        cmocka_unit_test(a_mark_that_the_base_font_lacks_comes_from_another),
        cmocka_unit_test(emoji_come_in_colour_and_text_signs_do_not),
        cmocka_unit_test(weights_and_slants_that_a_font_lacks_are_made_up),
        cmocka_unit_test(lines_break_at_spaces_and_between_chinese_letters),
        cmocka_unit_test(every_line_of_a_paragraph_fits_and_none_is_lost),
        cmocka_unit_test(hostile_bytes_keep_every_promise),
        cmocka_unit_test(without_fonts_the_error_says_what_to_install),
        cmocka_unit_test(one_font_is_enough_for_every_face),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
