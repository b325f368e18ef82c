/* Letters by SDL_ttf: one line of one font, as it shapes it by itself. */
#include <math.h>
#include <stdlib.h>

#include <SDL_ttf.h>

#include "base/memory.h"
#include "canvas/fonts_internal.h"

/* SDL_ttf takes whole points at whole dots per inch: one point, and steps of 1/72 pixel. */
#define DPI_PER_PIXEL 72.0f

struct FontRaster {
    TTF_Font *font;
    unsigned dpi;
};

/* SDL_ttf counts its users itself. */
static bool start_library(Fonts *fonts)
{
    if (!fonts->raster_started)
        fonts->raster_started = TTF_Init() == 0;
    return fonts->raster_started;
}

void text_raster_stop(Fonts *fonts)
{
    if (fonts->raster_started)
        TTF_Quit();
    fonts->raster_started = false;
}

void text_raster_close(FontFile *file)
{
    if (!file->raster)
        return;
    TTF_CloseFont(file->raster->font);
    free(file->raster);
    file->raster = NULL;
}

/* NULL when SDL_ttf cannot read the file. It reads the bytes that HarfBuzz has mapped. */
static struct FontRaster *open_raster(Fonts *fonts, FontFile *file, unsigned dpi)
{
    if (file->raster)
        return file->raster;
    unsigned n;
    const char *bytes = hb_blob_get_data(file->blob, &n);
    if (!start_library(fonts) || n > INT32_MAX)
        return NULL;
    SDL_RWops *source = SDL_RWFromConstMem(bytes, (int)n);
    TTF_Font *font =
        source ? TTF_OpenFontIndexDPIRW(source, 1, 1, file->font.index, dpi, dpi) : NULL;
    if (!font)
        return NULL;
    /* Lines sharpen vertically, letters stay where HarfBuzz puts them. */
    if (!file->font.colored)
        TTF_SetFontHinting(font, TTF_HINTING_LIGHT_SUBPIXEL);
    if (file->font.fake_italic)
        TTF_SetFontStyle(font, TTF_STYLE_ITALIC);
    file->raster = memory_new(1, sizeof *file->raster);
    *file->raster = (struct FontRaster){font, dpi};
    return file->raster;
}

static TTF_Font *font_at(Fonts *fonts, FontFile *file, const TextLine *line)
{
    unsigned dpi = (unsigned)lrintf(fmaxf(line->size * DPI_PER_PIXEL, 1));
    struct FontRaster *raster = open_raster(fonts, file, dpi);
    if (!raster || (raster->dpi != dpi && TTF_SetFontSizeDPI(raster->font, 1, dpi, dpi) != 0))
        return NULL;
    raster->dpi = dpi;
    uint32_t tag = (uint32_t)line->script;
    const char script[5] = {(char)(tag >> 24), (char)(tag >> 16), (char)(tag >> 8), (char)tag, 0};
    TTF_SetFontScriptName(raster->font, script);
    TTF_SetFontDirection(raster->font, line->right_to_left ? TTF_DIRECTION_RTL : TTF_DIRECTION_LTR);
    return raster->font;
}

/* The surface is as high as the font unless letters reach beyond: how far above and below is
 * not told, so the outlines decide. */
static int baseline_row(const FontFile *file, const TextLine *line, TTF_Font *font, int height)
{
    int more = height - TTF_FontHeight(font);
    float top = 0;
    float bottom = 0;
    for (int i = 0; more > 0 && i < line->n_glyphs; i++) {
        hb_glyph_extents_t extents;
        if (!hb_font_get_glyph_extents(file->shaper, line->glyphs[i].id, &extents))
            continue;
        float y = -line->glyphs[i].y + (float)extents.y_bearing / file->units_per_em;
        top = fmaxf(top, y);
        bottom = fmaxf(bottom, -y - (float)extents.height / file->units_per_em);
    }
    int above = (int)ceilf(top * line->size) - TTF_FontAscent(font);
    int below = (int)ceilf(bottom * line->size) - (TTF_FontHeight(font) - TTF_FontAscent(font));
    int least = more - (below > 0 ? below : 0);
    above = above < least ? least : above;
    above = above < 0 ? 0 : above;
    return TTF_FontAscent(font) + (above < more ? above : more);
}

bool text_raster_draw(Fonts *fonts, FontFile *file, const TextLine *line, TextTile *tile)
{
    TTF_Font *font = font_at(fonts, file, line);
    const SDL_Color black = {0, 0, 0, 255};
    SDL_Surface *surface = font ? TTF_RenderUTF8_Blended(font, line->utf8, black) : NULL;
    if (!surface)
        return false;
    *tile = (TextTile){
        .pixels = surface->pixels,
        .width = surface->w,
        .height = surface->h,
        .stride = surface->pitch / 4,
        .baseline = baseline_row(file, line, font, surface->h),
        .owner = surface,
    };
    return true;
}

void text_tile_free(TextTile *tile)
{
    SDL_FreeSurface(tile->owner);
    *tile = (TextTile){0};
}
