/* view_tools.h - the small things that all views do: measures, numbers, tooltips, headings.
 *
 * Everything is measured in units: one pixel on the screen, less in a figure with small
 * type. Numbers are shown with a real minus sign and without a negative zero.
 */
#ifndef FOVEA_VIEWS_VIEW_TOOLS_H
#define FOVEA_VIEWS_VIEW_TOOLS_H
#include "ui/layout.h"
#include "views/view.h"
#include "views/view_words.h"

/* One screen pixel of the mockups, scaled with the type. */
static inline float view_unit(const ViewFrame *frame)
{
    return frame->theme->text_size / 13;
}

/* From a line's middle down to its baseline. */
static inline float view_baseline(const TextStyle *style)
{
    return 0.36f * style->size;
}

const char *view_word(const ViewFrame *frame, ViewWord word);
/* What a trace calls an axis or an item of one, in the frame's language where it is known. */
const char *view_name(const ViewFrame *frame, const char *name);

/* ---- numbers ---- */

#define VIEW_NUMBER_BYTES 32

typedef struct ViewNumber {
    char text[VIEW_NUMBER_BYTES];
} ViewNumber;

/* With `digits` after the point; beyond a million, or where they would show nothing of a
 * value that is not zero and `digits` is above 3, in powers of ten. "nan", "inf". */
ViewNumber view_number(double value, int digits);
/* As short as it can be at three significant digits: "0.5", "12", "3.2e-05". */
ViewNumber view_short_number(double value);
/* 0.934 -> "93.4" */
ViewNumber view_percent(double share);

/* ---- tooltips ---- */

/* Appends a line; beyond VIEW_HIT_LINES nothing. */
void view_hit_add(ViewHit *hit, const char *fmt, ...) FOVEA_PRINTF(2, 3);
/* The lines of `hit` beside the place, inside the frame's area; nothing for a figure. */
void view_draw_tooltip(const ViewFrame *frame, Canvas *canvas, const ViewHit *hit);

/* ---- headings, notes ---- */

typedef struct ViewHeading {
    const char *title, *subtitle; /* subtitle "" or NULL: none */
} ViewHeading;

/* Draws them, or what the frame has instead, at the top of `place` and returns how much height
 * they take; canvas NULL only measures. In a figure the tag "heading" marks the place. */
float view_draw_heading(const ViewFrame *frame, Canvas *canvas, Rect place, ViewHeading heading);

/* A quiet sentence in the middle of the area: there is nothing to draw, and why. */
void view_draw_empty(const ViewFrame *frame, Canvas *canvas, const char *sentence);

/* Sentences under a figure, one a line, wrapped: what was left out, what was changed. */
#define VIEW_MAX_NOTES  8
#define VIEW_NOTE_BYTES 200

typedef struct ViewNotes {
    int n;
    bool warns[VIEW_MAX_NOTES]; /* changes stand out */
    char text[VIEW_MAX_NOTES][VIEW_NOTE_BYTES];
} ViewNotes;

void view_note(ViewNotes *notes, bool warns, const char *fmt, ...) FOVEA_PRINTF(3, 4);
/* A change of a run and its step, in the frame's language. */
void view_say_change(const ViewFrame *frame, const TraceChange *change, char room[VIEW_NOTE_BYTES]);
/* The trace's changes up to a few, one line each. */
void view_note_changes(const ViewFrame *frame, ViewNotes *notes);
/* The same at the foot of `content`, which loses the room that they take: *place. */
void view_place_changes(const ViewFrame *frame, Rect *content, ViewNotes *notes, Rect *place);
/* Did the person change something about this step? */
bool view_is_changed(const Trace *trace, int32_t step);
/* The dot that says so. */
void view_draw_changed(const ViewFrame *frame, Canvas *canvas, Point at);
/* Returns the height; canvas NULL only measures. */
float view_draw_notes(const ViewFrame *frame, Canvas *canvas, Rect place, const ViewNotes *notes);

/* A wrapped paragraph in one style; returns the height; canvas NULL only measures. */
float view_draw_wrapped(const ViewFrame *frame, Canvas *canvas, Rect place, const char *text,
                        TextStyle style);

/* A bar of width `share` (0..1) of place, from its left end. */
void view_draw_bar(const ViewFrame *frame, Canvas *canvas, Rect place, float share, Color color);

/* An attribute of the trace, "" when there is none. */
const char *view_attribute(const Trace *trace, const char *name);
/* Who made the run: its model, else the file that it was read from; "" when nobody says. */
const char *view_maker(const Trace *trace);

/* One of view_words by the name that an attribute or a file uses, or that name itself:
 * "additive" -> "Additive attention". */
const char *view_attention_title(const ViewFrame *frame);

#endif
