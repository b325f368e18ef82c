/* canvas_words.h - how a recording is stored; shared by canvas.c, which writes it, and
 * canvas_replay.c, which reads it.
 *
 * One array of 32-bit words, so that it has no padding bytes and its hash is that of its
 * meaning. A command: kind, number of words with these two, then its numbers, then text
 * (bytes, terminated, zero-filled to a whole word) or an array.
 */
#ifndef FOVEA_CANVAS_CANVAS_WORDS_H
#define FOVEA_CANVAS_CANVAS_WORDS_H
#include <string.h>

#include "canvas/canvas_backend.h"

typedef enum {
    COMMAND_CLIP_PUSH,
    COMMAND_CLIP_POP,
    COMMAND_FILL,
    COMMAND_FRAME,
    COMMAND_PATH,
    COMMAND_POLYGON,
    COMMAND_CIRCLE,
    COMMAND_TEXT,
    COMMAND_CELLS,
    COMMAND_IMAGE,
    COMMAND_TAG,
} CommandKind;

enum { HEAD_WORDS = 2, RECT_WORDS = 4, STROKE_WORDS = 3, STYLE_WORDS = 5 };

struct Canvas {
    float width, height;
    uint32_t *words;
    size_t n_words;
    size_t capacity;
    uint64_t hash;
    int clip_depth;
    bool clip_underflow;
    Error error;
};

/* Where a command's next word is read. */
typedef const uint32_t *Reader;

static inline uint32_t take_int(Reader *at)
{
    return *(*at)++;
}

static inline float take_float(Reader *at)
{
    float value;
    memcpy(&value, (*at)++, sizeof value);
    return value;
}

static inline Rect take_rect(Reader *at)
{
    Rect rect;
    rect.x = take_float(at);
    rect.y = take_float(at);
    rect.w = take_float(at);
    rect.h = take_float(at);
    return rect;
}

static inline Stroke take_stroke(Reader *at)
{
    Stroke stroke;
    stroke.color = take_int(at);
    stroke.width = take_float(at);
    stroke.dash = take_float(at);
    return stroke;
}

static inline TextStyle take_style(Reader *at)
{
    TextStyle style;
    uint32_t flags = take_int(at);
    style.face = (Face)(flags & 0xFF);
    style.align = (Align)(flags >> 8 & 0xFF);
    style.bold = (flags >> 16 & 1) != 0;
    style.italic = (flags >> 17 & 1) != 0;
    style.size = take_float(at);
    style.color = take_int(at);
    style.turn = take_float(at);
    style.max_width = take_float(at);
    return style;
}

static inline CanvasTag take_tag(Reader at)
{
    CanvasTag tag;
    tag.rect = take_rect(&at);
    tag.role = (TagRole)take_int(&at);
    uint32_t name_words = take_int(&at);
    tag.name = (const char *)at;
    tag.value = (const char *)(at + name_words);
    return tag;
}

#endif
