#include "canvas/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "canvas/canvas_words.h"

/* Where a command's next word goes. */
typedef uint32_t *Writer;

static void put_int(Writer *at, uint32_t value)
{
    *(*at)++ = value;
}

static void put_float(Writer *at, float value)
{
    /* -0 draws like 0 and must hash like it. */
    value += 0.0f;
    memcpy((*at)++, &value, sizeof value);
}

static void put_rect(Writer *at, Rect rect)
{
    put_float(at, rect.x);
    put_float(at, rect.y);
    put_float(at, rect.w);
    put_float(at, rect.h);
}

static void put_stroke(Writer *at, Stroke stroke)
{
    put_int(at, stroke.color);
    put_float(at, stroke.width);
    put_float(at, stroke.dash);
}

static void put_style(Writer *at, TextStyle style)
{
    put_int(at, (uint32_t)style.face | (uint32_t)style.align << 8 | (uint32_t)style.bold << 16 |
                    (uint32_t)style.italic << 17);
    put_float(at, style.size);
    put_int(at, style.color);
    put_float(at, style.turn);
    put_float(at, style.max_width);
}

static void put_points(Writer *at, const Point *points, int n)
{
    for (int i = 0; i < n; i++) {
        put_float(at, points[i].x);
        put_float(at, points[i].y);
    }
}

static size_t words_of_bytes(size_t n)
{
    return (n + 3) / 4;
}

static void put_bytes(Writer *at, const void *bytes, size_t n)
{
    size_t n_words = words_of_bytes(n);
    if (n_words == 0)
        return;
    (*at)[n_words - 1] = 0;
    memcpy(*at, bytes, n);
    *at += n_words;
}

/* The first n bytes of a text as n + 1 terminated ones. */
static void put_text(Writer *at, const char *text, size_t n)
{
    size_t n_words = words_of_bytes(n + 1);
    (*at)[n_words - 1] = 0;
    memcpy(*at, text, n);
    *at += n_words;
}

static bool is_drawable(float value)
{
    return fabsf(value) <= CANVAS_MAX_COORDINATE; /* false for NaN */
}

static bool rect_is_drawable(Rect rect)
{
    return is_drawable(rect.x) && is_drawable(rect.y) && is_drawable(rect.w) && is_drawable(rect.h);
}

static bool points_are_drawable(const Point *points, int n)
{
    for (int i = 0; i < n; i++)
        if (!is_drawable(points[i].x) || !is_drawable(points[i].y))
            return false;
    return true;
}

/* Room for n more words; false when the canvas has failed. */
static bool reserve(Canvas *canvas, size_t n)
{
    if (error_is_set(&canvas->error))
        return false;
    size_t needed = canvas->n_words + n;
    if (needed <= canvas->capacity)
        return true;
    size_t wanted = needed + needed / 2 + 1024;
    uint32_t *words = memory_try_resize(canvas->words, wanted, sizeof *words);
    if (!words)
        return error_set(&canvas->error, ERROR_MEMORY, "no memory for a drawing of %zu bytes",
                         needed * sizeof *words);
    canvas->words = words;
    canvas->capacity = wanted;
    return true;
}

/* Room for a command of n_payload words; NULL when the canvas has failed. */
static Writer begin(Canvas *canvas, CommandKind kind, size_t n_payload)
{
    size_t n = n_payload + HEAD_WORDS;
    if (!reserve(canvas, n))
        return NULL;
    Writer at = canvas->words + canvas->n_words;
    put_int(&at, kind);
    put_int(&at, (uint32_t)n);
    return at;
}

/* Two words a turn: a matrix of a megabyte must not cost a millisecond. */
static uint64_t hash_words(uint64_t hash, const uint32_t *words, size_t n)
{
    for (size_t i = 0; i < n; i += 2) {
        uint64_t high = i + 1 < n ? words[i + 1] : 0x5bd1e995u;
        hash = (hash ^ (high << 32 | words[i])) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static void end(Canvas *canvas, Writer at)
{
    uint32_t *start = canvas->words + canvas->n_words;
    size_t n = (size_t)(at - start);
    FOVEA_CHECK(start[1] == n, "command %u: %zu words, %u announced", start[0], n, start[1]);
    canvas->hash = hash_words(canvas->hash, start, n);
    canvas->n_words += n;
}

Canvas *canvas_new(float width, float height)
{
    Canvas *canvas = memory_new(1, sizeof *canvas);
    canvas_clear(canvas, width, height);
    return canvas;
}

void canvas_clear(Canvas *canvas, float width, float height)
{
    FOVEA_CHECK(is_drawable(width) && is_drawable(height) && width > 0 && height > 0,
                "canvas of %g x %g", (double)width, (double)height);
    canvas->width = width;
    canvas->height = height;
    canvas->n_words = 0;
    canvas->hash = 0x243F6A8885A308D3u;
    canvas->clip_depth = 0;
    canvas->clip_underflow = false;
    error_clear(&canvas->error);
}

void canvas_free(Canvas *canvas)
{
    if (!canvas)
        return;
    free(canvas->words);
    free(canvas);
}

float canvas_width(const Canvas *canvas)
{
    return canvas->width;
}

float canvas_height(const Canvas *canvas)
{
    return canvas->height;
}

void canvas_clip_push(Canvas *canvas, Rect rect)
{
    /* Always recorded, or its pop would have no partner. */
    if (!rect_is_drawable(rect))
        rect = (Rect){0};
    canvas->clip_depth++;
    Writer at = begin(canvas, COMMAND_CLIP_PUSH, RECT_WORDS);
    if (!at)
        return;
    put_rect(&at, rect);
    end(canvas, at);
}

void canvas_clip_pop(Canvas *canvas)
{
    canvas->clip_underflow |= --canvas->clip_depth < 0;
    Writer at = begin(canvas, COMMAND_CLIP_POP, 0);
    if (at)
        end(canvas, at);
}

void canvas_fill(Canvas *canvas, Rect rect, float radius, Color color)
{
    if (!rect_is_drawable(rect) || !is_drawable(radius) || !(rect.w > 0 && rect.h > 0))
        return;
    Writer at = begin(canvas, COMMAND_FILL, RECT_WORDS + 2);
    if (!at)
        return;
    put_rect(&at, rect);
    put_float(&at, radius);
    put_int(&at, color);
    end(canvas, at);
}

void canvas_frame(Canvas *canvas, Rect rect, float radius, Stroke stroke)
{
    if (!rect_is_drawable(rect) || !is_drawable(radius) || !(rect.w > 0 && rect.h > 0) ||
        !is_drawable(stroke.width) || !is_drawable(stroke.dash))
        return;
    Writer at = begin(canvas, COMMAND_FRAME, RECT_WORDS + 1 + STROKE_WORDS);
    if (!at)
        return;
    put_rect(&at, rect);
    put_float(&at, radius);
    put_stroke(&at, stroke);
    end(canvas, at);
}

void canvas_line(Canvas *canvas, Point a, Point b, Stroke stroke)
{
    canvas_path(canvas, (const Point[]){a, b}, 2, false, stroke);
}

static bool path_is_too_long(Canvas *canvas, int n)
{
    if (n <= CANVAS_MAX_PATH_POINTS)
        return false;
    error_set(&canvas->error, ERROR_LIMIT, "a line of %d points; at most %d can be drawn", n,
              CANVAS_MAX_PATH_POINTS);
    return true;
}

void canvas_path(Canvas *canvas, const Point *points, int n, bool cubic, Stroke stroke)
{
    FOVEA_CHECK(n >= 2 && (!cubic || n % 3 == 1), "path of %d points, cubic %d", n, cubic);
    if (path_is_too_long(canvas, n) || !points_are_drawable(points, n) ||
        !is_drawable(stroke.width) || !is_drawable(stroke.dash))
        return;
    Writer at = begin(canvas, COMMAND_PATH, 2 + STROKE_WORDS + 2 * (size_t)n);
    if (!at)
        return;
    put_int(&at, (uint32_t)n);
    put_int(&at, cubic);
    put_stroke(&at, stroke);
    put_points(&at, points, n);
    end(canvas, at);
}

void canvas_polygon(Canvas *canvas, const Point *points, int n, Color color)
{
    FOVEA_CHECK(n >= 3, "polygon of %d points", n);
    if (path_is_too_long(canvas, n) || !points_are_drawable(points, n))
        return;
    Writer at = begin(canvas, COMMAND_POLYGON, 2 + 2 * (size_t)n);
    if (!at)
        return;
    put_int(&at, (uint32_t)n);
    put_int(&at, color);
    put_points(&at, points, n);
    end(canvas, at);
}

void canvas_circle(Canvas *canvas, Point centre, float radius, Color fill, Stroke stroke)
{
    if (!points_are_drawable(&centre, 1) || !is_drawable(radius) || !(radius > 0) ||
        !is_drawable(stroke.width) || !is_drawable(stroke.dash))
        return;
    Writer at = begin(canvas, COMMAND_CIRCLE, 4 + STROKE_WORDS);
    if (!at)
        return;
    put_points(&at, &centre, 1);
    put_float(&at, radius);
    put_int(&at, fill);
    put_stroke(&at, stroke);
    end(canvas, at);
}

/* Bytes of the text that are kept: all, or whole graphemes up to the limit. */
static size_t text_length(const char *text)
{
    size_t n = strnlen(text, CANVAS_MAX_TEXT_BYTES + 1);
    return n <= CANVAS_MAX_TEXT_BYTES ? n : utf8_previous_grapheme(text, n, CANVAS_MAX_TEXT_BYTES);
}

void canvas_text(Canvas *canvas, Point baseline, const char *utf8, TextStyle style)
{
    FOVEA_CHECK(style.face < FACE_COUNT && style.align <= ALIGN_END, "face %d, align %d",
                (int)style.face, (int)style.align);
    if (!points_are_drawable(&baseline, 1) || !is_drawable(style.size) || !(style.size > 0) ||
        !is_drawable(style.turn) || !is_drawable(style.max_width))
        return;
    size_t n = text_length(utf8);
    if (n == 0)
        return;
    Writer at = begin(canvas, COMMAND_TEXT, 2 + STYLE_WORDS + words_of_bytes(n + 1));
    if (!at)
        return;
    put_points(&at, &baseline, 1);
    put_style(&at, style);
    put_text(&at, utf8, n);
    end(canvas, at);
}

void canvas_textf(Canvas *canvas, Point baseline, TextStyle style, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    FOVEA_CHECK(n >= 0, "bad format \"%s\"", fmt);
    if ((size_t)n < sizeof text) {
        canvas_text(canvas, baseline, text, style);
        return;
    }
    char *longer = memory_new((size_t)n + 1, 1);
    va_start(args, fmt);
    vsnprintf(longer, (size_t)n + 1, fmt, args);
    va_end(args);
    canvas_text(canvas, baseline, longer, style);
    free(longer);
}

/* false, and a failed canvas, when width x height is above the limit. */
static bool cells_fit(Canvas *canvas, int rows, int cols, const char *what)
{
    FOVEA_CHECK(rows > 0 && cols > 0, "%s of %d x %d", what, rows, cols);
    if ((uint64_t)rows * (uint64_t)cols <= CANVAS_MAX_CELLS)
        return true;
    return error_set(&canvas->error, ERROR_LIMIT,
                     "%s of %d x %d; at most %zu in all can be drawn at once", what, rows, cols,
                     CANVAS_MAX_CELLS);
}

void canvas_cells(Canvas *canvas, Rect rect, int rows, int cols, const Color *cells)
{
    if (!cells_fit(canvas, rows, cols, "a matrix") || !rect_is_drawable(rect) ||
        !(rect.w > 0 && rect.h > 0))
        return;
    size_t n = (size_t)rows * (size_t)cols;
    Writer at = begin(canvas, COMMAND_CELLS, RECT_WORDS + 2 + n);
    if (!at)
        return;
    put_rect(&at, rect);
    put_int(&at, (uint32_t)rows);
    put_int(&at, (uint32_t)cols);
    put_bytes(&at, cells, n * sizeof *cells);
    end(canvas, at);
}

void canvas_image(Canvas *canvas, Rect rect, int width, int height, const uint8_t *rgba,
                  bool smooth)
{
    if (!cells_fit(canvas, width, height, "an image") || !rect_is_drawable(rect) ||
        !(rect.w > 0 && rect.h > 0))
        return;
    size_t n = (size_t)width * (size_t)height;
    Writer at = begin(canvas, COMMAND_IMAGE, RECT_WORDS + 3 + n);
    if (!at)
        return;
    put_rect(&at, rect);
    put_int(&at, (uint32_t)width);
    put_int(&at, (uint32_t)height);
    put_int(&at, smooth);
    put_bytes(&at, rgba, n * 4);
    end(canvas, at);
}

void canvas_tag(Canvas *canvas, Rect rect, TagRole role, const char *name, const char *value)
{
    if (!rect_is_drawable(rect))
        return;
    if (!value)
        value = "";
    size_t n_name = text_length(name);
    size_t n_value = text_length(value);
    Writer at = begin(canvas, COMMAND_TAG,
                      RECT_WORDS + 2 + words_of_bytes(n_name + 1) + words_of_bytes(n_value + 1));
    if (!at)
        return;
    put_rect(&at, rect);
    put_int(&at, role);
    put_int(&at, (uint32_t)words_of_bytes(n_name + 1));
    put_text(&at, name, n_name);
    put_text(&at, value, n_value);
    end(canvas, at);
}

const char *tag_role_name(TagRole role)
{
    static const char *const names[] = {
#define TAG_ROLE(id, name) name,
        TAG_ROLES(TAG_ROLE)
#undef TAG_ROLE
    };
    FOVEA_CHECK((size_t)role < sizeof names / sizeof names[0], "tag role %d", (int)role);
    return names[role];
}

bool canvas_find_tag(const Canvas *canvas, const char *name, Rect *rect)
{
    bool found = false;
    for (size_t i = 0; i < canvas->n_words; i += canvas->words[i + 1]) {
        if (canvas->words[i] != COMMAND_TAG)
            continue;
        CanvasTag tag = take_tag(canvas->words + i + HEAD_WORDS);
        if (strcmp(tag.name, name) == 0) {
            *rect = tag.rect;
            found = true;
        }
    }
    return found;
}

void canvas_append(Canvas *canvas, const Canvas *other)
{
    FOVEA_CHECK(canvas != other && other->clip_depth == 0 && !other->clip_underflow,
                "appending a recording with %d open clips", other->clip_depth);
    if (error_is_set(&other->error) && !error_is_set(&canvas->error))
        canvas->error = other->error;
    if (other->n_words == 0 || !reserve(canvas, other->n_words))
        return;
    /* Command by command: the hash is that of the same calls made here. */
    for (size_t i = 0; i < other->n_words; i += other->words[i + 1])
        canvas->hash = hash_words(canvas->hash, other->words + i, other->words[i + 1]);
    memcpy(canvas->words + canvas->n_words, other->words, other->n_words * sizeof *other->words);
    canvas->n_words += other->n_words;
}

uint64_t canvas_hash(const Canvas *canvas)
{
    uint32_t size[2];
    Writer at = size;
    put_float(&at, canvas->width);
    put_float(&at, canvas->height);
    return hash_words(canvas->hash, size, 2);
}
