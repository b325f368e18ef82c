#include "canvas/canvas_dump.h"

#include <math.h>
#include <string.h>

#include "canvas/canvas_backend.h"

typedef struct Dump {
    StrBuf *out;
    int depth;
} Dump;

static void start(Dump *dump, const char *word)
{
    for (int i = 0; i < dump->depth; i++)
        strbuf_add(dump->out, "  ");
    strbuf_add(dump->out, word);
}

/* " 1.5": at most two decimals, none that are zero. */
static void number(Dump *dump, float value)
{
    long hundredths = lrint((double)value * 100);
    const char *sign = hundredths < 0 ? "-" : "";
    unsigned long size =
        hundredths < 0 ? 0ul - (unsigned long)hundredths : (unsigned long)hundredths;
    strbuf_addf(dump->out, " %s%lu", sign, size / 100);
    if (size % 10)
        strbuf_addf(dump->out, ".%02lu", size % 100);
    else if (size % 100)
        strbuf_addf(dump->out, ".%lu", size % 100 / 10);
}

static void rect(Dump *dump, Rect rect)
{
    number(dump, rect.x);
    number(dump, rect.y);
    number(dump, rect.w);
    number(dump, rect.h);
}

static void color(Dump *dump, Color color)
{
    if ((color & 255) == 255)
        strbuf_addf(dump->out, " #%06x", (unsigned)(color >> 8));
    else
        strbuf_addf(dump->out, " #%08x", (unsigned)color);
}

static void option(Dump *dump, const char *name, float value)
{
    if (value == 0)
        return;
    strbuf_addf(dump->out, " %s", name);
    number(dump, value);
}

static void stroke(Dump *dump, Stroke stroke)
{
    color(dump, stroke.color);
    option(dump, "width", stroke.width);
    option(dump, "dash", stroke.dash);
}

static void points(Dump *dump, const Point *points, int n)
{
    for (int i = 0; i < n; i++) {
        number(dump, points[i].x);
        number(dump, points[i].y);
    }
}

static void quoted(Dump *dump, const char *text)
{
    strbuf_add(dump->out, " \"");
    strbuf_add_json(dump->out, text, strlen(text));
    strbuf_add_char(dump->out, '"');
}

static void end(Dump *dump)
{
    strbuf_add_char(dump->out, '\n');
}

static void data_hash(Dump *dump, const void *data, size_t n)
{
    const uint8_t *byte = data;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ byte[i]) * 16777619u;
    strbuf_addf(dump->out, " hash %08x", (unsigned)hash);
}

static void dump_clip_push(void *self, const Rect *area, Error *error)
{
    (void)error;
    Dump *dump = self;
    start(dump, "clip");
    rect(dump, *area);
    end(dump);
    dump->depth++;
}

static void dump_clip_pop(void *self, Error *error)
{
    (void)error;
    Dump *dump = self;
    dump->depth--;
}

static void dump_fill(void *self, const CanvasFill *fill, Error *error)
{
    (void)error;
    Dump *dump = self;
    start(dump, "fill");
    rect(dump, fill->rect);
    color(dump, fill->color);
    option(dump, "radius", fill->radius);
    end(dump);
}

static void dump_frame(void *self, const CanvasFrame *frame, Error *error)
{
    (void)error;
    Dump *dump = self;
    start(dump, "frame");
    rect(dump, frame->rect);
    stroke(dump, frame->stroke);
    option(dump, "radius", frame->radius);
    end(dump);
}

static void dump_path(void *self, const CanvasPath *path, Error *error)
{
    (void)error;
    Dump *dump = self;
    start(dump, path->cubic ? "curve" : "line");
    points(dump, path->points, path->n);
    stroke(dump, path->stroke);
    end(dump);
}

static void dump_polygon(void *self, const CanvasPolygon *polygon, Error *error)
{
    (void)error;
    Dump *dump = self;
    start(dump, "polygon");
    points(dump, polygon->points, polygon->n);
    color(dump, polygon->color);
    end(dump);
}

static void dump_circle(void *self, const CanvasCircle *circle, Error *error)
{
    (void)error;
    Dump *dump = self;
    start(dump, "circle");
    points(dump, &circle->centre, 1);
    number(dump, circle->radius);
    color(dump, circle->fill);
    if (circle->stroke.width > 0) {
        strbuf_add(dump->out, " stroke");
        stroke(dump, circle->stroke);
    }
    end(dump);
}

static void dump_text(void *self, const CanvasText *text, Error *error)
{
    (void)error;
    static const char *const faces[] = {" ui", " mono", " serif"};
    static const char *const aligns[] = {"", " middle", " end"};
    Dump *dump = self;
    const TextStyle *style = &text->style;
    start(dump, "text");
    points(dump, &text->baseline, 1);
    quoted(dump, text->text);
    strbuf_add(dump->out, faces[style->face]);
    number(dump, style->size);
    strbuf_add(dump->out, style->bold ? " bold" : "");
    strbuf_add(dump->out, style->italic ? " italic" : "");
    color(dump, style->color);
    strbuf_add(dump->out, aligns[style->align]);
    option(dump, "turn", style->turn);
    option(dump, "max", style->max_width);
    end(dump);
}

static void dump_cells(void *self, const CanvasCells *cells, Error *error)
{
    (void)error;
    Dump *dump = self;
    start(dump, "cells");
    rect(dump, cells->rect);
    strbuf_addf(dump->out, " %d x %d", cells->rows, cells->cols);
    /* Byte by byte from the top, so that the hash does not depend on the machine. */
    size_t n = (size_t)cells->rows * (size_t)cells->cols;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++)
        for (int shift = 24; shift >= 0; shift -= 8)
            hash = (hash ^ (cells->cells[i] >> shift & 255)) * 16777619u;
    strbuf_addf(dump->out, " hash %08x", (unsigned)hash);
    end(dump);
}

static void dump_image(void *self, const CanvasImage *image, Error *error)
{
    (void)error;
    Dump *dump = self;
    start(dump, "image");
    rect(dump, image->rect);
    strbuf_addf(dump->out, " %d x %d", image->width, image->height);
    data_hash(dump, image->rgba, (size_t)image->width * (size_t)image->height * 4);
    strbuf_add(dump->out, image->smooth ? " smooth" : "");
    end(dump);
}

static void dump_tag(void *self, const CanvasTag *tag, Error *error)
{
    (void)error;
    Dump *dump = self;
    start(dump, "tag ");
    strbuf_add(dump->out, tag_role_name(tag->role));
    quoted(dump, tag->name);
    if (tag->value[0]) {
        strbuf_add(dump->out, " =");
        quoted(dump, tag->value);
    }
    rect(dump, tag->rect);
    end(dump);
}

bool canvas_dump(const Canvas *canvas, StrBuf *out, Error *error)
{
    static const CanvasBackend backend = {
        .clip_push = dump_clip_push,
        .clip_pop = dump_clip_pop,
        .fill = dump_fill,
        .frame = dump_frame,
        .path = dump_path,
        .polygon = dump_polygon,
        .circle = dump_circle,
        .text = dump_text,
        .cells = dump_cells,
        .image = dump_image,
        .tag = dump_tag,
    };
    Dump dump = {.out = out};
    strbuf_add(out, "canvas");
    number(&dump, canvas_width(canvas));
    number(&dump, canvas_height(canvas));
    end(&dump);
    return canvas_replay(canvas, &backend, &dump, error);
}
