#include "ui/chord.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

typedef struct NamedKey {
    Key key;
    const char *name, *sign; /* written; shown */
} NamedKey;

static const NamedKey named_keys[] = {
    {KEY_LEFT, "Left", "←"},
    {KEY_RIGHT, "Right", "→"},
    {KEY_UP, "Up", "↑"},
    {KEY_DOWN, "Down", "↓"},
    {KEY_HOME, "Home", "Home"},
    {KEY_END, "End", "End"},
    {KEY_PAGE_UP, "PageUp", "PgUp"},
    {KEY_PAGE_DOWN, "PageDown", "PgDn"},
    {KEY_ENTER, "Enter", "Enter"},
    {KEY_ESCAPE, "Escape", "Esc"},
    {KEY_TAB, "Tab", "Tab"},
    {KEY_BACKSPACE, "Backspace", "Backspace"},
    {KEY_DELETE, "Delete", "Delete"},
    {KEY_INSERT, "Insert", "Insert"},
    {KEY_SPACE, "Space", "Space"},
    {KEY_F1, "F1", "F1"},
    {KEY_F2, "F2", "F2"},
    {KEY_F3, "F3", "F3"},
    {KEY_F4, "F4", "F4"},
    {KEY_F5, "F5", "F5"},
    {KEY_F6, "F6", "F6"},
    {KEY_F7, "F7", "F7"},
    {KEY_F8, "F8", "F8"},
    {KEY_F9, "F9", "F9"},
    {KEY_F10, "F10", "F10"},
    {KEY_F11, "F11", "F11"},
    {KEY_F12, "F12", "F12"},
};

enum { N_NAMED_KEYS = sizeof named_keys / sizeof named_keys[0] };

typedef struct NamedMod {
    unsigned mod;
    const char *name;
} NamedMod;

static const NamedMod named_mods[] = {
    {MOD_CTRL, "Ctrl"}, {MOD_ALT, "Alt"}, {MOD_SHIFT, "Shift"}, {MOD_CTRL, "Control"}};

enum { N_PRINTED_MODS = 3, N_NAMED_MODS = sizeof named_mods / sizeof named_mods[0] };

/* A modifier's name and '+' at the start of text: its bit, and how far to go on. */
static unsigned parse_mod(const char *text, size_t *n)
{
    for (int i = 0; i < N_NAMED_MODS; i++) {
        *n = strlen(named_mods[i].name);
        if (strncasecmp(text, named_mods[i].name, *n) == 0 && text[*n] == '+') {
            (*n)++;
            return named_mods[i].mod;
        }
    }
    return 0;
}

static bool parse_key(const char *text, Chord *chord)
{
    for (int i = 0; i < N_NAMED_KEYS; i++)
        if (strcasecmp(text, named_keys[i].name) == 0 || strcmp(text, named_keys[i].sign) == 0) {
            chord->key = named_keys[i].key;
            return true;
        }
    size_t n = strlen(text);
    uint32_t code;
    if (n == 0 || utf8_decode(text, n, &code) != (int)n || code == UTF8_REPLACEMENT ||
        utf8_is_control(code) || utf8_is_space(code))
        return false;
    chord->key = KEY_CHARACTER;
    chord->code = utf8_lower(code);
    return true;
}

/* The sign that Shift makes of a key, if any, without Shift. */
static Chord without_shift(Chord chord)
{
    static const char plain[] = "`1234567890-=[]\\;',./";
    static const char shifted[] = "~!@#$%^&*()_+{}|:\"<>?";
    if (!(chord.mods & MOD_SHIFT) || chord.code == 0 || chord.code > 127)
        return chord;
    const char *at = strchr(plain, (int)chord.code);
    if (at) {
        chord.code = (unsigned char)shifted[at - plain];
        chord.mods &= ~(unsigned)MOD_SHIFT;
    }
    return chord;
}

bool chord_parse(const char *text, Chord *chord, Error *error)
{
    *chord = (Chord){0};
    const char *rest = text;
    size_t n;
    for (unsigned mod; (mod = parse_mod(rest, &n)) != 0 && rest[n] != '\0'; rest += n) {
        if (chord->mods & mod)
            return error_set(error, ERROR_INPUT, "key \"%s\" names a modifier twice", text);
        chord->mods |= mod;
    }
    if (!parse_key(rest, chord)) {
        *chord = (Chord){0};
        return error_set(error, ERROR_INPUT,
                         "key \"%s\" is not known; write for example Ctrl+Shift+Z, F1, Left or ?",
                         text);
    }
    *chord = without_shift(*chord);
    return true;
}

static const char *key_text(Chord chord, bool shown, char character[8])
{
    for (int i = 0; i < N_NAMED_KEYS; i++)
        if (named_keys[i].key == chord.key)
            return shown ? named_keys[i].sign : named_keys[i].name;
    uint32_t code = chord.code;
    if (code >= 'a' && code <= 'z')
        code -= 'a' - 'A';
    character[utf8_encode(code, character)] = '\0';
    return character;
}

static void print(Chord chord, bool shown, char text[CHORD_TEXT_BYTES])
{
    text[0] = '\0';
    if (chord.key == KEY_NONE)
        return;
    size_t n = 0;
    for (int i = 0; i < N_PRINTED_MODS; i++)
        if (chord.mods & named_mods[i].mod)
            n += (size_t)snprintf(text + n, CHORD_TEXT_BYTES - n, "%s+", named_mods[i].name);
    char character[8];
    snprintf(text + n, CHORD_TEXT_BYTES - n, "%s", key_text(chord, shown, character));
}

void chord_print(Chord chord, char text[CHORD_TEXT_BYTES])
{
    print(chord, false, text);
}

void chord_show(Chord chord, char text[CHORD_TEXT_BYTES])
{
    print(chord, true, text);
}

Chord chord_of_event(const Event *event)
{
    if (event->key != KEY_CHARACTER)
        return (Chord){event->key, 0, event->mods};
    return without_shift((Chord){KEY_CHARACTER, utf8_lower(event->code), event->mods});
}

bool chord_equal(Chord a, Chord b)
{
    return a.key == b.key && a.code == b.code && a.mods == b.mods;
}
