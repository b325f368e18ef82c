/* Text of a page: the glyphs that fonts.h placed, with the text that they stand for, so that
 * a reader can search and copy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>

#include "base/memory.h"
#include "canvas/cairo_painter.h"
#include "canvas/text_picture.h"

/* Pictures of emoji are drawn this much finer than their size on the page. */
#define EMOJI_FINENESS 4.0f

static void select_font(cairo_t *cairo, const Font *font, float size)
{
    FcPattern *pattern = FcPatternCreate();
    FcPatternAddString(pattern, FC_FILE, (const FcChar8 *)font->path);
    FcPatternAddInteger(pattern, FC_INDEX, font->index);
    if (font->fake_bold)
        FcPatternAddBool(pattern, FC_EMBOLDEN, FcTrue);
    cairo_font_face_t *face = cairo_ft_font_face_create_for_pattern(pattern);
    FcPatternDestroy(pattern);
    cairo_set_font_face(cairo, face);
    cairo_font_face_destroy(face);
    double shear = font->fake_italic ? -(double)FONT_SHEAR * (double)size : 0;
    cairo_matrix_t matrix = {size, 0, shear, size, 0, 0};
    cairo_set_font_matrix(cairo, &matrix);
}

/* The run's glyph clusters in the order of the text. Returns their number. */
static int fill_clusters(const TextLayout *layout, const TextRun *run,
                         cairo_text_cluster_t *clusters)
{
    const TextGlyph *glyphs = layout->glyphs + run->first_glyph;
    int n = run->n_glyphs;
    int n_clusters = 0;
    uint32_t start = run->start;
    for (int i = 0; i < n;) {
        uint32_t cluster = glyphs[run->right_to_left ? n - 1 - i : i].start;
        int first = i;
        while (i < n && glyphs[run->right_to_left ? n - 1 - i : i].start == cluster)
            i++;
        uint32_t next = i < n ? glyphs[run->right_to_left ? n - 1 - i : i].start : run->end;
        clusters[n_clusters++] = (cairo_text_cluster_t){(int)(next - start), i - first};
        start = next;
    }
    return n_clusters;
}

static void show_run(cairo_t *cairo, const TextLayout *layout, const TextRun *run, float size)
{
    size_t n = (size_t)run->n_glyphs;
    cairo_glyph_t *glyphs = memory_new(n, sizeof *glyphs);
    cairo_text_cluster_t *clusters = memory_new(n, sizeof *clusters);
    for (size_t i = 0; i < n; i++) {
        const TextGlyph *glyph = &layout->glyphs[(size_t)run->first_glyph + i];
        glyphs[i] =
            (cairo_glyph_t){glyph->id, (double)(glyph->x * size), (double)(glyph->y * size)};
    }
    int n_clusters = fill_clusters(layout, run, clusters);
    select_font(cairo, run->font, size);
    cairo_show_text_glyphs(cairo, layout->text + run->start, (int)(run->end - run->start), glyphs,
                           (int)n, clusters, n_clusters,
                           run->right_to_left ? CAIRO_TEXT_CLUSTER_FLAG_BACKWARD : 0);
    free(glyphs);
    free(clusters);
}

/* Emoji are painted as pictures; a blank glyph in the same place carries their text. */
static void show_colored_run(cairo_t *cairo, const TextLayout *layout, const TextRun *run,
                             const Font *carrier, float size)
{
    if (carrier->space_glyph == 0)
        return;
    cairo_glyph_t glyph = {(unsigned long)carrier->space_glyph, (double)(run->x * size), 0};
    int n_bytes = (int)(run->end - run->start);
    cairo_text_cluster_t cluster = {n_bytes, 1};
    select_font(cairo, carrier, size);
    cairo_show_text_glyphs(cairo, layout->text + run->start, n_bytes, &glyph, 1, &cluster, 1, 0);
}

static void paint_colors(cairo_t *cairo, Fonts *fonts, const TextLayout *layout, float size,
                         double alpha)
{
    const TextPicture *picture = text_picture(fonts, layout, size * EMOJI_FINENESS, 0);
    if (!picture || !picture->color)
        return;
    /* A copy: the page is written when the cache may have let go of the picture. */
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, picture->width, picture->height);
    unsigned char *pixels = cairo_image_surface_get_data(image);
    if (pixels) {
        int stride = cairo_image_surface_get_stride(image);
        for (int row = 0; row < picture->height; row++)
            memcpy(pixels + (ptrdiff_t)row * stride,
                   picture->color + (ptrdiff_t)row * picture->width, (size_t)picture->width * 4);
        cairo_surface_mark_dirty(image);
        cairo_save(cairo);
        cairo_scale(cairo, 1 / (double)EMOJI_FINENESS, 1 / (double)EMOJI_FINENESS);
        cairo_set_source_surface(cairo, image, picture->x, picture->y);
        cairo_paint_with_alpha(cairo, alpha);
        cairo_restore(cairo);
    }
    cairo_surface_destroy(image);
}

void cairo_show_layout(cairo_t *cairo, Fonts *fonts, const TextLayout *layout,
                       const TextStyle *style, float x, float y)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_save(cairo);
    cairo_set_font_options(cairo, options);
    cairo_translate(cairo, x, y);
    cairo_rotate(cairo, (double)style->turn * 3.14159265358979323846 / 180);
    bool colored = false;
    for (int i = 0; i < layout->n_runs; i++) {
        const TextRun *run = &layout->runs[i];
        cairo_set_color(cairo, style->color);
        if (run->font->colored)
            show_colored_run(cairo, layout, run, fonts_font(fonts, style), style->size);
        else if (run->n_glyphs > 0)
            show_run(cairo, layout, run, style->size);
        colored |= run->font->colored;
    }
    if (colored)
        paint_colors(cairo, fonts, layout, style->size, (style->color & 255) / 255.0);
    cairo_restore(cairo);
    cairo_font_options_destroy(options);
}
