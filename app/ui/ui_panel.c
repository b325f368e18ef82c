/* Side panels and their rows. */
#include <string.h>

#include "ui/panels.h"
#include "ui/ui_internal.h"

#define PAD           16.0f
#define GAP           8.0f
#define BAR_HEIGHT    8.0f
#define LABEL_PART    0.34f
#define NUMBER_WIDTH  44.0f
#define CAPTION_SPACE 24.0f

static void fold_button(Ui *ui, Rect rect, UiSide side, const UiControl *control, bool *open)
{
    bool points_left = (side == UI_SIDE_LEFT) == *open;
    UiControl button = {
        .name = control->name,
        .label = "",
        .icon = points_left ? ICON_CHEVRON_LEFT : ICON_CHEVRON_RIGHT,
        .tip = ui_word(ui, *open ? STRING_FOLD_PANEL : STRING_UNFOLD_PANEL),
        .action = control->action,
    };
    bool pressed = ui_button(ui, rect, &button, UI_QUIET, false);
    if (pressed && control->action == ACTION_NONE)
        *open = !*open;
}

Rect ui_panel(Ui *ui, Rect *area, UiSide side, float width, const UiControl *control, bool *open)
{
    const Theme *theme = ui->frame.theme;
    float taken = *open ? width : UI_FOLDED_WIDTH;
    Rect panel = side == UI_SIDE_LEFT ? rect_cut_left(area, taken) : rect_cut_right(area, taken);
    float edge = side == UI_SIDE_LEFT ? panel.x + panel.w - 1 : panel.x;
    canvas_fill(ui_canvas(ui), panel, 0, theme->panel);
    canvas_fill(ui_canvas(ui), (Rect){edge, panel.y, 1, panel.h}, 0, theme->line);
    Rect inside = panel;
    if (side == UI_SIDE_LEFT)
        rect_cut_right(&inside, 1);
    else
        rect_cut_left(&inside, 1);
    /* The button stands at the foot, out of the way of the first rows. */
    Rect foot = rect_cut_bottom(&inside, theme->row);
    Rect button = side == UI_SIDE_LEFT ? rect_cut_right(&foot, UI_FOLDED_WIDTH - 1)
                                       : rect_cut_left(&foot, UI_FOLDED_WIDTH - 1);
    fold_button(ui, rect_pad(button, 2, 2), side, control, open);
    return *open ? inside : (Rect){inside.x, inside.y, 0, 0};
}

static Rect row_inside(Rect row)
{
    return rect_pad(row, PAD, 0);
}

void ui_caption(Ui *ui, Rect *rest, const char *text)
{
    ui_label(ui, row_inside(rect_cut_top(rest, CAPTION_SPACE)), text,
             theme_caption(ui->frame.theme));
}

void ui_heading(Ui *ui, Rect *rest, const char *text)
{
    ui_label(ui, row_inside(rect_cut_top(rest, CAPTION_SPACE)), text,
             theme_heading(ui->frame.theme));
}

void ui_pair(Ui *ui, Rect *rest, const char *label, const char *value)
{
    const Theme *theme = ui->frame.theme;
    Rect row = row_inside(rect_cut_top(rest, theme->line_height));
    TextStyle number = theme_number(theme);
    number.align = ALIGN_END;
    float width = fminf(ceilf(fonts_width(ui->frame.fonts, value, &number)), row.w * 0.7f);
    ui_label(ui, rect_cut_right(&row, width), value, number);
    rect_cut_right(&row, GAP);
    TextStyle muted = theme_text(theme);
    muted.color = theme->muted;
    ui_label(ui, row, label, muted);
}

void ui_note(Ui *ui, Rect *rest, const char *text)
{
    Rect place = row_inside(*rest);
    rect_cut_top(rest, ui_paragraph(ui, place, text, theme_muted(ui->frame.theme)));
}

void ui_formula(Ui *ui, Rect *rest, const char *text)
{
    ui_label(ui, row_inside(rect_cut_top(rest, ui->frame.theme->row)), text,
             theme_formula(ui->frame.theme));
}

void ui_rule(Ui *ui, Rect *rest, Rect panel)
{
    Rect row = rect_cut_top(rest, 4 * UI_STEP);
    canvas_fill(ui_canvas(ui), (Rect){panel.x, row.y + 2 * UI_STEP, panel.w, 1}, 0,
                ui->frame.theme->line);
}

static void draw_bar(Ui *ui, Rect row, const UiControl *control, float share, const char *number,
                     bool chosen)
{
    const Theme *theme = ui->frame.theme;
    Rect inside = row_inside(row);
    TextStyle style = theme_number(theme);
    style.color = chosen ? theme->text : theme->muted;
    style.align = ALIGN_END;
    ui_draw_text(ui, rect_cut_right(&inside, NUMBER_WIDTH), number, style);
    rect_cut_right(&inside, GAP);
    TextStyle label = theme_text(theme);
    label.bold = chosen;
    ui_draw_text(ui, rect_cut_left(&inside, floorf(inside.w * LABEL_PART)),
                 ui_control_label(ui, control), label);
    rect_cut_left(&inside, GAP);
    float width = fmaxf(1, inside.w * fmaxf(0, fminf(share, 1)));
    Rect bar = {inside.x, floorf(row.y + (row.h - BAR_HEIGHT) / 2), width, BAR_HEIGHT};
    canvas_fill(ui_canvas(ui), bar, fminf(2, width / 2),
                chosen ? theme->accent : color_mix(theme->accent, theme->panel, 0.35f));
}

bool ui_bar(Ui *ui, Rect *rest, const UiControl *control, float share, const char *number,
            bool chosen)
{
    const Theme *theme = ui->frame.theme;
    Rect row = rect_cut_top(rest, theme->line_height);
    UiTouch touch = {0};
    if (!ui_control_disabled(ui, control))
        touch = ui_touch(ui, ui_id(control->name), row, TOUCH_STOP | TOUCH_KEYS);
    if (!ui_is_visible(ui, row))
        return touch.clicked;
    if (touch.hot) {
        canvas_fill(ui_canvas(ui), rect_pad(row, PAD - GAP, 0), 4, theme->hover);
        ui_set_cursor(ui, UI_CURSOR_HAND);
    }
    draw_bar(ui, row, control, share, number, chosen);
    if (touch.focused && ui->ring)
        ui_draw_ring(ui, rect_pad(row, PAD - GAP, 0));
    TextStyle label = theme_text(theme);
    label.bold = chosen;
    float room = floorf((row.w - 2 * PAD - NUMBER_WIDTH - GAP) * LABEL_PART);
    bool cut = fonts_width(ui->frame.fonts, ui_control_label(ui, control), &label) > room;
    ui_control_hint(ui, control, touch, row, cut);
    ui_tag(ui, row, TAG_ITEM, control->name, number);
    if (touch.clicked)
        ui_add_action(ui, control->action);
    return touch.clicked;
}

typedef struct ChartScale {
    float zero; /* y of the line  */
    float unit; /* pixels a value */
    float step; /* pixels a bar   */
} ChartScale;

static ChartScale chart_scale(Rect rect, const UiChart *chart)
{
    float low = 0;
    float high = 0;
    for (int i = 0; i < chart->n; i++) {
        if (!isfinite(chart->values[i]))
            continue;
        low = fminf(low, chart->values[i]);
        high = fmaxf(high, chart->values[i]);
    }
    float range = high - low > 0 ? high - low : 1;
    return (ChartScale){.zero = roundf(rect.y + rect.h * high / range),
                        .unit = rect.h / range,
                        .step = rect.w / (float)chart->n};
}

static void draw_chart_bar(Ui *ui, Rect rect, ChartScale scale, int i, float value, bool full)
{
    const Theme *theme = ui->frame.theme;
    float gap = scale.step >= 4 ? floorf(scale.step * 0.25f) : 0;
    float height = value * scale.unit;
    Rect bar = {rect.x + scale.step * (float)i + gap / 2,
                height < 0 ? scale.zero : scale.zero - height, scale.step - gap,
                fmaxf(fabsf(height), 1)};
    Color color = value < 0 ? theme->warning : theme->accent;
    canvas_fill(ui_canvas(ui), bar, scale.step >= 8 ? 2 : 0,
                full ? color : color_mix(color, theme->panel, 0.35f));
}

int ui_chart(Ui *ui, Rect rect, const UiControl *control, const UiChart *chart, bool *pressed)
{
    if (pressed)
        *pressed = false;
    if (chart->n <= 0 || rect_is_empty(rect))
        return -1;
    UiTouch touch = ui_touch(ui, ui_id(control->name), rect, 0);
    ChartScale scale = chart_scale(rect, chart);
    int at = touch.hot ? (int)((ui->pointer.x - rect.x) / scale.step) : -1;
    at = at >= chart->n ? chart->n - 1 : at;
    for (int i = 0; i < chart->n; i++)
        if (isfinite(chart->values[i]))
            draw_chart_bar(ui, rect, scale, i, chart->values[i], i == chart->marked || i == at);
    canvas_fill(ui_canvas(ui), (Rect){rect.x, scale.zero, rect.w, 1}, 0, ui->frame.theme->line);
    ui_tag(ui, rect, TAG_GROUP, control->name, NULL);
    if (pressed)
        *pressed = touch.clicked && at >= 0;
    return at;
}
