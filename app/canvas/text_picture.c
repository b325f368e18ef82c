#include "canvas/text_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <freetype/ftoutln.h>

#include "base/memory.h"
#include "canvas/fonts_internal.h"

enum { KEPT_PER_LAYOUT = 4, MAX_SAMPLES = 8 };

/* Device pixels, y down. */
typedef struct Box {
    int left, top, right, bottom;
} Box;

/* Where the layout goes: (em x, em y) -> pixels, by size and turn, from the phase. */
typedef struct Placement {
    float size;
    float cosine, sine;
    float x, y;
    bool turned;
} Placement;

typedef struct Outline {
    FT_Outline outline; /* in its final place, 26.6 pixels, y up */
    bool owned;
} Outline;

/* A glyph with its own colours. (px, py) of the picture = origin + (sx, sy) turned, scaled. */
typedef struct Bitmap {
    uint32_t *pixels; /* [height, width] premultiplied */
    int width, height;
    float left, top; /* of its corner, in its own pixels, y down, from the glyph's origin */
    float scale;     /* device pixels per own pixel */
    float x, y;      /* of the glyph's origin, device pixels */
} Bitmap;

typedef struct Work {
    Fonts *fonts;
    Placement placement;
    Outline *outlines;
    size_t n_outlines;
    Bitmap *bitmaps;
    size_t n_bitmaps;
    Box box;
} Work;

static FT_Face open_face(Fonts *fonts, FontFile *file)
{
    if (file->face)
        return file->face;
    if (!fonts->freetype && FT_Init_FreeType(&fonts->freetype) != 0) {
        fonts->freetype = NULL;
        return NULL;
    }
    unsigned n;
    const char *data = hb_blob_get_data(file->blob, &n);
    if (FT_New_Memory_Face(fonts->freetype, (const FT_Byte *)data, (FT_Long)n, file->font.index,
                           &file->face) != 0)
        file->face = NULL;
    return file->face;
}

static void box_add(Box *box, float left, float top, float right, float bottom)
{
    const float far = 2.0f * TEXT_PICTURE_MAX_SIDE;
    Box other = {(int)floorf(fmaxf(left, -far)), (int)floorf(fmaxf(top, -far)),
                 (int)ceilf(fminf(right, far)), (int)ceilf(fminf(bottom, far))};
    if (box->left >= box->right) {
        *box = other;
        return;
    }
    box->left = other.left < box->left ? other.left : box->left;
    box->top = other.top < box->top ? other.top : box->top;
    box->right = other.right > box->right ? other.right : box->right;
    box->bottom = other.bottom > box->bottom ? other.bottom : box->bottom;
}

static void place(const Placement *placement, float em_x, float em_y, float *x, float *y)
{
    float px = em_x * placement->size;
    float py = em_y * placement->size;
    *x = placement->x + px * placement->cosine - py * placement->sine;
    *y = placement->y + px * placement->sine + py * placement->cosine;
}

static FT_Fixed fixed16(float value)
{
    return (FT_Fixed)lrintf(value * 65536.0f);
}

/* Bolder by a 40th of an em, around the middle of the stem: FreeType's own 24th closes the
 * counters of Chinese letters at the sizes of an interface. */
static void embolden(FT_Outline *outline, float size)
{
    FT_Pos strength = (FT_Pos)lrintf(size * 64.0f / 40.0f);
    FT_Outline_Embolden(outline, strength);
    FT_Outline_Translate(outline, -strength / 2, -strength / 2);
}

/* Shapes and turns the outline of the face's slot, moves it to its place and keeps it. */
static void keep_outline(Work *work, const Font *font, FT_GlyphSlot slot, float x, float y)
{
    FT_Outline *outline = &slot->outline;
    if (outline->n_points == 0)
        return;
    const Placement *placement = &work->placement;
    if (font->fake_bold)
        embolden(outline, placement->size);
    if (font->fake_italic)
        FT_Outline_Transform(outline, &(FT_Matrix){65536, fixed16(FONT_SHEAR), 0, 65536});
    if (placement->turned)
        FT_Outline_Transform(outline,
                             &(FT_Matrix){fixed16(placement->cosine), fixed16(placement->sine),
                                          fixed16(-placement->sine), fixed16(placement->cosine)});
    FT_Outline_Translate(outline, (FT_Pos)lrintf(x * 64), (FT_Pos)lrintf(-y * 64));
    Outline *kept = &work->outlines[work->n_outlines];
    if (FT_Outline_New(slot->library, (FT_UInt)outline->n_points, outline->n_contours,
                       &kept->outline) != 0)
        return;
    FT_Outline_Copy(outline, &kept->outline);
    work->n_outlines++;
    FT_BBox box;
    FT_Outline_Get_CBox(outline, &box);
    box_add(&work->box, (float)box.xMin / 64, (float)-box.yMax / 64, (float)box.xMax / 64,
            (float)-box.yMin / 64);
}

static void keep_bitmap(Work *work, FT_GlyphSlot slot, float scale, float x, float y)
{
    const FT_Bitmap *source = &slot->bitmap;
    Bitmap bitmap = {
        .width = (int)source->width,
        .height = (int)source->rows,
        .left = (float)slot->bitmap_left,
        .top = (float)-slot->bitmap_top,
        .scale = scale,
        .x = x,
        .y = y,
    };
    if (bitmap.width == 0 || bitmap.height == 0)
        return;
    bitmap.pixels = memory_new((size_t)bitmap.width * (size_t)bitmap.height, 4);
    for (int row = 0; row < bitmap.height; row++) {
        const uint8_t *from = source->buffer + (ptrdiff_t)row * source->pitch;
        for (int col = 0; col < bitmap.width; col++, from += 4)
            bitmap.pixels[row * bitmap.width + col] = (uint32_t)from[3] << 24 |
                                                      (uint32_t)from[2] << 16 |
                                                      (uint32_t)from[1] << 8 | from[0];
    }
    work->bitmaps[work->n_bitmaps++] = bitmap;
    const Placement *placement = &work->placement;
    for (int corner = 0; corner < 4; corner++) {
        float sx = (bitmap.left + (float)(corner & 1 ? bitmap.width : 0)) * scale;
        float sy = (bitmap.top + (float)(corner & 2 ? bitmap.height : 0)) * scale;
        float px = x + sx * placement->cosine - sy * placement->sine;
        float py = y + sx * placement->sine + sy * placement->cosine;
        box_add(&work->box, px, py, px, py);
    }
}

/* The strike nearest above the wanted size; its pixels per em. */
static float select_strike(FT_Face face, float size)
{
    int best = 0;
    for (int i = 1; i < face->num_fixed_sizes; i++) {
        float ppem = (float)face->available_sizes[i].y_ppem / 64;
        float best_ppem = (float)face->available_sizes[best].y_ppem / 64;
        if (best_ppem < size ? ppem > best_ppem : ppem >= size && ppem < best_ppem)
            best = i;
    }
    if (face->num_fixed_sizes == 0 || FT_Select_Size(face, best) != 0)
        return 0;
    return (float)face->available_sizes[best].y_ppem / 64;
}

static void load_colored(Work *work, const Font *font, FT_Face face, const TextGlyph *glyph)
{
    float size = work->placement.size;
    float strike = select_strike(face, size);
    if (strike == 0 && FT_Set_Char_Size(face, 0, (FT_F26Dot6)lrintf(size * 64), 72, 72) != 0)
        return;
    if (FT_Load_Glyph(face, glyph->id, FT_LOAD_COLOR) != 0)
        return;
    float x;
    float y;
    place(&work->placement, glyph->x, glyph->y, &x, &y);
    FT_GlyphSlot slot = face->glyph;
    /* Layered outlines (COLR) come as a bitmap once rendered. */
    if (slot->format == FT_GLYPH_FORMAT_OUTLINE &&
        FT_Render_Glyph(slot, FT_RENDER_MODE_NORMAL) != 0)
        return;
    if (slot->bitmap.pixel_mode == FT_PIXEL_MODE_BGRA)
        keep_bitmap(work, slot, strike > 0 ? size / strike : 1, x, y);
    else if (strike == 0 && FT_Load_Glyph(face, glyph->id, FT_LOAD_NO_BITMAP) == 0 &&
             slot->format == FT_GLYPH_FORMAT_OUTLINE)
        keep_outline(work, font, slot, x, y);
}

static void load_outline(Work *work, const Font *font, FT_Face face, const TextGlyph *glyph)
{
    FT_Int32 flags = FT_LOAD_NO_BITMAP;
    flags |= work->placement.turned ? FT_LOAD_NO_HINTING : FT_LOAD_TARGET_LIGHT;
    if (FT_Load_Glyph(face, glyph->id, flags) != 0 ||
        face->glyph->format != FT_GLYPH_FORMAT_OUTLINE)
        return;
    float x;
    float y;
    place(&work->placement, glyph->x, glyph->y, &x, &y);
    keep_outline(work, font, face->glyph, x, y);
}

static void load_run(Work *work, const TextLayout *layout, const TextRun *run)
{
    const Font *font = run->font;
    /* Every Font of a layout is the first member of a FontFile. */
    FT_Face face = open_face(work->fonts, (FontFile *)font);
    if (!face)
        return;
    FT_F26Dot6 size = (FT_F26Dot6)lrintf(work->placement.size * 64);
    if (!font->colored && FT_Set_Char_Size(face, 0, size, 72, 72) != 0)
        return;
    for (int i = 0; i < run->n_glyphs; i++) {
        const TextGlyph *glyph = &layout->glyphs[run->first_glyph + i];
        if (font->colored)
            load_colored(work, font, face, glyph);
        else
            load_outline(work, font, face, glyph);
    }
}

typedef struct Mask {
    uint8_t *mask;
    int width, height, stride;
    int left, top; /* of the box */
} Mask;

/* Called by the rasteriser with runs of one coverage; neighbours that touch add up. */
static void add_coverage(int y, int count, const FT_Span *spans, void *user)
{
    const Mask *target = user;
    int row = -y - 1 - target->top;
    if (row < 0 || row >= target->height)
        return;
    uint8_t *out = target->mask + (ptrdiff_t)row * target->stride;
    for (int i = 0; i < count; i++) {
        int first = spans[i].x - target->left;
        int end = first + spans[i].len;
        first = first < 0 ? 0 : first;
        end = end > target->width ? target->width : end;
        for (int x = first; x < end; x++) {
            int sum = out[x] + spans[i].coverage;
            out[x] = (uint8_t)(sum > 255 ? 255 : sum);
        }
    }
}

static void render_outlines(Work *work, const TextPicture *picture, uint8_t *mask)
{
    Mask target = {mask, picture->width, picture->height, picture->stride, picture->x, picture->y};
    FT_Raster_Params params = {
        .flags = FT_RASTER_FLAG_AA | FT_RASTER_FLAG_DIRECT | FT_RASTER_FLAG_CLIP,
        .gray_spans = add_coverage,
        .user = &target,
        .clip_box = {picture->x, -(picture->y + picture->height), picture->x + picture->width,
                     -picture->y},
    };
    for (size_t i = 0; i < work->n_outlines; i++)
        FT_Outline_Render(work->fonts->freetype, &work->outlines[i].outline, &params);
}

/* The mean over the part of the bitmap that a pixel of the picture covers. */
static uint32_t sample(const Bitmap *bitmap, const Placement *placement, int px, int py)
{
    float per_pixel = 1 / bitmap->scale;
    int n = (int)ceilf(fminf(fmaxf(per_pixel, 2), MAX_SAMPLES));
    uint32_t sum[4] = {0};
    for (int i = 0; i < n * n; i++) {
        float x = (float)px + ((float)(i % n) + 0.5f) / (float)n - bitmap->x;
        float y = (float)py + ((float)(i / n) + 0.5f) / (float)n - bitmap->y;
        float sx = (x * placement->cosine + y * placement->sine) * per_pixel - bitmap->left;
        float sy = (-x * placement->sine + y * placement->cosine) * per_pixel - bitmap->top;
        if (!(sx >= 0 && sy >= 0 && sx < (float)bitmap->width && sy < (float)bitmap->height))
            continue;
        uint32_t pixel = bitmap->pixels[(int)sy * bitmap->width + (int)sx];
        for (int c = 0; c < 4; c++)
            sum[c] += pixel >> 8 * c & 255;
    }
    uint32_t total = (uint32_t)(n * n);
    uint32_t result = 0;
    for (int c = 0; c < 4; c++)
        result |= (sum[c] + total / 2) / total << 8 * c;
    return result;
}

/* Premultiplied source over destination. */
static uint32_t over(uint32_t source, uint32_t below)
{
    uint32_t keep = 255 - (source >> 24);
    uint32_t result = 0;
    for (int c = 0; c < 4; c++) {
        uint32_t value = (source >> 8 * c & 255) + ((below >> 8 * c & 255) * keep + 127) / 255;
        result |= (value > 255 ? 255 : value) << 8 * c;
    }
    return result;
}

static void render_bitmap(const Work *work, const Bitmap *bitmap, const TextPicture *picture,
                          uint32_t *color)
{
    float reach = hypotf((float)bitmap->width, (float)bitmap->height) * bitmap->scale +
                  hypotf(bitmap->left, bitmap->top) * bitmap->scale + 1;
    int left = (int)floorf(bitmap->x - reach) - picture->x;
    int right = (int)ceilf(bitmap->x + reach) - picture->x;
    left = left < 0 ? 0 : left;
    right = right > picture->width ? picture->width : right;
    for (int row = 0; row < picture->height; row++)
        for (int col = left; col < right; col++) {
            uint32_t *pixel = &color[(size_t)row * (size_t)picture->width + (size_t)col];
            uint32_t value = sample(bitmap, &work->placement, col + picture->x, row + picture->y);
            *pixel = over(value, *pixel);
        }
}

/* Pixels for the box; the block holds the picture, the mask and the colours. */
static KeptPicture *render(Work *work)
{
    Box box = work->box;
    int width = box.right - box.left;
    int height = box.bottom - box.top;
    width = width > TEXT_PICTURE_MAX_SIDE ? TEXT_PICTURE_MAX_SIDE : width;
    height = height > TEXT_PICTURE_MAX_SIDE ? TEXT_PICTURE_MAX_SIDE : height;
    int stride = (width + 3) & ~3;
    size_t mask_bytes = work->n_outlines ? (size_t)stride * (size_t)height : 0;
    size_t color_bytes = work->n_bitmaps ? (size_t)width * (size_t)height * 4 : 0;
    size_t bytes = sizeof(KeptPicture) + color_bytes + mask_bytes;
    KeptPicture *kept = memory_new(1, bytes);
    kept->bytes = bytes;
    uint32_t *color = (uint32_t *)(kept + 1);
    uint8_t *mask = (uint8_t *)(kept + 1) + color_bytes;
    kept->picture = (TextPicture){box.left,
                                  box.top,
                                  width,
                                  height,
                                  stride,
                                  mask_bytes ? mask : NULL,
                                  color_bytes ? color : NULL};
    if (mask_bytes)
        render_outlines(work, &kept->picture, mask);
    for (size_t i = 0; i < work->n_bitmaps; i++)
        render_bitmap(work, &work->bitmaps[i], &kept->picture, color);
    return kept;
}

static KeptPicture *draw(Fonts *fonts, const TextLayout *layout, const Placement *placement)
{
    Work work = {.fonts = fonts, .placement = *placement};
    work.outlines = memory_new((size_t)layout->n_glyphs, sizeof *work.outlines);
    work.bitmaps = memory_new((size_t)layout->n_glyphs, sizeof *work.bitmaps);
    for (int i = 0; i < layout->n_runs; i++)
        load_run(&work, layout, &layout->runs[i]);
    KeptPicture *kept = render(&work);
    for (size_t i = 0; i < work.n_outlines; i++)
        FT_Outline_Done(fonts->freetype, &work.outlines[i].outline);
    for (size_t i = 0; i < work.n_bitmaps; i++)
        free(work.bitmaps[i].pixels);
    free(work.outlines);
    free(work.bitmaps);
    return kept;
}

/* The kept picture with these numbers, moved to the front, or NULL. */
static KeptPicture *find_kept(CachedLayout *cached, float size, float turn, int phase_x,
                              int phase_y)
{
    for (KeptPicture **place = &cached->pictures; *place; place = &(*place)->next) {
        KeptPicture *kept = *place;
        if (kept->size != size || kept->turn != turn || kept->phase_x != phase_x ||
            kept->phase_y != phase_y)
            continue;
        *place = kept->next;
        kept->next = cached->pictures;
        cached->pictures = kept;
        return kept;
    }
    return NULL;
}

static void keep(Fonts *fonts, CachedLayout *cached, KeptPicture *kept)
{
    kept->next = cached->pictures;
    cached->pictures = kept;
    cached->bytes += kept->bytes;
    fonts->young->bytes += kept->bytes;
    KeptPicture *last = kept;
    for (int i = 1; i < KEPT_PER_LAYOUT && last; i++)
        last = last->next;
    if (!last || !last->next)
        return;
    cached->bytes -= last->next->bytes;
    fonts->young->bytes -= last->next->bytes;
    free(last->next);
    last->next = NULL;
}

void text_pictures_free(CachedLayout *cached)
{
    for (KeptPicture *kept = cached->pictures; kept;) {
        KeptPicture *next = kept->next;
        free(kept);
        kept = next;
    }
    cached->pictures = NULL;
}

const TextPicture *text_picture(Fonts *fonts, const TextLayout *layout, float size, float turn,
                                int phase_x, int phase_y)
{
    CachedLayout *cached = (CachedLayout *)layout;
    KeptPicture *kept = find_kept(cached, size, turn, phase_x, phase_y);
    if (!kept) {
        float angle = turn * 3.14159265f / 180.0f;
        Placement placement = {
            .size = size,
            .cosine = turn == 0 ? 1 : cosf(angle),
            .sine = turn == 0 ? 0 : sinf(angle),
            .x = (float)phase_x / TEXT_PICTURE_PHASES,
            .y = (float)phase_y / TEXT_PICTURE_PHASES,
            .turned = turn != 0,
        };
        kept = draw(fonts, layout, &placement);
        kept->size = size;
        kept->turn = turn;
        kept->phase_x = phase_x;
        kept->phase_y = phase_y;
        keep(fonts, cached, kept);
    }
    return kept->picture.width > 0 && kept->picture.height > 0 ? &kept->picture : NULL;
}
