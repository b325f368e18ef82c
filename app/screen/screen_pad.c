/* The pad on which digits are drawn: black, with white ink. What is drawn is the text of its
 * strokes (image/drawing.h), so it stands in the input field, is saved with a session, and
 * can be typed as well. The model sees it centred and scaled, as its training data were. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "image/drawing.h"
#include "screen/app_internal.h"

#define ERASER 7    /* hundredths of the pad's side */
#define PEN    9.0f /* likewise                     */

static const char *drawing(const App *app)
{
    return !app->doc.picture.rgba && drawing_is_one(app->doc.text) ? app->doc.text : "";
}

/* "x,y" at the beginning of the text; its length, 0: there is none. */
static size_t read_point(const char *p, double *x, double *y)
{
    size_t n = number_parse(p, strcspn(p, ", /\t\r\n"), x);
    if (n == 0 || p[n] != ',')
        return 0;
    size_t k = number_parse(p + n + 1, strcspn(p + n + 1, ", /\t\r\n"), y);
    return k > 0 ? n + 1 + k : 0;
}

/* ---- changes ---- */

static void change(App *app, const char *text)
{
    app->at_end = true;
    picture_look_at(app, text);
}

static void draw_point(App *app, double x, double y, bool begins)
{
    char point[32];
    const char *text = drawing(app);
    snprintf(point, sizeof point, "%.0f,%.0f", x, y);
    size_t n = strlen(text), k = strlen(point);
    bool stands_still =
        !begins && n > k && text[n - k - 1] == ' ' && strcmp(text + n - k, point) == 0;
    if (stands_still)
        return;
    StrBuf longer = {0};
    strbuf_addf(&longer, "%s%s%s", text, !*text ? "" : begins ? " / " : " ", point);
    change(app, longer.text);
    strbuf_free(&longer);
}

/* Points near (x, y) go; a stroke that loses some in its middle becomes two. */
static void erase(App *app, double x, double y)
{
    StrBuf rest = {0};
    bool joins = false, erased = false;
    for (const char *p = drawing(app); *p;) {
        double px, py;
        size_t used = read_point(p, &px, &py);
        bool is_near = used > 0 && hypot(px - x, py - y) < ERASER;
        if (used > 0 && !is_near)
            strbuf_addf(&rest, "%s%g,%g", joins ? " " : rest.length > 0 ? " / " : "", px, py);
        if (used > 0 || *p == '/')
            joins = used > 0 && !is_near;
        erased = erased || is_near;
        p += used > 0 ? used : 1;
    }
    if (erased)
        change(app, rest.text ? rest.text : "");
    strbuf_free(&rest);
}

static void undo_stroke(App *app)
{
    char *text = memory_copy_string(drawing(app)), *last = strrchr(text, '/');
    while (last && last > text && last[-1] == ' ')
        last--;
    *(last ? last : text) = '\0';
    change(app, text);
    free(text);
    app_fill_fields(app);
}

/* ---- the pad ---- */

static void draw_ink(App *app, Rect pad)
{
    const Color ink = 0xFFFFFFFF;
    const float scale = pad.w / 100;
    Point last = {0};
    bool joins = false;
    canvas_fill(app->canvas, pad, 4, 0x000000FF);
    canvas_clip_push(app->canvas, pad);
    for (const char *p = drawing(app); *p;) {
        double x, y;
        size_t used = read_point(p, &x, &y);
        if (used > 0) {
            Point at = {pad.x + (float)x * scale, pad.y + (float)y * scale};
            canvas_circle(app->canvas, at, PEN * scale / 2, ink, (Stroke){0, 0, 0});
            if (joins)
                canvas_line(app->canvas, last, at, (Stroke){ink, PEN * scale, 0});
            last = at;
        }
        if (used > 0 || *p == '/')
            joins = used > 0;
        p += used > 0 ? used : 1;
    }
    canvas_clip_pop(app->canvas);
}

static void answer(App *app, Rect pad)
{
    UiArea area = ui_area(app->ui, "picture.pad", pad);
    canvas_tag(app->canvas, pad, TAG_FIELD, "picture.pad", drawing(app));
    if (area.inside || area.held)
        ui_set_cursor(app->ui, UI_CURSOR_CROSS);
    if (area.pressed || area.held) {
        double x = fmin(100, fmax(0, 100 * (double)((area.x - pad.x) / pad.w)));
        double y = fmin(100, fmax(0, 100 * (double)((area.y - pad.y) / pad.h)));
        if (app->erases || area.button != 1)
            erase(app, x, y);
        else
            draw_point(app, x, y, area.pressed);
    }
    if (area.released)
        app_fill_fields(app);
}

void pad_rows(App *app, Rect *panel)
{
    Rect pad = rect_pad(*panel, 8, 4);
    pad.h = pad.w;
    rect_cut_top(panel, pad.h + 12);
    draw_ink(app, pad);
    answer(app, pad);
    Rect row = rect_pad(rect_cut_top(panel, app->theme.row), 8, 0);
    Rect left = rect_cut_left(&row, floorf(row.w / 2) - 2);
    rect_cut_left(&row, 4);
    const UiControl undo = {.name = "picture.undo",
                            .label = ui_word(app->ui, STRING_UNDO_STROKE),
                            .disabled = !*drawing(app)};
    const UiControl clear = {.name = "picture.clear",
                             .label = ui_word(app->ui, STRING_CLEAR_PICTURE),
                             .disabled = !app->doc.picture.rgba && !*app->doc.text};
    const UiControl eraser = {.name = "picture.erase", .label = ui_word(app->ui, STRING_ERASE)};
    if (ui_button(app->ui, left, &undo, UI_FRAMED, false))
        undo_stroke(app);
    if (ui_button(app->ui, row, &clear, UI_FRAMED, false)) {
        change(app, "");
        app_fill_fields(app);
    }
    ui_check(app->ui, rect_pad(rect_cut_top(panel, app->theme.row), 8, 0), &eraser, &app->erases);
}
