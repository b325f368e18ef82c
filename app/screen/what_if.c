#include "screen/what_if.h"

#include <stdlib.h>

#include "base/memory.h"
#include "screen/screen_words.h"

WhatIf *what_if_new(const AppSpec *spec)
{
    WhatIf *w = memory_new(1, sizeof *w);
    w->worker = worker_new(spec->wake, spec->wake_context);
    w->lock_step = -1;
    w->chosen_pin = COMPARE_PIN_NEWEST;
    return w;
}

void what_if_free(WhatIf *w)
{
    if (!w)
        return;
    worker_free(w->worker);
    trace_release(w->versus);
    leave_one_out_free(&w->left_out);
    free(w->locked);
    free(w->versus_model);
    free(w->versus_asked);
    free(w->plain_asked);
    free(w->left_out_asked);
    free(w->left_out_problem);
    for (int i = 0; i < w->n_recent; i++)
        free(w->recent[i]);
    free(w);
}

static void forget(char **text)
{
    free(*text);
    *text = NULL;
}

void what_if_reset(App *app)
{
    WhatIf *w = app->what_if;
    trace_release(w->versus);
    w->versus = NULL;
    forget(&w->versus_model);
    forget(&w->versus_asked);
    forget(&w->plain_asked);
    forget(&w->left_out_asked);
    forget(&w->left_out_problem);
    leave_one_out_free(&w->left_out);
    w->left_out = (LeaveOneOut){0};
    w->left_out_is_done = false;
    w->chosen_pin = COMPARE_PIN_NEWEST;
    w->lock_step = -1;
    w->n_locked = 0;
}

int what_if_poll(App *app)
{
    int taken = worker_poll(app->what_if->worker);
    if (!app->trace)
        return taken;
    compare_poll(app);
    left_out_poll(app);
    if (app->spec.still && worker_is_busy(app->what_if->worker))
        what_if_settle(app);
    return taken;
}

void what_if_settle(App *app)
{
    do
        worker_wait(app->what_if->worker);
    while (worker_poll(app->what_if->worker) > 0);
}

/* ---- panes ---- */

static bool is_offered(const App *app, Pane pane)
{
    if (pane == PANE_LEFT_OUT)
        return left_out_is_offered(app);
    if (pane == PANE_FOLLOWED)
        return followed_is_offered(app);
    return pane == PANE_PINNED && app->trace && app->doc.n_pins > 0 &&
           view_find("heatmap")->offers(app->trace);
}

bool pane_is_open(const App *app)
{
    return is_offered(app, app->what_if->pane);
}

void pane_open(App *app, Pane pane)
{
    app->what_if->pane = pane;
    app->hover = app->selected = (ViewHit){0};
    if (pane != PANE_NONE)
        lab_open(app, LAB_CLOSED);
}

void pane_list(App *app, Rect *panel)
{
    static const struct {
        Pane pane;
        const char *name, *word;
    } panes[] = {{PANE_FOLLOWED, "view.followed", "followed"},
                 {PANE_LEFT_OUT, "view.left_out", "left_out"},
                 {PANE_PINNED, "view.pinned", "pinned"}};
    for (size_t i = 0; i < sizeof panes / sizeof panes[0]; i++) {
        if (!is_offered(app, panes[i].pane))
            continue;
        const UiControl control = {.name = panes[i].name,
                                   .label = screen_word(app->language, panes[i].word)};
        Rect row = rect_pad(rect_cut_top(panel, app->theme.row), 8, 0);
        if (ui_item(app->ui, row, &control, app->what_if->pane == panes[i].pane))
            pane_open(app, panes[i].pane);
        rect_cut_top(panel, 1);
    }
}

void screen_pane(App *app, Rect place)
{
    if (app->what_if->pane == PANE_LEFT_OUT)
        screen_left_out(app, place);
    else if (app->what_if->pane == PANE_FOLLOWED)
        screen_followed_pane(app, place);
    else
        screen_pinned(app, place);
}
