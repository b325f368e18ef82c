/* Text and boxes, and what all controls do with their words. */
#include <string.h>

#include "ui/ui_internal.h"

void ui_clip_push(Ui *ui, Rect rect)
{
    FOVEA_CHECK(ui->n_clips < UI_MAX_CLIPS, "more than %d clips", UI_MAX_CLIPS);
    ui->clips[ui->n_clips] = rect_common(rect, ui->clips[ui->n_clips - 1]);
    canvas_clip_push(ui_canvas(ui), ui->clips[ui->n_clips]);
    ui->n_clips++;
}

void ui_clip_pop(Ui *ui)
{
    FOVEA_CHECK(ui->n_clips > 1, "no clip is open");
    ui->n_clips--;
    canvas_clip_pop(ui_canvas(ui));
}

/* Half of the height of capitals, of the size that most of the interface has: whatever stands
 * in one row stands on one line. */
float ui_baseline(const Ui *ui, Rect rect)
{
    return roundf(rect.y + rect.h / 2 + 0.36f * ui->frame.theme->text_size);
}

bool ui_draw_text(Ui *ui, Rect rect, const char *text, TextStyle style)
{
    if (rect_is_empty(rect) || !text[0] || !ui_is_visible(ui, rect))
        return false;
    if (style.max_width == 0 || style.max_width > rect.w)
        style.max_width = rect.w;
    float x = style.align == ALIGN_START ? rect.x
              : style.align == ALIGN_END ? rect.x + rect.w
                                         : rect.x + rect.w / 2;
    canvas_text(ui_canvas(ui), (Point){x, ui_baseline(ui, rect)}, text, style);
    return fonts_layout(ui->frame.fonts, text, &style)->cut;
}

void ui_label(Ui *ui, Rect rect, const char *text, TextStyle style)
{
    if (ui_draw_text(ui, rect, text, style) && ui->hot == 0 && ui->active == 0 &&
        ui_sees_pointer(ui, rect))
        ui_offer_tip(ui, ui_id(text), rect, text, ACTION_NONE);
}

enum { LINE_BYTES = 1024 };

float ui_paragraph(Ui *ui, Rect rect, const char *text, TextStyle style)
{
    const Theme *theme = ui->frame.theme;
    float height = theme->line_height - (style.size < theme->text_size ? 2 : 0);
    float y = rect.y;
    size_t n = strlen(text);
    style.max_width = 0;
    for (size_t at = 0; at < n; y += height) {
        size_t next = at + fonts_break_line(ui->frame.fonts, text + at, n - at, &style, rect.w);
        char line[LINE_BYTES];
        size_t length = next - at < sizeof line ? next - at : sizeof line - 1;
        while (length > 0 && (text[at + length - 1] == '\n' || text[at + length - 1] == ' '))
            length--;
        memcpy(line, text + at, length);
        line[length] = '\0';
        ui_draw_text(ui, (Rect){rect.x, y, rect.w, height}, line, style);
        at = next;
    }
    return y - rect.y;
}

void ui_draw_ring(Ui *ui, Rect rect)
{
    const Theme *theme = ui->frame.theme;
    Canvas *canvas = ui_canvas(ui);
    canvas_frame(canvas, rect_inset(rect, -2, -2), theme->radius + 2,
                 (Stroke){color_fade(theme->accent, 0.25f), 3, 0});
    canvas_frame(canvas, rect, theme->radius, (Stroke){theme->accent, 1.5f, 0});
}

void ui_draw_float(Ui *ui, Rect rect)
{
    const Theme *theme = ui->frame.theme;
    Canvas *canvas = ui_canvas(ui);
    /* A soft edge out of a few hard ones, a little lower than the box. */
    static const float spreads[] = {14, 11, 8, 6, 4, 2.5f, 1};
    for (size_t i = 0; i < sizeof spreads / sizeof spreads[0]; i++) {
        Rect shade = rect_inset(rect, -spreads[i], -spreads[i]);
        shade.y += 4;
        canvas_fill(canvas, shade, theme->radius + spreads[i], theme->shadow);
    }
    canvas_fill(canvas, rect, theme->radius, theme->panel);
    canvas_frame(canvas, rect, theme->radius, (Stroke){theme->line, 1, 0});
}

void ui_tag(Ui *ui, Rect rect, TagRole role, const char *name, const char *value)
{
    Rect seen = rect_common(rect, ui->clips[ui->n_clips - 1]);
    if (!rect_is_empty(seen))
        canvas_tag(ui_canvas(ui), seen, role, name, value);
}

Color ui_faded(Color color, bool disabled)
{
    return disabled ? color_fade(color, 0.45f) : color;
}

const char *ui_control_label(Ui *ui, const UiControl *control)
{
    if (control->label)
        return control->label;
    if (control->action != ACTION_NONE && control->icon == ICON_NONE)
        return ui_action_words(ui, control->action);
    return "";
}

bool ui_control_disabled(Ui *ui, const UiControl *control)
{
    return control->disabled || (control->action != ACTION_NONE && !ui_can(ui, control->action));
}

void ui_control_hint(Ui *ui, const UiControl *control, UiTouch touch, Rect rect, bool cut)
{
    if (!touch.hot)
        return;
    const char *text = control->tip;
    if (!text && control->action != ACTION_NONE)
        text = ui_action_words(ui, control->action);
    if (!text && cut)
        text = ui_control_label(ui, control);
    ui_offer_tip(ui, ui_id(control->name), rect, text, control->action);
}
