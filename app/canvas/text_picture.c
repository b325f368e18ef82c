#include "canvas/text_picture.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "canvas/fonts_internal.h"

enum { KEPT_PER_LAYOUT = 4, MAX_SAMPLES = 8 };

#define FINENESS   4.0f   /* turned letters are drawn this much larger, then averaged */
#define LETTER_MAX 512.0f /* pixels an em: above, they are drawn smaller and enlarged */

/* Device pixels, y down. */
typedef struct Box {
    int left, top, right, bottom;
} Box;

/* Where the layout goes: (em x, em y) -> pixels, by size and turn. */
typedef struct Placement {
    float size;
    float cosine, sine;
    bool turned;
} Placement;

/* What SDL_ttf drew and where it goes: its pixel (column, row) to
 * (x, y) + scale * (column, row - baseline), turned. */
typedef struct Part {
    TextTile tile;
    Box ink;    /* of the tile's pixels: the rest is empty */
    bool exact; /* pixel by pixel: whole x and y, scale 1, upright */
    bool colored;
    float scale; /* device pixels per own pixel */
    float x, y;  /* device pixels */
} Part;

typedef struct Work {
    Fonts *fonts;
    Placement placement;
    Part *parts;
    size_t n_parts, capacity;
    Box box;
} Work;

static bool is_empty(Box box)
{
    return box.left >= box.right || box.top >= box.bottom;
}

static void box_add(Box *box, Box other)
{
    if (is_empty(*box)) {
        *box = other;
        return;
    }
    box->left = other.left < box->left ? other.left : box->left;
    box->top = other.top < box->top ? other.top : box->top;
    box->right = other.right > box->right ? other.right : box->right;
    box->bottom = other.bottom > box->bottom ? other.bottom : box->bottom;
}

static void place(const Placement *placement, float px, float py, float *x, float *y)
{
    *x = px * placement->cosine - py * placement->sine;
    *y = px * placement->sine + py * placement->cosine;
}

/* The smallest box around everything that is not transparent. */
static Box find_ink(const TextTile *tile)
{
    Box ink = {tile->width, tile->height, 0, 0};
    for (int row = 0; row < tile->height; row++) {
        const uint32_t *pixels = tile->pixels + (ptrdiff_t)row * tile->stride;
        int first = 0;
        int end = tile->width;
        while (first < end && pixels[first] >> 24 == 0)
            first++;
        while (end > first && pixels[end - 1] >> 24 == 0)
            end--;
        if (first == end)
            continue;
        ink.left = first < ink.left ? first : ink.left;
        ink.right = end > ink.right ? end : ink.right;
        ink.top = row < ink.top ? row : ink.top;
        ink.bottom = row + 1;
    }
    return ink;
}

/* Made-up bold: the letters and their copies up to `strength` pixels to the right. SDL_ttf's
 * own adds whole pixels, a thirteenth of an em in a label: that closes Chinese letters. */
static void embolden(TextTile *tile, float strength)
{
    int whole = (int)strength;
    uint32_t part = (uint32_t)lrintf((strength - (float)whole) * 256);
    for (int row = 0; row < tile->height; row++) {
        uint32_t *pixels = tile->pixels + (ptrdiff_t)row * tile->stride;
        for (int col = tile->width - 1; col > whole; col--) {
            uint32_t most = pixels[col] >> 24;
            for (int i = 1; i <= whole; i++)
                most = pixels[col - i] >> 24 > most ? pixels[col - i] >> 24 : most;
            uint32_t next = pixels[col - whole - 1] >> 24;
            if (next > most)
                most += (next - most) * part >> 8;
            pixels[col] = most << 24;
        }
    }
}

/* The device pixels that the part's ink touches. */
static Box reach_of(const Part *part, const Placement *placement)
{
    Box ink = part->ink;
    int baseline = part->tile.baseline;
    if (part->exact) {
        int x = (int)part->x;
        int y = (int)part->y - baseline;
        return (Box){x + ink.left, y + ink.top, x + ink.right, y + ink.bottom};
    }
    float left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
    for (int corner = 0; corner < 4; corner++) {
        float x, y;
        place(placement, (float)(corner & 1 ? ink.right : ink.left) * part->scale,
              (float)((corner & 2 ? ink.bottom : ink.top) - baseline) * part->scale, &x, &y);
        left = fminf(left, x + part->x);
        right = fmaxf(right, x + part->x);
        top = fminf(top, y + part->y);
        bottom = fmaxf(bottom, y + part->y);
    }
    return (Box){(int)floorf(left), (int)floorf(top), (int)ceilf(right), (int)ceilf(bottom)};
}

/* How much larger than on the device the letters are drawn. */
static float fineness(const Placement *placement)
{
    return fminf(placement->turned ? FINENESS : 1, LETTER_MAX / placement->size);
}

/* Whether a piece there can be seen in a picture of the largest size. */
static bool is_within(const Placement *placement, const TextPiece *piece)
{
    return (piece->x + piece->width) * placement->size > -TEXT_PICTURE_MAX_SIDE &&
           piece->x * placement->size < TEXT_PICTURE_MAX_SIDE;
}

/* Draws a piece and puts it on the list, unless it is blank. */
static void add_part(Work *work, const TextRun *run, TextPiece *piece)
{
    const Placement *placement = &work->placement;
    const Font *font = run->font;
    float fine = fineness(placement);
    Part part = {.colored = font->colored, .scale = 1 / fine};
    piece->line.size = placement->size * fine;
    /* Every Font of a layout is the first member of a FontFile. */
    if (!text_raster_draw(work->fonts, (FontFile *)font, &piece->line, &part.tile))
        return;
    if (font->fake_bold)
        embolden(&part.tile, piece->line.size * FONT_BOLDER);
    part.ink = find_ink(&part.tile);
    if (is_empty(part.ink)) {
        text_tile_free(&part.tile);
        return;
    }
    /* Colours come in a size of their own. */
    if (font->colored)
        part.scale = piece->width * placement->size / (float)part.tile.width;
    place(placement, piece->x * placement->size, 0, &part.x, &part.y);
    part.exact = !font->colored && !placement->turned && fine == 1;
    if (part.exact)
        part.x = rintf(part.x);
    box_add(&work->box, reach_of(&part, placement));
    work->parts = memory_grow(work->parts, &work->capacity, work->n_parts + 1, sizeof *work->parts);
    work->parts[work->n_parts++] = part;
}

/* Adds coverage; neighbours that touch add up. */
static void cover(uint8_t *mask, uint32_t alpha)
{
    uint32_t sum = *mask + alpha;
    *mask = (uint8_t)(sum > 255 ? 255 : sum);
}

static void render_exact(const Part *part, const TextPicture *picture, uint8_t *mask)
{
    const TextTile *tile = &part->tile;
    int dx = (int)part->x - picture->x;
    int dy = (int)part->y - tile->baseline - picture->y;
    for (int row = part->ink.top; row < part->ink.bottom; row++)
        for (int col = part->ink.left; col < part->ink.right; col++) {
            int x = col + dx;
            int y = row + dy;
            if (x >= 0 && y >= 0 && x < picture->width && y < picture->height)
                cover(&mask[y * picture->stride + x],
                      tile->pixels[(ptrdiff_t)row * tile->stride + col] >> 24);
        }
}

/* The mean over the part of the tile that a device pixel covers. */
static uint32_t sample(const Part *part, const Placement *placement, int px, int py)
{
    float per_pixel = 1 / part->scale;
    int n = (int)ceilf(fminf(fmaxf(per_pixel, 2), MAX_SAMPLES));
    uint32_t sum[4] = {0};
    for (int i = 0; i < n * n; i++) {
        float x = (float)px + ((float)(i % n) + 0.5f) / (float)n - part->x;
        float y = (float)py + ((float)(i / n) + 0.5f) / (float)n - part->y;
        float sx = (x * placement->cosine + y * placement->sine) * per_pixel;
        float sy = (-x * placement->sine + y * placement->cosine) * per_pixel;
        sy += (float)part->tile.baseline;
        if (!(sx >= 0 && sy >= 0 && sx < (float)part->tile.width && sy < (float)part->tile.height))
            continue;
        uint32_t pixel = part->tile.pixels[(ptrdiff_t)sy * part->tile.stride + (ptrdiff_t)sx];
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

static void render_sampled(const Part *part, const Placement *placement, const TextPicture *picture,
                           uint8_t *mask, uint32_t *color)
{
    Box reach = reach_of(part, placement);
    int right = picture->x + picture->width;
    int bottom = picture->y + picture->height;
    for (int y = reach.top; y < reach.bottom && y < bottom; y++)
        for (int x = reach.left; x < reach.right && x < right; x++) {
            uint32_t value = sample(part, placement, x, y);
            int row = y - picture->y;
            int col = x - picture->x;
            if (part->colored) {
                uint32_t *pixel = color + (ptrdiff_t)row * picture->width + col;
                *pixel = over(value, *pixel);
            } else
                cover(&mask[row * picture->stride + col], value >> 24);
        }
}

/* Pixels for the box; the block holds the picture, the colours and the mask. */
static KeptPicture *render(const Work *work)
{
    Box box = work->box;
    int width = box.right - box.left;
    int height = box.bottom - box.top;
    width = width > TEXT_PICTURE_MAX_SIDE ? TEXT_PICTURE_MAX_SIDE : width;
    height = height > TEXT_PICTURE_MAX_SIDE ? TEXT_PICTURE_MAX_SIDE : height;
    int stride = (width + 3) & ~3;
    size_t n_colored = 0;
    for (size_t i = 0; i < work->n_parts; i++)
        n_colored += work->parts[i].colored;
    size_t mask_bytes = n_colored < work->n_parts ? (size_t)stride * (size_t)height : 0;
    size_t color_bytes = n_colored > 0 ? (size_t)width * (size_t)height * 4 : 0;
    size_t bytes = sizeof(KeptPicture) + color_bytes + mask_bytes;
    KeptPicture *kept = memory_new(1, bytes);
    kept->bytes = bytes;
    uint32_t *color = color_bytes ? (uint32_t *)(kept + 1) : NULL;
    uint8_t *mask = mask_bytes ? (uint8_t *)(kept + 1) + color_bytes : NULL;
    kept->picture = (TextPicture){box.left, box.top, width, height, stride, mask, color};
    for (size_t i = 0; i < work->n_parts; i++) {
        const Part *part = &work->parts[i];
        if (part->exact)
            render_exact(part, &kept->picture, mask);
        else
            render_sampled(part, &work->placement, &kept->picture, mask, color);
    }
    return kept;
}

static KeptPicture *draw(Fonts *fonts, const TextLayout *layout, const Placement *placement)
{
    Work work = {.fonts = fonts, .placement = *placement};
    for (int i = 0; i < layout->n_runs; i++) {
        const TextRun *run = &layout->runs[i];
        PieceCursor cursor = {
            .layout = layout, .run = run, .size = placement->turned ? 0 : placement->size};
        TextPiece piece;
        while (text_piece_next(fonts, &cursor, &piece))
            if (is_within(placement, &piece))
                add_part(&work, run, &piece);
    }
    KeptPicture *kept = render(&work);
    for (size_t i = 0; i < work.n_parts; i++)
        text_tile_free(&work.parts[i].tile);
    free(work.parts);
    return kept;
}

/* The kept picture with these numbers, moved to the front, or NULL. */
static KeptPicture *find_kept(CachedLayout *cached, float size, float turn)
{
    for (KeptPicture **place = &cached->pictures; *place; place = &(*place)->next) {
        KeptPicture *kept = *place;
        if (kept->size != size || kept->turn != turn)
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

const TextPicture *text_picture(Fonts *fonts, const TextLayout *layout, float size, float turn)
{
    CachedLayout *cached = (CachedLayout *)layout;
    KeptPicture *kept = find_kept(cached, size, turn);
    if (!kept) {
        float angle = turn * 3.14159265f / 180.0f;
        Placement placement = {
            .size = size,
            .cosine = turn == 0 ? 1 : cosf(angle),
            .sine = turn == 0 ? 0 : sinf(angle),
            .turned = turn != 0,
        };
        kept = draw(fonts, layout, &placement);
        kept->size = size;
        kept->turn = turn;
        keep(fonts, cached, kept);
    }
    return kept->picture.width > 0 && kept->picture.height > 0 ? &kept->picture : NULL;
}
