/* From characters to placed glyphs: directions, graphemes, runs, shaping, visual order. */
#include <math.h>
#include <string.h>

#include <fribidi.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "canvas/fonts_internal.h"

enum { CODE_ELLIPSIS = 0x2026, FIRST_RIGHT_TO_LEFT = 0x590 };

/* The codes once more as plain arrays, for the libraries. */
static void copy_unicode(TextScratch *scratch)
{
    size_t n = scratch->n_codes;
    scratch->unicode =
        memory_grow(scratch->unicode, &scratch->unicode_capacity, n + 1, sizeof(uint32_t));
    scratch->levels = memory_grow(scratch->levels, &scratch->levels_capacity, n + 1, 1);
    for (size_t i = 0; i < n; i++)
        scratch->unicode[i] = scratch->codes[i].code;
}

/* Embedding levels by UAX 9; the paragraph's direction is that of its first strong letter. */
int text_quotation(uint32_t previous, uint32_t code)
{
    if (code == '"')
        return previous == ' ' || previous == '(' || previous == '[' ? 1 : -1;
    return code == 0x201C ? 1 : code == 0x201D ? -1 : 0;
}

/* A sentence around a quotation has its own direction, whatever is quoted: quotation marks
 * isolate what stands between them (UAX 9, 3.1.2), and stand where the sentence has them. */
static void isolate_quotations(const TextScratch *scratch, size_t n, FriBidiCharType *types)
{
    for (size_t i = 0; i < n; i++) {
        int quote = text_quotation(i > 0 ? scratch->unicode[i - 1] : ' ', scratch->unicode[i]);
        if (quote != 0)
            types[i] = quote > 0 ? FRIBIDI_TYPE_FSI : FRIBIDI_TYPE_PDI;
    }
}

/* That of the first strong letter outside quotations, else of the first one. */
static FriBidiParType paragraph_direction(const FriBidiCharType *types, size_t n)
{
    int depth = 0;
    for (size_t i = 0; i < n; i++) {
        if (types[i] == FRIBIDI_TYPE_PDI)
            depth -= depth > 0;
        else if (FRIBIDI_IS_ISOLATE(types[i])) /* PDI counts as one, too */
            depth++;
        else if (depth == 0 && FRIBIDI_IS_LETTER(types[i]))
            return FRIBIDI_IS_RTL(types[i]) ? FRIBIDI_PAR_RTL : FRIBIDI_PAR_LTR;
    }
    return fribidi_get_par_direction(types, (FriBidiStrIndex)n);
}

static void find_levels(TextScratch *scratch)
{
    size_t n = scratch->n_codes;
    memset(scratch->levels, 0, n);
    scratch->right_to_left = false;
    bool mixed = false;
    for (size_t i = 0; i < n && !mixed; i++)
        mixed = scratch->unicode[i] >= FIRST_RIGHT_TO_LEFT;
    if (!mixed)
        return;
    scratch->bidi =
        memory_grow(scratch->bidi, &scratch->bidi_capacity, 3 * n, sizeof *scratch->bidi);
    FriBidiCharType *types = scratch->bidi;
    FriBidiBracketType *brackets = scratch->bidi + n;
    FriBidiLevel *levels = (FriBidiLevel *)(scratch->bidi + 2 * n);
    fribidi_get_bidi_types(scratch->unicode, (FriBidiStrIndex)n, types);
    isolate_quotations(scratch, n, types);
    fribidi_get_bracket_types(scratch->unicode, (FriBidiStrIndex)n, types, brackets);
    FriBidiParType direction = paragraph_direction(types, n);
    scratch->right_to_left = direction == FRIBIDI_PAR_RTL;
    if (!fribidi_get_par_embedding_levels_ex(types, brackets, (FriBidiStrIndex)n, &direction,
                                             levels))
        return; /* no memory: in the order of the text */
    for (size_t i = 0; i < n; i++)
        scratch->levels[i] = (uint8_t)levels[i];
}

static hb_script_t script_of(uint32_t code)
{
    return hb_unicode_script(hb_unicode_funcs_get_default(), code);
}

static bool is_real_script(hb_script_t script)
{
    return script != HB_SCRIPT_COMMON && script != HB_SCRIPT_INHERITED &&
           script != HB_SCRIPT_UNKNOWN;
}

static void add_grapheme(TextScratch *scratch, size_t first)
{
    scratch->graphemes = memory_grow(scratch->graphemes, &scratch->graphemes_capacity,
                                     scratch->n_graphemes + 2, sizeof *scratch->graphemes);
    scratch->graphemes[scratch->n_graphemes++] =
        (TextGrapheme){.first = (uint32_t)first, .level = scratch->levels[first]};
}

static void find_graphemes(TextScratch *scratch)
{
    scratch->n_graphemes = 0;
    size_t n_bytes = scratch->shown.length;
    size_t code = 0;
    for (size_t i = 0; i < n_bytes;) {
        add_grapheme(scratch, code);
        i = utf8_next_grapheme(scratch->shown.text, n_bytes, i);
        while (code < scratch->n_codes && scratch->codes[code].shown < i)
            code++;
    }
    scratch->graphemes[scratch->n_graphemes] = (TextGrapheme){.first = (uint32_t)scratch->n_codes};
}

/* Characters of every script (spaces, digits, signs) take the script before them, those at
 * the start the one after them. */
static void find_scripts(TextScratch *scratch)
{
    hb_script_t script = HB_SCRIPT_COMMON;
    for (size_t i = 0; i < scratch->n_codes && !is_real_script(script); i++)
        script = script_of(scratch->unicode[i]);
    if (!is_real_script(script))
        script = HB_SCRIPT_COMMON;
    for (size_t i = 0; i < scratch->n_graphemes; i++) {
        TextGrapheme *grapheme = &scratch->graphemes[i];
        for (size_t j = grapheme[0].first; j < grapheme[1].first; j++) {
            hb_script_t own = script_of(scratch->unicode[j]);
            if (is_real_script(own)) {
                script = own;
                break;
            }
        }
        grapheme->script = script;
    }
}

/* A base and marks that no font has together: each code for itself. Returns how many. */
static size_t split_grapheme(TextScratch *scratch, size_t at)
{
    TextGrapheme whole = scratch->graphemes[at];
    size_t n = scratch->graphemes[at + 1].first - whole.first;
    size_t total = scratch->n_graphemes + n - 1;
    scratch->graphemes = memory_grow(scratch->graphemes, &scratch->graphemes_capacity, total + 1,
                                     sizeof *scratch->graphemes);
    TextGrapheme *place = scratch->graphemes + at;
    memmove(place + n, place + 1, (scratch->n_graphemes - at) * sizeof *place);
    for (size_t i = 0; i < n; i++) {
        place[i] = whole;
        place[i].first = whole.first + (uint32_t)i;
    }
    scratch->n_graphemes = total;
    return n;
}

/* A space stays in the font around it: two Arabic words are one run. */
static bool keeps_font(const TextScratch *scratch, size_t i)
{
    const TextGrapheme *grapheme = &scratch->graphemes[i];
    return i > 0 && scratch->unicode[grapheme->first] == ' ' && !grapheme[-1].missing &&
           !grapheme[-1].file->font.colored && grapheme[-1].level == grapheme->level &&
           font_covers(grapheme[-1].file, ' ');
}

static void find_fonts(Fonts *fonts, int style)
{
    TextScratch *scratch = &fonts->scratch;
    for (size_t i = 0; i < scratch->n_graphemes; i++) {
        TextGrapheme *grapheme = &scratch->graphemes[i];
        if (keeps_font(scratch, i)) {
            grapheme->file = grapheme[-1].file;
            continue;
        }
        size_t n = grapheme[1].first - grapheme->first;
        grapheme->file =
            font_for_grapheme(fonts, style, scratch->codes + grapheme->first, n, grapheme->script);
        if (!grapheme->file && n > 1) {
            split_grapheme(scratch, i--);
            continue;
        }
        grapheme->missing = !grapheme->file;
        if (!grapheme->file)
            grapheme->file = fonts->styles[style].primary;
    }
}

static bool is_same_run(const TextGrapheme *a, const TextGrapheme *b)
{
    return a->file == b->file && a->level == b->level && a->script == b->script;
}

/* Whether codes [first, end) are all of scripts that read the same without contextual forms. */
static bool is_plain(const TextScratch *scratch, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        hb_script_t script = script_of(scratch->unicode[i]);
        if (is_real_script(script) && script != HB_SCRIPT_LATIN && script != HB_SCRIPT_GREEK &&
            script != HB_SCRIPT_CYRILLIC)
            return false;
    }
    return true;
}

/* Fonts for interface and code replace "->" by an arrow; what was typed is to be seen. Other
 * scripts need these features to be read at all. */
static const hb_feature_t no_replacement[] = {
    {HB_TAG('c', 'a', 'l', 't'), 0, HB_FEATURE_GLOBAL_START, HB_FEATURE_GLOBAL_END},
    {HB_TAG('l', 'i', 'g', 'a'), 0, HB_FEATURE_GLOBAL_START, HB_FEATURE_GLOBAL_END},
    {HB_TAG('c', 'l', 'i', 'g'), 0, HB_FEATURE_GLOBAL_START, HB_FEATURE_GLOBAL_END},
};

/* Shapes codes [first, end) into the buffer; false when nothing came out. */
static bool shape(TextScratch *scratch, const TextGrapheme *grapheme, size_t first, size_t end,
                  bool literal)
{
    hb_buffer_t *buffer = scratch->buffer;
    hb_buffer_clear_contents(buffer);
    hb_buffer_add_codepoints(buffer, scratch->unicode, (int)scratch->n_codes, (unsigned)first,
                             (int)(end - first));
    hb_buffer_set_direction(buffer, grapheme->level & 1 ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
    hb_buffer_set_script(buffer, grapheme->script);
    hb_shape(grapheme->file->shaper, buffer, no_replacement,
             literal ? sizeof no_replacement / sizeof no_replacement[0] : 0);
    return hb_buffer_get_length(buffer) > 0;
}

/* Appends the buffer's glyphs, x counted from the run's left end. Returns the width. */
static float take_glyphs(TextScratch *scratch, const FontFile *file)
{
    unsigned n;
    const hb_glyph_info_t *info = hb_buffer_get_glyph_infos(scratch->buffer, &n);
    const hb_glyph_position_t *position = hb_buffer_get_glyph_positions(scratch->buffer, &n);
    scratch->glyphs = memory_grow(scratch->glyphs, &scratch->glyphs_capacity, scratch->n_glyphs + n,
                                  sizeof *scratch->glyphs);
    float scale = 1.0f / file->units_per_em;
    float x = 0;
    for (unsigned i = 0; i < n; i++) {
        scratch->glyphs[scratch->n_glyphs++] = (TextGlyph){
            .id = info[i].codepoint,
            .start = info[i].cluster, /* a code for now; pack() makes it an offset */
            .x = x + (float)position[i].x_offset * scale,
            .y = -(float)position[i].y_offset * scale,
            .advance = (float)position[i].x_advance * scale,
        };
        x += (float)position[i].x_advance * scale;
    }
    return x;
}

/* The graphemes of codes [first, end) share [left, right] evenly. */
static void share_width(TextScratch *scratch, size_t *grapheme, uint32_t end, float left,
                        float right, bool right_to_left)
{
    size_t g = *grapheme;
    size_t n = 0;
    while (g + n < scratch->n_graphemes && scratch->graphemes[g + n].first < end)
        n++;
    for (size_t i = 0; i < n; i++) {
        float a = (float)i / (float)n;
        float b = (float)(i + 1) / (float)n;
        TextGrapheme *one = &scratch->graphemes[g + i];
        one->leading = right_to_left ? right - a * (right - left) : left + a * (right - left);
        one->trailing = right_to_left ? right - b * (right - left) : left + b * (right - left);
    }
    *grapheme = g + n;
}

/* Caret places of one run, from its glyph clusters in the order of the text. */
static void place_carets(TextScratch *scratch, const TextRun *run, size_t grapheme, size_t end)
{
    const TextGlyph *glyphs = scratch->glyphs + run->first_glyph;
    int n = run->n_glyphs;
    bool backward = run->right_to_left;
    float x = backward ? run->width : 0;
    for (int i = 0; i < n;) {
        float start_x = x;
        uint32_t cluster = glyphs[backward ? n - 1 - i : i].start;
        while (i < n && glyphs[backward ? n - 1 - i : i].start == cluster) {
            float advance = glyphs[backward ? n - 1 - i : i].advance;
            x += backward ? -advance : advance;
            i++;
        }
        uint32_t next = i < n ? glyphs[backward ? n - 1 - i : i].start : (uint32_t)end;
        share_width(scratch, &grapheme, next, fminf(start_x, x), fmaxf(start_x, x), backward);
    }
}

/* One run: graphemes [first, end). Its codes stand in start and end until it is packed. */
static void add_run(TextScratch *scratch, size_t first, size_t end)
{
    const TextGrapheme *grapheme = &scratch->graphemes[first];
    uint32_t first_code = grapheme->first;
    uint32_t end_code = scratch->graphemes[end].first;
    TextRun run = {
        .font = &grapheme->file->font,
        .right_to_left = (grapheme->level & 1) != 0,
        .literal = is_plain(scratch, first_code, end_code),
        .script = (uint32_t)grapheme->script,
        .start = first_code,
        .end = end_code,
        .first_glyph = (int)scratch->n_glyphs,
    };
    if (shape(scratch, grapheme, first_code, end_code, run.literal))
        run.width = take_glyphs(scratch, grapheme->file);
    run.n_glyphs = (int)scratch->n_glyphs - run.first_glyph;
    place_carets(scratch, &run, first, end_code);
    scratch->runs = memory_grow(scratch->runs, &scratch->runs_capacity, scratch->n_runs + 1,
                                sizeof *scratch->runs);
    scratch->runs[scratch->n_runs++] = (PlacedRun){run, first, end};
}

static void reverse_runs(PlacedRun *runs, size_t first, size_t end)
{
    while (first + 1 < end) {
        PlacedRun run = runs[first];
        runs[first++] = runs[--end];
        runs[end] = run;
    }
}

/* UAX 9, rule L2, over whole runs: from the highest level down to 1, reverse every stretch at
 * that level or above. */
static void order_runs(TextScratch *scratch)
{
    uint8_t highest = 0;
    for (size_t i = 0; i < scratch->n_codes; i++)
        highest = scratch->levels[i] > highest ? scratch->levels[i] : highest;
    for (uint8_t level = highest; level >= 1; level--) {
        for (size_t i = 0; i < scratch->n_runs;) {
            size_t end = i;
            while (end < scratch->n_runs && scratch->levels[scratch->runs[end].run.start] >= level)
                end++;
            reverse_runs(scratch->runs, i, end);
            i = end + (end == i);
        }
    }
}

/* Moves every run, its glyphs and its carets to its place in the line. */
static void place_runs(TextScratch *scratch)
{
    float x = 0;
    for (size_t i = 0; i < scratch->n_runs; i++) {
        PlacedRun *placed = &scratch->runs[i];
        TextRun *run = &placed->run;
        run->x = x;
        for (int j = 0; j < run->n_glyphs; j++)
            scratch->glyphs[run->first_glyph + j].x += x;
        for (size_t g = placed->first; g < placed->end; g++) {
            scratch->graphemes[g].leading += x;
            scratch->graphemes[g].trailing += x;
        }
        x += run->width;
    }
    scratch->width = x;
}

/* The codes that stand in the scratch, laid out. */
static void lay_out(Fonts *fonts, int style)
{
    TextScratch *scratch = &fonts->scratch;
    scratch->n_runs = 0;
    scratch->n_glyphs = 0;
    scratch->n_graphemes = 0;
    scratch->width = 0;
    if (scratch->n_codes == 0)
        return;
    copy_unicode(scratch);
    find_levels(scratch);
    find_graphemes(scratch);
    find_scripts(scratch);
    find_fonts(fonts, style);
    for (size_t i = 0; i < scratch->n_graphemes;) {
        size_t end = i + 1;
        while (end < scratch->n_graphemes &&
               is_same_run(&scratch->graphemes[i], &scratch->graphemes[end]))
            end++;
        add_run(scratch, i, end);
        i = end;
    }
    order_runs(scratch);
    place_runs(scratch);
}

/* Keeps the first n graphemes without the space at their end, and an ellipsis. */
static void cut_to(TextScratch *scratch, size_t n)
{
    while (n > 0 && utf8_is_space(scratch->unicode[scratch->graphemes[n - 1].first]))
        n--;
    size_t n_codes = scratch->graphemes[n].first;
    uint32_t given = scratch->codes[n_codes].given;
    scratch->shown.length = scratch->codes[n_codes].shown;
    scratch->n_codes = n_codes;
    text_signs_add(scratch, CODE_ELLIPSIS, given);
}

/* How many graphemes fit into `room`, by their widths in the whole; never all of them. */
static size_t count_fitting(const TextScratch *scratch, float room)
{
    size_t n = 0;
    for (; n + 1 < scratch->n_graphemes; n++) {
        const TextGrapheme *grapheme = &scratch->graphemes[n];
        room -= fabsf(grapheme->trailing - grapheme->leading);
        if (room < 0)
            break;
    }
    return n;
}

static void clear(TextScratch *scratch)
{
    scratch->n_codes = 0;
    strbuf_clear(&scratch->shown);
}

static float ellipsis_width(Fonts *fonts, int style)
{
    TextScratch *scratch = &fonts->scratch;
    clear(scratch);
    text_signs_add(scratch, CODE_ELLIPSIS, 0);
    lay_out(fonts, style);
    return scratch->width;
}

/* Letters join differently before the ellipsis than before what was cut, so the first guess
 * may be too wide by a little: then one grapheme fewer. */
static void cut_to_width(Fonts *fonts, int style, const char *text, size_t n, float max_em)
{
    TextScratch *scratch = &fonts->scratch;
    float sign = ellipsis_width(fonts, style);
    clear(scratch);
    text_signs_show(scratch, text, n);
    lay_out(fonts, style);
    scratch->cut = true;
    if (sign > max_em) {
        clear(scratch);
        lay_out(fonts, style);
        return;
    }
    size_t keep = count_fitting(scratch, max_em - sign);
    cut_to(scratch, keep);
    lay_out(fonts, style);
    while (scratch->width > max_em && scratch->n_graphemes > 1) {
        cut_to(scratch, scratch->n_graphemes - 2);
        lay_out(fonts, style);
    }
}

void text_layout_fill(Fonts *fonts, int style, const char *text, size_t n, float max_em)
{
    TextScratch *scratch = &fonts->scratch;
    clear(scratch);
    scratch->cut = false;
    text_signs_show(scratch, text, n);
    lay_out(fonts, style);
    if (max_em > 0 && scratch->width > max_em)
        cut_to_width(fonts, style, text, n, max_em);
}
