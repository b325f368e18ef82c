/* Any bytes as text: laid out, cut, measured, broken to lines, drawn, and written as SVG. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "canvas/canvas_svg.h"
#include "canvas/text_picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_layout(Fonts *fonts, const char *text, const TextStyle *style)
{
    const TextLayout *layout = fonts_layout(fonts, text, style);
    FOVEA_CHECK(utf8_is_valid(layout->text, layout->n_bytes), "shown text is not UTF-8");
    FOVEA_CHECK(style->max_width <= 0 || layout->width * style->size <= style->max_width * 1.001f,
                "width %g above %g", (double)(layout->width * style->size),
                (double)style->max_width);
    uint32_t covered = 0;
    for (int i = 0; i < layout->n_runs; i++)
        covered += layout->runs[i].end - layout->runs[i].start;
    FOVEA_CHECK(covered == layout->n_bytes, "%u of %u bytes in runs", covered, layout->n_bytes);
    for (int i = 1; i < layout->n_carets; i++)
        FOVEA_CHECK(layout->carets[i].offset > layout->carets[i - 1].offset, "caret %d", i);
}

static void check_lines(Fonts *fonts, const char *text, const TextStyle *style)
{
    size_t n = strlen(text);
    for (size_t at = 0; at < n;) {
        size_t line = fonts_break_line(fonts, text + at, n - at, style, 60);
        FOVEA_CHECK(line > 0 && line <= n - at, "a line of %zu bytes of %zu", line, n - at);
        at += line;
    }
}

static void check_svg(Fonts *fonts, const char *text, TextStyle style)
{
    Canvas *canvas = canvas_new(100, 100);
    canvas_text(canvas, (Point){50, 50}, text, style);
    canvas_tag(canvas, (Rect){0, 0, 9, 9}, TAG_CELL, text, text);
    StrBuf out = {0};
    Error error = {0};
    FOVEA_CHECK(canvas_encode_svg(canvas, fonts, &(SvgOptions){.title = text}, &out, &error), "%s",
                error.message);
    FOVEA_CHECK(utf8_is_valid(out.text, out.length), "SVG that is not UTF-8");
    strbuf_free(&out);
    canvas_free(canvas);
}

/* The first byte chooses the style, the second the width; the rest is the text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    Error error = {0};
    Fonts *fonts = fonts_new(&error);
    FOVEA_CHECK(fonts, "%s", error.message);
    TextStyle style = {
        .face = (Face)(data[0] % FACE_COUNT),
        .size = 12,
        .bold = data[0] & 8,
        .italic = (data[0] & 16) != 0,
        .turn = data[0] & 32 ? 30 : 0,
        .max_width = data[1],
        .color = 0x000000FF,
    };
    char *text = memory_copy_bytes((const char *)data + 2, size - 2);
    check_layout(fonts, text, &style);
    check_lines(fonts, text, &style);
    check_svg(fonts, text, style);
    size_t n = strlen(text);
    size_t offset = fonts_offset_at(fonts, text, &style, data[1]);
    FOVEA_CHECK(offset <= n, "offset %zu of %zu", offset, n);
    FOVEA_CHECK(isfinite(fonts_caret_x(fonts, text, &style, data[1])), "no caret");
    TextSpan spans[8];
    FOVEA_CHECK(fonts_spans(fonts, text, &style, 1, data[1], spans, 8) <= 8, "too many spans");
    text_picture(fonts, fonts_layout(fonts, text, &style), style.size, style.turn);
    free(text);
    fonts_free(fonts);
    return 0;
}
