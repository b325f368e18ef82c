/* The dialog that exports: what the file will look like at the left, how it is made at the
 * right. What goes wrong is said in the dialog, which stays as it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "screen/export_work.h"
#include "screen/screen_words.h"

#define DIALOG_WIDTH  940
#define DIALOG_HEIGHT 620
#define OPTIONS_WIDTH 256
#define MOST_MAPS     16

static bool is_picture(FigureFormat format)
{
    return format <= FIGURE_GIF;
}

static Setting find_setting(const Settings *settings, const char *name)
{
    const Setting *s = settings_table(settings);
    while (s->name && strcmp(s->name, name) != 0)
        s++;
    return *s;
}

/* ---- rows of the options ---- */

static Rect next_row(App *app, Rect *rest)
{
    return rect_cut_top(rest, app->theme.row);
}

static void choose_format(App *app, Rect *rest)
{
    Exporting *e = app->exporting;
    UiOption list[FIGURE_FORMAT_COUNT];
    char names[FIGURE_FORMAT_COUNT][16];
    for (int i = 0; i < FIGURE_FORMAT_COUNT; i++) {
        const char *name = figure_format_name((FigureFormat)i);
        size_t n = strlen(name);
        for (size_t k = 0; k <= n; k++)
            names[i][k] =
                name[k] >= 'a' && name[k] <= 'z' && n < 5 ? (char)(name[k] - 32) : name[k];
        StringId group = i <= FIGURE_GIF ? STRING_PICTURES : STRING_NUMBERS;
        list[i] = (UiOption){
            .label = names[i],
            .help = screen_word(app->language, figure_format_about((FigureFormat)i)),
            .group = ui_word(app->ui, group),
        };
    }
    int chosen = (int)e->format;
    const UiControl control = {.name = "export.format", .label = ui_word(app->ui, STRING_FORMAT)};
    if (ui_choice(app->ui, next_row(app, rest), &control, UI_QUIET, list, FIGURE_FORMAT_COUNT,
                  &chosen))
        export_set_format(app, (FigureFormat)chosen);
}

/* "as on the screen", or one of the view's own. */
static void choose_colors(App *app, Rect *rest)
{
    const Settings *options = document_view(&app->doc, seen_view(app))->options;
    if (!settings_has(options, "colormap"))
        return;
    Exporting *e = app->exporting;
    char words[MOST_MAPS][sizeof e->colormap];
    UiOption list[MOST_MAPS + 1] = {{.label = ui_word(app->ui, STRING_AS_ON_SCREEN)}};
    int n = 1, chosen = 0;
    for (const char *p = find_setting(options, "colormap").choices; *p && n <= MOST_MAPS; n++) {
        size_t width = strcspn(p, "|");
        snprintf(words[n - 1], sizeof words[n - 1], "%.*s", (int)width, p);
        list[n].label = screen_word(app->language, words[n - 1]);
        chosen = strcmp(words[n - 1], e->colormap) == 0 ? n : chosen;
        p += width + (p[width] == '|');
    }
    const UiControl control = {.name = "export.colormap",
                               .label = screen_word(app->language, "colormap")};
    if (ui_choice(app->ui, next_row(app, rest), &control, UI_QUIET, list, n, &chosen))
        snprintf(e->colormap, sizeof e->colormap, "%s", chosen > 0 ? words[chosen - 1] : "");
}

static void setting(App *app, Rect *rest, const char *name)
{
    const Setting s = find_setting(app->exporting->settings, name);
    screen_option(app, next_row(app, rest), "export", app->exporting->settings, &s);
}

/* A number in a unit; for 0 `automatic` is shown. */
static void number(App *app, Rect *rest, const char *name, const char *format, double step,
                   double automatic)
{
    Settings *settings = app->exporting->settings;
    const Setting s = find_setting(settings, name);
    char tag[64], text[32];
    snprintf(tag, sizeof tag, "export.%s", name);
    double value = settings_real(settings, name);
    if (value == 0)
        value = automatic;
    const UiControl control = {
        .name = tag,
        .label = screen_word(app->language, name),
        .tip = screen_word(app->language, s.help),
    };
    const UiRange range = {.low = s.least, .high = s.most, .step = step, .format = format};
    if (!ui_number(app->ui, next_row(app, rest), &control, &range, &value))
        return;
    Error refused = {0};
    snprintf(text, sizeof text, "%.6g", value);
    if (!settings_set(settings, name, text, &refused))
        app_say(app, &refused);
}

/* The title is a text; here it is there or not. */
static void title(App *app, Rect *rest)
{
    Settings *settings = app->exporting->settings;
    bool on = strcmp(settings_text(settings, "title"), "none") != 0;
    Error refused = {0};
    const UiControl control = {.name = "export.title",
                               .label = screen_word(app->language, "title")};
    if (ui_check(app->ui, next_row(app, rest), &control, &on) &&
        !settings_set(settings, "title", on ? "auto" : "none", &refused))
        app_say(app, &refused);
}

static void picture_options(App *app, Rect *rest)
{
    Exporting *e = app->exporting;
    const Figure figure = {.settings = e->settings};
    double dpi = (double)figure_scale_fit(&figure, e->format, e->paper_w, e->paper_h) * 96;
    bool has_pages = settings_real(e->settings, "page") > 0;
    number(app, rest, "width", "%.0f mm", 1, 0);
    number(app, rest, "font", "%.1f pt", 0.5, 0);
    if (e->format == FIGURE_PNG || e->format == FIGURE_GIF)
        number(app, rest, "dpi", "%.0f dpi", 10, dpi);
    if (e->format == FIGURE_PDF)
        number(app, rest, "page", has_pages ? "%.0f mm" : ui_word(app->ui, STRING_ONE_PAGE), 1, 0);
    if (e->format == FIGURE_GIF)
        setting(app, rest, "delay");
    rect_cut_top(rest, 8);
    setting(app, rest, "theme");
    setting(app, rest, "background");
    choose_colors(app, rest);
    rect_cut_top(rest, 8);
    title(app, rest);
    setting(app, rest, "caption");
    if (e->format != FIGURE_GIF && app_n_steps(app) > 1)
        setting(app, rest, "steps");
    setting(app, rest, "origin");
}

/* ---- the file ---- */

static void draw_error(App *app, Rect *foot)
{
    const Exporting *e = app->exporting;
    if (!error_is_set(&e->error))
        return;
    TextStyle style = theme_text(&app->theme);
    style.color = app->theme.warning;
    Rect place = rect_cut_bottom(foot, 24);
    ui_label(app->ui, place, e->error.message, style);
    canvas_tag(ui_canvas(app->ui), place, TAG_LABEL, "export.error", e->error.message);
}

static void draw_foot(App *app, Rect foot)
{
    Exporting *e = app->exporting;
    const UiControl act = {
        .name = "export.act",
        .label = ui_word(app->ui, e->is_busy    ? STRING_WRITING
                                  : e->replaces ? STRING_REPLACE
                                                : STRING_EXPORT),
        .disabled = e->is_busy || !app->trace,
    };
    float width = ui_button_width(app->ui, &act);
    bool pressed = ui_button(app->ui, rect_cut_right(&foot, width), &act, UI_PRIMARY, false);
    rect_cut_right(&foot, 8);
    Error refused = {0};
    const UiControl name = {.name = "export.name", .label = ui_word(app->ui, STRING_FILE_NAME)};
    unsigned what = ui_field(app->ui, foot, &name, e->name, &refused);
    if (what & UI_FIELD_CHANGED)
        export_name_changed(app);
    if ((pressed || (what & UI_FIELD_SUBMITTED)) && !act.disabled)
        export_start(app);
}

void screen_export(App *app)
{
    Rect body;
    if (!ui_dialog_begin(app->ui, "export.dialog", ui_word(app->ui, STRING_ACTION_EXPORT),
                         DIALOG_WIDTH, DIALOG_HEIGHT, &body))
        return;
    Rect foot = rect_cut_bottom(&body, 32);
    rect_cut_bottom(&body, 4);
    draw_error(app, &body);
    rect_cut_bottom(&body, 8);
    Rect options = rect_cut_right(&body, OPTIONS_WIDTH);
    rect_cut_right(&body, 20);
    choose_format(app, &options);
    rect_cut_top(&options, 8);
    if (is_picture(app->exporting->format))
        picture_options(app, &options);
    if (app->trace)
        export_draw_preview(app, body);
    draw_foot(app, foot);
    ui_dialog_end(app->ui);
}
