/* What SDL_ttf is given to draw, so that it draws what was laid out.
 *
 * SDL_ttf shapes a string by itself with every default feature, and says neither where it
 * put a glyph nor by how much letters that reach to the left have moved the whole. So a run
 * is drawn in pieces that begin and end with spaces (nothing reaches beyond them, and their
 * width is known), and a run whose ligatures are off is shaped here first, the way that
 * SDL_ttf will: only what gives the glyphs of the layout is drawn. */
#include <math.h>

#include "base/utf8.h"
#include "canvas/fonts_internal.h"

enum {
    PIECE_GLYPHS = 32,      /* then the next word starts a new piece: small errors do not add up */
    PIECE_GLYPHS_MAX = 256, /* then any cluster does */
    PADS = 2,               /* spaces on either side, at least */
    PADS_MAX = 6,
};

#define SAME_PLACE 0.002f /* em */

/* Ways to write a piece: in the script of Hangul, to which HarfBuzz applies no contextual
 * alternates (the arrow for "->"), and with joints that break ligatures. */
enum { WAY_HANGUL = 1, WAY_APART = 2, N_WAYS = 4 };

static int glyph_at(const TextRun *run, int i)
{
    return run->first_glyph + (run->right_to_left ? run->n_glyphs - 1 - i : i);
}

/* The next clusters of the cursor in the order of the text, at least one. */
static void take(const PieceCursor *cursor, int most, TextPiece *piece)
{
    const TextLayout *layout = cursor->layout;
    const TextRun *run = cursor->run;
    int i = cursor->done;
    int n_clusters = 0;
    uint32_t start = i > 0 ? layout->glyphs[glyph_at(run, i)].start : run->start;
    uint32_t end = start;
    float width = 0;
    while (i < run->n_glyphs) {
        uint32_t cluster = layout->glyphs[glyph_at(run, i)].start;
        for (; i < run->n_glyphs && layout->glyphs[glyph_at(run, i)].start == cluster; i++)
            width += layout->glyphs[glyph_at(run, i)].advance;
        n_clusters++;
        end = i < run->n_glyphs ? layout->glyphs[glyph_at(run, i)].start : run->end;
        int n = i - cursor->done;
        if (n_clusters == most || n >= PIECE_GLYPHS_MAX ||
            (n >= PIECE_GLYPHS && layout->text[end - 1] == ' '))
            break;
    }
    *piece = (TextPiece){
        .line = {.script = (hb_script_t)run->script, .right_to_left = run->right_to_left},
        .start = start,
        .end = end,
        .n_clusters = n_clusters,
        .x = run->right_to_left ? cursor->pen - width : cursor->pen,
        .width = width,
    };
    piece->line.n_glyphs = i - cursor->done;
    piece->line.glyphs =
        layout->glyphs + (run->right_to_left ? glyph_at(run, i - 1) : glyph_at(run, cursor->done));
}

/* How many spaces on either side. SDL_ttf's picture can only be moved by whole pixels: the
 * number with which the letters fall nearest to their place is taken. */
static int choose_pads(const FontFile *file, float x, float size)
{
    if (file->font.space_glyph == 0 || file->font.colored)
        return 0;
    hb_position_t advance =
        hb_font_get_glyph_h_advance(file->shaper, (hb_codepoint_t)file->font.space_glyph);
    float space = (float)advance / file->units_per_em;
    int best = PADS;
    float least = 1;
    for (int pads = PADS; size > 0 && pads <= PADS_MAX; pads++) {
        float left = (x - space * (float)pads) * size;
        float off = fabsf(left - rintf(left));
        if (off < least - 0.02f) {
            best = pads;
            least = off;
        }
    }
    return best;
}

/* The piece's text as SDL_ttf gets it. */
static void write_piece(Fonts *fonts, const TextLayout *layout, int way, TextPiece *piece)
{
    static const char spaces[PADS_MAX + 1] = "      ";
    StrBuf *out = &fonts->piece;
    const char *text = layout->text + piece->start;
    size_t n = piece->end - piece->start;
    strbuf_clear(out);
    strbuf_add_bytes(out, spaces, (size_t)piece->pads);
    for (size_t i = 0; i < n;) {
        size_t next = way & WAY_APART ? utf8_next_grapheme(text, n, i) : n;
        strbuf_add_bytes(out, text + i, next - i);
        i = next;
        if (i < n)
            strbuf_add(out, "\xE2\x80\x8C"); /* ZWNJ */
    }
    strbuf_add_bytes(out, spaces, (size_t)piece->pads);
    piece->line.utf8 = out->text;
    if (way & WAY_HANGUL)
        piece->line.script = HB_SCRIPT_HANGUL;
}

/* The piece's text shaped as SDL_ttf does it. */
static void shape_piece(Fonts *fonts, const FontFile *file, const TextLine *line)
{
    hb_buffer_t *buffer = fonts->scratch.buffer;
    hb_buffer_clear_contents(buffer);
    hb_buffer_set_direction(buffer, line->right_to_left ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
    hb_buffer_set_script(buffer, line->script);
    hb_buffer_add_utf8(buffer, line->utf8, -1, 0, -1);
    hb_shape(file->shaper, buffer, NULL, 0);
}

/* Width of the spaces at the left end of the shaped piece, in em. */
static float pads_width(const Fonts *fonts, const FontFile *file, int pads)
{
    unsigned n;
    const hb_glyph_position_t *position = hb_buffer_get_glyph_positions(fonts->scratch.buffer, &n);
    float width = 0;
    for (unsigned i = 0; i < n && i < (unsigned)pads; i++)
        width += (float)position[i].x_advance;
    return width / file->units_per_em;
}

/* Whether a shaped glyph is the one of the layout in its place; pen and glyph in em. */
static bool is_same(const TextGlyph *glyph, const hb_glyph_info_t *info,
                    const hb_glyph_position_t *position, float pen, float units_per_em)
{
    float x = pen + (float)position->x_offset / units_per_em;
    float y = -(float)position->y_offset / units_per_em;
    return glyph->id == info->codepoint && (glyph->advance == 0) == (position->x_advance == 0) &&
           fabsf(glyph->x - x) < SAME_PLACE && fabsf(glyph->y - y) < SAME_PLACE;
}

/* Whether the shaped piece has the glyphs of the layout, and between them only joints. */
static bool is_as_laid_out(const Fonts *fonts, const FontFile *file, const TextPiece *piece)
{
    unsigned n;
    hb_buffer_t *buffer = fonts->scratch.buffer;
    const hb_glyph_info_t *info = hb_buffer_get_glyph_infos(buffer, &n);
    const hb_glyph_position_t *position = hb_buffer_get_glyph_positions(buffer, &n);
    const TextGlyph *glyph = piece->line.glyphs;
    const TextGlyph *end = glyph + piece->line.n_glyphs;
    unsigned pads = (unsigned)piece->pads;
    float pen = piece->x;
    for (unsigned i = pads; i + pads < n; i++) {
        bool joint =
            info[i].codepoint == (uint32_t)file->font.space_glyph && position[i].x_advance == 0;
        if (glyph < end && is_same(glyph, &info[i], &position[i], pen, file->units_per_em))
            glyph++;
        else if (!joint)
            return false;
        pen += (float)position[i].x_advance / file->units_per_em;
    }
    return glyph == end;
}

/* Writes and shapes the piece in the first way that gives the layout's glyphs. */
static bool find_way(Fonts *fonts, const PieceCursor *cursor, const FontFile *file,
                     TextPiece *piece)
{
    for (int way = 0; way < N_WAYS; way++) {
        piece->line.script = (hb_script_t)cursor->run->script;
        write_piece(fonts, cursor->layout, way, piece);
        shape_piece(fonts, file, &piece->line);
        if (!cursor->run->literal || is_as_laid_out(fonts, file, piece))
            return true;
    }
    return false;
}

bool text_piece_next(Fonts *fonts, PieceCursor *cursor, TextPiece *piece)
{
    const TextRun *run = cursor->run;
    const FontFile *file = (const FontFile *)run->font;
    if (cursor->done == run->n_glyphs)
        return false;
    if (cursor->done == 0)
        cursor->pen = run->right_to_left ? run->x + run->width : run->x;
    bool apart = cursor->done < cursor->apart_until || run->font->colored;
    take(cursor, apart ? 1 : run->n_glyphs, piece);
    piece->pads = choose_pads(file, piece->x, cursor->size);
    if (!find_way(fonts, cursor, file, piece) && piece->n_clusters > 1) {
        cursor->apart_until = cursor->done + piece->line.n_glyphs;
        return text_piece_next(fonts, cursor, piece);
    }
    cursor->done += piece->line.n_glyphs;
    cursor->pen += run->right_to_left ? -piece->width : piece->width;
    piece->x -= pads_width(fonts, file, piece->pads);
    return true;
}
