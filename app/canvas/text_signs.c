/* What is shown for what is stored: everything that a font would leave blank gets a sign. */
#include <hb.h>
#include <utf8proc.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "canvas/fonts_internal.h"

enum {
    CODE_GRAPHEME_JOINER = 0x34F,
    CODE_ZWNJ = 0x200C,
    CODE_ZWJ = 0x200D,
    CODE_TEXT_SELECTOR = 0xFE0E,
    CODE_EMOJI_SELECTOR = 0xFE0F,
    CODE_BLACK_FLAG = 0x1F3F4,
};

typedef struct CodeRange {
    uint32_t first, last;
} CodeRange;

static bool is_in(const CodeRange *ranges, size_t n, uint32_t code)
{
    for (size_t i = 0; i < n && code >= ranges[i].first; i++)
        if (code <= ranges[i].last)
            return true;
    return false;
}

#define IS_IN(ranges, code) is_in(ranges, sizeof(ranges) / sizeof(ranges)[0], code)

static bool is_selector(uint32_t code)
{
    return (code >= 0xFE00 && code <= 0xFE0F) || (code >= 0xE0100 && code <= 0xE01EF);
}

static bool is_tag(uint32_t code)
{
    return code >= 0xE0020 && code <= 0xE007F;
}

bool text_code_is_joiner(uint32_t code)
{
    return code == CODE_ZWJ || code == CODE_ZWNJ || is_selector(code) || is_tag(code);
}

bool text_code_is_pictograph(uint32_t code)
{
    const utf8proc_property_t *property = utf8proc_get_property((utf8proc_int32_t)code);
    return property->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC ||
           property->boundclass == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR;
}

/* Emoji_Presentation of the basic plane (UTS 51); above U+1F000 every pictograph counts. */
static const CodeRange basic_emoji[] = {
    {0x231A, 0x231B}, {0x23E9, 0x23EC}, {0x23F0, 0x23F0}, {0x23F3, 0x23F3}, {0x25FD, 0x25FE},
    {0x2614, 0x2615}, {0x2648, 0x2653}, {0x267F, 0x267F}, {0x2693, 0x2693}, {0x26A1, 0x26A1},
    {0x26AA, 0x26AB}, {0x26BD, 0x26BE}, {0x26C4, 0x26C5}, {0x26CE, 0x26CE}, {0x26D4, 0x26D4},
    {0x26EA, 0x26EA}, {0x26F2, 0x26F3}, {0x26F5, 0x26F5}, {0x26FA, 0x26FA}, {0x26FD, 0x26FD},
    {0x2705, 0x2705}, {0x270A, 0x270B}, {0x2728, 0x2728}, {0x274C, 0x274C}, {0x274E, 0x274E},
    {0x2753, 0x2755}, {0x2757, 0x2757}, {0x2795, 0x2797}, {0x27B0, 0x27B0}, {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C}, {0x2B50, 0x2B50}, {0x2B55, 0x2B55},
};

bool text_code_is_emoji(uint32_t code)
{
    return code >= 0x1F000 ? text_code_is_pictograph(code) : IS_IN(basic_emoji, code);
}

/* Default_Ignorable_Code_Point outside category Cf, and letters that are blank by design. */
static const CodeRange blank[] = {
    {CODE_GRAPHEME_JOINER, CODE_GRAPHEME_JOINER},
    {0x115F, 0x1160},   /* Hangul fillers           */
    {0x17B4, 0x17B5},   /* Khmer inherent vowels    */
    {0x180B, 0x180F},   /* Mongolian selectors      */
    {0x2028, 0x2029},   /* line, paragraph          */
    {0x2065, 0x2065},   /* unassigned, ignorable    */
    {0x2800, 0x2800},   /* blank Braille pattern    */
    {0x3164, 0x3164},   /* Hangul filler            */
    {0xFDD0, 0xFDEF},   /* no characters          */
    {0xFE00, 0xFE0F},   /* variation selectors      */
    {0xFFA0, 0xFFA0},   /* halfwidth Hangul filler  */
    {0xFFF0, 0xFFF8},   /* unassigned, ignorable    */
    {0xE0000, 0xE0FFF}, /* tags, selectors          */
};

/* Signs that are Cf but have a glyph: Arabic number signs and the like. */
static const CodeRange seen_format[] = {
    {0x600, 0x605}, {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},
    {0x8E2, 0x8E2}, {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F},
};

static bool is_invisible(uint32_t code)
{
    bool no_character = (code & 0xFFFE) == 0xFFFE;
    return (utf8_is_control(code) && !IS_IN(seen_format, code)) || IS_IN(blank, code) ||
           no_character;
}

/* Scripts in which a joiner changes no glyph, so that one there only hides. */
static bool ignores_joiners(uint32_t code)
{
    switch ((int)hb_unicode_script(hb_unicode_funcs_get_default(), code)) {
    case HB_SCRIPT_LATIN:
    case HB_SCRIPT_GREEK:
    case HB_SCRIPT_CYRILLIC:
    case HB_SCRIPT_HAN:
    case HB_SCRIPT_HIRAGANA:
    case HB_SCRIPT_KATAKANA:
    case HB_SCRIPT_HANGUL:
    case HB_SCRIPT_COMMON:
    case HB_SCRIPT_UNKNOWN: return true;
    default: return false;
    }
}

/* Whether a joiner or selector after `previous` does something there. */
static bool is_useful(uint32_t code, uint32_t previous)
{
    if (code == CODE_ZWJ || code == CODE_ZWNJ) {
        bool picture = text_code_is_pictograph(previous) || is_selector(previous) ||
                       (previous >= 0x1F3FB && previous <= 0x1F3FF);
        return (code == CODE_ZWJ && picture) ||
               (utf8_is_letter(previous) && !ignores_joiners(previous));
    }
    if (code == CODE_TEXT_SELECTOR || code == CODE_EMOJI_SELECTOR)
        return text_code_is_pictograph(previous) || previous == '#' || previous == '*' ||
               (previous >= '0' && previous <= '9');
    if (code >= 0x180B && code <= 0x180F)
        return hb_unicode_script(hb_unicode_funcs_get_default(), previous) == HB_SCRIPT_MONGOLIAN;
    if (is_tag(code))
        return previous == CODE_BLACK_FLAG || is_tag(previous);
    if (is_selector(code))
        return utf8_is_cjk(previous) || (previous >= 0x2200 && previous <= 0x2AFF);
    return false;
}

void text_signs_add(TextScratch *scratch, uint32_t code, uint32_t given)
{
    scratch->codes = memory_grow(scratch->codes, &scratch->codes_capacity, scratch->n_codes + 1,
                                 sizeof *scratch->codes);
    scratch->codes[scratch->n_codes++] = (TextCode){code, given, (uint32_t)scratch->shown.length};
    char bytes[4];
    strbuf_add_bytes(&scratch->shown, bytes, (size_t)utf8_encode(code, bytes));
}

static void add_sign(TextScratch *scratch, uint32_t code, uint32_t given)
{
    if (code == '\n' || code == '\t') {
        text_signs_add(scratch, code == '\n' ? 0x21B5 : 0x21E5, given);
        return;
    }
    static const char digits[] = "0123456789ABCDEF";
    text_signs_add(scratch, 0x2039, given);
    int shift = code > 0xFFFFF ? 20 : code > 0xFFFF ? 16 : code > 0xFF ? 12 : 4;
    for (; shift >= 0; shift -= 4)
        text_signs_add(scratch, (unsigned char)digits[code >> shift & 15], given);
    text_signs_add(scratch, 0x203A, given);
}

void text_signs_show(TextScratch *scratch, const char *text, size_t n)
{
    uint32_t previous = ' ';
    for (size_t i = 0; i < n;) {
        uint32_t code;
        uint32_t given = (uint32_t)i;
        i += (size_t)utf8_decode(text + i, n - i, &code);
        if (is_invisible(code) && !is_useful(code, previous))
            add_sign(scratch, code, given);
        else
            text_signs_add(scratch, code, given);
        previous = code;
    }
}
