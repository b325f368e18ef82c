#include "image/emoji.h"

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "image/resample.h"

enum { N_LEVELS = 3 };

/* Premultiplied red, green, blue, alpha, 0 .. 1, square: the bitmap with its longer side, then
 * half and a quarter of it, so that small ones are drawn fast. NULL: not loaded. */
typedef struct Sprite {
    int side[N_LEVELS];
    float *rgba[N_LEVELS];
} Sprite;

struct EmojiSet {
    int n;
    Sprite *sprites;
};

/* ---- the font ---- */

static bool no_font(Error *error)
{
    return error_set(error, ERROR_UNSUPPORTED,
                     "no font with colour emoji is installed: apt-get install "
                     "fonts-noto-color-emoji (digits and your own pictures work without it)");
}

typedef struct Fontconfig {
    __typeof__(FcInitLoadConfigAndFonts) *init;
    __typeof__(FcConfigDestroy) *end;
    __typeof__(FcPatternCreate) *pattern_new;
    __typeof__(FcPatternDestroy) *pattern_free;
    __typeof__(FcPatternAddString) *add_string;
    __typeof__(FcPatternAddBool) *add_bool;
    __typeof__(FcPatternGetString) *get_string;
    __typeof__(FcPatternGetBool) *get_bool;
    __typeof__(FcConfigSubstitute) *substitute;
    __typeof__(FcDefaultSubstitute) *substitute_defaults;
    __typeof__(FcFontMatch) *match;
} Fontconfig;

static bool load_fontconfig(Fontconfig *fc, Error *error)
{
    const LibraryFunction functions[] = {{"FcInitLoadConfigAndFonts", &fc->init},
                                         {"FcConfigDestroy", &fc->end},
                                         {"FcPatternCreate", &fc->pattern_new},
                                         {"FcPatternDestroy", &fc->pattern_free},
                                         {"FcPatternAddString", &fc->add_string},
                                         {"FcPatternAddBool", &fc->add_bool},
                                         {"FcPatternGetString", &fc->get_string},
                                         {"FcPatternGetBool", &fc->get_bool},
                                         {"FcConfigSubstitute", &fc->substitute},
                                         {"FcDefaultSubstitute", &fc->substitute_defaults},
                                         {"FcFontMatch", &fc->match}};
    return library_load("libfontconfig.so.1", "libfontconfig1",
                        sizeof functions / sizeof *functions, functions, error);
}

/* Path of the best colour font; the caller frees. */
static char *find_font(Error *error)
{
    Fontconfig fc;
    if (!load_fontconfig(&fc, error))
        return NULL;
    FcConfig *config = fc.init();
    FcPattern *wanted = fc.pattern_new(), *found = NULL;
    fc.add_string(wanted, FC_FAMILY, (const FcChar8 *)"Noto Color Emoji");
    fc.add_string(wanted, FC_FAMILY, (const FcChar8 *)"emoji");
    fc.add_bool(wanted, FC_COLOR, FcTrue);
    fc.substitute(config, wanted, FcMatchPattern);
    fc.substitute_defaults(wanted);
    FcResult result;
    found = config ? fc.match(config, wanted, &result) : NULL;
    FcBool is_colour = FcFalse;
    FcChar8 *file = NULL;
    char *path = NULL;
    if (found && fc.get_bool(found, FC_COLOR, 0, &is_colour) == FcResultMatch && is_colour &&
        fc.get_string(found, FC_FILE, 0, &file) == FcResultMatch)
        path = memory_copy_string((const char *)file);
    else
        no_font(error);
    if (found)
        fc.pattern_free(found);
    fc.pattern_free(wanted);
    if (config)
        fc.end(config);
    return path;
}

/* ---- one picture ---- */

/* FreeType gives premultiplied blue, green, red, alpha. */
static void copy_bitmap(const FT_Bitmap *bitmap, Sprite *sprite)
{
    int width = (int)bitmap->width, height = (int)bitmap->rows;
    int side = width > height ? width : height;
    float *rgba = memory_new((size_t)side * (size_t)side * 4, sizeof *rgba);
    int left = (side - width) / 2, top = (side - height) / 2;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const unsigned char *from = bitmap->buffer + y * bitmap->pitch + 4 * x;
            float *to = rgba + 4 * ((size_t)(top + y) * (size_t)side + (size_t)(left + x));
            for (int c = 0; c < 4; c++)
                to[c] = (float)from[c == 3 ? 3 : 2 - c] / 255;
        }
    sprite->side[0] = side;
    sprite->rgba[0] = rgba;
    for (int level = 1; level < N_LEVELS; level++) {
        int half = sprite->side[level] = (side + (1 << level) - 1) >> level;
        sprite->rgba[level] = memory_new((size_t)half * (size_t)half * 4, sizeof *rgba);
        const ResamplePart all = {0, 0, side, side};
        plane_resample(rgba, side, side, 4, &all, 0, sprite->rgba[level], half, half);
    }
}

typedef struct FreeType {
    __typeof__(FT_Init_FreeType) *init;
    __typeof__(FT_Done_FreeType) *end;
    __typeof__(FT_New_Face) *face_new;
    __typeof__(FT_Done_Face) *face_free;
    __typeof__(FT_Get_Char_Index) *find;
    __typeof__(FT_Load_Glyph) *load;
    __typeof__(FT_Select_Size) *select_size;
    __typeof__(FT_Set_Pixel_Sizes) *set_size;
} FreeType;

static bool load_freetype(FreeType *ft, Error *error)
{
    const LibraryFunction functions[] = {
        {"FT_Init_FreeType", &ft->init},      {"FT_Done_FreeType", &ft->end},
        {"FT_New_Face", &ft->face_new},       {"FT_Done_Face", &ft->face_free},
        {"FT_Get_Char_Index", &ft->find},     {"FT_Load_Glyph", &ft->load},
        {"FT_Select_Size", &ft->select_size}, {"FT_Set_Pixel_Sizes", &ft->set_size}};
    return library_load("libfreetype.so.6", "libfreetype6", sizeof functions / sizeof *functions,
                        functions, error);
}

static bool load_sprite(const FreeType *ft, FT_Face face, const char *text, Sprite *sprite,
                        Error *error)
{
    uint32_t code;
    utf8_decode(text, strlen(text), &code);
    FT_UInt glyph = ft->find(face, code);
    if (glyph == 0 || ft->load(face, glyph, FT_LOAD_COLOR | FT_LOAD_RENDER) != 0 ||
        face->glyph->bitmap.pixel_mode != FT_PIXEL_MODE_BGRA || face->glyph->bitmap.width == 0)
        return error_set(error, ERROR_UNSUPPORTED,
                         "the font %s has no colour picture of %s (U+%04X)", face->family_name,
                         text, code);
    copy_bitmap(&face->glyph->bitmap, sprite);
    return true;
}

static bool load_all(const FreeType *ft, FT_Face face, EmojiSet *set, const char *const *texts,
                     Error *error)
{
    /* Bitmap fonts have a few sizes; the last is the largest. */
    if (face->num_fixed_sizes > 0)
        ft->select_size(face, face->num_fixed_sizes - 1);
    else
        ft->set_size(face, 0, 128);
    for (int i = 0; i < set->n; i++)
        if (texts[i] && !load_sprite(ft, face, texts[i], &set->sprites[i], error))
            return false;
    return true;
}

EmojiSet *emoji_load(int n, const char *const *texts, Error *error)
{
    FreeType ft;
    char *path = load_freetype(&ft, error) ? find_font(error) : NULL;
    if (!path)
        return NULL;
    EmojiSet *set = memory_new(1, sizeof *set);
    set->n = n;
    set->sprites = memory_new((size_t)n, sizeof *set->sprites);
    FT_Library library = NULL;
    FT_Face face = NULL;
    bool ok = ft.init(&library) == 0 && ft.face_new(library, path, 0, &face) == 0;
    ok = ok ? load_all(&ft, face, set, texts, error) : no_font(error);
    if (face)
        ft.face_free(face);
    if (library)
        ft.end(library);
    free(path);
    if (ok)
        return set;
    emoji_free(set);
    return NULL;
}

void emoji_free(EmojiSet *set)
{
    if (!set)
        return;
    for (int i = 0; i < set->n; i++)
        for (int level = 0; level < N_LEVELS; level++)
            free(set->sprites[i].rgba[level]);
    free(set->sprites);
    free(set);
}

/* ---- drawing ---- */

void emoji_draw(const EmojiSet *set, int i, double x, double y, double size, float *rgb, int width,
                int height)
{
    FOVEA_CHECK(i >= 0 && i < set->n && set->sprites[i].rgba[0], "emoji %d of %d", i, set->n);
    const Sprite *sprite = &set->sprites[i];
    double left_edge = x - size / 2, top_edge = y - size / 2;
    int left = (int)fmax(floor(left_edge), 0), top = (int)fmax(floor(top_edge), 0);
    int right = (int)fmin(ceil(left_edge + size), width);
    int bottom = (int)fmin(ceil(top_edge + size), height);
    if (!(size > 0) || left >= right || top >= bottom)
        return;
    int level = 0;
    while (level + 1 < N_LEVELS && sprite->side[level + 1] >= size)
        level++;
    int side = sprite->side[level];
    double scale = side / size;
    const ResamplePart part = {(left - left_edge) * scale, (top - top_edge) * scale,
                               (right - left) * scale, (bottom - top) * scale};
    int w = right - left, h = bottom - top;
    float *piece = memory_new((size_t)w * (size_t)h * 4, sizeof *piece);
    plane_resample(sprite->rgba[level], side, side, 4, &part, 0, piece, w, h);
    for (int py = 0; py < h; py++)
        for (int px = 0; px < w; px++) {
            const float *from = piece + 4 * ((size_t)py * (size_t)w + (size_t)px);
            float *to = rgb + 3 * ((size_t)(top + py) * (size_t)width + (size_t)(left + px));
            for (int c = 0; c < 3; c++)
                to[c] = from[c] + (1 - from[3]) * to[c];
        }
    free(piece);
}
