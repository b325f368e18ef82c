/* page.h - a whole window drawn with the canvas alone: what a frame costs and looks like.
 *
 * The numbers are invented. Labels are parameters, so that the same page can be seen with
 * short, long, Chinese and Arabic words.
 */
#ifndef FOVEA_TESTS_APP_CANVAS_PAGE_H
#define FOVEA_TESTS_APP_CANVAS_PAGE_H
#include <string.h>

#include "canvas/color.h"
#include "canvas/fonts.h"

enum { PAGE_ROWS = 6, PAGE_COLS = 7, PAGE_CURRENT = 3 };

typedef struct PageTheme {
    Color background, panel, line, text, muted, accent, tint, on_accent;
} PageTheme;

typedef struct PageWords {
    const char *input;
    const char *source[PAGE_COLS];
    const char *target[PAGE_ROWS];
} PageWords;

static const PageTheme page_light = {0xF6F6F3FF, 0xFFFFFFFF, 0xE3E3DEFF, 0x1D2127FF,
                                     0x6A717CFF, 0x2C63D6FF, 0xE9EFFCFF, 0xFFFFFFFF};
static const PageTheme page_dark = {0x14171CFF, 0x1B1F26FF, 0x2C323BFF, 0xE7E9ECFF,
                                    0x98A0ABFF, 0x7AA5FFFF, 0x233050FF, 0x14171CFF};

static const PageWords page_words[] = {
    {"She is eating a green apple.",
     {"She", "is", "eating", "a", "green", "apple", "."},
     {"Elle", "mange", "une", "pomme", "verte", "."}},
    {"她正在吃一个绿色的苹果。",
     {"她", "正在", "吃", "一个", "绿色的", "苹果", "。"},
     {"Elle", "mange", "une", "pomme", "verte", "。"}},
    {"هي تأكل تفاحة خضراء الآن.",
     {"هي", "تأكل", "تفاحة", "خضراء", "الآن", "هنا", "."},
     {"Elle", "mange", "une", "pomme", "verte", "."}},
    {"Donaudampfschifffahrtsgesellschaft <b>&amp;</b> -> \"x\" !=",
     {"Donaudampfschifffahrtsgesellschaft", "<b>", "&amp;", "\n", "->", "हिन्दी", "👍🏽"},
     {"antidisestablishmentarianism", "\"x\"", "!=", "שלום", "x\xE2\x80\x8By", "\xFF"}},
};

static const float page_weights[PAGE_ROWS][PAGE_COLS] = {
    {0.81f, 0.11f, 0.05f, 0.01f, 0.01f, 0.01f, 0.00f},
    {0.02f, 0.21f, 0.74f, 0.02f, 0.00f, 0.01f, 0.00f},
    {0.00f, 0.02f, 0.09f, 0.71f, 0.10f, 0.07f, 0.01f},
    {0.00f, 0.00f, 0.03f, 0.05f, 0.14f, 0.77f, 0.01f},
    {0.00f, 0.00f, 0.01f, 0.02f, 0.83f, 0.12f, 0.02f},
    {0.01f, 0.00f, 0.02f, 0.01f, 0.02f, 0.07f, 0.87f},
};

typedef struct Page {
    Canvas *canvas;
    Fonts *fonts;
    const PageTheme *theme;
    const PageWords *words;
    Colormap map;
} Page;

static inline void page_text(const Page *page, float x, float y, const char *text, Face face,
                             float size, Color color, Align align, bool bold)
{
    TextStyle style = {.face = face, .size = size, .color = color, .align = align, .bold = bold};
    canvas_text(page->canvas, (Point){x, y}, text, style);
}

static inline void page_top(const Page *page)
{
    const PageTheme *theme = page->theme;
    Canvas *canvas = page->canvas;
    canvas_fill(canvas, (Rect){0, 0, 1280, 48}, 0, theme->panel);
    canvas_line(canvas, (Point){0, 47.5f}, (Point){1280, 47.5f}, (Stroke){theme->line, 1, 0});
    canvas_frame(canvas, (Rect){12, 9, 130, 30}, 6, (Stroke){theme->line, 1, 0});
    page_text(page, 23, 29, "en → fr", FACE_UI, 13, theme->text, ALIGN_START, false);
    page_text(page, 76, 28, "additive", FACE_UI, 11, theme->muted, ALIGN_START, false);
    page_text(page, 122, 29, "▾", FACE_UI, 13, theme->text, ALIGN_START, false);
    canvas_frame(canvas, (Rect){150, 7, 926, 34}, 8,
                 (Stroke){color_fade(theme->accent, 0.25f), 3, 0});
    canvas_frame(canvas, (Rect){152, 9, 922, 30}, 6, (Stroke){theme->accent, 1.5f, 0});
    TextStyle input = {.face = FACE_UI, .size = 14, .color = theme->text, .max_width = 896};
    canvas_text(canvas, (Point){163, 29}, page->words->input, input);
    float caret =
        163 + fonts_caret_x(page->fonts, page->words->input, &input, strlen(page->words->input));
    canvas_fill(canvas, (Rect){caret, 15, 1, 18}, 0, theme->text);
    static const char *const icons[] = {"◐", "文", "?"};
    for (int i = 0; i < 3; i++)
        page_text(page, 1098 + 38.0f * (float)i, 29, icons[i], FACE_UI, 14, theme->muted,
                  ALIGN_MIDDLE, false);
    canvas_fill(canvas, (Rect){1198, 9, 70, 30}, 6, theme->accent);
    page_text(page, 1233, 29, "Export", FACE_UI, 13, theme->on_accent, ALIGN_MIDDLE, true);
    canvas_tag(canvas, (Rect){1198, 9, 70, 30}, TAG_BUTTON, "export", NULL);
}

static inline void page_check(const Page *page, float y, const char *text, bool on)
{
    Rect box = {16, y - 10, 14, 14};
    if (on) {
        canvas_fill(page->canvas, box, 3, page->theme->accent);
        canvas_path(page->canvas, (const Point[]){{19, y - 3}, {22, y}, {27, y - 6}}, 3, false,
                    (Stroke){page->theme->on_accent, 1.6f, 0});
    } else {
        canvas_frame(page->canvas, box, 3, (Stroke){page->theme->muted, 1, 0});
    }
    page_text(page, 38, y + 2, text, FACE_UI, 13, page->theme->text, ALIGN_START, false);
    canvas_tag(page->canvas, (Rect){8, y - 16, 160, 26}, TAG_CHECK, text, on ? "on" : "off");
}

static inline void page_left(const Page *page)
{
    static const char *const views[] = {"Heatmap", "Links",   "Pipeline",
                                        "Text",    "Compare", "Training"};
    static const char *const checks[] = {"Scores instead", "Numbers in cells", "Merge subwords",
                                         "Hide specials"};
    const PageTheme *theme = page->theme;
    canvas_fill(page->canvas, (Rect){0, 48, 176, 708}, 0, theme->panel);
    canvas_line(page->canvas, (Point){175.5f, 48}, (Point){175.5f, 756},
                (Stroke){theme->line, 1, 0});
    page_text(page, 16, 77, "Views", FACE_UI, 11, theme->muted, ALIGN_START, false);
    canvas_fill(page->canvas, (Rect){8, 84, 159, 28}, 6, theme->tint);
    for (int i = 0; i < 6; i++) {
        float y = 103 + 28.0f * (float)i;
        char key[2] = {(char)('1' + i), 0};
        page_text(page, 16, y, views[i], FACE_UI, 13, i ? theme->text : theme->accent, ALIGN_START,
                  i == 0);
        page_text(page, 159, y - 1, key, FACE_MONO, 11, theme->muted, ALIGN_END, false);
        canvas_tag(page->canvas, (Rect){8, y - 19, 159, 28}, TAG_ITEM, views[i], NULL);
    }
    page_text(page, 16, 285, "Options", FACE_UI, 11, theme->muted, ALIGN_START, false);
    for (int i = 0; i < 4; i++)
        page_check(page, 308 + 26.0f * (float)i, checks[i], i > 0);
    page_text(page, 16, 414, "Scale", FACE_UI, 13, theme->text, ALIGN_START, false);
    page_text(page, 159, 414, "global", FACE_UI, 13, theme->muted, ALIGN_END, false);
    page_text(page, 16, 440, "Colour", FACE_UI, 13, theme->text, ALIGN_START, false);
    page_text(page, 159, 440, "blues", FACE_UI, 13, theme->muted, ALIGN_END, false);
}

static inline void page_cells(const Page *page)
{
    const PageTheme *theme = page->theme;
    Rect area = {326, 176, 518, 348};
    Color cells[PAGE_ROWS * PAGE_COLS];
    for (int row = 0; row < PAGE_ROWS; row++)
        for (int col = 0; col < PAGE_COLS; col++) {
            Color color = colormap_at(&page->map, page_weights[row][col]);
            cells[row * PAGE_COLS + col] =
                row > PAGE_CURRENT ? color_over(color_fade(color, 0.3f), theme->background) : color;
        }
    canvas_cells(page->canvas, area, PAGE_ROWS, PAGE_COLS, cells);
    for (int row = 0; row < PAGE_ROWS; row++)
        for (int col = 0; col < PAGE_COLS; col++) {
            Color cell = cells[row * PAGE_COLS + col];
            float weight = page_weights[row][col];
            float opacity = row > PAGE_CURRENT ? 0.45f : weight < 0.005f ? 0.35f : 0.85f;
            TextStyle style = {.face = FACE_MONO,
                               .size = 11.5f,
                               .align = ALIGN_MIDDLE,
                               .color = color_fade(color_ink(cell), opacity)};
            canvas_textf(page->canvas, (Point){363 + 74.0f * (float)col, 209 + 58.0f * (float)row},
                         style, "%.2f", (double)weight);
            canvas_tag(page->canvas,
                       (Rect){326 + 74.0f * (float)col, 176 + 58.0f * (float)row, 74, 58}, TAG_CELL,
                       page->words->target[row], page->words->source[col]);
        }
    canvas_frame(page->canvas, rect_inset(area, -1, -1), 0, (Stroke){theme->line, 1, 0});
    canvas_frame(page->canvas, (Rect){696, 350, 74, 58}, 0, (Stroke){theme->accent, 2, 0});
}

static inline void page_labels(const Page *page)
{
    const PageTheme *theme = page->theme;
    for (int col = 0; col < PAGE_COLS; col++) {
        TextStyle style = {.face = FACE_UI,
                           .size = 14,
                           .align = ALIGN_MIDDLE,
                           .color = theme->text,
                           .bold = col == 5,
                           .max_width = 66};
        canvas_text(page->canvas, (Point){363 + 74.0f * (float)col, 164}, page->words->source[col],
                    style);
    }
    for (int row = 0; row < PAGE_ROWS; row++) {
        TextStyle style = {.face = FACE_UI,
                           .size = 14,
                           .align = ALIGN_END,
                           .max_width = 110,
                           .bold = row == PAGE_CURRENT,
                           .color =
                               row > PAGE_CURRENT ? color_fade(theme->muted, 0.5f) : theme->text};
        canvas_text(page->canvas, (Point){312, 210 + 58.0f * (float)row}, page->words->target[row],
                    style);
    }
}

static inline void page_legend(const Page *page)
{
    const PageTheme *theme = page->theme;
    canvas_cells(page->canvas, (Rect){326, 570, 220, 10}, 1, COLORMAP_SAMPLES, page->map.table);
    canvas_frame(page->canvas, (Rect){325, 569, 222, 12}, 0, (Stroke){theme->line, 1, 0});
    static const char *const ticks[] = {"0", "0.25", "0.5", "0.75", "1"};
    for (int i = 0; i < 5; i++)
        page_text(page, 326 + 55.0f * (float)i, 596, ticks[i], FACE_MONO, 11, theme->muted,
                  ALIGN_MIDDLE, false);
    page_text(page, 566, 580, "attention weight", FACE_UI, 12, theme->muted, ALIGN_START, false);
    page_text(page, 844, 580, "source → · output ↓", FACE_UI, 12, theme->muted, ALIGN_END, false);
}

static inline void page_figure(const Page *page)
{
    const PageTheme *theme = page->theme;
    page_text(page, 326, 94, "Additive attention", FACE_UI, 15, theme->text, ALIGN_START, true);
    page_text(page, 326, 114, "weights α(t, i), rows sum to 1 · en-fr-additive", FACE_UI, 12,
              theme->muted, ALIGN_START, false);
    page_labels(page);
    page_cells(page);
    page_legend(page);
    Rect tip = {786, 414, 163, 65};
    canvas_fill(page->canvas, tip, 6, theme->text);
    page_text(page, 796, 434, "pomme ← apple", FACE_UI, 12, theme->panel, ALIGN_START, true);
    page_text(page, 796, 451, "weight 0.770 · score 3.92", FACE_UI, 12, theme->panel, ALIGN_START,
              false);
    page_text(page, 796, 468, "rank 1 of 7", FACE_UI, 12, theme->panel, ALIGN_START, false);
}

static inline void page_right(const Page *page)
{
    static const char *const words[] = {"pomme", "verte", "tarte", "poire", "grande", "patate"};
    static const char *const shares[] = {"94.7", "2.1", "0.8", "0.6", "0.4", "0.3"};
    static const float bars[] = {111, 2, 1, 1, 1, 1};
    const PageTheme *theme = page->theme;
    canvas_fill(page->canvas, (Rect){1004, 48, 276, 708}, 0, theme->panel);
    canvas_line(page->canvas, (Point){1004.5f, 48}, (Point){1004.5f, 756},
                (Stroke){theme->line, 1, 0});
    page_text(page, 1019, 76, "Next word · step 4", FACE_UI, 12, theme->text, ALIGN_START, true);
    for (int i = 0; i < 6; i++) {
        float y = 101 + 21.0f * (float)i;
        page_text(page, 1019, y, words[i], FACE_UI, 13, theme->text, ALIGN_START, false);
        canvas_fill(page->canvas, (Rect){1103, y - 10, bars[i], 9}, bars[i] > 4 ? 2 : 0,
                    theme->accent);
        page_text(page, 1266, y, shares[i], FACE_MONO, 12, theme->muted, ALIGN_END, false);
    }
    static const float lines[] = {221.5f, 323.5f, 445.5f};
    for (int i = 0; i < 3; i++)
        canvas_line(page->canvas, (Point){1005, lines[i]}, (Point){1280, lines[i]},
                    (Stroke){theme->line, 1, 0});
    page_text(page, 1019, 244, "This cell", FACE_UI, 12, theme->text, ALIGN_START, true);
    TextStyle formula = {.face = FACE_SERIF, .size = 15, .color = theme->text, .italic = true};
    canvas_text(page->canvas, (Point){1019, 273}, "e = vᵀ tanh(W s₃ + U h₆) = 3.92", formula);
    canvas_text(page->canvas, (Point){1019, 303}, "α = exp(e) / Σ exp = 0.770", formula);
    page_text(page, 1019, 346, "This step", FACE_UI, 12, theme->text, ALIGN_START, true);
    static const char *const names[] = {"entropy", "effective words", "context ‖c‖",
                                        "update gate, mean"};
    static const char *const values[] = {"0.74 nats", "2.1", "5.62", "0.48"};
    for (int i = 0; i < 4; i++) {
        page_text(page, 1019, 370 + 20.0f * (float)i, names[i], FACE_UI, 13, theme->muted,
                  ALIGN_START, false);
        page_text(page, 1266, 370 + 20.0f * (float)i, values[i], FACE_MONO, 12, theme->text,
                  ALIGN_END, false);
    }
    page_text(page, 1019, 468, "Changes", FACE_UI, 12, theme->text, ALIGN_START, true);
    page_text(page, 1019, 489, "none · drag in a row to repaint it", FACE_UI, 12, theme->muted,
              ALIGN_START, false);
}

static inline void page_bottom(const Page *page)
{
    static const char *const buttons[] = {"⏮", "◀", "▶", "⏭"};
    const PageTheme *theme = page->theme;
    Canvas *canvas = page->canvas;
    canvas_fill(canvas, (Rect){0, 756, 1280, 44}, 0, theme->panel);
    canvas_line(canvas, (Point){0, 756.5f}, (Point){1280, 756.5f}, (Stroke){theme->line, 1, 0});
    for (int i = 0; i < 4; i++) {
        Rect box = {12 + 36.0f * (float)i, 765, 30, 28};
        if (i == 2)
            canvas_fill(canvas, box, 6, theme->tint);
        canvas_frame(canvas, box, 6, (Stroke){theme->line, 1, 0});
        page_text(page, box.x + 15, 784, buttons[i], FACE_UI, 12,
                  i == 2 ? theme->accent : theme->text, ALIGN_MIDDLE, false);
    }
    page_text(page, 162, 783, "step 4 of 6 ·", FACE_UI, 12, theme->muted, ALIGN_START, false);
    page_text(page, 234, 783, "pomme", FACE_UI, 12, theme->text, ALIGN_START, true);
    canvas_fill(canvas, (Rect){368, 777, 642, 4}, 2, theme->line);
    canvas_fill(canvas, (Rect){368, 777, 384, 4}, 2, theme->accent);
    for (int i = 0; i <= 5; i++)
        canvas_line(canvas, (Point){368.5f + 128.0f * (float)i, 774},
                    (Point){368.5f + 128.0f * (float)i, 784}, (Stroke){theme->muted, 1, 0});
    canvas_circle(canvas, (Point){752, 779}, 7, theme->accent, (Stroke){0});
    page_text(page, 1024, 783, "1×", FACE_MONO, 12, theme->text, ALIGN_START, false);
    page_text(page, 1268, 783, "ran in 3.1 ms", FACE_UI, 12, theme->muted, ALIGN_END, false);
}

/* Records the page, 1280 x 800. */
static inline void page_record(Canvas *canvas, Fonts *fonts, bool dark, int words)
{
    Page page = {
        canvas, fonts, dark ? &page_dark : &page_light, &page_words[words], {{0}, 0, false}};
    colormap_init(&page.map, COLORMAP_BLUES, page.theme->panel);
    canvas_clear(canvas, 1280, 800);
    canvas_fill(canvas, (Rect){0, 0, 1280, 800}, 0, page.theme->background);
    page_figure(&page);
    page_top(&page);
    page_left(&page);
    page_right(&page);
    page_bottom(&page);
}

#endif
