/* The middle of the window: the current view, and what the pointer does to it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/what_if.h"
#include "views/links.h"

#define MARGIN       24
#define WHEEL_ZOOM   1.2f
#define WHEEL_SCROLL 60.0f

ViewFrame app_view_frame(App *app, Rect area)
{
    DocumentView *state = document_view(&app->doc, app->doc.view);
    ViewFrame frame = {
        .trace = app->trace,
        .other = app_other(app),
        .step = app_step(app),
        .area = area,
        .camera = state->camera,
        .hover = app->hover,
        .selected = app->selected,
        .locks = change_locks(app),
        .options = state->options,
        .theme = &app->theme,
        .fonts = app->fonts,
        .cache = app->cache,
        .language = (int)app->language,
        .until = app->frame_until,
    };
    memcpy(frame.at, state->at, sizeof frame.at);
    return frame;
}

/* ---- moving a local window ---- */

static void move_window(App *app, const UiArea *area)
{
    ViewFrame frame = app_view_frame(app, app->figure);
    ViewHit hit = app->doc.view->hit(&frame, area->x, app->drag.box.y);
    if (hit.kind != HIT_WINDOW && hit.kind != HIT_COL && hit.kind != HIT_CELL)
        return;
    int step = app_step(app);
    const TraceWindow *window = trace_step(app->trace, step)->window;
    double at = (double)hit.x;
    if (app->drag.row == 0)
        run_edits_set_centre(app->doc.edits, step, at, 0);
    else if (window)
        run_edits_set_step_window(app->doc.edits, step,
                                  (int)fmax(1, round(fabs(at - window->centre))));
    app_run(app);
}

/* ---- the pointer ---- */

static void press(App *app, const UiArea *area, const ViewHit *hit)
{
    app->drag.kind = DRAG_NONE;
    app->drag.x = area->x;
    app->drag.y = area->y;
    app->drag.box = (Rect){area->x, area->y, 0, 0};
    DragKind picture = area->button == 1 ? picture_press(app, hit) : DRAG_NONE;
    if (picture != DRAG_NONE)
        app->drag.kind = picture;
    else if (area->button != 1)
        app->drag.kind = DRAG_PAN;
    else if (hit->kind == HIT_WINDOW) {
        app->drag.kind = DRAG_WINDOW;
        app->drag.row = hit->col;
    } else if ((area->mods & MOD_SHIFT) != 0)
        app->drag.kind = DRAG_BOX;
    else if (change_can_paint(app, hit))
        change_begin_painting(app, hit);
    else
        app->drag.kind = DRAG_PAN;
}

static void drag(App *app, const UiArea *area, const ViewHit *hit)
{
    Drag *d = &app->drag;
    float dx = area->x - d->x, dy = area->y - d->y;
    ViewCamera *camera = &document_view(&app->doc, app->doc.view)->camera;
    ViewFrame frame = app_view_frame(app, app->figure);
    switch (d->kind) {
    case DRAG_PAN: *camera = view_pan(app->doc.view, &frame, dx, dy); break;
    case DRAG_PAINT: change_paint(app, hit, dx, dy); break;
    case DRAG_WINDOW: move_window(app, area); break;
    case DRAG_OBJECT:
    case DRAG_EYE: picture_drag(app, hit); break;
    case DRAG_BOX:
    case DRAG_NEW:
    case DRAG_NONE: break;
    }
    d->x = area->x;
    d->y = area->y;
    float x = fminf(area->from_x, area->x), y = fminf(area->from_y, area->y);
    d->box.w = fabsf(area->x - area->from_x);
    d->box.h = fabsf(area->y - area->from_y);
    if (d->kind == DRAG_BOX)
        d->box = (Rect){x, y, d->box.w, d->box.h};
}

static bool has_moved(const UiArea *area)
{
    return fabsf(area->x - area->from_x) + fabsf(area->y - area->from_y) > 4;
}

/* Turns over what a selection says of a word. */
static bool flip(App *app, const ViewHit *hit)
{
    const TraceTensor *heads = trace_find(app->trace, "head.probabilities");
    bool is_head = hit->kind == HIT_ROW;
    if (!app->model || !heads || strcmp(app->doc.view->name, "selection") != 0 ||
        (!is_head && hit->kind != HIT_COL))
        return false;
    int n = trace_tensor_len(app->trace, heads, heads->rank - 1);
    run_edits_flip(app->doc.edits, 0, is_head ? hit->row : n + hit->col);
    app_edited(app);
    return true;
}

/* Hard attention looks where the person says. */
static bool choose_cell(App *app, const ViewHit *hit)
{
    const char *attention = trace_attribute(app->trace, "attention");
    if (!app->model || hit->kind != HIT_CELL || strcmp(app->doc.view->name, "image") != 0 ||
        !attention || strcmp(attention, "hard") != 0)
        return false;
    run_edits_forget_after(app->doc.edits, hit->row);
    run_edits_set_selected(app->doc.edits, hit->row, hit->col);
    app_edited(app);
    return true;
}

/* A minimap was pressed: that part of the view comes into the middle. */
static void scroll_to(App *app, float share)
{
    const View *view = app->doc.view;
    ViewFrame frame = app_view_frame(app, app->figure);
    if (!view->port)
        return;
    ViewPort port = view->port(&frame);
    document_view(&app->doc, view)->camera =
        view_camera(&port, (ViewCamera){1, 0, share * port.height - port.place.h / 2});
}

/* A click, as far as the view does not only select: rows go to their step, column labels
 * hide their word, candidates are written. */
static void click(App *app, const UiArea *area, const ViewHit *hit)
{
    if (area->button == BUTTON_RIGHT) {
        change_open_menu(app, hit);
        return;
    }
    if (flip(app, hit) || choose_cell(app, hit))
        return;
    app->selected = *hit;
    if (area->clicks >= 2) {
        document_view(&app->doc, app->doc.view)->camera = (ViewCamera){0};
        return;
    }
    if (change_click(app, hit))
        return;
    switch (hit->kind) {
    case HIT_CELL:
    case HIT_ROW:
    case HIT_STEP:
        if (hit->row < app_n_steps(app))
            app_go_to(app, hit->row);
        break;
    case HIT_SCROLL: scroll_to(app, hit->y); break;
    case HIT_HEAD: {
        if (app->doc.view == view_find("links")) {
            links_toggle_head(document_view(&app->doc, app->doc.view)->options, hit->col);
            break;
        }
        DocumentView *heatmap = document_view(&app->doc, view_find("heatmap"));
        heatmap->at[0] = hit->row;
        heatmap->at[1] = hit->col;
        app_choose_view(app, view_find("heatmap"));
        break;
    }
    default: break;
    }
}

static void release(App *app, const UiArea *area, const ViewHit *hit)
{
    Drag *d = &app->drag;
    bool is_click = !has_moved(area);
    if (d->kind >= DRAG_OBJECT)
        picture_release(app, hit);
    if (is_click && d->kind != DRAG_EYE)
        click(app, area, hit);
    else if (d->kind == DRAG_BOX) {
        ViewFrame frame = app_view_frame(app, app->figure);
        document_view(&app->doc, app->doc.view)->camera =
            view_zoom_to(app->doc.view, &frame, d->box);
    } else if (d->kind == DRAG_PAINT || d->kind == DRAG_WINDOW)
        document_commit(&app->doc);
    d->kind = DRAG_NONE;
}

/* Zooms, or scrolls what has one size only. */
static void turn_wheel(App *app, const ViewFrame *frame, const UiArea *area)
{
    const View *view = app->doc.view;
    ViewCamera *camera = &document_view(&app->doc, view)->camera;
    bool scrolls = view->port && view->port(frame).max_zoom <= 1;
    *camera = scrolls ? view_pan(view, frame, 0, WHEEL_SCROLL * area->wheel_y)
                      : view_zoom(view, frame, area->x, area->y, powf(WHEEL_ZOOM, area->wheel_y));
}

static void answer(App *app, Rect place)
{
    UiArea area = ui_area(app->ui, "figure", place);
    ViewFrame frame = app_view_frame(app, place);
    ViewHit hit = {0};
    if (area.inside || area.held)
        hit = app->doc.view->hit(&frame, area.x, area.y);
    app->hover = hit;
    if (area.wheel_y != 0)
        turn_wheel(app, &frame, &area);
    if (area.pressed)
        press(app, &area, &hit);
    if (area.held)
        drag(app, &area, &hit);
    if (area.released)
        release(app, &area, &hit);
}

static void draw_box(App *app)
{
    if (app->drag.kind != DRAG_BOX)
        return;
    canvas_fill(app->canvas, app->drag.box, 0, color_fade(app->theme.accent, 0.12f));
    canvas_frame(app->canvas, app->drag.box, 0, (Stroke){app->theme.accent, 1, 0});
}

/* A chart instead of a view; lets go of it. */
static void draw_chart(App *app, Rect place, Seen seen)
{
    Rect area = rect_pad(place, MARGIN, MARGIN);
    ViewFrame frame = app_view_frame(app, area);
    UiArea pointer = ui_area(app->ui, "figure", area);
    app->hover = (ViewHit){0};
    if (!pointer.inside || !seen.hit ||
        !seen.hit(seen.context, &frame, pointer.x, pointer.y, &app->hover))
        app->hover = (ViewHit){0};
    frame.hover = app->hover;
    canvas_clip_push(app->canvas, place);
    seen.drawing.draw(seen.context, &frame, app->canvas);
    canvas_clip_pop(app->canvas);
    seen.release(seen.context);
}

void screen_figure(App *app, Rect place)
{
    Rect area = rect_pad(place, MARGIN, MARGIN);
    app->figure = area;
    if (!app->trace) {
        ui_label(app->ui, place, "", theme_muted(&app->theme));
        return;
    }
    switch (lab_is_open(app)) {
    case LAB_RUNS: screen_lab(app, place); return;
    case LAB_LENGTHS: draw_chart(app, place, lengths_seen(app)); return;
    case LAB_COST: draw_chart(app, place, cost_seen(app)); return;
    case LAB_CLOSED: break;
    }
    if (pane_is_open(app)) {
        screen_pane(app, place);
        return;
    }
    answer(app, area);
    canvas_clip_push(app->canvas, place);
    ViewFrame frame = app_view_frame(app, area);
    app->doc.view->draw(&frame, app->canvas);
    draw_box(app);
    canvas_clip_pop(app->canvas);
}
