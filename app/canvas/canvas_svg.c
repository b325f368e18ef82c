#include "canvas/canvas_svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "canvas/canvas_backend.h"
#include "canvas/fonts_internal.h"
#include "canvas/pixels.h"

typedef struct Svg {
    StrBuf *out;
    Fonts *fonts;
    unsigned prefix; /* of ids, so that two figures can stand in one page */
    int n_clips;
    int n_titles;
} Svg;

/* At most three decimals, and never a comma, whatever the locale. */
static void add_number(StrBuf *out, double value)
{
    long long thousandths = llrint(value * 1000);
    if (thousandths < 0) {
        strbuf_add_char(out, '-');
        thousandths = -thousandths;
    }
    strbuf_addf(out, "%lld", thousandths / 1000);
    int rest = (int)(thousandths % 1000);
    if (rest == 0)
        return;
    char digits[4] = {(char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                      (char)('0' + rest % 10), '\0'};
    for (int i = 2; digits[i] == '0'; i--)
        digits[i] = '\0';
    strbuf_addf(out, ".%s", digits);
}

static void add_attribute(StrBuf *out, const char *name, double value)
{
    strbuf_addf(out, " %s=\"", name);
    add_number(out, value);
    strbuf_add_char(out, '"');
}

static void add_rect(StrBuf *out, Rect rect)
{
    add_attribute(out, "x", (double)rect.x);
    add_attribute(out, "y", (double)rect.y);
    add_attribute(out, "width", (double)rect.w);
    add_attribute(out, "height", (double)rect.h);
}

/* fill="#rrggbb", with fill-opacity where it is not opaque. `what` is fill or stroke. */
static void add_color(StrBuf *out, const char *what, Color color)
{
    if ((color & 255) == 0) {
        strbuf_addf(out, " %s=\"none\"", what);
        return;
    }
    strbuf_addf(out, " %s=\"#%06x\"", what, (unsigned)(color >> 8));
    if ((color & 255) == 255)
        return;
    strbuf_addf(out, " %s-opacity=\"", what);
    add_number(out, (color & 255) / 255.0);
    strbuf_add_char(out, '"');
}

static void add_stroke(StrBuf *out, const Stroke *stroke)
{
    add_color(out, "stroke", stroke->color);
    add_attribute(out, "stroke-width", (double)stroke->width);
    if (stroke->dash > 0)
        add_attribute(out, "stroke-dasharray", (double)stroke->dash);
}

static void add_point(StrBuf *out, Point point)
{
    add_number(out, (double)point.x);
    strbuf_add_char(out, ' ');
    add_number(out, (double)point.y);
}

static void svg_clip_push(void *self, const Rect *rect, Error *error)
{
    (void)error;
    Svg *svg = self;
    int id = svg->n_clips++;
    strbuf_addf(svg->out, "<clipPath id=\"f%06x-%d\"><rect", svg->prefix, id);
    add_rect(svg->out, (Rect){rect->x, rect->y, fmaxf(rect->w, 0), fmaxf(rect->h, 0)});
    strbuf_addf(svg->out, "/></clipPath>\n<g clip-path=\"url(#f%06x-%d)\">\n", svg->prefix, id);
}

static void svg_clip_pop(void *self, Error *error)
{
    (void)error;
    Svg *svg = self;
    strbuf_add(svg->out, "</g>\n");
}

static void svg_fill(void *self, const CanvasFill *fill, Error *error)
{
    (void)error;
    Svg *svg = self;
    strbuf_add(svg->out, "<rect");
    add_rect(svg->out, fill->rect);
    if (fill->radius > 0)
        add_attribute(svg->out, "rx", (double)fill->radius);
    add_color(svg->out, "fill", fill->color);
    strbuf_add(svg->out, "/>\n");
}

static void svg_frame(void *self, const CanvasFrame *frame, Error *error)
{
    (void)error;
    Svg *svg = self;
    float half = frame->stroke.width / 2;
    Rect line = rect_inset(frame->rect, half, half);
    if (line.w < 0 || line.h < 0)
        return;
    strbuf_add(svg->out, "<rect");
    add_rect(svg->out, line);
    if (frame->radius > half)
        add_attribute(svg->out, "rx", (double)(frame->radius - half));
    strbuf_add(svg->out, " fill=\"none\"");
    add_stroke(svg->out, &frame->stroke);
    strbuf_add(svg->out, "/>\n");
}

static void svg_path(void *self, const CanvasPath *path, Error *error)
{
    (void)error;
    Svg *svg = self;
    const Point *points = path->points;
    strbuf_add(svg->out, "<path d=\"M");
    add_point(svg->out, points[0]);
    for (int i = 1; i < path->n; i++) {
        strbuf_add(svg->out, path->cubic ? (i % 3 == 1 ? "C" : " ") : "L");
        add_point(svg->out, points[i]);
    }
    strbuf_add(svg->out, "\" fill=\"none\"");
    add_stroke(svg->out, &path->stroke);
    if (path->n == 2 && (points[0].x == points[1].x || points[0].y == points[1].y))
        strbuf_add(svg->out, " shape-rendering=\"crispEdges\"");
    else
        strbuf_add(svg->out, " stroke-linejoin=\"round\"");
    strbuf_add(svg->out, "/>\n");
}

static void svg_polygon(void *self, const CanvasPolygon *polygon, Error *error)
{
    (void)error;
    Svg *svg = self;
    strbuf_add(svg->out, "<polygon points=\"");
    for (int i = 0; i < polygon->n; i++) {
        if (i > 0)
            strbuf_add_char(svg->out, ' ');
        add_point(svg->out, polygon->points[i]);
    }
    strbuf_add_char(svg->out, '"');
    add_color(svg->out, "fill", polygon->color);
    strbuf_add(svg->out, "/>\n");
}

static void svg_circle(void *self, const CanvasCircle *circle, Error *error)
{
    (void)error;
    Svg *svg = self;
    strbuf_add(svg->out, "<circle");
    add_attribute(svg->out, "cx", (double)circle->centre.x);
    add_attribute(svg->out, "cy", (double)circle->centre.y);
    add_attribute(svg->out, "r", (double)circle->radius);
    add_color(svg->out, "fill", circle->fill);
    if (circle->stroke.width > 0)
        add_stroke(svg->out, &circle->stroke);
    strbuf_add(svg->out, "/>\n");
}

/* The families that the layout used, the face's own first, then what any viewer has. */
static void add_families(Svg *svg, const TextLayout *layout, const TextStyle *style)
{
    static const char *const generic[FACE_COUNT] = {"sans-serif", "monospace", "serif"};
    const Font *own = fonts_font(svg->fonts, style);
    strbuf_add(svg->out, " font-family=\"'");
    strbuf_add_xml(svg->out, own->family);
    for (int i = 0; i < layout->n_runs; i++) {
        const char *family = layout->runs[i].font->family;
        bool known = strcmp(family, own->family) == 0;
        for (int j = 0; j < i && !known; j++)
            known = strcmp(family, layout->runs[j].font->family) == 0;
        if (known)
            continue;
        strbuf_add(svg->out, "', '");
        strbuf_add_xml(svg->out, family);
    }
    strbuf_addf(svg->out, "', %s\"", generic[style->face]);
}

/* START and END are left and right here, but first and last of the reading order in SVG. */
static void add_anchor(StrBuf *out, Align align, bool right_to_left)
{
    bool at_last = (align == ALIGN_END) != right_to_left;
    if (right_to_left)
        strbuf_add(out, " direction=\"rtl\"");
    if (align == ALIGN_MIDDLE)
        strbuf_add(out, " text-anchor=\"middle\"");
    else if (at_last)
        strbuf_add(out, " text-anchor=\"end\"");
}

/* Viewers order the words themselves: isolates make quotation marks do there what they do in
 * our own layout (text_layout.c). */
static void add_words(StrBuf *out, const TextLayout *layout)
{
    bool mixed = false;
    for (int i = 0; i < layout->n_runs; i++)
        mixed = mixed || layout->runs[i].right_to_left;
    size_t n = strlen(layout->text), begin = 0;
    uint32_t previous = ' ', code;
    StrBuf part = {0};
    for (size_t i = 0, next; mixed && i < n; i = next, previous = code) {
        next = i + (size_t)utf8_decode(layout->text + i, n - i, &code);
        int quote = text_quotation(previous, code);
        if (quote == 0)
            continue;
        size_t end = quote > 0 ? next : i;
        strbuf_clear(&part);
        strbuf_add_bytes(&part, layout->text + begin, end - begin);
        strbuf_add_xml(out, part.text);
        strbuf_add(out, quote > 0 ? "&#x2068;" : "&#x2069;");
        begin = end;
    }
    strbuf_add_xml(out, layout->text + begin);
    strbuf_free(&part);
}

static void svg_text(void *self, const CanvasText *text, Error *error)
{
    (void)error;
    Svg *svg = self;
    StrBuf *out = svg->out;
    const TextStyle *style = &text->style;
    const TextLayout *layout = fonts_layout(svg->fonts, text->text, style);
    if (layout->n_bytes == 0)
        return;
    strbuf_add(out, "<text");
    add_attribute(out, "x", (double)text->baseline.x);
    add_attribute(out, "y", (double)text->baseline.y);
    add_families(svg, layout, style);
    add_attribute(out, "font-size", (double)style->size);
    if (style->bold)
        strbuf_add(out, " font-weight=\"600\"");
    if (style->italic)
        strbuf_add(out, " font-style=\"italic\"");
    add_color(out, "fill", style->color);
    add_anchor(out, style->align, layout->right_to_left);
    if (style->turn != 0) {
        strbuf_add(out, " transform=\"rotate(");
        add_number(out, (double)style->turn);
        strbuf_add_char(out, ' ');
        add_point(out, text->baseline);
        strbuf_add(out, ")\"");
    }
    strbuf_add(out, " xml:space=\"preserve\">");
    if (layout->cut) {
        strbuf_add(out, "<title>");
        strbuf_add_xml(out, text->text);
        strbuf_add(out, "</title>");
    }
    add_words(out, layout);
    strbuf_add(out, "</text>\n");
}

static void add_base64(StrBuf *out, const char *data, size_t n)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *byte = (const unsigned char *)data;
    for (size_t i = 0; i < n; i += 3) {
        unsigned value = (unsigned)byte[i] << 16;
        value |= i + 1 < n ? (unsigned)byte[i + 1] << 8 : 0;
        value |= i + 2 < n ? byte[i + 2] : 0;
        char four[4] = {letters[value >> 18], letters[value >> 12 & 63],
                        i + 1 < n ? letters[value >> 6 & 63] : '=',
                        i + 2 < n ? letters[value & 63] : '='};
        strbuf_add_bytes(out, four, 4);
    }
}

/* Premultiplied pixels as an embedded PNG. */
static void add_picture(Svg *svg, Rect rect, int width, int height, uint32_t *argb, bool smooth,
                        Error *error)
{
    CanvasPixels pixels = {.data = argb, .width = width, .height = height, .stride = width * 4};
    StrBuf png = {0};
    if (png_encode(&pixels, 0, (CanvasNotes){0}, &png, error)) {
        strbuf_add(svg->out, "<image");
        add_rect(svg->out, rect);
        strbuf_add(svg->out, " preserveAspectRatio=\"none\"");
        if (!smooth)
            strbuf_add(svg->out,
                       " image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\"");
        strbuf_add(svg->out, " xlink:href=\"data:image/png;base64,");
        add_base64(svg->out, png.text, png.length);
        strbuf_add(svg->out, "\"/>\n");
    }
    strbuf_free(&png);
}

static uint32_t *new_pixels(int width, int height, Error *error)
{
    uint32_t *pixels = memory_try_new((size_t)width * (size_t)height, sizeof *pixels);
    if (!pixels)
        error_set(error, ERROR_MEMORY, "no memory for a picture of %d x %d", width, height);
    return pixels;
}

static void cells_as_picture(Svg *svg, const CanvasCells *cells, Error *error)
{
    int times = pixels_sharpening(cells->cols, cells->rows);
    uint32_t *pixels = new_pixels(cells->cols * times, cells->rows * times, error);
    if (!pixels)
        return;
    pixels_from_cells(cells, times, pixels);
    add_picture(svg, cells->rect, cells->cols * times, cells->rows * times, pixels, false, error);
    free(pixels);
}

/* One rectangle for neighbours of one colour in a row. */
static void cells_as_rects(Svg *svg, const CanvasCells *cells)
{
    strbuf_add(svg->out, "<g shape-rendering=\"crispEdges\">\n");
    for (int row = 0; row < cells->rows; row++) {
        const Color *colors = cells->cells + (size_t)row * (size_t)cells->cols;
        for (int col = 0; col < cells->cols;) {
            int end = col + 1;
            while (end < cells->cols && colors[end] == colors[col])
                end++;
            float left = cells->rect.x + cells->rect.w * (float)col / (float)cells->cols;
            float right = cells->rect.x + cells->rect.w * (float)end / (float)cells->cols;
            float top = cells->rect.y + cells->rect.h * (float)row / (float)cells->rows;
            float bottom = cells->rect.y + cells->rect.h * (float)(row + 1) / (float)cells->rows;
            if ((colors[col] & 255) > 0) {
                strbuf_add(svg->out, "<rect");
                add_rect(svg->out, (Rect){left, top, right - left, bottom - top});
                add_color(svg->out, "fill", colors[col]);
                strbuf_add(svg->out, "/>\n");
            }
            col = end;
        }
    }
    strbuf_add(svg->out, "</g>\n");
}

static void svg_cells(void *self, const CanvasCells *cells, Error *error)
{
    if ((size_t)cells->rows * (size_t)cells->cols > SVG_CELLS_MAX)
        cells_as_picture(self, cells, error);
    else
        cells_as_rects(self, cells);
}

static void svg_image(void *self, const CanvasImage *image, Error *error)
{
    int times = image->smooth ? 1 : pixels_sharpening(image->width, image->height);
    uint32_t *pixels = new_pixels(image->width * times, image->height * times, error);
    if (!pixels)
        return;
    pixels_from_image(image, times, pixels);
    add_picture(self, image->rect, image->width * times, image->height * times, pixels,
                image->smooth, error);
    free(pixels);
}

/* Controls of the window say nothing in a figure. */
static bool is_titled(TagRole role)
{
    return role == TAG_GROUP || role == TAG_ITEM || role == TAG_CELL || role == TAG_LABEL ||
           role == TAG_HEATMAP;
}

static void svg_tag(void *self, const CanvasTag *tag, Error *error)
{
    (void)error;
    Svg *svg = self;
    if (!is_titled(tag->role) || svg->n_titles >= SVG_TITLES_MAX || tag->rect.w < 0 ||
        tag->rect.h < 0)
        return;
    svg->n_titles++;
    strbuf_add(svg->out, "<rect");
    add_rect(svg->out, tag->rect);
    strbuf_add(svg->out, " fill=\"none\" pointer-events=\"all\"><title>");
    strbuf_add_xml(svg->out, tag->name);
    if (tag->value[0]) {
        strbuf_add(svg->out, ": ");
        strbuf_add_xml(svg->out, tag->value);
    }
    strbuf_add(svg->out, "</title></rect>\n");
}

static void add_head(const Canvas *canvas, const SvgOptions *options, StrBuf *out)
{
    strbuf_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                    "xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\" "
                    "style=\"font-variant-ligatures:none\"");
    add_attribute(out, "width", (double)canvas_width(canvas));
    add_attribute(out, "height", (double)canvas_height(canvas));
    strbuf_add(out, " viewBox=\"0 0 ");
    add_point(out, (Point){canvas_width(canvas), canvas_height(canvas)});
    strbuf_add(out, "\">\n");
    if (options->title) {
        strbuf_add(out, "<title>");
        strbuf_add_xml(out, options->title);
        strbuf_add(out, "</title>\n");
    }
    if (options->notes.n > 0) {
        strbuf_add(out, "<metadata>\n");
        for (int i = 0; i < options->notes.n; i++) {
            strbuf_add(out, "<note xmlns=\"urn:fovea:figure\" key=\"");
            strbuf_add_xml(out, options->notes.notes[i].key);
            strbuf_add(out, "\">");
            strbuf_add_xml(out, options->notes.notes[i].value);
            strbuf_add(out, "</note>\n");
        }
        strbuf_add(out, "</metadata>\n");
    }
}

bool canvas_encode_svg(const Canvas *canvas, Fonts *fonts, const SvgOptions *options, StrBuf *out,
                       Error *error)
{
    static const CanvasBackend backend = {
        .clip_push = svg_clip_push,
        .clip_pop = svg_clip_pop,
        .fill = svg_fill,
        .frame = svg_frame,
        .path = svg_path,
        .polygon = svg_polygon,
        .circle = svg_circle,
        .text = svg_text,
        .cells = svg_cells,
        .image = svg_image,
        .tag = svg_tag,
    };
    Svg svg = {.out = out, .fonts = fonts, .prefix = (unsigned)(canvas_hash(canvas) & 0xFFFFFF)};
    add_head(canvas, options, out);
    if ((options->background & 255) > 0) {
        strbuf_add(out, "<rect width=\"100%\" height=\"100%\"");
        add_color(out, "fill", options->background);
        strbuf_add(out, "/>\n");
    }
    bool ok = canvas_replay(canvas, &backend, &svg, error);
    strbuf_add(out, "</svg>\n");
    return ok;
}
