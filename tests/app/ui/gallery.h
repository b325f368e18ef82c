/* gallery.h - every control on one screen, for eyes and for tests. */
#ifndef FOVEA_TESTS_GALLERY_H
#define FOVEA_TESTS_GALLERY_H
#include <stdio.h>
#include <string.h>

#include "ui/overlays.h"
#include "ui/panels.h"

typedef struct GalleryWords {
    const char *input, *second, *text, *long_label;
    const char *candidates[6];
} GalleryWords;

static const GalleryWords gallery_words[] = {
    {"She is eating a green apple.",
     "Donaudampfschifffahrtsgesellschaftskapitän, antidisestablishmentarianism and more words",
     "I went in expecting nothing from another haunted-house story. The first half hour is slow, "
     "and the dialogue is clumsy.\nThen the old woman opens the cellar door, and from there it is "
     "a quietly brilliant film.\n\nI loved it, and I have thought about it every day since.",
     "Renormalise what the window leaves of the weights",
     {"pomme", "verte", "tarte", "poire", "grande", "pamplemousse-rose"}},
    {"她正在吃一个绿色的苹果。",
     "中文、日本語のテキスト、한국어 and English in one line",
     "我本来对又一个鬼屋故事没抱什么期望。前半个小时节奏缓慢，对白也很笨拙。\n"
     "后来老妇人打开了地窖的门，从那一刻起，它成了一部安静而出色的电影。\n我很喜欢它，"
     "从那以后每天都在想它。",
     "将窗口内剩余的权重重新归一化到一",
     {"苹果", "绿色", "馅饼", "梨", "大的", "葡萄柚"}},
    {"هي تأكل تفاحة خضراء الآن.",
     "שלום עולם, mixed with English and 123 numbers",
     "كان نصف الساعة الأول بطيئا، والحوار ركيكا.\nثم فتحت العجوز باب القبو، ومن هناك صار الفيلم "
     "رائعا بهدوء. It became brilliant.\nأحببته، وفكرت فيه كل يوم منذ ذلك الحين.",
     "أعد تطبيع الأوزان التي تبقيها النافذة",
     {"تفاحة", "خضراء", "فطيرة", "كمثرى", "كبيرة", "جريب فروت"}},
};

static const UiOption gallery_models[] = {
    {"en → fr", "additive", "Bahdanau 2015; opens first", "Translation", false},
    {"en → fr", "general", "Luong 2015, bilinear scores", "Translation", false},
    {"en → fr", "local-p", "a window with a predicted centre", "Translation", false},
    {"en → zh", "additive", "characters on the output side", "Translation", false},
    {"HAN", "IMDB, two classes", "words, then sentences", "Documents", false},
    {"ReSA", "SST", "chooses heads and dependents", "Sentences", false},
    {"RAM", "cluttered digits", "not installed", "Pictures", true},
};

static const UiOption gallery_scales[] = {{.label = "global"}, {.label = "per row"}};
static const UiOption gallery_colours[] = {
    {.label = "blues"}, {.label = "viridis"}, {.label = "cividis"},
    {.label = "magma"}, {.label = "grey"},    {.label = "diverging"},
};

enum { GALLERY_MODELS = 7, GALLERY_COLOURS = 6 };

typedef struct Gallery {
    Edit *input, *second, *text, *search;
    int words;
    int model, view, scale, colour, tab, item;
    bool scores, numbers, merge, specials, left_open, right_open, playing;
    double temperature, samples, step;
    bool message_gone;
    int answer;  /* of the context menu */
    int pressed; /* of what was pressed  */
    Action last; /* that came out        */
    UiArea figure;
    char dropped[64]; /* the last file */
} Gallery;

static inline void gallery_init(Gallery *gallery, int words)
{
    *gallery = (Gallery){.words = words,
                         .input = edit_new(EDIT_ONE_LINE, 4096),
                         .second = edit_new(EDIT_ONE_LINE, 4096),
                         .text = edit_new(EDIT_LINES, 65536),
                         .search = edit_new(EDIT_ONE_LINE, 256),
                         .numbers = true,
                         .merge = true,
                         .specials = true,
                         .left_open = true,
                         .right_open = true,
                         .temperature = 1,
                         .samples = 1000,
                         .step = 4,
                         .answer = -1};
    Error error = {0};
    const GalleryWords *texts = &gallery_words[words];
    bool ok = edit_reset(gallery->input, texts->input, &error) &&
              edit_reset(gallery->second, texts->second, &error) &&
              edit_reset(gallery->text, texts->text, &error);
    FOVEA_CHECK(ok, "%s", error.message);
}

static inline void gallery_free(Gallery *gallery)
{
    edit_free(gallery->input);
    edit_free(gallery->second);
    edit_free(gallery->text);
    edit_free(gallery->search);
}

static inline void gallery_icon(Ui *ui, Rect *rest, const char *name, Icon icon, Action action)
{
    UiControl control = {.name = name, .label = "", .icon = icon, .action = action};
    Rect place = rect_cut_right(rest, 36);
    ui_button(ui, rect_middle(place, 32, 30), &control, UI_QUIET, false);
}

static inline void gallery_top(Ui *ui, Gallery *gallery, Rect bar)
{
    const Theme *theme = ui_theme(ui);
    canvas_fill(ui_canvas(ui), bar, 0, theme->panel);
    canvas_fill(ui_canvas(ui), (Rect){bar.x, bar.y + bar.h - 1, bar.w, 1}, 0, theme->line);
    bar = rect_pad(bar, 12, 0);
    rect_cut_bottom(&bar, 1);
    float width = ui_choice_width(ui, &gallery_models[gallery->model]);
    UiControl model = {.name = "model",
                       .tip = ui_word(ui, STRING_ACTION_MODEL_CHOOSE),
                       .action = ACTION_MODEL_CHOOSE};
    ui_choice(ui, rect_middle(rect_cut_left(&bar, width), width, 30), &model, UI_FRAMED,
              gallery_models, GALLERY_MODELS, &gallery->model);
    rect_cut_left(&bar, 12);
    UiControl export = {
        .name = "export", .label = ui_word(ui, STRING_EXPORT), .action = ACTION_EXPORT};
    float export_width = ui_button_width(ui, &export);
    Rect right = rect_cut_right(&bar, export_width);
    ui_button(ui, rect_middle(right, right.w, 30), &export, UI_PRIMARY, false);
    rect_cut_right(&bar, 8);
    gallery_icon(ui, &bar, "help-button", ICON_HELP, ACTION_HELP);
    gallery_icon(ui, &bar, "language", ICON_LANGUAGE, ACTION_LANGUAGE);
    gallery_icon(ui, &bar, "theme", ICON_THEME, ACTION_THEME);
    rect_cut_right(&bar, 8);
    UiControl input = {.name = "input", .label = ui_word(ui, STRING_TYPE_A_SENTENCE)};
    ui_field(ui, rect_middle(bar, bar.w, 30), &input, gallery->input, NULL);
}

static inline void gallery_views(Ui *ui, Gallery *gallery, Rect *rest)
{
    static const char *const views[] = {"Heatmap", "Links",   "Pipeline",
                                        "Text",    "Compare", "Training"};
    ui_caption(ui, rest, ui_word(ui, STRING_VIEWS));
    for (int i = 0; i < 6; i++) {
        char name[32];
        char key[2] = {(char)('1' + i), 0};
        snprintf(name, sizeof name, "view.%d", i);
        UiControl item = {.name = name, .label = views[i], .note = key};
        if (ui_item(ui, rect_pad(rect_cut_top(rest, 28), 8, 0), &item, gallery->view == i))
            gallery->view = i;
    }
}

static inline void gallery_left(Ui *ui, Gallery *gallery, Rect *area)
{
    UiControl fold = {.name = "left"};
    Rect panel = ui_panel(ui, area, UI_SIDE_LEFT, 176, &fold, &gallery->left_open);
    if (rect_is_empty(panel))
        return;
    rect_cut_top(&panel, 12);
    Rect rest = ui_scroll_begin(ui, "left.scroll", panel);
    float top = rest.y;
    rest.h = 1e5f;
    gallery_views(ui, gallery, &rest);
    rect_cut_top(&rest, 16);
    ui_caption(ui, &rest, ui_word(ui, STRING_OPTIONS));
#define GALLERY_ROW rect_pad(rect_cut_top(&rest, 28), 8, 0)
    ui_check(ui, GALLERY_ROW,
             &(UiControl){.name = "scores", .label = ui_word(ui, STRING_ACTION_TOGGLE_SCORES)},
             &gallery->scores);
    ui_check(ui, GALLERY_ROW,
             &(UiControl){.name = "numbers", .label = ui_word(ui, STRING_ACTION_TOGGLE_NUMBERS)},
             &gallery->numbers);
    ui_check(ui, GALLERY_ROW,
             &(UiControl){.name = "merge", .label = gallery_words[gallery->words].long_label},
             &gallery->merge);
    ui_check(ui, GALLERY_ROW,
             &(UiControl){
                 .name = "gold", .label = ui_word(ui, STRING_ACTION_TOGGLE_GOLD), .disabled = true},
             &gallery->specials);
    ui_choice(ui, GALLERY_ROW, &(UiControl){.name = "scale", .label = "Scale"}, UI_QUIET,
              gallery_scales, 2, &gallery->scale);
    ui_choice(ui, GALLERY_ROW, &(UiControl){.name = "colour", .label = "Colour"}, UI_QUIET,
              gallery_colours, GALLERY_COLOURS, &gallery->colour);
    ui_number(ui, GALLERY_ROW, &(UiControl){.name = "temperature", .label = "Temperature"},
              &(UiRange){.low = 0.1, .high = 4, .step = 0.1, .format = "%.2f"},
              &gallery->temperature);
    ui_number(ui, GALLERY_ROW, &(UiControl){.name = "samples", .label = "Samples"},
              &(UiRange){.low = 1, .high = 5000, .step = 1, .format = "%.0f", .whole = true},
              &gallery->samples);
#undef GALLERY_ROW
    rect_cut_top(&rest, 12);
    ui_scroll_end(ui, rest.y - top);
}

static inline void gallery_numbers(Ui *ui, Gallery *gallery, Rect *rest, Rect panel)
{
    static const float shares[] = {0.947f, 0.021f, 0.008f, 0.006f, 0.004f, 0.003f};
    char text[64];
    snprintf(text, sizeof text, ui_word(ui, STRING_NEXT_WORD), (int)gallery->step);
    ui_heading(ui, rest, text);
    for (int i = 0; i < 6; i++) {
        char name[32];
        snprintf(name, sizeof name, "candidate.%d", i);
        snprintf(text, sizeof text, "%.1f", (double)shares[i] * 100);
        UiControl bar = {.name = name, .label = gallery_words[gallery->words].candidates[i]};
        if (ui_bar(ui, rest, &bar, shares[i], text, i == 0))
            gallery->pressed = i;
    }
    ui_rule(ui, rest, panel);
    ui_heading(ui, rest, ui_word(ui, STRING_THIS_CELL));
    ui_formula(ui, rest, "e = vᵀ tanh(W s₃ + U h₆) = 3.92");
    ui_formula(ui, rest, "α = exp(e) / Σ exp = 0.770");
    ui_rule(ui, rest, panel);
    ui_heading(ui, rest, ui_word(ui, STRING_THIS_STEP));
    ui_pair(ui, rest, "entropy", "0.74 nats");
    ui_pair(ui, rest, "effective words", "2.1");
    ui_pair(ui, rest, "what the update gate lets through, mean", "0.48");
    ui_rule(ui, rest, panel);
    ui_heading(ui, rest, ui_word(ui, STRING_CHANGES));
    ui_note(ui, rest, ui_word(ui, STRING_NO_CHANGES));
}

static inline void gallery_right(Ui *ui, Gallery *gallery, Rect *area)
{
    static const float values[] = {-0.8f, -1.1f, 0,    -0.6f, -0.4f, 0.9f,
                                   0.7f,  2.1f,  3.4f, 0.1f,  1.2f,  0.3f};
    UiControl fold = {.name = "right"};
    Rect panel = ui_panel(ui, area, UI_SIDE_RIGHT, 276, &fold, &gallery->right_open);
    if (rect_is_empty(panel))
        return;
    rect_cut_top(&panel, 12);
    Rect rest = ui_scroll_begin(ui, "right.scroll", panel);
    float top = rest.y;
    rest.h = 1e5f;
    gallery_numbers(ui, gallery, &rest, panel);
    ui_rule(ui, &rest, panel);
    ui_heading(ui, &rest, "Scores");
    ui_chart(ui, rect_pad(rect_cut_top(&rest, 72), 16, 4), &(UiControl){.name = "chart"},
             &(UiChart){values, 12, 8}, NULL);
    rect_cut_top(&rest, 12);
    ui_scroll_end(ui, rest.y - top);
}

static inline Rect gallery_transport(Ui *ui, Gallery *gallery, Rect bar)
{
    static const struct {
        const char *name;
        Icon icon;
        Action action;
    } buttons[] = {{"first", ICON_FIRST, ACTION_STEP_FIRST},
                   {"previous", ICON_PREVIOUS, ACTION_STEP_PREVIOUS},
                   {"play", ICON_PLAY, ACTION_PLAY},
                   {"next", ICON_NEXT, ACTION_STEP_NEXT},
                   {"last", ICON_LAST, ACTION_STEP_LAST}};
    for (int i = 0; i < 5; i++) {
        UiControl control = {.name = buttons[i].name,
                             .label = "",
                             .icon = i == 2 && gallery->playing ? ICON_PAUSE : buttons[i].icon,
                             .action = buttons[i].action};
        Rect place = rect_cut_left(&bar, 32);
        rect_cut_left(&bar, 4);
        ui_button(ui, rect_middle(place, 32, 28), &control, UI_FRAMED, i == 2);
    }
    rect_cut_left(&bar, 12);
    return bar;
}

static inline void gallery_bottom(Ui *ui, Gallery *gallery, Rect bar)
{
    const Theme *theme = ui_theme(ui);
    canvas_fill(ui_canvas(ui), bar, 0, theme->panel);
    canvas_fill(ui_canvas(ui), (Rect){bar.x, bar.y, bar.w, 1}, 0, theme->line);
    bar = gallery_transport(ui, gallery, rect_pad(bar, 12, 0));
    char text[64];
    snprintf(text, sizeof text, ui_word(ui, STRING_STEP_OF), (int)gallery->step, 6);
    TextStyle muted = theme_muted(theme);
    ui_label(ui, rect_cut_left(&bar, 136), text, muted);
    muted.align = ALIGN_END;
    snprintf(text, sizeof text, ui_word(ui, STRING_RAN_IN), 3.1);
    ui_label(ui, rect_cut_right(&bar, 128), text, muted);
    rect_cut_right(&bar, 12);
    ui_label(ui, rect_cut_right(&bar, 28), "1×", theme_number(theme));
    rect_cut_right(&bar, 12);
    ui_slider(ui, bar, &(UiControl){.name = "scrub"},
              &(UiRange){.low = 1, .high = 6, .step = 1, .ticks = 6, .whole = true},
              &gallery->step);
}

static inline void gallery_buttons(Ui *ui, Gallery *gallery, Rect row)
{
    static const struct {
        const char *name, *label;
        Icon icon;
        UiLook look;
        bool on, disabled;
    } buttons[] = {
        {"b-primary", "Run", ICON_NONE, UI_PRIMARY, false, false},
        {"b-framed", "Sample again", ICON_DICE, UI_FRAMED, false, false},
        {"b-on", "Pinned", ICON_PIN, UI_FRAMED, true, false},
        {"b-quiet", "Compare", ICON_COMPARE, UI_QUIET, false, false},
        {"b-off", "Save", ICON_SAVE, UI_FRAMED, false, true},
    };
    for (size_t i = 0; i < sizeof buttons / sizeof buttons[0]; i++) {
        UiControl control = {.name = buttons[i].name,
                             .label = buttons[i].label,
                             .icon = buttons[i].icon,
                             .disabled = buttons[i].disabled};
        Rect place = rect_cut_left(&row, ui_button_width(ui, &control));
        rect_cut_left(&row, 8);
        if (ui_button(ui, place, &control, buttons[i].look, buttons[i].on))
            gallery->pressed = 100 + (int)i;
    }
}

static inline void gallery_icons(Ui *ui, Rect row)
{
    for (int i = 1; i < ICON_COUNT; i++) {
        Rect place = rect_cut_left(&row, 24);
        if (place.w < 24)
            break;
        icon_draw(ui_canvas(ui), place, (Icon)i, 16, ui_theme(ui)->text);
    }
}

static inline void gallery_middle(Ui *ui, Gallery *gallery, Rect area)
{
    static const char *const tabs[] = {"Weights", "Scores", "Both"};
    const Theme *theme = ui_theme(ui);
    Rect rest = rect_pad(area, 24, 20);
    ui_label(ui, rect_cut_top(&rest, 28), "Every control", theme_title(theme));
    ui_tabs(ui, rect_cut_top(&rest, 32), &(UiControl){.name = "tabs"}, tabs, 3, &gallery->tab);
    rect_cut_top(&rest, 12);
    gallery_buttons(ui, gallery, rect_cut_top(&rest, 28));
    rect_cut_top(&rest, 8);
    gallery_icons(ui, rect_cut_top(&rest, 24));
    rect_cut_top(&rest, 8);
    ui_field(ui, rect_cut_top(&rest, 32), &(UiControl){.name = "second"}, gallery->second, NULL);
    rect_cut_top(&rest, 8);
    ui_field(ui, rect_cut_top(&rest, fminf(160, rest.h * 0.45f)), &(UiControl){.name = "text"},
             gallery->text, NULL);
    rect_cut_top(&rest, 8);
    UiMessage message = {UI_MESSAGE_WARNING,
                         "notes.npz: tensor \"weights\" is [12,64], two axes more are needed",
                         "Open another"};
    if (!gallery->message_gone &&
        ui_message(ui, rect_cut_bottom(&rest, 36), "message", &message) == UI_ANSWER_CLOSE)
        gallery->message_gone = true;
    rect_cut_bottom(&rest, 8);
    ui_list(ui, rest, &(UiControl){.name = "list"}, gallery_models, GALLERY_MODELS, gallery->search,
            &gallery->item);
    /* Last: what lies on it was asked before. */
    UiArea figure = ui_area(ui, "figure", area);
    if (figure.pressed && figure.button == BUTTON_RIGHT)
        ui_open(ui, "figure.menu");
    gallery->figure = figure;
    const char *dropped = ui_take_dropped(ui);
    if (dropped)
        snprintf(gallery->dropped, sizeof gallery->dropped, "%s", dropped);
}

static inline void gallery_overlays(Ui *ui, Gallery *gallery)
{
    static const UiMenuItem items[] = {{.action = ACTION_COPY_CELL},
                                       {.action = ACTION_COPY_ROW},
                                       {.action = ACTION_COPY_MATRIX},
                                       {.separator = true},
                                       {.action = ACTION_TOGGLE_NUMBERS, .checked = true},
                                       {.action = ACTION_TRANSPOSE}};
    int answer = ui_menu(ui, "figure.menu", items, 6);
    if (answer >= 0)
        gallery->answer = answer;
    Rect body;
    if (ui_dialog_begin(ui, "dialog", ui_word(ui, STRING_ACTION_EXPORT), 420, 220, &body)) {
        Rect buttons = rect_cut_bottom(&body, 30);
        UiControl ok = {.name = "dialog.ok", .label = ui_word(ui, STRING_OK)};
        UiControl cancel = {.name = "dialog.cancel", .label = ui_word(ui, STRING_CANCEL)};
        if (ui_button(ui, rect_cut_right(&buttons, ui_button_width(ui, &ok)), &ok, UI_PRIMARY,
                      false))
            ui_close(ui, "dialog");
        rect_cut_right(&buttons, 8);
        if (ui_button(ui, rect_cut_right(&buttons, ui_button_width(ui, &cancel)), &cancel,
                      UI_FRAMED, false))
            ui_close(ui, "dialog");
        ui_choice(ui, rect_cut_top(&body, 30), &(UiControl){.name = "dialog.colour"}, UI_FRAMED,
                  gallery_colours, GALLERY_COLOURS, &gallery->colour);
        rect_cut_top(&body, 8);
        ui_field(ui, rect_cut_top(&body, 32), &(UiControl){.name = "dialog.field"}, gallery->second,
                 NULL);
        ui_dialog_end(ui);
    }
    ui_palette(ui);
    ui_help(ui);
}

/* One frame, between ui_begin and ui_end. */
static inline void gallery_draw(Ui *ui, Gallery *gallery)
{
    Rect window = ui_window(ui);
    gallery_top(ui, gallery, rect_cut_top(&window, 48));
    gallery_bottom(ui, gallery, rect_cut_bottom(&window, 44));
    gallery_left(ui, gallery, &window);
    gallery_right(ui, gallery, &window);
    gallery_middle(ui, gallery, window);
    gallery_overlays(ui, gallery);
    for (Action action; (action = ui_next_action(ui)) != ACTION_NONE;) {
        gallery->last = action;
        if (action == ACTION_PALETTE)
            ui_open(ui, "palette");
        if (action == ACTION_HELP)
            ui_open(ui, "help");
        if (action == ACTION_FOCUS_INPUT)
            ui_focus(ui, "input");
        if (action == ACTION_STEP_NEXT && gallery->step < 6)
            gallery->step++;
        if (action == ACTION_PLAY)
            gallery->playing = !gallery->playing;
    }
}

#endif
