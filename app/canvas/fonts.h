/* fonts.h - the one source of text metrics: from a string to placed glyphs.
 *
 * Every back end and every layout asks here, so a label is as wide on the screen as in the
 * PDF. A string is cut into runs of one direction (fribidi), one script and one font, each
 * run is shaped by HarfBuzz, and the runs are put in visual order. Shaping happens in font
 * units without hinting, so one result serves every size and every device: positions are in
 * em, and a pixel width is em * style.size.
 *
 * Fonts come from fontconfig: the face's own family first (FACE_UI Inter, FACE_MONO
 * JetBrains Mono, FACE_SERIF Noto Serif or DejaVu Serif), then, a cluster at a time, the
 * script's Noto family, a colour font for emoji, and whatever else covers it. Fallback fonts
 * are found and opened when a character first needs one: starting costs the configuration
 * and one font.
 *
 * What is shown is not always what is stored. Control and invisible characters are shown as
 * signs (a return arrow for a newline, ‹200B› for a zero-width space), bad bytes as
 * U+FFFD, and joiners are kept where their script needs them. Ligatures that replace what
 * was typed ("->" by an arrow) are off. The layout holds the text as shown; offsets into the
 * text as given are kept for the caret.
 *
 * Invariants:
 *   1. The result depends on the string, the style and the installed fonts, not on what was
 *      measured before.
 *   2. With max_width > 0 the width is at most max_width; cuts fall between graphemes and
 *      leave an ellipsis, and nothing at all when not even that fits.
 *   3. Colour, anchor and turn do not change a layout.
 *
 * Memory: layouts and their pictures are cached; what was not used lately goes once
 * FONTS_CACHE_BYTES are full. Measuring a known string is one hash lookup and allocates
 * nothing. Threads: a Fonts belongs to one thread at a time; a second thread makes its own.
 */
#ifndef FOVEA_CANVAS_FONTS_H
#define FOVEA_CANVAS_FONTS_H
#include "canvas/canvas.h"

#define FONTS_CACHE_BYTES ((size_t)48 << 20)

typedef struct Fonts Fonts;

/* One opened font file. */
typedef struct Font {
    const char *path;
    int index;             /* in a collection                                              */
    const char *family;    /* as fontconfig names it                                       */
    int weight;            /* CSS: 400 regular, 600 semi-bold                              */
    bool slanted;          /* the file itself is italic or oblique                         */
    bool fake_bold;        /* bold was asked for and the file is not: embolden outlines    */
    bool fake_italic;      /* likewise: shear by FONT_SHEAR                                */
    bool colored;          /* pictures instead of outlines (emoji)                         */
    int space_glyph;       /* 0 when there is none                                         */
    float ascent, descent; /* em, both positive                                          */
} Font;

#define FONT_SHEAR  0.2126f /* x per y of a made-up italic: 12 degrees, as SDL_ttf makes them */
#define FONT_BOLDER 0.04f   /* em by which a made-up bold is wider                           */

typedef struct TextGlyph {
    uint32_t id;    /* index in the run's font                                      */
    uint32_t start; /* offset in TextLayout.text of the cluster that it belongs to  */
    float x, y;     /* em from the left end of the baseline, y down                 */
    float advance;  /* em                                                           */
} TextGlyph;

typedef struct TextRun {
    const Font *font;
    bool right_to_left;
    bool literal;              /* no ligatures, no forms that depend on neighbours         */
    uint32_t script;           /* ISO 15924 tag, big-endian letters                         */
    uint32_t start, end;       /* bytes of TextLayout.text                                  */
    int first_glyph, n_glyphs; /* of TextLayout.glyphs, from left to right            */
    float x, width;            /* em                                                        */
} TextRun;

/* Where a caret stands around one grapheme, in the order of the text. */
typedef struct TextCaret {
    uint32_t offset;         /* of the grapheme in the text as given  */
    float leading, trailing; /* em from the left: before and after it */
} TextCaret;

typedef struct TextLayout {
    const char *text; /* what is shown, valid UTF-8, terminated */
    uint32_t n_bytes;
    uint32_t n_given;    /* bytes of the text as given */
    const TextRun *runs; /* [n_runs], visual order, left to right */
    int n_runs;
    const TextGlyph *glyphs; /* [n_glyphs] */
    int n_glyphs;
    const TextCaret *carets; /* [n_carets]; those cut away are not there */
    int n_carets;
    float width, ascent, descent; /* em; of the fonts that were used */
    bool right_to_left;           /* direction of the paragraph: its first strong letter */
    bool cut;                     /* ends in an ellipsis, or fitted not at all           */
    int n_missing;                /* graphemes that no installed font has                */
} TextLayout;

/* NULL when there is no usable font at all. */
Fonts *fonts_new(Error *error) FOVEA_MUST_USE;
void fonts_free(Fonts *fonts); /* NULL is fine */

/* Of style only face, size (> 0), bold, italic and max_width count. The result is borrowed until
 * the next call that takes this Fonts. */
const TextLayout *fonts_layout(Fonts *fonts, const char *utf8, const TextStyle *style);

/* Pixels. Ascent and descent are the face's own, whatever the text: lines stand evenly. */
float fonts_width(Fonts *fonts, const char *utf8, const TextStyle *style);
float fonts_ascent(Fonts *fonts, const TextStyle *style);
float fonts_descent(Fonts *fonts, const TextStyle *style);

/* The face's own font on this machine, with its family's name. Lives as long as fonts. */
const Font *fonts_font(Fonts *fonts, const TextStyle *style);

/* Text fields. Pixels are counted from the left end of the text, bytes in the text as given.
 * An offset inside a grapheme counts as its start. */
float fonts_caret_x(Fonts *fonts, const char *utf8, const TextStyle *style, size_t offset);
size_t fonts_offset_at(Fonts *fonts, const char *utf8, const TextStyle *style, float x);

/* What bytes [start, end) cover: spans from left to right, several where directions mix.
 * Returns their number, at most max. */
typedef struct TextSpan {
    float x, width; /* pixels */
} TextSpan;
int fonts_spans(Fonts *fonts, const char *utf8, const TextStyle *style, size_t start, size_t end,
                TextSpan *spans, int max);

/* Bytes of the first line when utf8[0..n) is broken to lines of `width` pixels: up to a
 * space, between letters of scripts written without spaces, or within a word longer than the
 * line; spaces at the break belong to the line and may hang over. 0 only when n is 0; a
 * newline ends the line and is counted. */
size_t fonts_break_line(Fonts *fonts, const char *utf8, size_t n, const TextStyle *style,
                        float width);

#endif
