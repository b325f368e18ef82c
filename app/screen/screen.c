/* The frame: places for the parts, playing, what the keyboard asked for. */
#include <math.h>

#include "screen/dump.h"
#include "screen/what_if.h"

#define TOP_HEIGHT    48
#define BOTTOM_HEIGHT 44
#define LEFT_WIDTH    176
#define RIGHT_WIDTH   276
#define PATIENCE      0.05 /* seconds of a frame for what a view has not read yet */
#define NARROW        1000 /* below this width the inspector makes room for the figure */

double app_wants_frame(const App *app)
{
    double wait = app->draws_on ? 0 : ui_wants_frame(app->ui);
    if (app->playing) {
        double tick = app->next_tick - ui_time(app->ui);
        wait = fmin(wait, fmax(0, tick));
    }
    if (error_is_set(&app->status))
        wait = fmin(wait, fmax(0, app->status_until - ui_time(app->ui)));
    if (app->keep_is_due)
        wait = fmin(wait, fmax(0, app->next_keep - ui_time(app->ui)));
    return wait;
}

/* A step every 0.7 seconds at normal speed; stops at the end. */
static void play(App *app)
{
    double now = ui_time(app->ui);
    if (!app->playing || now < app->next_tick)
        return;
    app->next_tick = now + 0.7 / app->speed;
    if (app->doc.step + 1 >= app_n_steps(app))
        app->playing = false;
    else
        app_go_to(app, app->doc.step + 1);
}

/* Panels at the sides; the figure takes what is left. The top bar and the bottom bar lie on
 * the panel's colour with a hairline towards the middle. */
static void draw_parts(App *app, Rect window)
{
    const Theme *t = &app->theme;
    canvas_fill(app->canvas, window, 0, t->background);
    Rect top = rect_cut_top(&window, TOP_HEIGHT);
    Rect bottom = rect_cut_bottom(&window, BOTTOM_HEIGHT);
    const UiControl left = {.name = "panel.left", .action = ACTION_PANEL_LEFT};
    const UiControl right = {.name = "panel.right", .action = ACTION_PANEL_RIGHT};
    Rect left_place =
        ui_panel(app->ui, &window, UI_SIDE_LEFT, LEFT_WIDTH, &left, &app->left_is_open);
    Rect right_place =
        ui_panel(app->ui, &window, UI_SIDE_RIGHT, RIGHT_WIDTH, &right, &app->right_is_open);
    screen_paper(app, &window);
    screen_figure(app, window);
    if (!rect_is_empty(left_place))
        screen_left(app, left_place);
    if (!rect_is_empty(right_place))
        screen_right(app, right_place);
    canvas_fill(app->canvas, top, 0, t->panel);
    canvas_fill(app->canvas, (Rect){top.x, top.y + top.h - 1, top.w, 1}, 0, t->line);
    canvas_fill(app->canvas, bottom, 0, t->panel);
    canvas_fill(app->canvas, (Rect){bottom.x, bottom.y, bottom.w, 1}, 0, t->line);
    screen_top(app, top);
    screen_bottom(app, bottom);
    screen_files(app);
    screen_sentences(app);
    screen_tokens(app);
    screen_stories(app);
    screen_export(app);
    change_menu(app);
    screen_keys(app);
    ui_palette(app->ui);
    ui_help(app->ui);
}

/* A file dropped anywhere on the window is opened. */
static void take_drop(App *app)
{
    Error error = {0};
    const char *path = ui_take_dropped(app->ui);
    if (path && !dump_takes_dropped(app, path) && !app_open(app, path, &error))
        app_say(app, &error);
}

void app_frame(App *app, Input *input)
{
    app->frame_until = app->spec.still ? 0 : clock_seconds() + PATIENCE;
    worker_poll(app->runs);
    worker_poll(app->tasks);
    what_if_poll(app);
    dump_poll(app);
    keys_take(app, input);
    lab_poll(app);
    bool unavailable[ACTION_COUNT];
    app_find_unavailable(app, unavailable);
    const char *meanings[ACTION_COUNT];
    app_find_meanings(app, meanings);
    const UiFrame frame = {
        .canvas = app->canvas,
        .fonts = app->fonts,
        .theme = &app->theme,
        .input = input,
        .language = app->language,
        .keys = &app->keys,
        .unavailable = unavailable,
        .meanings = meanings,
        .clipboard = app->spec.clipboard,
        .still = app->spec.still,
    };
    ui_begin(app->ui, &frame);
    play(app);
    if (error_is_set(&app->status) && ui_time(app->ui) >= app->status_until)
        error_clear(&app->status);
    take_drop(app);
    draw_parts(app, ui_window(app->ui));
    for (Action action; (action = ui_next_action(app->ui)) != ACTION_NONE;)
        app_do(app, action);
    app->draws_on = view_cache_is_asked_again(app->cache);
    app_keep(app);
    ui_end(app->ui);
}
