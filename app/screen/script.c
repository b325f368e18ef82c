#include "screen/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "canvas/canvas_cairo.h"
#include "canvas/canvas_dump.h"
#include "screen/app.h"
#include "trace/trace_json.h"
#include "ui/chord.h"

#define FRAMES_PER_COMMAND 32
#define WORD_BYTES         512

typedef struct Script {
    App *app;
    Fonts *fonts; /* for pictures */
    Input input;
    StrBuf clipboard;
} Script;

/* ---- frames ---- */

static void frame(Script *s)
{
    app_frame(s->app, &s->input);
    s->input.dropped[0] = '\0';
}

/* Until nothing changes by itself at this moment. */
static void settle(Script *s)
{
    for (int i = 0; i < FRAMES_PER_COMMAND; i++) {
        frame(s);
        app_settle(s->app);
        if (i > 0 && app_wants_frame(s->app) > 0)
            break;
    }
}

static Event *add_event(Script *s, EventKind kind)
{
    Event *e = &s->input.events[s->input.n_events++];
    *e = (Event){.kind = kind, .x = s->input.x, .y = s->input.y, .mods = s->input.mods};
    return e;
}

static void press_at(Script *s, float x, float y, int button, int clicks)
{
    s->input.x = x;
    s->input.y = y;
    settle(s);
    s->input.down[button] = true;
    Event *e = add_event(s, EVENT_PRESS);
    e->button = button;
    e->clicks = clicks;
    settle(s);
}

static void release(Script *s, int button, int clicks)
{
    s->input.down[button] = false;
    Event *e = add_event(s, EVENT_RELEASE);
    e->button = button;
    e->clicks = clicks;
    settle(s);
}

/* ---- words of a line ---- */

typedef struct Line {
    const char *rest;
} Line;

static bool next_word(Line *line, char word[WORD_BYTES])
{
    line->rest += strspn(line->rest, " \t");
    size_t n = strcspn(line->rest, " \t");
    if (n == 0 || n >= WORD_BYTES)
        return false;
    memcpy(word, line->rest, n);
    word[n] = '\0';
    line->rest += n;
    return true;
}

static const char *rest_of(Line *line)
{
    return line->rest + strspn(line->rest, " \t");
}

static bool next_number(Line *line, float *value, Error *error)
{
    char word[WORD_BYTES];
    char *end = NULL;
    if (next_word(line, word))
        *value = strtof(word, &end);
    if (!end || end == word || *end)
        return error_set(error, ERROR_INPUT, "a number was expected");
    return true;
}

static bool next_point(Line *line, float *x, float *y, Error *error)
{
    return next_number(line, x, error) && next_number(line, y, error);
}

/* ---- commands ---- */

static bool find_tag(Script *s, Line *line, Rect *rect, Error *error)
{
    char name[WORD_BYTES];
    if (!next_word(line, name))
        return error_set(error, ERROR_INPUT, "the name of a control was expected");
    if (canvas_find_tag(app_canvas(s->app), name, rect))
        return true;
    return error_set(error, ERROR_INPUT, "there is no control \"%s\" on the screen", name);
}

static bool do_size(Script *s, Line *line, Error *error)
{
    if (!next_point(line, &s->input.width, &s->input.height, error))
        return false;
    if (!(s->input.width >= 100 && s->input.width <= 8000 && s->input.height >= 100 &&
          s->input.height <= 8000))
        return error_set(error, ERROR_INPUT, "a size from 100 to 8000 was expected");
    return true;
}

static bool do_click(Script *s, Line *line, Error *error)
{
    Rect r;
    char word[WORD_BYTES];
    if (!find_tag(s, line, &r, error))
        return false;
    int button = next_word(line, word) && strcmp(word, "right") == 0 ? 3 : 1;
    press_at(s, r.x + r.w / 2, r.y + r.h / 2, button, 1);
    release(s, button, 1);
    return true;
}

static bool do_click_at(Script *s, Line *line, Error *error)
{
    float x, y, clicks = 1;
    if (!next_point(line, &x, &y, error))
        return false;
    if (strcmp(rest_of(line), "right") == 0) {
        press_at(s, x, y, 3, 1);
        release(s, 3, 1);
        return true;
    }
    if (*rest_of(line) && !next_number(line, &clicks, error))
        return false;
    for (int i = 1; i <= (int)clicks; i++) {
        press_at(s, x, y, 1, i);
        release(s, 1, i);
    }
    return true;
}

static bool do_drag(Script *s, Line *line, Error *error)
{
    enum { PARTS = 8 };
    float x1, y1, x2, y2;
    if (!next_point(line, &x1, &y1, error) || !next_point(line, &x2, &y2, error))
        return false;
    s->input.mods = strcmp(rest_of(line), "shift") == 0 ? MOD_SHIFT : 0;
    press_at(s, x1, y1, 1, 1);
    for (int i = 1; i <= PARTS; i++) {
        s->input.x = x1 + (x2 - x1) * (float)i / PARTS;
        s->input.y = y1 + (y2 - y1) * (float)i / PARTS;
        settle(s);
    }
    release(s, 1, 1);
    s->input.mods = 0;
    return true;
}

static bool do_hover(Script *s, Line *line, Error *error)
{
    Rect r;
    if (!find_tag(s, line, &r, error))
        return false;
    s->input.x = r.x + r.w / 2;
    s->input.y = r.y + r.h / 2;
    return true;
}

static bool do_hover_at(Script *s, Line *line, Error *error)
{
    return next_point(line, &s->input.x, &s->input.y, error);
}

static bool do_wheel(Script *s, Line *line, Error *error)
{
    float lines;
    if (!next_point(line, &s->input.x, &s->input.y, error) || !next_number(line, &lines, error))
        return false;
    add_event(s, EVENT_WHEEL)->dy = lines;
    return true;
}

static void type(Script *s, const char *text)
{
    size_t n = strlen(text);
    while (n > 0) {
        size_t part = n < INPUT_TEXT_BYTES - 1 ? n : INPUT_TEXT_BYTES - 1;
        size_t whole = part;
        while (whole > 0 && part < n && ((unsigned char)text[whole] & 0xC0) == 0x80)
            whole--;
        part = whole > 0 ? whole : part; /* nothing but continuation bytes: cut anywhere */
        Event *e = add_event(s, EVENT_TEXT);
        memcpy(e->text, text, part);
        e->text[part] = '\0';
        settle(s);
        text += part;
        n -= part;
    }
}

static bool do_type(Script *s, Line *line, Error *error)
{
    (void)error;
    type(s, rest_of(line));
    return true;
}

static bool press_chord(Script *s, const char *text, Error *error)
{
    Chord chord;
    if (!chord_parse(text, &chord, error))
        return false;
    s->input.mods = chord.mods;
    Event *e = add_event(s, EVENT_KEY);
    e->key = chord.key;
    e->code = chord.code;
    settle(s);
    s->input.mods = 0;
    return true;
}

static bool do_key(Script *s, Line *line, Error *error)
{
    return press_chord(s, rest_of(line), error);
}

static bool do_text(Script *s, Line *line, Error *error)
{
    if (!press_chord(s, "Ctrl+L", error) || !press_chord(s, "Ctrl+A", error))
        return false;
    if (!rest_of(line)[0])
        return press_chord(s, "Delete", error);
    type(s, rest_of(line));
    return true;
}

static bool do_drop(Script *s, Line *line, Error *error)
{
    (void)error;
    snprintf(s->input.dropped, sizeof s->input.dropped, "%s", rest_of(line));
    add_event(s, EVENT_DROP);
    return true;
}

static bool do_pass(Script *s, Line *line, Error *error)
{
    float seconds;
    if (!next_number(line, &seconds, error))
        return false;
    for (float t = 0; t < seconds; t += 0.05f) {
        s->input.time += 0.05;
        settle(s);
    }
    return true;
}

static bool do_open(Script *s, Line *line, Error *error)
{
    return app_open(s->app, rest_of(line), error);
}

static bool do_shot(Script *s, Line *line, Error *error)
{
    char path[WORD_BYTES];
    PngOptions options = {.scale = 1, .background = 0xFFFFFFFF};
    if (!next_word(line, path))
        return error_set(error, ERROR_INPUT, "a file to write was expected");
    if (*rest_of(line) && !next_number(line, &options.scale, error))
        return false;
    StrBuf png = {0};
    bool ok = canvas_encode_png(app_canvas(s->app), s->fonts, &options, &png, error) &&
              file_write(path, png.text, png.length, error);
    strbuf_free(&png);
    return ok;
}

static bool do_dump(Script *s, Line *line, Error *error)
{
    StrBuf text = {0};
    bool ok = canvas_dump(app_canvas(s->app), &text, error) &&
              file_write(rest_of(line), text.text, text.length, error);
    strbuf_free(&text);
    return ok;
}

static bool do_trace(Script *s, Line *line, Error *error)
{
    if (!app_trace(s->app))
        return error_set(error, ERROR_INPUT, "nothing has run");
    StrBuf text = {0};
    bool ok = trace_json_write(app_trace(s->app), &text, error) &&
              file_write(rest_of(line), text.text, text.length, error);
    strbuf_free(&text);
    return ok;
}

static bool do_clipboard(Script *s, Line *line, Error *error)
{
    const char *text = s->clipboard.text ? s->clipboard.text : "";
    return file_write(rest_of(line), text, strlen(text), error);
}

/* "name" and, if given, "value" of a tag, as the dump writes them. */
static bool has_tag(Script *s, const char *name, const char *value)
{
    Rect rect;
    if (!canvas_find_tag(app_canvas(s->app), name, &rect))
        return false;
    if (!*value)
        return true;
    StrBuf text = {0}, wanted = {0};
    Error ignored = {0};
    strbuf_addf(&wanted, "\"%s\" = \"%s\"", name, value);
    bool found =
        canvas_dump(app_canvas(s->app), &text, &ignored) && strstr(text.text, wanted.text) != NULL;
    strbuf_free(&text);
    strbuf_free(&wanted);
    return found;
}

static bool do_expect(Script *s, Line *line, Error *error)
{
    char name[WORD_BYTES];
    if (!next_word(line, name))
        return error_set(error, ERROR_INPUT, "the name of a control was expected");
    return has_tag(s, name, rest_of(line)) ||
           error_set(error, ERROR_INPUT, "expected \"%s\" %s on the screen", name, rest_of(line));
}

static bool do_absent(Script *s, Line *line, Error *error)
{
    return !has_tag(s, rest_of(line), "") ||
           error_set(error, ERROR_INPUT, "\"%s\" should not be on the screen", rest_of(line));
}

static bool do_theme(Script *s, Line *line, Error *error)
{
    bool dark = strcmp(rest_of(line), "dark") == 0;
    bool is_now = app_theme(s->app) == THEME_DARK;
    return dark == is_now || press_chord(s, "F2", error);
}

static bool do_language(Script *s, Line *line, Error *error)
{
    bool chinese = strcmp(rest_of(line), "zh") == 0;
    bool is_now = app_language(s->app) == LANGUAGE_CHINESE;
    return chinese == is_now || press_chord(s, "F3", error);
}

static const struct {
    const char *name;
    bool (*run)(Script *s, Line *line, Error *error);
} commands[] = {
    {"size", do_size},           {"theme", do_theme},       {"language", do_language},
    {"open", do_open},           {"model", do_open},        {"text", do_text},
    {"click", do_click},         {"drag", do_drag},         {"click-at", do_click_at},
    {"hover", do_hover},         {"hover-at", do_hover_at}, {"wheel", do_wheel},
    {"type", do_type},           {"key", do_key},           {"drop", do_drop},
    {"pass", do_pass},           {"shot", do_shot},         {"dump", do_dump},
    {"trace", do_trace},         {"expect", do_expect},     {"absent", do_absent},
    {"clipboard", do_clipboard},
};

static bool run_line(Script *s, const char *text, Error *error)
{
    Line line = {text};
    char word[WORD_BYTES];
    if (!next_word(&line, word) || word[0] == '#')
        return true;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, word) == 0) {
            bool ok = commands[i].run(s, &line, error);
            settle(s);
            return ok;
        }
    return error_set(error, ERROR_INPUT, "\"%s\" is no command of scripts", word);
}

/* ---- the run ---- */

static void clipboard_get(void *context, ClipKind kind, StrBuf *out)
{
    (void)kind;
    Script *s = context;
    if (s->clipboard.text)
        strbuf_add(out, s->clipboard.text);
}

static void clipboard_set(void *context, ClipKind kind, const char *text)
{
    Script *s = context;
    if (kind != CLIP_COPIED)
        return;
    strbuf_clear(&s->clipboard);
    strbuf_add(&s->clipboard, text);
}

static bool run_lines(Script *s, const char *text, size_t size, const char *name, Error *error)
{
    int number = 1;
    for (const char *p = text, *end = text + size; p < end; number++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        size_t n = (size_t)((stop ? stop : end) - p);
        char *line = memory_copy_bytes(p, n > 0 && p[n - 1] == '\r' ? n - 1 : n);
        bool ok = memchr(p, '\0', n)
                      ? error_set(error, ERROR_FORMAT, "a NUL character: this is no text")
                      : run_line(s, line, error);
        free(line);
        if (!ok) {
            error_prefix(error, "%s, line %d", name, number);
            return false;
        }
        p += n + (stop != NULL);
    }
    return true;
}

bool script_run(const char *text, size_t n, const char *name, Error *error)
{
    Script s = {.input = {.width = 1280, .height = 800, .x = -1, .y = -1}};
    const Clipboard clipboard = {&s, clipboard_get, clipboard_set};
    s.fonts = fonts_new(error);
    const AppSpec spec = {.fonts = s.fonts, .clipboard = &clipboard, .still = true};
    bool ok = s.fonts != NULL;
    if (ok) {
        s.app = app_new(&spec);
        Error first = {0};
        /* No model is no failure: it is said on the screen, and a script may open a file. */
        if (!app_open_default(s.app, &first))
            app_report(s.app, &first);
        settle(&s);
        ok = run_lines(&s, text, n, name, error);
    }
    app_free(s.app);
    fonts_free(s.fonts);
    strbuf_free(&s.clipboard);
    return ok;
}
