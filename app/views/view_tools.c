#include "views/view_tools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

static const char *word_in(bool chinese, ViewWord word)
{
    static const char *const words[][2] = {
#define VIEW_WORD(id, english, chinese) {english, chinese},
        VIEW_WORDS(VIEW_WORD)
#undef VIEW_WORD
    };
    return words[word][chinese];
}

const char *view_word(const ViewFrame *frame, ViewWord word)
{
    return word_in(frame->language == 1, word);
}

const char *view_name(const ViewFrame *frame, const char *name)
{
    for (int i = WORD_NAME_LAYER; i < WORD_COUNT; i++)
        if (strcmp(name, word_in(false, (ViewWord)i)) == 0)
            return view_word(frame, (ViewWord)i);
    return name;
}

/* ---- numbers ---- */

/* Replaces hyphens by minus signs, in mantissa and exponent. */
static ViewNumber with_minus(const char *text)
{
    ViewNumber number;
    size_t n = 0;
    for (; *text && n + 4 < sizeof number.text; text++) {
        if (*text == '-') {
            memcpy(number.text + n, "\u2212", 3);
            n += 3;
        } else {
            number.text[n++] = *text;
        }
    }
    number.text[n] = '\0';
    return number;
}

ViewNumber view_number(double value, int digits)
{
    char text[VIEW_NUMBER_BYTES];
    if (isnan(value))
        return with_minus("nan");
    if (isinf(value))
        return with_minus(value > 0 ? "inf" : "-inf");
    double least = 0.5 * pow(10, -digits);
    if (fabs(value) >= 1e6 || (digits > 3 && value != 0 && fabs(value) < least))
        snprintf(text, sizeof text, "%.1e", value);
    else
        snprintf(text, sizeof text, "%.*f", digits, fabs(value) < least ? 0.0 : value);
    return with_minus(text);
}

ViewNumber view_short_number(double value)
{
    if (!isfinite(value))
        return view_number(value, 0);
    char text[VIEW_NUMBER_BYTES];
    double size = fabs(value);
    if (size >= 1000 && size < 1e6)
        snprintf(text, sizeof text, "%.0f", value);
    else
        snprintf(text, sizeof text, "%.3g", value == 0 ? 0.0 : value);
    return with_minus(text);
}

ViewNumber view_percent(double share)
{
    return view_number(100 * share, 1);
}

/* ---- tooltips ---- */

void view_hit_add(ViewHit *hit, const char *fmt, ...)
{
    if (hit->n_lines == VIEW_HIT_LINES)
        return;
    char line[VIEW_HIT_BYTES * 2];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    size_t length = n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    utf8_clean(line, utf8_valid_prefix(line, length), hit->lines[hit->n_lines],
               sizeof hit->lines[0]);
    hit->n_lines++;
}

/* Beside `place`: below right if there is room, otherwise on the other side. */
static Rect place_tooltip(Rect area, Rect place, float w, float h, float gap)
{
    Rect tip = {place.x + place.w + gap, place.y + place.h + gap, w, h};
    if (tip.x + w > area.x + area.w)
        tip.x = place.x - gap - w;
    if (tip.y + h > area.y + area.h)
        tip.y = place.y - gap - h;
    tip.x = fmaxf(area.x, fminf(tip.x, area.x + area.w - w));
    tip.y = fmaxf(area.y, fminf(tip.y, area.y + area.h - h));
    return tip;
}

void view_draw_tooltip(const ViewFrame *frame, Canvas *canvas, const ViewHit *hit)
{
    if (frame->is_figure || hit->n_lines == 0)
        return;
    float u = view_unit(frame), widest = 0, most = 320 * u;
    TextStyle style = theme_muted(frame->theme);
    style.color = frame->theme->on_tooltip;
    style.max_width = most;
    for (int i = 0; i < hit->n_lines; i++) {
        style.bold = i == 0;
        widest = fmaxf(widest, fonts_width(frame->fonts, hit->lines[i], &style));
    }
    float line = 17 * u;
    Rect tip = place_tooltip(frame->area, hit->place, widest + 20 * u,
                             line * (float)hit->n_lines + 14 * u, 8 * u);
    for (int i = 3; i > 0; i--) /* a soft shadow */
        canvas_fill(canvas, rect_inset(tip, (float)-i * u, (float)-i * u),
                    frame->theme->radius + (float)i * u, 0x00000014);
    canvas_fill(canvas, tip, frame->theme->radius, frame->theme->tooltip);
    for (int i = 0; i < hit->n_lines; i++) {
        style.bold = i == 0;
        float middle = tip.y + 7 * u + line * ((float)i + 0.5f);
        canvas_text(canvas, (Point){tip.x + 10 * u, middle + view_baseline(&style)}, hit->lines[i],
                    style);
    }
    canvas_tag(canvas, tip, TAG_GROUP, "tooltip", hit->lines[0]);
}

/* ---- headings, notes ---- */

float view_draw_wrapped(const ViewFrame *frame, Canvas *canvas, Rect place, const char *text,
                        TextStyle style)
{
    float line = style.size * 1.4f, y = place.y;
    size_t n = strlen(text);
    for (size_t at = 0; at < n;) {
        size_t taken = fonts_break_line(frame->fonts, text + at, n - at, &style, place.w);
        size_t shown = taken;
        while (shown > 0 && (text[at + shown - 1] == ' ' || text[at + shown - 1] == '\n'))
            shown--;
        if (canvas) {
            float x = place.x + (style.align == ALIGN_MIDDLE ? place.w / 2 : 0);
            Point point = {x, y + line / 2 + view_baseline(&style)};
            canvas_textf(canvas, point, style, "%.*s", (int)shown, text + at);
        }
        y += line;
        at += taken;
    }
    return y - place.y;
}

float view_draw_heading(const ViewFrame *frame, Canvas *canvas, Rect place, ViewHeading heading)
{
    float u = view_unit(frame), y = place.y;
    if (canvas && frame->is_figure)
        canvas_tag(canvas, place, TAG_GROUP, "heading", NULL);
    if (frame->title)
        heading = (ViewHeading){frame->title, NULL};
    else if (frame->label)
        heading.title = frame->label;
    if (!heading.title[0])
        return 0;
    TextStyle title = theme_title(frame->theme);
    title.max_width = place.w;
    if (canvas)
        canvas_text(canvas, (Point){place.x, y + 11 * u + view_baseline(&title)}, heading.title,
                    title);
    y += 24 * u;
    if (!heading.subtitle || !heading.subtitle[0])
        return y - place.y;
    Rect rest = {place.x, y, place.w, 0};
    return y - place.y +
           view_draw_wrapped(frame, canvas, rest, heading.subtitle, theme_muted(frame->theme));
}

void view_draw_empty(const ViewFrame *frame, Canvas *canvas, const char *sentence)
{
    TextStyle style = theme_muted(frame->theme);
    style.align = ALIGN_MIDDLE;
    Rect place = rect_inset(frame->area, frame->area.w * 0.15f, 0);
    float height = view_draw_wrapped(frame, NULL, place, sentence, style);
    place = (Rect){place.x, frame->area.y + (frame->area.h - height) / 2, place.w, height};
    view_draw_wrapped(frame, canvas, place, sentence, style);
    canvas_tag(canvas, place, TAG_LABEL, "empty", sentence);
}

void view_note(ViewNotes *notes, bool warns, const char *fmt, ...)
{
    if (notes->n == VIEW_MAX_NOTES)
        return;
    char text[VIEW_NOTE_BYTES * 2];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    size_t length = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    utf8_clean(text, utf8_valid_prefix(text, length), notes->text[notes->n], sizeof notes->text[0]);
    notes->warns[notes->n++] = warns;
}

/* The word in a change's own sentence, or the number at its end. */
static void say_value(const char *text, char room[VIEW_NOTE_BYTES])
{
    const char *opens = strstr(text, "\u201c"), *closes = strstr(text, "\u201d");
    const char *space = strrchr(text, ' ');
    if (opens && closes && opens < closes)
        snprintf(room, VIEW_NOTE_BYTES, "%.*s", (int)(closes - opens - 3), opens + 3);
    else
        snprintf(room, VIEW_NOTE_BYTES, "%s", space ? space + 1 : text);
}

/* The run tells it in English; another language knows it by its kind. */
static void say_kind(const ViewFrame *frame, const TraceChange *change, char room[VIEW_NOTE_BYTES])
{
    static const struct {
        const char *kind;
        ViewWord word;
    } kinds[] = {
        {"temperature", WORD_CHANGE_TEMPERATURE},
        {"mask", WORD_CHANGE_MASK},
        {"token", WORD_CHANGE_TOKEN},
        {"weights", WORD_CHANGE_WEIGHTS},
        {"selection", WORD_CHANGE_SELECTION},
        {"window", WORD_CHANGE_WINDOW},
        {"glimpse", WORD_CHANGE_GLIMPSE},
        {"cell", WORD_CHANGE_CELL},
        {"beam", WORD_CHANGE_BEAM},
        {"length_penalty", WORD_CHANGE_LENGTH_PENALTY},
        {"reach", WORD_CHANGE_REACH},
        {"renormalise", WORD_CHANGE_RENORMALISE},
        {"sample", WORD_CHANGE_SAMPLE},
        {"paths", WORD_CHANGE_PATHS},
        {"force", WORD_CHANGE_FORCE},
    };
    char value[VIEW_NOTE_BYTES];
    snprintf(room, VIEW_NOTE_BYTES, "%s", change->text);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && frame->language != 0; i++) {
        ViewWord word = kinds[i].word;
        if (strcmp(change->kind, kinds[i].kind) != 0)
            continue;
        if (word == WORD_CHANGE_SELECTION && strstr(change->text, "\u201c"))
            word = WORD_CHANGE_SELECTION_OF;
        say_value(change->text, value);
        snprintf(room, VIEW_NOTE_BYTES, view_word(frame, word), value);
    }
}

void view_say_change(const ViewFrame *frame, const TraceChange *change, char room[VIEW_NOTE_BYTES])
{
    char text[VIEW_NOTE_BYTES];
    say_kind(frame, change, text);
    if (change->step >= 0)
        snprintf(room, VIEW_NOTE_BYTES, view_word(frame, WORD_CHANGE_AT), (int)change->step + 1,
                 text);
    else
        snprintf(room, VIEW_NOTE_BYTES, "%s", text);
}

void view_note_changes(const ViewFrame *frame, ViewNotes *notes)
{
    enum { SHOWN = 4 };
    int32_t n = trace_n_changes(frame->trace);
    for (int32_t i = 0; i < n && i < SHOWN; i++) {
        char text[VIEW_NOTE_BYTES];
        view_say_change(frame, trace_change(frame->trace, i), text);
        view_note(notes, true, "%s", text);
    }
    if (n > SHOWN)
        view_note(notes, true, view_word(frame, WORD_MORE_CHANGES), (int)(n - SHOWN));
}

void view_place_changes(const ViewFrame *frame, Rect *content, ViewNotes *notes, Rect *place)
{
    *notes = (ViewNotes){0};
    view_note_changes(frame, notes);
    float height = view_draw_notes(frame, NULL, *content, notes);
    float gap = height > 0 ? 8 * view_unit(frame) : 0;
    content->h = fmaxf(content->h - height - gap, 1);
    *place = (Rect){content->x, content->y + content->h + gap, content->w, height};
}

bool view_is_changed(const Trace *trace, int32_t step)
{
    for (int32_t i = 0; i < trace_n_changes(trace); i++)
        if (trace_change(trace, i)->step == step)
            return true;
    return step >= 0 && step < trace_n_steps(trace) && trace_step(trace, step)->forced;
}

void view_draw_changed(const ViewFrame *frame, Canvas *canvas, Point at)
{
    canvas_circle(canvas, at, 2.5f * view_unit(frame), frame->theme->warning, (Stroke){0});
}

float view_draw_notes(const ViewFrame *frame, Canvas *canvas, Rect place, const ViewNotes *notes)
{
    float u = view_unit(frame), y = place.y;
    for (int i = 0; i < notes->n; i++) {
        TextStyle style = theme_caption(frame->theme);
        float indent = 0;
        if (notes->warns[i]) {
            style.color = frame->theme->warning;
            indent = 12 * u;
            if (canvas)
                canvas_circle(canvas, (Point){place.x + 4 * u, y + style.size * 0.7f}, 3 * u,
                              frame->theme->warning, (Stroke){0});
        }
        Rect line = {place.x + indent, y, place.w - indent, 0};
        y += view_draw_wrapped(frame, canvas, line, notes->text[i], style) + 2 * u;
    }
    return y - place.y;
}

void view_draw_bar(const ViewFrame *frame, Canvas *canvas, Rect place, float share, Color color)
{
    float w = fmaxf(place.w * fminf(fmaxf(share, 0), 1), view_unit(frame));
    canvas_fill(canvas, (Rect){place.x, place.y, w, place.h}, fminf(2 * view_unit(frame), w / 2),
                color);
}

const char *view_attribute(const Trace *trace, const char *name)
{
    const char *value = trace_attribute(trace, name);
    return value ? value : "";
}

const char *view_maker(const Trace *trace)
{
    const char *model = view_attribute(trace, "model");
    return model[0] ? model : view_attribute(trace, "file");
}

const char *view_attention_title(const ViewFrame *frame)
{
    static const struct {
        const char *name;
        ViewWord word;
    } titles[] = {
        {"additive", WORD_ADDITIVE},
        {"dot", WORD_DOT},
        {"scaled-dot", WORD_SCALED_DOT},
        {"general", WORD_GENERAL},
        {"cosine", WORD_COSINE},
        {"location", WORD_LOCATION},
        {"local-m", WORD_LOCAL_M},
        {"local-p", WORD_LOCAL_P},
        {"hard", WORD_HARD},
        {"concat", WORD_CONCAT},
        {"none", WORD_NO_ATTENTION_AT_ALL},
    };
    const char *align = view_attribute(frame->trace, "align");
    const char *name = view_attribute(frame->trace, "attention");
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
            if (strcmp(titles[i].name, pass == 0 ? align : name) == 0)
                return view_word(frame, titles[i].word);
    return view_word(frame, WORD_ATTENTION);
}
