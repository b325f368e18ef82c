/* The bar at the bottom: steps forwards and back, playing, and what was just said. */
#include <stdio.h>
#include <string.h>

#include "screen/app_internal.h"
#include "screen/screen_words.h"

#define BUTTON 32
#define GAP    4

static void transport_buttons(App *app, Rect *bar)
{
    static const struct {
        const char *name;
        Action action;
        Icon icon;
    } icons[] = {
        {"first", ACTION_STEP_FIRST, ICON_FIRST}, {"previous", ACTION_STEP_PREVIOUS, ICON_PREVIOUS},
        {"play", ACTION_PLAY, ICON_PLAY},         {"next", ACTION_STEP_NEXT, ICON_NEXT},
        {"last", ACTION_STEP_LAST, ICON_LAST},
    };
    for (size_t i = 0; i < sizeof icons / sizeof icons[0]; i++) {
        bool plays = icons[i].action == ACTION_PLAY;
        const UiControl control = {.name = icons[i].name,
                                   .action = icons[i].action,
                                   .icon = plays && app->playing ? ICON_PAUSE : icons[i].icon};
        ui_button(app->ui, rect_middle(rect_cut_left(bar, BUTTON), 30, 28), &control, UI_FRAMED,
                  plays && app->playing);
        rect_cut_left(bar, GAP);
    }
}

/* A word as it is; of a classifier's steps what they are called. */
static const char *step_word(const App *app)
{
    const char *token = trace_step(app->trace, app_step(app))->token;
    char name[48];
    snprintf(name, sizeof name, "stage.%s", token);
    const char *word = app_has_stages(app) ? screen_word(app->language, name) : token;
    return strcmp(word, name) == 0 ? token : word;
}

/* "step 4 of 6 · pomme" */
static void step_label(App *app, Rect *bar)
{
    Rect place = rect_cut_left(bar, 190);
    int n = app_n_steps(app);
    if (n == 0)
        return;
    rect_cut_left(&place, 8);
    char text[128];
    snprintf(text, sizeof text, ui_word(app->ui, STRING_STEP_OF), app_step(app) + 1, n);
    TextStyle muted = theme_muted(&app->theme), bold = theme_title(&app->theme);
    float width = fonts_width(app->fonts, text, &muted);
    ui_label(app->ui, rect_cut_left(&place, width + 1), text, muted);
    const char *token = step_word(app);
    if (!*token)
        return;
    ui_label(app->ui, rect_cut_left(&place, 12), " · ", muted);
    ui_label(app->ui, place, token, bold);
}

static void scrub_bar(App *app, Rect bar)
{
    int n = app_n_steps(app);
    if (n < 2)
        return;
    double value = app_step(app);
    const UiControl control = {.name = "steps", .tip = ui_word(app->ui, STRING_THIS_STEP)};
    const UiRange range = {
        .low = 0, .high = n - 1, .step = 1, .ticks = n <= 60 ? n : 0, .whole = true};
    if (ui_slider(app->ui, bar, &control, &range, &value)) {
        app->playing = false;
        app_go_to(app, (int)value);
    }
}

static void speed(App *app, Rect place)
{
    char text[32];
    snprintf(text, sizeof text, ui_word(app->ui, STRING_SPEED), app->speed);
    const UiControl control = {.name = "speed", .label = text, .action = ACTION_FASTER};
    ui_button(app->ui, rect_middle(place, place.w, 26), &control, UI_QUIET, false);
}

/* How long the run took, or that it runs. */
static void timing(App *app, Rect place)
{
    TextStyle style = theme_muted(&app->theme);
    style.align = ALIGN_END;
    char text[64] = "";
    const char *words = text;
    if (app->shown != app->ticket)
        words = ui_word(app->ui, STRING_RUNNING);
    else if (app->trace && !app->spec.still) /* pictures of scripts never differ */
        snprintf(text, sizeof text, ui_word(app->ui, STRING_RAN_IN), app->run_seconds * 1e3);
    ui_label(app->ui, place, words, style);
}

static void message(App *app, Rect place)
{
    const UiMessage m = {
        .kind = app->status_is_good ? UI_MESSAGE_INFO : UI_MESSAGE_ERROR,
        .text = app->status.message,
    };
    if (ui_message(app->ui, place, "status", &m) == UI_ANSWER_CLOSE)
        error_clear(&app->status);
}

static void offer_lost_work(App *app, Rect place)
{
    const UiMessage m = {
        .kind = UI_MESSAGE_WARNING,
        .text = ui_word(app->ui, STRING_LOST_WORK),
        .action = ui_word(app->ui, STRING_RESTORE),
    };
    UiAnswer answer = ui_message(app->ui, place, "lost-work", &m);
    if (answer == UI_ANSWER_ACTION)
        app_recover(app);
    else if (answer == UI_ANSWER_CLOSE)
        app->has_lost_work = false;
}

void screen_bottom(App *app, Rect place)
{
    Rect bar = rect_pad(place, 12, 0);
    transport_buttons(app, &bar);
    step_label(app, &bar);
    if (app->has_lost_work)
        offer_lost_work(app, rect_cut_right(&bar, bar.w * 0.65f));
    else if (error_is_set(&app->status))
        message(app, rect_cut_right(&bar, bar.w * 0.65f));
    else
        timing(app, rect_cut_right(&bar, 130));
    rect_cut_right(&bar, 12);
    speed(app, rect_cut_right(&bar, 40));
    rect_cut_right(&bar, 12);
    scrub_bar(app, bar);
}
