/* What a person does to the picture: moves the objects of a scene, turns the model's eye. A
 * scene is its JSON, so it stands in the input field, is saved with a session, and can be
 * typed as well. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "image/scene.h"
#include "screen/app_internal.h"

#define NEW_SIZE 0.3

static bool has_task(const App *app, ModelTask task)
{
    return app->model && model_task(app->model) == task;
}

static bool is_image(const App *app)
{
    return app->trace && strcmp(app->doc.view->name, "image") == 0;
}

void picture_look_at(App *app, const char *text)
{
    app_look_at_picture(app, (Picture){0});
    document_set_text(&app->doc, text);
    app_run(app);
}

/* ---- scenes ---- */

static bool read_scene(const App *app, Scene *scene)
{
    Error none = {0};
    return !app->doc.picture.rgba &&
           scene_parse(app->doc.text, run_edits_options(app->doc.edits)->seed, scene, &none);
}

static void write_scene(App *app, const Scene *scene)
{
    StrBuf text = {0};
    scene_write_json(scene, &text);
    picture_look_at(app, text.text);
    strbuf_free(&text);
}

/* The topmost object at a place, or -1. */
static int object_at(const Scene *scene, double x, double y)
{
    for (int i = scene->n - 1; i >= 0; i--) {
        const SceneObject *o = &scene->objects[i];
        if (fabs(x - o->x) <= o->size / 2 && fabs(y - o->y) <= o->size / 2)
            return i;
    }
    return -1;
}

static bool take_object(App *app, const ViewHit *hit)
{
    Scene scene;
    int i = read_scene(app, &scene) ? object_at(&scene, (double)hit->x, (double)hit->y) : -1;
    if (i < 0)
        return false;
    app->drag.row = i;
    app->drag.off_x = hit->x - (float)scene.objects[i].x;
    app->drag.off_y = hit->y - (float)scene.objects[i].y;
    return true;
}

static void move_object(App *app, const ViewHit *hit)
{
    Scene scene;
    if (!read_scene(app, &scene) || app->drag.row >= scene.n)
        return;
    SceneObject *o = &scene.objects[app->drag.row];
    double x = (double)(hit->x - app->drag.off_x), y = (double)(hit->y - app->drag.off_y);
    if (fabs(x - o->x) + fabs(y - o->y) < 0.002)
        return;
    o->x = fmin(1, fmax(0, x));
    o->y = fmin(1, fmax(0, y));
    write_scene(app, &scene);
}

/* What was dragged out of the picture; the last one stays. */
static void drop_object(App *app)
{
    Scene scene;
    if (!read_scene(app, &scene) || scene.n < 2 || app->drag.row >= scene.n)
        return;
    memmove(&scene.objects[app->drag.row], &scene.objects[app->drag.row + 1],
            (size_t)(--scene.n - app->drag.row) * sizeof scene.objects[0]);
    write_scene(app, &scene);
}

/* Where the new object is farthest from all others. */
static void place_object(const Scene *scene, SceneObject *out)
{
    double best = -1;
    for (int i = 0; i < 25; i++) {
        double x = 0.17 + 0.165 * (i % 5), y = 0.17 + 0.165 * (i / 5), nearest = 2;
        for (int k = 0; k < scene->n; k++)
            nearest = fmin(nearest, hypot(x - scene->objects[k].x, y - scene->objects[k].y));
        if (nearest > best) {
            best = nearest;
            out->x = x;
            out->y = y;
        }
    }
}

/* at NULL: where there is room. false: the scene is full, which is said. */
static bool add_object(App *app, int kind, const ViewHit *at)
{
    Scene scene;
    SceneObject o = {.kind = kind, .size = NEW_SIZE};
    Error why = {0};
    if (!read_scene(app, &scene) && !scene_parse(scene_kind(kind)->name, 0, &scene, &why)) {
        app_say(app, &why);
        return false;
    }
    if (!read_scene(app, &scene))
        scene.n = 0;
    if (scene.n == SCENE_MAX_OBJECTS) {
        error_set(&why, ERROR_LIMIT, ui_word(app->ui, STRING_SCENE_FULL), SCENE_MAX_OBJECTS);
        app_say(app, &why);
        return false;
    }
    place_object(&scene, &o);
    if (at) {
        o.x = (double)at->x;
        o.y = (double)at->y;
    }
    scene.objects[scene.n++] = o;
    write_scene(app, &scene);
    return true;
}

/* ---- the pointer ---- */

static bool is_place(const ViewHit *hit)
{
    return hit->kind == HIT_POINT || hit->kind == HIT_CELL;
}

/* The glimpse of this step goes where the pointer is. What was chosen for later steps was
 * chosen after what it saw here. */
static void turn_eye(App *app, const ViewHit *hit)
{
    run_edits_forget_after(app->doc.edits, app_step(app));
    run_edits_set_centre(app->doc.edits, app_step(app), (double)hit->x, (double)hit->y);
    app_run(app);
}

DragKind picture_press(App *app, const ViewHit *hit)
{
    if (!is_image(app) || !is_place(hit))
        return DRAG_NONE;
    if (has_task(app, TASK_CAPTION) && take_object(app, hit))
        return DRAG_OBJECT;
    if (!has_task(app, TASK_DIGIT))
        return DRAG_NONE;
    turn_eye(app, hit);
    return DRAG_EYE;
}

void picture_drag(App *app, const ViewHit *hit)
{
    if (!is_place(hit))
        return;
    if (app->drag.kind == DRAG_OBJECT)
        move_object(app, hit);
    else
        turn_eye(app, hit);
}

void picture_release(App *app, const ViewHit *hit)
{
    if (app->drag.kind == DRAG_EYE) {
        document_commit(&app->doc);
        return;
    }
    if (!is_place(hit))
        drop_object(app);
    app_fill_fields(app);
}

/* ---- the panel ---- */

/* One step of carrying a new object: once it is over the picture it is an object like the
 * others, which follows the pointer and is thrown out when it is let go outside. */
static void carry(App *app, const UiArea *area)
{
    ViewFrame frame = app_view_frame(app, app->figure);
    ViewHit hit = {0};
    if (is_image(app))
        hit = app->doc.view->hit(&frame, area->x, area->y);
    app->drag.x = area->x;
    app->drag.y = area->y;
    if (app->drag.kind == DRAG_OBJECT) {
        picture_drag(app, &hit);
    } else if (is_place(&hit) && add_object(app, app->drag.row, &hit)) {
        Scene scene;
        app->drag.kind = read_scene(app, &scene) ? DRAG_OBJECT : DRAG_NONE;
        app->drag.row = scene.n - 1;
        app->drag.off_x = app->drag.off_y = 0;
    }
    if (!area->released)
        return;
    if (app->drag.kind == DRAG_OBJECT)
        picture_release(app, &hit);
    else if (app->drag.kind == DRAG_NEW && area->inside && add_object(app, app->drag.row, NULL))
        app_fill_fields(app);
    app->drag.kind = DRAG_NONE;
}

static void draw_emoji(App *app, int kind, Point middle, float size)
{
    TextStyle style = theme_text(&app->theme);
    style.size = size;
    style.align = ALIGN_MIDDLE;
    canvas_text(ui_canvas(app->ui), (Point){middle.x, middle.y + 0.36f * size},
                scene_kind(kind)->emoji, style);
}

static void palette_cell(App *app, Rect cell, int kind)
{
    char name[64];
    snprintf(name, sizeof name, "picture.kind.%s", scene_kind(kind)->name);
    UiArea area = ui_area(app->ui, name, cell);
    canvas_tag(ui_canvas(app->ui), cell, TAG_BUTTON, name, scene_kind(kind)->name);
    if (area.inside && app->drag.kind == DRAG_NONE) {
        const char *tip = scene_kind(kind)->name;
        ui_set_cursor(app->ui, UI_CURSOR_HAND);
        canvas_fill(ui_canvas(app->ui), cell, 4, app->theme.accent_tint);
        ui_tip_lines(app->ui, &tip, 1);
    }
    draw_emoji(app, kind, (Point){cell.x + cell.w / 2, cell.y + cell.h / 2}, 17);
    if (area.pressed) {
        app->drag.kind = DRAG_NEW;
        app->drag.row = kind;
    }
    if ((area.held || area.released) && app->drag.kind != DRAG_NONE)
        carry(app, &area);
}

/* All kinds of objects, to be dragged into the picture or clicked. */
static void palette(App *app, Rect *panel)
{
    const float cell = 26;
    Rect room = rect_pad(*panel, 8, 0);
    int columns = (int)fmaxf(1, floorf(room.w / cell)), n = scene_n_kinds();
    for (int i = 0; i < n; i++)
        palette_cell(app,
                     (Rect){room.x + (float)(i % columns) * cell,
                            room.y + (float)(i / columns) * cell, cell, cell},
                     i);
    rect_cut_top(panel, (float)((n + columns - 1) / columns) * cell + 4);
}

void picture_draw_carried(App *app)
{
    if (app->drag.kind == DRAG_NEW)
        draw_emoji(app, app->drag.row, (Point){app->drag.x, app->drag.y}, 34);
}

static void scene_rows(App *app, Rect *panel)
{
    enum { MOST = 64 };
    UiOption options[MOST];
    int n = scene_n_kinds() < MOST ? scene_n_kinds() : MOST, chosen = -1;
    for (int i = 0; i < n; i++)
        options[i] = (UiOption){.label = scene_kind(i)->name, .note = scene_kind(i)->emoji};
    palette(app, panel);
    const UiControl add = {.name = "picture.add", .label = ui_word(app->ui, STRING_ADD_OBJECT)};
    Rect row = rect_pad(rect_cut_top(panel, app->theme.row), 8, 0);
    if (ui_choice(app->ui, row, &add, UI_QUIET, options, n, &chosen) &&
        add_object(app, chosen, NULL))
        app_fill_fields(app);
    Rect note = rect_pad(*panel, 16, 4);
    float height =
        ui_paragraph(app->ui, note, ui_word(app->ui, STRING_SCENE_TIP), theme_muted(&app->theme));
    rect_cut_top(panel, height + 8);
}

void picture_rows(App *app, Rect *panel)
{
    if (!has_task(app, TASK_DIGIT) && !has_task(app, TASK_CAPTION))
        return;
    ui_caption(app->ui, panel, ui_word(app->ui, STRING_PICTURE));
    if (has_task(app, TASK_DIGIT))
        pad_rows(app, panel);
    else
        scene_rows(app, panel);
    rect_cut_top(panel, 12);
}

void picture_fix(App *app)
{
    Scene scene;
    if (has_task(app, TASK_CAPTION) && read_scene(app, &scene)) {
        write_scene(app, &scene);
        app_fill_fields(app);
    }
}
