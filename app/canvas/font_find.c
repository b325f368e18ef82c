/* Which font: the face's own, the script's, an emoji font, or whatever else has it. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "canvas/fonts_internal.h"

/* In the order of wish. DejaVu Serif rather than Noto Serif: formulas need its signs. */
static const char *const face_families[FACE_COUNT][4] = {
    [FACE_UI] = {"Inter", "DejaVu Sans", "sans-serif"},
    [FACE_MONO] = {"JetBrains Mono", "DejaVu Sans Mono", "monospace"},
    [FACE_SERIF] = {"DejaVu Serif", "Noto Serif", "serif"},
};

/* Where a font made for the script is better than the first that happens to cover it. */
static const struct {
    hb_script_t script;
    const char *family;
} script_families[] = {
    {HB_SCRIPT_ARABIC, "Noto Sans Arabic"},
    {HB_SCRIPT_HEBREW, "Noto Sans Hebrew"},
    {HB_SCRIPT_DEVANAGARI, "Noto Sans Devanagari"},
    {HB_SCRIPT_BENGALI, "Noto Sans Bengali"},
    {HB_SCRIPT_TAMIL, "Noto Sans Tamil"},
    {HB_SCRIPT_TELUGU, "Noto Sans Telugu"},
    {HB_SCRIPT_GUJARATI, "Noto Sans Gujarati"},
    {HB_SCRIPT_GURMUKHI, "Noto Sans Gurmukhi"},
    {HB_SCRIPT_KANNADA, "Noto Sans Kannada"},
    {HB_SCRIPT_MALAYALAM, "Noto Sans Malayalam"},
    {HB_SCRIPT_SINHALA, "Noto Sans Sinhala"},
    {HB_SCRIPT_THAI, "Noto Sans Thai"},
    {HB_SCRIPT_LAO, "Noto Sans Lao"},
    {HB_SCRIPT_KHMER, "Noto Sans Khmer"},
    {HB_SCRIPT_MYANMAR, "Noto Sans Myanmar"},
    {HB_SCRIPT_TIBETAN, "Noto Serif Tibetan"},
    {HB_SCRIPT_GEORGIAN, "Noto Sans Georgian"},
    {HB_SCRIPT_ARMENIAN, "Noto Sans Armenian"},
    {HB_SCRIPT_ETHIOPIC, "Noto Sans Ethiopic"},
    {HB_SCRIPT_HAN, "Noto Sans CJK SC"},
    {HB_SCRIPT_HIRAGANA, "Noto Sans CJK JP"},
    {HB_SCRIPT_KATAKANA, "Noto Sans CJK JP"},
    {HB_SCRIPT_HANGUL, "Noto Sans CJK KR"},
};

static bool style_is_bold(int style)
{
    return (style & 2) != 0;
}

static bool style_is_italic(int style)
{
    return (style & 1) != 0;
}

/* The caller owns the pattern. Named instances of variable fonts match, the files as a whole
 * do not: nobody here sets axes. */
static FcPattern *style_pattern(Fonts *fonts, int style, const char *first_family)
{
    FcPattern *pattern = FcPatternCreate();
    if (first_family)
        FcPatternAddString(pattern, FC_FAMILY, (const FcChar8 *)first_family);
    const char *const *families = face_families[style / 4];
    for (int i = 0; families[i]; i++)
        FcPatternAddString(pattern, FC_FAMILY, (const FcChar8 *)families[i]);
    FcPatternAddInteger(pattern, FC_WEIGHT,
                        style_is_bold(style) ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR);
    FcPatternAddInteger(pattern, FC_SLANT,
                        style_is_italic(style) ? FC_SLANT_ITALIC : FC_SLANT_ROMAN);
    FcPatternAddBool(pattern, FC_VARIABLE, FcFalse);
    FcConfigSubstitute(fonts->config, pattern, FcMatchPattern);
    FcDefaultSubstitute(pattern);
    return pattern;
}

static int pattern_int(const FcPattern *pattern, const char *object, int otherwise)
{
    int value;
    return FcPatternGetInteger(pattern, object, 0, &value) == FcResultMatch ? value : otherwise;
}

static bool pattern_bool(const FcPattern *pattern, const char *object)
{
    FcBool value;
    return FcPatternGetBool(pattern, object, 0, &value) == FcResultMatch && value;
}

static const char *pattern_string(const FcPattern *pattern, const char *object)
{
    FcChar8 *value;
    return FcPatternGetString(pattern, object, 0, &value) == FcResultMatch ? (const char *)value
                                                                           : NULL;
}

static bool pattern_has(const FcPattern *pattern, uint32_t code)
{
    FcCharSet *set;
    return FcPatternGetCharSet(pattern, FC_CHARSET, 0, &set) == FcResultMatch &&
           FcCharSetHasChar(set, code);
}

bool font_covers(const FontFile *file, uint32_t code)
{
    hb_codepoint_t glyph;
    return hb_font_get_nominal_glyph(file->shaper, code, &glyph) && glyph != 0;
}

static bool load_shaper(FontFile *file)
{
    file->blob = hb_blob_create_from_file_or_fail(file->font.path);
    if (!file->blob)
        return false;
    /* The upper half of fontconfig's index names an instance of a variable font. */
    unsigned instance = (unsigned)file->font.index >> 16;
    hb_face_t *face = hb_face_create(file->blob, (unsigned)file->font.index & 0xFFFF);
    file->units_per_em = (float)hb_face_get_upem(face);
    bool usable = hb_face_get_glyph_count(face) > 0;
    file->shaper = hb_font_create(face);
    hb_face_destroy(face);
    if (instance)
        hb_font_set_var_named_instance(file->shaper, instance - 1);
    hb_font_make_immutable(file->shaper);
    return usable;
}

static void describe(FontFile *file, int style)
{
    Font *font = &file->font;
    const FcPattern *pattern = file->pattern;
    int weight = pattern_int(pattern, FC_WEIGHT, FC_WEIGHT_REGULAR);
    font->weight = FcWeightToOpenType(weight);
    font->colored = pattern_bool(pattern, FC_COLOR);
    font->slanted = pattern_int(pattern, FC_SLANT, FC_SLANT_ROMAN) != FC_SLANT_ROMAN;
    font->fake_bold = style_is_bold(style) && weight < FC_WEIGHT_DEMIBOLD && !font->colored;
    font->fake_italic = style_is_italic(style) && !font->slanted && !font->colored;
    hb_font_extents_t extents = {0};
    hb_font_get_h_extents(file->shaper, &extents);
    font->ascent = (float)extents.ascender / file->units_per_em;
    font->descent = -(float)extents.descender / file->units_per_em;
    hb_codepoint_t space = 0;
    hb_font_get_nominal_glyph(file->shaper, ' ', &space);
    font->space_glyph = (int)space;
}

static void font_close(FontFile *file)
{
    text_raster_close(file);
    hb_font_destroy(file->shaper);
    hb_blob_destroy(file->blob);
    FcPatternDestroy(file->pattern);
    free(file);
}

static FontFile *find_opened(Fonts *fonts, const char *path, int index, int style)
{
    for (FontFile *file = fonts->files; file; file = file->next) {
        const Font *font = &file->font;
        bool same_bold = font->fake_bold == (style_is_bold(style) && font->weight < 600);
        bool same_italic = font->fake_italic == (style_is_italic(style) && !font->slanted);
        if (font->index == index && strcmp(font->path, path) == 0 &&
            (font->colored || (same_bold && same_italic)))
            return file;
    }
    return NULL;
}

/* The font of a pattern, opened once; NULL when the file is missing or broken. */
static FontFile *font_open(Fonts *fonts, FcPattern *pattern, int style)
{
    const char *path = pattern_string(pattern, FC_FILE);
    int index = pattern_int(pattern, FC_INDEX, 0);
    if (!path)
        return NULL;
    FontFile *file = find_opened(fonts, path, index, style);
    if (file)
        return file;
    file = memory_new(1, sizeof *file);
    FcPatternReference(pattern);
    file->pattern = pattern;
    const char *family = pattern_string(pattern, FC_FAMILY);
    file->font = (Font){.path = path, .index = index, .family = family ? family : "sans-serif"};
    if (!load_shaper(file)) {
        font_close(file);
        return NULL;
    }
    describe(file, style);
    file->next = fonts->files;
    fonts->files = file;
    return file;
}

void font_close_all(Fonts *fonts)
{
    for (FontFile *file = fonts->files; file;) {
        FontFile *next = file->next;
        font_close(file);
        file = next;
    }
    for (int i = 0; i < FONT_STYLES; i++) {
        if (fonts->styles[i].sorted)
            FcFontSetDestroy(fonts->styles[i].sorted);
        free(fonts->styles[i].scripts);
    }
}

static bool is_usable(const FcPattern *pattern)
{
    return pattern_bool(pattern, FC_OUTLINE) || pattern_bool(pattern, FC_COLOR);
}

/* Every font, best first for this style. */
static const FcFontSet *sorted_fonts(Fonts *fonts, int style)
{
    FontStyle *slot = &fonts->styles[style];
    if (!slot->sorted) {
        FcPattern *pattern = style_pattern(fonts, style, NULL);
        FcResult result;
        slot->sorted = FcFontSort(fonts->config, pattern, FcFalse, NULL, &result);
        FcPatternDestroy(pattern);
        if (!slot->sorted)
            slot->sorted = FcFontSetCreate();
    }
    return slot->sorted;
}

static FontFile *first_that_opens(Fonts *fonts, int style)
{
    const FcFontSet *sorted = sorted_fonts(fonts, style);
    for (int i = 0; i < sorted->nfont; i++) {
        FontFile *file = pattern_bool(sorted->fonts[i], FC_OUTLINE)
                             ? font_open(fonts, sorted->fonts[i], style)
                             : NULL;
        if (file)
            return file;
    }
    return NULL;
}

/* The best match for a pattern, which it consumes. */
static FontFile *open_match(Fonts *fonts, FcPattern *pattern, int style)
{
    FcResult result;
    FcPattern *match = FcFontMatch(fonts->config, pattern, &result);
    FcPatternDestroy(pattern);
    if (!match)
        return NULL;
    FontFile *file = is_usable(match) ? font_open(fonts, match, style) : NULL;
    FcPatternDestroy(match);
    return file;
}

FontFile *font_primary(Fonts *fonts, int style, Error *error)
{
    FontStyle *slot = &fonts->styles[style];
    if (slot->primary)
        return slot->primary;
    slot->primary = open_match(fonts, style_pattern(fonts, style, NULL), style);
    if (!slot->primary || slot->primary->font.colored)
        slot->primary = first_that_opens(fonts, style);
    if (!slot->primary)
        error_set(error, ERROR_UNSUPPORTED,
                  "no usable font is installed, so nothing can be written; install one, for "
                  "example the package fonts-dejavu-core");
    return slot->primary;
}

/* The font made for emoji, or NULL. */
static FontFile *emoji_font(Fonts *fonts)
{
    if (!fonts->emoji_sought) {
        fonts->emoji_sought = true;
        FcPattern *pattern = style_pattern(fonts, FACE_UI * 4, "Noto Color Emoji");
        FcPatternAddBool(pattern, FC_COLOR, FcTrue);
        FontFile *file = open_match(fonts, pattern, FACE_UI * 4);
        fonts->emoji = file && file->font.colored ? file : NULL;
    }
    return fonts->emoji;
}

static const char *script_family(hb_script_t script)
{
    for (size_t i = 0; i < sizeof script_families / sizeof script_families[0]; i++)
        if (script_families[i].script == script)
            return script_families[i].family;
    return NULL;
}

/* The script's own font if it is installed, or NULL. */
static FontFile *script_font(Fonts *fonts, int style, hb_script_t script)
{
    FontStyle *slot = &fonts->styles[style];
    for (size_t i = 0; i < slot->n_scripts; i++)
        if (slot->scripts[i].script == script)
            return slot->scripts[i].file;
    const char *family = script_family(script);
    FontFile *file = NULL;
    if (family) {
        file = open_match(fonts, style_pattern(fonts, style, family), style);
        if (file && strcmp(file->font.family, family) != 0)
            file = NULL;
    }
    slot->scripts = memory_grow(slot->scripts, &slot->scripts_capacity, slot->n_scripts + 1,
                                sizeof *slot->scripts);
    slot->scripts[slot->n_scripts++] = (ScriptFont){script, file};
    return file;
}

static bool covers_all(const FontFile *file, const TextCode *codes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!text_code_is_joiner(codes[i].code) && !font_covers(file, codes[i].code))
            return false;
    return true;
}

static bool pattern_has_all(const FcPattern *pattern, const TextCode *codes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!text_code_is_joiner(codes[i].code) && !pattern_has(pattern, codes[i].code))
            return false;
    return true;
}

/* The first of the sorted fonts that has all n codes and opens, or NULL. */
static FontFile *sorted_font(Fonts *fonts, int style, const TextCode *codes, size_t n)
{
    const FcFontSet *sorted = sorted_fonts(fonts, style);
    for (int i = 0; i < sorted->nfont; i++) {
        FcPattern *pattern = sorted->fonts[i];
        if (!is_usable(pattern) || !pattern_has_all(pattern, codes, n))
            continue;
        FontFile *file = font_open(fonts, pattern, style);
        if (file && covers_all(file, codes, n))
            return file;
    }
    return NULL;
}

static FontFile *font_with_all(Fonts *fonts, int style, const TextCode *codes, size_t n,
                               hb_script_t script)
{
    FontFile *primary = fonts->styles[style].primary;
    if (covers_all(primary, codes, n))
        return primary;
    FontFile *own = script_font(fonts, style, script);
    if (own && covers_all(own, codes, n))
        return own;
    return sorted_font(fonts, style, codes, n);
}

/* Letters with a colour picture only when asked: "1" followed by the emoji selector. */
static bool wants_picture(const TextCode *codes, size_t n)
{
    bool emoji = text_code_is_emoji(codes[0].code);
    for (size_t i = 1; i < n; i++) {
        if (codes[i].code == 0xFE0F)
            return true;
        if (codes[i].code == 0xFE0E)
            return false;
    }
    return emoji;
}

FontFile *font_for_grapheme(Fonts *fonts, int style, const TextCode *codes, size_t n,
                            hb_script_t script)
{
    FontFile *emoji = wants_picture(codes, n) ? emoji_font(fonts) : NULL;
    if (emoji && covers_all(emoji, codes, n))
        return emoji;
    return font_with_all(fonts, style, codes, n, script);
}
