#include "ui/platform_keys_sdl.h"

typedef struct KeyPair {
    SDL_Keycode sdl;
    Key key;
} KeyPair;

static const KeyPair named[] = {
    {SDLK_LEFT, KEY_LEFT},           {SDLK_RIGHT, KEY_RIGHT},        {SDLK_UP, KEY_UP},
    {SDLK_DOWN, KEY_DOWN},           {SDLK_HOME, KEY_HOME},          {SDLK_END, KEY_END},
    {SDLK_PAGEUP, KEY_PAGE_UP},      {SDLK_PAGEDOWN, KEY_PAGE_DOWN}, {SDLK_RETURN, KEY_ENTER},
    {SDLK_KP_ENTER, KEY_ENTER},      {SDLK_ESCAPE, KEY_ESCAPE},      {SDLK_TAB, KEY_TAB},
    {SDLK_BACKSPACE, KEY_BACKSPACE}, {SDLK_DELETE, KEY_DELETE},      {SDLK_INSERT, KEY_INSERT},
    {SDLK_SPACE, KEY_SPACE},
};

typedef struct PadKey {
    SDL_Keycode sdl;
    char code; /* with Num Lock, or always */
    Key key;   /* without                  */
} PadKey;

static const PadKey pad[] = {
    {SDLK_KP_0, '0', KEY_INSERT},
    {SDLK_KP_1, '1', KEY_END},
    {SDLK_KP_2, '2', KEY_DOWN},
    {SDLK_KP_3, '3', KEY_PAGE_DOWN},
    {SDLK_KP_4, '4', KEY_LEFT},
    {SDLK_KP_5, '5', KEY_NONE},
    {SDLK_KP_6, '6', KEY_RIGHT},
    {SDLK_KP_7, '7', KEY_HOME},
    {SDLK_KP_8, '8', KEY_UP},
    {SDLK_KP_9, '9', KEY_PAGE_UP},
    {SDLK_KP_PERIOD, '.', KEY_DELETE},
    {SDLK_KP_PLUS, '+', KEY_CHARACTER},
    {SDLK_KP_MINUS, '-', KEY_CHARACTER},
    {SDLK_KP_MULTIPLY, '*', KEY_CHARACTER},
    {SDLK_KP_DIVIDE, '/', KEY_CHARACTER},
    {SDLK_KP_EQUALS, '=', KEY_CHARACTER},
};

unsigned platform_read_mods(SDL_Keymod mods)
{
    unsigned read = 0;
    if (mods & KMOD_SHIFT)
        read |= MOD_SHIFT;
    if (mods & KMOD_CTRL)
        read |= MOD_CTRL;
    if (mods & KMOD_ALT)
        read |= MOD_ALT;
    return read;
}

static bool read_named(SDL_Keycode sym, Event *event)
{
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (named[i].sdl == sym) {
            event->key = named[i].key;
            return true;
        }
    if (sym >= SDLK_F1 && sym <= SDLK_F12) {
        event->key = (Key)(KEY_F1 + (sym - SDLK_F1));
        return true;
    }
    return false;
}

static bool read_pad(const SDL_Keysym *key, Event *event)
{
    for (size_t i = 0; i < sizeof pad / sizeof pad[0]; i++) {
        if (pad[i].sdl != key->sym)
            continue;
        bool character = pad[i].key == KEY_CHARACTER || (key->mod & KMOD_NUM);
        event->key = character ? KEY_CHARACTER : pad[i].key;
        event->code = character ? (uint32_t)pad[i].code : 0;
        return true;
    }
    return false;
}

/* What the key types without Shift; 0: nothing. */
static uint32_t character_of(const SDL_Keysym *key)
{
    SDL_Scancode place = key->scancode;
    if (place >= SDL_SCANCODE_1 && place <= SDL_SCANCODE_9)
        return '1' + (uint32_t)(place - SDL_SCANCODE_1);
    if (place == SDL_SCANCODE_0)
        return '0';
    if (key->sym > 127 && place >= SDL_SCANCODE_A && place <= SDL_SCANCODE_Z)
        return 'a' + (uint32_t)(place - SDL_SCANCODE_A);
    bool printable = key->sym > SDLK_SPACE && key->sym < SDLK_DELETE;
    bool beyond = key->sym > 0xA0 && !(key->sym & SDLK_SCANCODE_MASK);
    return printable || beyond ? (uint32_t)key->sym : 0;
}

bool platform_read_key(const SDL_Keysym *key, Event *event)
{
    event->mods = platform_read_mods((SDL_Keymod)key->mod);
    event->code = 0;
    event->key = KEY_NONE;
    if (read_named(key->sym, event) || read_pad(key, event))
        return event->key != KEY_NONE;
    event->code = character_of(key);
    if (event->code == 0)
        return false;
    event->key = KEY_CHARACTER;
    return true;
}
