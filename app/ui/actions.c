#include "ui/actions.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/memory.h"

typedef struct ActionRow {
    const char *name;
    StringId words, group;
    bool repeats;
    const char *keys;
} ActionRow;

static const ActionRow rows[ACTION_COUNT] = {
    [ACTION_NONE] = {"", STRING_ACTION_NONE, STRING_GROUP_WINDOW, false, ""},
#define ACTION_ROW(id, name, group, repeats, keys)                                                 \
    [ACTION_##id] = {name, STRING_ACTION_##id, STRING_GROUP_##group, repeats, keys},
    ACTIONS(ACTION_ROW)
#undef ACTION_ROW
};

static const ActionRow *row_of(Action action)
{
    FOVEA_CHECK((unsigned)action < ACTION_COUNT, "action %d", (int)action);
    return &rows[action];
}

const char *action_name(Action action)
{
    return row_of(action)->name;
}

StringId action_words(Action action)
{
    return row_of(action)->words;
}

StringId action_group(Action action)
{
    return row_of(action)->group;
}

bool action_repeats(Action action)
{
    return row_of(action)->repeats;
}

bool action_find(const char *name, Action *action, Error *error)
{
    for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0) {
            *action = (Action)i;
            return true;
        }
    return error_set(error, ERROR_INPUT, "there is no action \"%s\"; the help page lists them all",
                     name);
}

static bool is_reserved(Chord chord)
{
    if (chord.key == KEY_TAB)
        return (chord.mods & (MOD_CTRL | MOD_ALT)) == 0;
    return chord.mods == 0 && (chord.key == KEY_ESCAPE || chord.key == KEY_ENTER);
}

/* The action that has the chord, or ACTION_NONE. */
static Action find_chord(const Keymap *keymap, Chord chord)
{
    for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++)
        for (int j = 0; j < KEYMAP_CHORDS && keymap->chords[i][j].key; j++)
            if (chord_equal(keymap->chords[i][j], chord))
                return (Action)i;
    return ACTION_NONE;
}

static void remove_chord(Chord chords[KEYMAP_CHORDS], Chord chord)
{
    int n = 0;
    for (int i = 0; i < KEYMAP_CHORDS; i++)
        if (!chord_equal(chords[i], chord))
            chords[n++] = chords[i];
    while (n < KEYMAP_CHORDS)
        chords[n++] = (Chord){0};
}

static bool add_chord(Keymap *keymap, Action action, Chord chord)
{
    for (int i = 0; i < KEYMAP_CHORDS; i++)
        if (!keymap->chords[action][i].key) {
            keymap->chords[action][i] = chord;
            return true;
        }
    return false;
}

static void add_defaults(Keymap *keymap, Action action)
{
    for (const char *at = rows[action].keys; *at;) {
        size_t n = strcspn(at, " ");
        char key[CHORD_TEXT_BYTES] = "";
        FOVEA_CHECK(n < sizeof key, "keys of %s", rows[action].name);
        memcpy(key, at, n);
        Chord chord;
        bool fits = chord_parse(key, &chord, NULL) && !is_reserved(chord) &&
                    find_chord(keymap, chord) == ACTION_NONE && add_chord(keymap, action, chord);
        FOVEA_CHECK(fits, "key %s of %s", key, rows[action].name);
        at += n + (at[n] == ' ');
    }
}

void keymap_init(Keymap *keymap)
{
    *keymap = (Keymap){0};
    for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++)
        add_defaults(keymap, (Action)i);
}

/* The actions that a file speaks of: they keep what it gave them. */
typedef struct KeymapReader {
    Keymap keymap;
    bool given[ACTION_COUNT];
    const char *file;
    Error *error;
} KeymapReader;

static bool read_chord(KeymapReader *reader, Action action, const json_t *value)
{
    const char *text = json_string_value(value);
    const char *name = rows[action].name;
    if (!text)
        return error_set(reader->error, ERROR_FORMAT,
                         "%s: the keys of \"%s\" hold %s; a key is a text like \"Ctrl+Z\"",
                         reader->file, name, json_text_type(value));
    Chord chord;
    if (!chord_parse(text, &chord, reader->error)) {
        error_prefix(reader->error, "%s: \"%s\"", reader->file, name);
        return false;
    }
    if (is_reserved(chord))
        return error_set(reader->error, ERROR_INPUT,
                         "%s: \"%s\" cannot have the key %s, which moves between controls",
                         reader->file, name, text);
    Action other = find_chord(&reader->keymap, chord);
    if (other == action)
        return true;
    if (other != ACTION_NONE && reader->given[other])
        return error_set(reader->error, ERROR_INPUT,
                         "%s: the key %s is given to both \"%s\" and \"%s\"", reader->file, text,
                         rows[other].name, name);
    if (other != ACTION_NONE)
        remove_chord(reader->keymap.chords[other], chord);
    if (!add_chord(&reader->keymap, action, chord))
        return error_set(reader->error, ERROR_LIMIT, "%s: \"%s\" has more than %d keys",
                         reader->file, name, KEYMAP_CHORDS);
    return true;
}

static bool read_action(KeymapReader *reader, Action action, const json_t *value)
{
    if (json_is_string(value))
        return read_chord(reader, action, value);
    if (!json_is_array(value))
        return error_set(reader->error, ERROR_FORMAT,
                         "%s: the keys of \"%s\" are %s, not a text or a list of texts",
                         reader->file, rows[action].name, json_text_type(value));
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!read_chord(reader, action, json_array_get(value, i)))
            return false;
    return true;
}

static bool read_all(KeymapReader *reader, json_t *root)
{
    if (!json_is_object(root))
        return error_set(reader->error, ERROR_FORMAT,
                         "%s: holds %s, not an object of actions and their keys", reader->file,
                         json_text_type(root));
    const char *key;
    json_t *value;
    /* All that the file speaks of lose their keys first: two actions may swap theirs. */
    json_object_foreach(root, key, value)
    {
        Action action = 0;
        if (!action_find(key, &action, reader->error)) {
            error_prefix(reader->error, "%s", reader->file);
            return false;
        }
        reader->given[action] = true;
        memset(reader->keymap.chords[action], 0, sizeof reader->keymap.chords[action]);
    }
    json_object_foreach(root, key, value)
    {
        Action action = 0;
        if (!action_find(key, &action, reader->error) || !read_action(reader, action, value))
            return false;
    }
    return true;
}

bool keymap_read(Keymap *keymap, const char *json, size_t n, const char *name, Error *error)
{
    json_t *root = json_text_parse(json, n, name, error);
    if (!root)
        return false;
    KeymapReader *reader = memory_new(1, sizeof *reader);
    reader->keymap = *keymap;
    reader->file = name;
    reader->error = error;
    bool ok = read_all(reader, root);
    if (ok)
        *keymap = reader->keymap;
    json_decref(root);
    free(reader);
    return ok;
}

void keymap_write(const Keymap *keymap, StrBuf *json)
{
    strbuf_add(json, "{");
    for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
        strbuf_addf(json, "%s\n  \"%s\": [", i > 1 ? "," : "", rows[i].name);
        for (int j = 0; j < KEYMAP_CHORDS && keymap->chords[i][j].key; j++) {
            char text[CHORD_TEXT_BYTES];
            chord_print(keymap->chords[i][j], text);
            strbuf_add(json, j > 0 ? ", \"" : "\"");
            strbuf_add_json(json, text, strlen(text));
            strbuf_add(json, "\"");
        }
        strbuf_add(json, "]");
    }
    strbuf_add(json, "\n}\n");
}

Action keymap_action(const Keymap *keymap, const Event *event)
{
    if (event->kind != EVENT_KEY || event->key == KEY_NONE)
        return ACTION_NONE;
    return find_chord(keymap, chord_of_event(event));
}

void keymap_show(const Keymap *keymap, Action action, char text[CHORD_TEXT_BYTES])
{
    FOVEA_CHECK((unsigned)action < ACTION_COUNT, "action %d", (int)action);
    text[0] = '\0';
    if (keymap)
        chord_show(keymap->chords[action][0], text);
}
