#include "canvas/fonts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "canvas/fonts_internal.h"

Fonts *fonts_new(Error *error)
{
    Fonts *fonts = memory_new(1, sizeof *fonts);
    fonts->young = memory_new(1, sizeof *fonts->young);
    fonts->old = memory_new(1, sizeof *fonts->old);
    fonts->scratch.buffer = hb_buffer_create();
    fonts->config = FcInitLoadConfigAndFonts();
    if (!fonts->config) {
        error_set(error, ERROR_IO, "fontconfig cannot be started; check its configuration");
        fonts_free(fonts);
        return NULL;
    }
    if (!font_primary(fonts, FACE_UI * 4, error)) {
        fonts_free(fonts);
        return NULL;
    }
    return fonts;
}

static void generation_clear(CacheGeneration *generation)
{
    for (int i = 0; i < CACHE_BUCKETS; i++) {
        for (CachedLayout *cached = generation->buckets[i]; cached;) {
            CachedLayout *next = cached->next;
            text_pictures_free(cached);
            free(cached);
            cached = next;
        }
        generation->buckets[i] = NULL;
    }
    generation->bytes = 0;
}

static void scratch_free(TextScratch *scratch)
{
    free(scratch->codes);
    strbuf_free(&scratch->shown);
    free(scratch->graphemes);
    free(scratch->runs);
    free(scratch->glyphs);
    free(scratch->unicode);
    free(scratch->levels);
    free(scratch->bidi);
    hb_buffer_destroy(scratch->buffer);
}

void fonts_free(Fonts *fonts)
{
    if (!fonts)
        return;
    generation_clear(fonts->young);
    generation_clear(fonts->old);
    free(fonts->young);
    free(fonts->old);
    font_close_all(fonts);
    text_raster_stop(fonts);
    if (fonts->config)
        FcConfigDestroy(fonts->config);
    scratch_free(&fonts->scratch);
    strbuf_free(&fonts->piece);
    free(fonts);
}

/* Graphemes with the same offset in the given text (the letters of one sign) are one caret
 * place. */
static int fill_carets(const TextScratch *scratch, TextCaret *carets)
{
    int n = 0;
    size_t n_graphemes = scratch->n_graphemes;
    if (scratch->cut && n_graphemes > 0)
        n_graphemes--; /* the ellipsis stands for nothing that was given */
    for (size_t i = 0; i < n_graphemes; i++) {
        const TextGrapheme *grapheme = &scratch->graphemes[i];
        uint32_t offset = scratch->codes[grapheme->first].given;
        if (n > 0 && carets[n - 1].offset == offset)
            carets[n - 1].trailing = grapheme->trailing;
        else
            carets[n++] = (TextCaret){offset, grapheme->leading, grapheme->trailing};
    }
    return n;
}

static uint32_t shown_offset(const TextScratch *scratch, uint32_t code)
{
    return code < scratch->n_codes ? scratch->codes[code].shown : (uint32_t)scratch->shown.length;
}

static void fill_runs(const TextScratch *scratch, TextRun *runs, TextGlyph *glyphs,
                      TextLayout *layout)
{
    int n_glyphs = 0;
    for (size_t i = 0; i < scratch->n_runs; i++) {
        TextRun run = scratch->runs[i].run;
        run.start = shown_offset(scratch, run.start);
        run.end = shown_offset(scratch, run.end);
        for (int j = 0; j < run.n_glyphs; j++) {
            TextGlyph glyph = scratch->glyphs[run.first_glyph + j];
            glyph.start = shown_offset(scratch, glyph.start);
            glyphs[n_glyphs + j] = glyph;
        }
        run.first_glyph = n_glyphs;
        n_glyphs += run.n_glyphs;
        runs[i] = run;
        layout->ascent = fmaxf(layout->ascent, run.font->ascent);
        layout->descent = fmaxf(layout->descent, run.font->descent);
    }
}

static int count_missing(const TextScratch *scratch)
{
    int n = 0;
    for (size_t i = 0; i < scratch->n_graphemes; i++)
        n += scratch->graphemes[i].missing;
    return n;
}

/* The scratch as one block: layout, arrays, the text shown and the key. */
static CachedLayout *pack(const Fonts *fonts, const char *given, size_t n_given, int style)
{
    const TextScratch *scratch = &fonts->scratch;
    size_t runs_bytes = scratch->n_runs * sizeof(TextRun);
    size_t glyphs_bytes = scratch->n_glyphs * sizeof(TextGlyph);
    size_t carets_bytes = scratch->n_graphemes * sizeof(TextCaret);
    size_t bytes = sizeof(CachedLayout) + runs_bytes + glyphs_bytes + carets_bytes +
                   scratch->shown.length + n_given + 2;
    CachedLayout *cached = memory_new(1, bytes);
    TextRun *runs = (TextRun *)(cached + 1);
    TextGlyph *glyphs = (TextGlyph *)(runs + scratch->n_runs);
    TextCaret *carets = (TextCaret *)(glyphs + scratch->n_glyphs);
    char *shown = (char *)(carets + scratch->n_graphemes);
    char *key = shown + scratch->shown.length + 1;
    if (scratch->shown.length)
        memcpy(shown, scratch->shown.text, scratch->shown.length);
    if (n_given)
        memcpy(key, given, n_given);
    const Font *primary = &fonts->styles[style].primary->font;
    cached->layout = (TextLayout){
        .text = shown,
        .n_bytes = (uint32_t)scratch->shown.length,
        .n_given = (uint32_t)n_given,
        .runs = runs,
        .n_runs = (int)scratch->n_runs,
        .glyphs = glyphs,
        .n_glyphs = (int)scratch->n_glyphs,
        .carets = carets,
        .width = scratch->width,
        .ascent = primary->ascent,
        .descent = primary->descent,
        .right_to_left = scratch->right_to_left,
        .cut = scratch->cut,
        .n_missing = count_missing(scratch),
    };
    cached->layout.n_carets = fill_carets(scratch, carets);
    fill_runs(scratch, runs, glyphs, &cached->layout);
    cached->style = style;
    cached->given = key;
    cached->bytes = bytes;
    return cached;
}

static uint64_t key_hash(const char *text, size_t n, int style, float max_em)
{
    uint32_t width;
    memcpy(&width, &max_em, sizeof width);
    uint64_t hash = 0xCBF29CE484222325u ^ ((uint64_t)width << 8 | (unsigned)style);
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001B3u;
    return hash ^ hash >> 32;
}

/* The place that points to the entry, or to the end of its bucket. */
static CachedLayout **find_place(CacheGeneration *generation, uint64_t hash, const char *text,
                                 size_t n, int style, float max_em)
{
    CachedLayout **place = &generation->buckets[hash % CACHE_BUCKETS];
    for (; *place; place = &(*place)->next) {
        const CachedLayout *cached = *place;
        if (cached->hash == hash && cached->style == style && cached->max_em == max_em &&
            cached->layout.n_given == n && memcmp(cached->given, text, n) == 0)
            break;
    }
    return place;
}

static CachedLayout *insert(CacheGeneration *generation, CachedLayout *cached)
{
    CachedLayout **bucket = &generation->buckets[cached->hash % CACHE_BUCKETS];
    cached->next = *bucket;
    *bucket = cached;
    generation->bytes += cached->bytes;
    return cached;
}

/* What was not asked for since the last turn is dropped, the rest becomes old. */
static void age(Fonts *fonts)
{
    if (fonts->young->bytes < FONTS_CACHE_BYTES / 2)
        return;
    generation_clear(fonts->old);
    CacheGeneration *empty = fonts->old;
    fonts->old = fonts->young;
    fonts->young = empty;
}

static const TextLayout *layout_bytes(Fonts *fonts, const char *text, size_t n,
                                      const TextStyle *style)
{
    FOVEA_CHECK(style->size > 0 && style->face < FACE_COUNT, "text of size %g, face %d",
                (double)style->size, (int)style->face);
    age(fonts);
    int index = font_style_index(style);
    float max_em = style->max_width > 0 ? style->max_width / style->size : 0;
    uint64_t hash = key_hash(text, n, index, max_em);
    CachedLayout **place = find_place(fonts->young, hash, text, n, index, max_em);
    if (*place)
        return &(*place)->layout;
    place = find_place(fonts->old, hash, text, n, index, max_em);
    if (*place) {
        CachedLayout *cached = *place;
        *place = cached->next;
        fonts->old->bytes -= cached->bytes;
        return &insert(fonts->young, cached)->layout;
    }
    if (!font_primary(fonts, index, NULL))
        fonts->styles[index].primary = fonts->styles[FACE_UI * 4].primary;
    text_layout_fill(fonts, index, text, n, max_em);
    CachedLayout *cached = pack(fonts, text, n, index);
    cached->hash = hash;
    cached->max_em = max_em;
    return &insert(fonts->young, cached)->layout;
}

const TextLayout *fonts_layout(Fonts *fonts, const char *utf8, const TextStyle *style)
{
    return layout_bytes(fonts, utf8, strlen(utf8), style);
}

float fonts_width(Fonts *fonts, const char *utf8, const TextStyle *style)
{
    return fonts_layout(fonts, utf8, style)->width * style->size;
}

const Font *fonts_font(Fonts *fonts, const TextStyle *style)
{
    int index = font_style_index(style);
    const FontFile *file = font_primary(fonts, index, NULL);
    return file ? &file->font : &fonts->styles[FACE_UI * 4].primary->font;
}

float fonts_ascent(Fonts *fonts, const TextStyle *style)
{
    return fonts_font(fonts, style)->ascent * style->size;
}

float fonts_descent(Fonts *fonts, const TextStyle *style)
{
    return fonts_font(fonts, style)->descent * style->size;
}

/* The caret place whose grapheme holds the byte, or -1 past the end. */
static int caret_at(const TextLayout *layout, size_t offset)
{
    if (offset >= layout->n_given)
        return -1;
    int low = 0;
    int high = layout->n_carets - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (layout->carets[middle].offset <= offset)
            low = middle;
        else
            high = middle - 1;
    }
    return high < 0 ? -1 : low;
}

float fonts_caret_x(Fonts *fonts, const char *utf8, const TextStyle *style, size_t offset)
{
    const TextLayout *layout = fonts_layout(fonts, utf8, style);
    if (layout->n_carets == 0)
        return 0;
    int i = caret_at(layout, offset);
    float em = i < 0 ? layout->carets[layout->n_carets - 1].trailing : layout->carets[i].leading;
    return em * style->size;
}

size_t fonts_offset_at(Fonts *fonts, const char *utf8, const TextStyle *style, float x)
{
    const TextLayout *layout = fonts_layout(fonts, utf8, style);
    float em = x / style->size;
    size_t best = 0;
    float nearest = INFINITY;
    for (int i = 0; i < layout->n_carets; i++) {
        const TextCaret *caret = &layout->carets[i];
        size_t next = i + 1 < layout->n_carets ? caret[1].offset : layout->n_given;
        /* Both edges of every grapheme: where directions meet, the edge decides which. */
        float to_leading = fabsf(em - caret->leading);
        float to_trailing = fabsf(em - caret->trailing);
        if (to_leading < nearest) {
            nearest = to_leading;
            best = caret->offset;
        }
        if (to_trailing < nearest) {
            nearest = to_trailing;
            best = next;
        }
    }
    return best;
}

/* Inserts [left, right] into spans, which are in order from left to right. */
static int add_span(TextSpan *spans, int n, int max, float left, float right)
{
    if (n == max)
        return n;
    int at = n;
    for (; at > 0 && spans[at - 1].x > left; at--)
        spans[at] = spans[at - 1];
    spans[at] = (TextSpan){left, right - left};
    return n + 1;
}

/* Makes one of neighbours that touch. */
static int join_spans(TextSpan *spans, int n)
{
    const float slack = 0.01f;
    int kept = 0;
    for (int i = 0; i < n; i++) {
        TextSpan *last = kept > 0 ? &spans[kept - 1] : NULL;
        if (last && last->x + last->width >= spans[i].x - slack)
            last->width = spans[i].x + spans[i].width - last->x;
        else
            spans[kept++] = spans[i];
    }
    return kept;
}

int fonts_spans(Fonts *fonts, const char *utf8, const TextStyle *style, size_t start, size_t end,
                TextSpan *spans, int max)
{
    const TextLayout *layout = fonts_layout(fonts, utf8, style);
    int n = 0;
    for (int i = 0; i < layout->n_carets;) {
        /* A stretch of one direction is one span. */
        float left = INFINITY;
        float right = -INFINITY;
        float edge = layout->carets[i].leading;
        for (; i < layout->n_carets && fabsf(layout->carets[i].leading - edge) < 1e-3f; i++) {
            const TextCaret *caret = &layout->carets[i];
            edge = caret->trailing;
            if (caret->offset < start || caret->offset >= end)
                continue;
            left = fminf(left, fminf(caret->leading, caret->trailing));
            right = fmaxf(right, fmaxf(caret->leading, caret->trailing));
        }
        if (right >= left)
            n = add_span(spans, n, max, left * style->size, right * style->size);
    }
    return join_spans(spans, n);
}

/* No line starts with these. */
static bool clings_to_left(uint32_t code)
{
    return utf8_is_punctuation(code) && code != '(' && code != '[' && code != '{' &&
           code != 0x300C && code != 0x300A && code != 0xFF08 && code != 0x201C;
}

/* Whether a line may end between two graphemes that start with these codes. */
static bool may_break(uint32_t before, uint32_t after)
{
    if (utf8_is_space(after) || clings_to_left(after))
        return false;
    if (utf8_is_space(before))
        return before != 0xA0 && before != 0x202F;
    return utf8_is_cjk(after) || (utf8_is_cjk(before) && !utf8_is_punctuation(after)) ||
           before == '-' || (utf8_is_punctuation(before) && utf8_is_cjk(after));
}

/* Bytes of text[0..n) up to the last break that fits. *whole: everything fitted. */
static size_t break_fitting(const TextLayout *layout, const char *text, size_t n, float em,
                            bool *whole)
{
    size_t at_break = 0;
    size_t at_grapheme = 0;
    uint32_t before = 0;
    float used = 0;
    for (int i = 0; i < layout->n_carets; i++) {
        size_t offset = layout->carets[i].offset;
        uint32_t code;
        utf8_decode(text + offset, n - offset, &code);
        if (i > 0 && may_break(before, code))
            at_break = offset;
        used += fabsf(layout->carets[i].trailing - layout->carets[i].leading);
        if (used > em && !utf8_is_space(code)) {
            *whole = false;
            if (at_break > 0)
                return at_break;
            return i > 0 ? at_grapheme : utf8_next_grapheme(text, n, 0);
        }
        at_grapheme = i + 1 < layout->n_carets ? layout->carets[i + 1].offset : n;
        before = code;
    }
    *whole = true;
    return n;
}

size_t fonts_break_line(Fonts *fonts, const char *utf8, size_t n, const TextStyle *style,
                        float width)
{
    const char *newline = memchr(utf8, '\n', n);
    size_t line = newline ? (size_t)(newline - utf8) : n;
    TextStyle unlimited = *style;
    unlimited.max_width = 0;
    float em = width / style->size;
    /* A long paragraph is not laid out whole for each of its lines. */
    size_t part = 64 + (size_t)fmaxf(em, 0) * 4;
    for (;; part *= 2) {
        size_t length = line <= part ? line : utf8_previous_grapheme(utf8, line, part);
        bool whole;
        const TextLayout *layout = layout_bytes(fonts, utf8, length, &unlimited);
        size_t fitting = break_fitting(layout, utf8, length, em, &whole);
        if (!whole)
            return fitting;
        if (length == line)
            return newline ? line + 1 : line;
    }
}
