/* fonts_internal.h - shared by the files behind fonts.h and text_picture.h; nobody else
 * includes it.
 *
 *   font_find.c        which font: fontconfig, fallback, opening
 *   text_signs.c       which characters: visible signs for invisible ones
 *   text_layout.c      which glyphs where: runs, shaping, ellipsis, carets
 *   fonts.c            the cache and the questions that layouts ask
 *   text_pieces.c      what SDL_ttf is given to draw
 *   text_raster_sdl.c  SDL_ttf: letters as pixels
 *   text_picture.c     those put together to the picture of a layout
 */
#ifndef FOVEA_CANVAS_FONTS_INTERNAL_H
#define FOVEA_CANVAS_FONTS_INTERNAL_H
#include <fontconfig/fontconfig.h>
#include <hb.h>

#include "base/strbuf.h"
#include "canvas/fonts.h"
#include "canvas/text_picture.h"

/* An opened font. `font` is first: a Font of a layout is a FontFile. */
/* 1: the code opens a quotation, -1: it closes one; "straight" ones by what stands before. */
int text_quotation(uint32_t previous, uint32_t code);

typedef struct FontFile {
    Font font;
    FcPattern *pattern; /* holds the strings of `font` */
    hb_blob_t *blob;
    hb_font_t *shaper; /* scaled to units per em */
    float units_per_em;
    struct FontRaster *raster; /* of text_raster_sdl.c; NULL until the first picture */
    struct FontFile *next;
} FontFile;

/* A face with its weight and slant. */
enum { FONT_STYLES = FACE_COUNT * 4 };

typedef struct ScriptFont {
    hb_script_t script;
    FontFile *file; /* NULL: nothing better than the sorted list */
} ScriptFont;

typedef struct FontStyle {
    FontFile *primary;   /* NULL until used */
    FcFontSet *sorted;   /* every font, best first; NULL until a fallback was needed */
    ScriptFont *scripts; /* [n_scripts] */
    size_t n_scripts, scripts_capacity;
} FontStyle;

/* One character as shown. */
typedef struct TextCode {
    uint32_t code;
    uint32_t given; /* offset in the text as given */
    uint32_t shown; /* offset in the text as shown */
} TextCode;

/* One grapheme as shown: what decides the run that it is in. */
typedef struct TextGrapheme {
    uint32_t first; /* of the codes; the next grapheme's first ends it */
    hb_script_t script;
    const FontFile *file;
    uint8_t level; /* bidi */
    bool missing;
    float leading, trailing;
} TextGrapheme;

typedef struct PlacedRun {
    TextRun run;
    size_t first, end; /* graphemes */
} PlacedRun;

/* Working memory of one layout, kept for the next. */
typedef struct TextScratch {
    TextCode *codes;
    size_t n_codes, codes_capacity;
    StrBuf shown;
    TextGrapheme *graphemes; /* one more than n_graphemes, as an end mark */
    size_t n_graphemes, graphemes_capacity;
    PlacedRun *runs;
    size_t n_runs, runs_capacity;
    TextGlyph *glyphs;
    size_t n_glyphs, glyphs_capacity;
    uint32_t *unicode; /* [n_codes], for fribidi and HarfBuzz */
    size_t unicode_capacity;
    uint8_t *levels; /* [n_codes] */
    size_t levels_capacity;
    uint32_t *bidi; /* two arrays of n_codes for fribidi */
    size_t bidi_capacity;
    hb_buffer_t *buffer;
    float width;
    bool right_to_left;
    bool cut;
} TextScratch;

typedef struct KeptPicture {
    TextPicture picture;
    float size, turn;
    size_t bytes;
    struct KeptPicture *next; /* used longer ago */
} KeptPicture;

/* A cached layout with its key. `layout` is first. */
typedef struct CachedLayout {
    TextLayout layout;
    struct CachedLayout *next; /* in its bucket */
    KeptPicture *pictures;     /* last used first */
    uint64_t hash;
    size_t bytes; /* with the pictures */
    int style;
    float max_em;
    const char *given; /* [layout.n_given] */
} CachedLayout;

enum { CACHE_BUCKETS = 4096 };

typedef struct CacheGeneration {
    CachedLayout *buckets[CACHE_BUCKETS];
    size_t bytes;
} CacheGeneration;

struct Fonts {
    FcConfig *config;
    FontStyle styles[FONT_STYLES];
    FontFile *files; /* every opened one */
    FontFile *emoji;
    bool emoji_sought;
    bool raster_started; /* SDL_ttf has been initialised for this Fonts */
    TextScratch scratch;
    StrBuf piece;                 /* the text that SDL_ttf gets */
    CacheGeneration *young, *old; /* two, so that ageing is one swap */
};

static inline int font_style_index(const TextStyle *style)
{
    return (int)style->face * 4 + (style->bold ? 2 : 0) + (style->italic ? 1 : 0);
}

/* font_find.c. font_primary fails only when no font can be opened. */
FontFile *font_primary(Fonts *fonts, int style, Error *error);

/* A font that has all n codes of one grapheme, or NULL. */
FontFile *font_for_grapheme(Fonts *fonts, int style, const TextCode *codes, size_t n,
                            hb_script_t script);
bool font_covers(const FontFile *file, uint32_t code);
void font_close_all(Fonts *fonts);

/* text_signs.c. Appends the characters shown for text[0..n) to codes and shown. */
void text_signs_show(TextScratch *scratch, const char *text, size_t n);
void text_signs_add(TextScratch *scratch, uint32_t code, uint32_t given);
bool text_code_is_joiner(uint32_t code); /* needs no glyph: ZWJ, ZWNJ, variation selectors */
bool text_code_is_pictograph(uint32_t code);
bool text_code_is_emoji(uint32_t code); /* a picture unless a selector asks for text      */

/* text_layout.c. Fills the scratch; max_em 0: no limit. */
void text_layout_fill(Fonts *fonts, int style, const char *text, size_t n, float max_em);

/* One line for SDL_ttf, which shapes it with every default feature. */
typedef struct TextLine {
    const char *utf8;
    hb_script_t script;
    bool right_to_left;
    float size;              /* pixels per em */
    const TextGlyph *glyphs; /* [n_glyphs], as laid out */
    int n_glyphs;
} TextLine;

/* What SDL_ttf made of it. The line's left end stands in column 0. */
typedef struct TextTile {
    uint32_t *pixels; /* [height, stride] 0xAARRGGBB: black letters, or premultiplied colours */
    int width, height;
    int stride;   /* pixels */
    int baseline; /* row */
    void *owner;
} TextTile;

/* text_raster_sdl.c. false when there is nothing to see. */
bool text_raster_draw(Fonts *fonts, FontFile *file, const TextLine *line, TextTile *tile);
void text_tile_free(TextTile *tile);
void text_raster_close(FontFile *file);
void text_raster_stop(Fonts *fonts); /* after every file is closed */

/* A part of a run in one call of SDL_ttf. */
typedef struct TextPiece {
    TextLine line;       /* without its size; utf8 lives until the next piece */
    uint32_t start, end; /* bytes of the layout's text */
    int n_clusters;
    int pads;    /* spaces on either side in line.utf8 */
    float x;     /* em: where the left end of line.utf8 goes */
    float width; /* em, of the piece itself */
} TextPiece;

/* Begins as {layout, run, size}. */
typedef struct PieceCursor {
    const TextLayout *layout;
    const TextRun *run;
    float size;      /* pixels per em; 0: it is drawn anywhere between pixels */
    int done;        /* glyphs, in the order of the text */
    int apart_until; /* up to here every cluster is a piece */
    float pen;       /* em */
} PieceCursor;

/* text_pieces.c. Walks a run in the order of its text; false at its end. */
bool text_piece_next(Fonts *fonts, PieceCursor *cursor, TextPiece *piece);

/* text_picture.c */
void text_pictures_free(CachedLayout *cached);

#endif
