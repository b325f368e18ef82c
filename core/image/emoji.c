#include "image/emoji.h"

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Path of the best colour font; the caller frees. */
static char *find_font(Error *error)
{
    FcConfig *config = FcInitLoadConfigAndFonts();
    FcPattern *wanted = FcPatternCreate(), *found = NULL;
    FcPatternAddString(wanted, FC_FAMILY, (const FcChar8 *)"Noto Color Emoji");
    FcPatternAddString(wanted, FC_FAMILY, (const FcChar8 *)"emoji");
    FcPatternAddBool(wanted, FC_COLOR, FcTrue);
    FcConfigSubstitute(config, wanted, FcMatchPattern);
    FcDefaultSubstitute(wanted);
    FcResult result;
    found = config ? FcFontMatch(config, wanted, &result) : NULL;
    FcBool is_colour = FcFalse;
    FcChar8 *file = NULL;
    char *path = NULL;
    if (found && FcPatternGetBool(found, FC_COLOR, 0, &is_colour) == FcResultMatch && is_colour &&
        FcPatternGetString(found, FC_FILE, 0, &file) == FcResultMatch)
        path = memory_copy_string((const char *)file);
    else
        no_font(error);
    if (found)
        FcPatternDestroy(found);
    FcPatternDestroy(wanted);
    if (config)
        FcConfigDestroy(config);
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

static bool load_sprite(FT_Face face, const char *text, Sprite *sprite, Error *error)
{
    uint32_t code;
    utf8_decode(text, strlen(text), &code);
    FT_UInt glyph = FT_Get_Char_Index(face, code);
    if (glyph == 0 || FT_Load_Glyph(face, glyph, FT_LOAD_COLOR | FT_LOAD_RENDER) != 0 ||
        face->glyph->bitmap.pixel_mode != FT_PIXEL_MODE_BGRA || face->glyph->bitmap.width == 0)
        return error_set(error, ERROR_UNSUPPORTED,
                         "the font %s has no colour picture of %s (U+%04X)", face->family_name,
                         text, code);
    copy_bitmap(&face->glyph->bitmap, sprite);
    return true;
}

static bool load_all(FT_Face face, EmojiSet *set, const char *const *texts, Error *error)
{
    /* Bitmap fonts have a few sizes; the last is the largest. */
    if (face->num_fixed_sizes > 0)
        FT_Select_Size(face, face->num_fixed_sizes - 1);
    else
        FT_Set_Pixel_Sizes(face, 0, 128);
    for (int i = 0; i < set->n; i++)
        if (texts[i] && !load_sprite(face, texts[i], &set->sprites[i], error))
            return false;
    return true;
}

EmojiSet *emoji_load(int n, const char *const *texts, Error *error)
{
    char *path = find_font(error);
    if (!path)
        return NULL;
    EmojiSet *set = memory_new(1, sizeof *set);
    set->n = n;
    set->sprites = memory_new((size_t)n, sizeof *set->sprites);
    FT_Library library = NULL;
    FT_Face face = NULL;
    bool ok = FT_Init_FreeType(&library) == 0 && FT_New_Face(library, path, 0, &face) == 0;
    ok = ok ? load_all(face, set, texts, error) : no_font(error);
    if (face)
        FT_Done_Face(face);
    if (library)
        FT_Done_FreeType(library);
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
