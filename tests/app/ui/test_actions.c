#include "testing.h"

#include <stdio.h>
#include <string.h>

#include "ui/actions.h"

typedef struct ChordCase {
    const char *written, *printed, *shown;
} ChordCase;

static const ChordCase chords[] = {
    {"Ctrl+Shift+Z", "Ctrl+Shift+Z", "Ctrl+Shift+Z"},
    {"shift+control+z", "Ctrl+Shift+Z", "Ctrl+Shift+Z"},
    {"right", "Right", "→"},
    {"→", "Right", "→"},
    {"Alt+PageUp", "Alt+PageUp", "Alt+PgUp"},
    {"F12", "F12", "F12"},
    {"?", "?", "?"},
    {"Shift+/", "?", "?"},
    {"Ctrl++", "Ctrl++", "Ctrl++"},
    {"Ctrl+Shift+=", "Ctrl++", "Ctrl++"},
    {"+", "+", "+"},
    {"Ctrl+-", "Ctrl+-", "Ctrl+-"},
    {"é", "é", "é"},
    {"Escape", "Escape", "Esc"},
    {"Ctrl+Alt+Shift+Space", "Ctrl+Alt+Shift+Space", "Ctrl+Alt+Shift+Space"},
};

static void chords_are_read_as_people_write_them(void **state)
{
    (void)state;
    Error error = {0};
    for (size_t i = 0; i < sizeof chords / sizeof chords[0]; i++) {
        Chord chord;
        char text[CHORD_TEXT_BYTES];
        assert_ok(chord_parse(chords[i].written, &chord, &error));
        chord_print(chord, text);
        assert_string_equal(text, chords[i].printed);
        chord_show(chord, text);
        assert_string_equal(text, chords[i].shown);
    }
}

static void every_chord_is_read_back_as_it_was_printed(void **state)
{
    (void)state;
    Error error = {0};
    for (unsigned mods = 0; mods < 8; mods++)
        for (int key = KEY_LEFT; key <= KEY_CHARACTER; key++)
            for (uint32_t code = '!'; code <= (key == KEY_CHARACTER ? 0x17Fu : '!'); code++) {
                Event event = {.kind = EVENT_KEY, .key = (Key)key, .code = code, .mods = mods};
                if (key == KEY_CHARACTER && code >= 0x7F && code <= 0xA0)
                    continue; /* control characters and blanks are no keys */
                Chord chord = chord_of_event(&event);
                if (code == 0xAD)
                    continue;
                char text[CHORD_TEXT_BYTES];
                chord_print(chord, text);
                Chord again;
                assert_ok(chord_parse(text, &again, &error));
                assert_true(chord_equal(chord, again));
            }
}

static void what_is_no_chord_is_refused_with_an_example(void **state)
{
    (void)state;
    Error error = {0};
    Chord chord;
    static const char *const bad[] = {"",  "Ctrl+", "Ctrl",   "Hyper+X", "ab", "F13",
                                      " ", "\xFF",  "Ctrl+ ", "a+b",     "\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(chord_parse(bad[i], &chord, &error), "Ctrl+Shift+Z");
        assert_int_equal(chord.key, KEY_NONE);
    }
    assert_refused(chord_parse("Ctrl+Control+A", &chord, &error), "twice");
}

static Event key_event(Key key, uint32_t code, unsigned mods)
{
    return (Event){.kind = EVENT_KEY, .key = key, .code = code, .mods = mods};
}

static void keys_find_their_actions(void **state)
{
    (void)state;
    Keymap keymap;
    keymap_init(&keymap);
    Event event = key_event(KEY_RIGHT, 0, 0);
    assert_int_equal(keymap_action(&keymap, &event), ACTION_STEP_NEXT);
    event = key_event(KEY_RIGHT, 0, MOD_ALT);
    assert_int_equal(keymap_action(&keymap, &event), ACTION_NONE);
    event = key_event(KEY_CHARACTER, 'z', MOD_CTRL | MOD_SHIFT);
    assert_int_equal(keymap_action(&keymap, &event), ACTION_REDO);
    event = key_event(KEY_CHARACTER, '/', MOD_SHIFT);
    assert_int_equal(keymap_action(&keymap, &event), ACTION_HELP);
    event = key_event(KEY_CHARACTER, '/', 0);
    assert_int_equal(keymap_action(&keymap, &event), ACTION_FOCUS_INPUT);
    event = key_event(KEY_CHARACTER, '=', MOD_CTRL | MOD_SHIFT);
    assert_int_equal(keymap_action(&keymap, &event), ACTION_SCALE_UP);
    event = key_event(KEY_CHARACTER, '+', MOD_CTRL);
    assert_int_equal(keymap_action(&keymap, &event), ACTION_SCALE_UP);
    event.kind = EVENT_TEXT;
    assert_int_equal(keymap_action(&keymap, &event), ACTION_NONE);
}

static void every_action_has_words_and_a_key_of_its_own(void **state)
{
    (void)state;
    Keymap keymap;
    keymap_init(&keymap);
    for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
        Action action = (Action)i;
        Action found;
        Error error = {0};
        char key[CHORD_TEXT_BYTES];
        keymap_show(&keymap, action, key);
        assert_true(key[0] != '\0');
        assert_ok(action_find(action_name(action), &found, &error));
        assert_int_equal(found, action);
        assert_true(ui_text(LANGUAGE_ENGLISH, action_words(action))[0] != '\0');
        for (int j = 0; j < KEYMAP_CHORDS && keymap.chords[i][j].key; j++) {
            Chord chord = keymap.chords[i][j];
            Event event = key_event(chord.key, chord.code, chord.mods);
            assert_int_equal(keymap_action(&keymap, &event), action);
        }
    }
}

static void a_file_changes_the_keys_that_it_names(void **state)
{
    (void)state;
    Error error = {0};
    Keymap keymap;
    keymap_init(&keymap);
    static const char json[] = "{\"step-next\": [\"L\", \"Right\"], \"quit\": [],"
                               " \"step-previous\": \"H\", \"play\": \"T\"}";
    assert_ok(keymap_read(&keymap, json, strlen(json), "keys.json", &error));
    Event event = key_event(KEY_CHARACTER, 'l', 0);
    assert_int_equal(keymap_action(&keymap, &event), ACTION_STEP_NEXT);
    event = key_event(KEY_LEFT, 0, 0);
    assert_int_equal(keymap_action(&keymap, &event), ACTION_NONE);
    event = key_event(KEY_CHARACTER, 'q', MOD_CTRL);
    assert_int_equal(keymap_action(&keymap, &event), ACTION_NONE);
    /* T belonged to an action that the file does not speak of. */
    event = key_event(KEY_CHARACTER, 't', 0);
    assert_int_equal(keymap_action(&keymap, &event), ACTION_PLAY);
    assert_int_equal(keymap.chords[ACTION_TRANSPOSE][0].key, KEY_NONE);
    char key[CHORD_TEXT_BYTES];
    keymap_show(&keymap, ACTION_STEP_NEXT, key);
    assert_string_equal(key, "L");
}

static void two_actions_can_swap_their_keys(void **state)
{
    (void)state;
    Error error = {0};
    Keymap keymap;
    keymap_init(&keymap);
    static const char json[] = "{\"step-next\": \"Left\", \"step-previous\": \"Right\"}";
    assert_ok(keymap_read(&keymap, json, strlen(json), "keys.json", &error));
    Event event = key_event(KEY_LEFT, 0, 0);
    assert_int_equal(keymap_action(&keymap, &event), ACTION_STEP_NEXT);
}

static void a_keymap_is_read_back_as_it_was_written(void **state)
{
    (void)state;
    Error error = {0};
    Keymap keymap;
    Keymap again;
    keymap_init(&keymap);
    static const char json[] = "{\"help\": [\"\\\"\", \"\\\\\"], \"quit\": []}";
    assert_ok(keymap_read(&keymap, json, strlen(json), "keys.json", &error));
    StrBuf written = {0};
    keymap_write(&keymap, &written);
    keymap_init(&again);
    assert_ok(keymap_read(&again, written.text, written.length, "keys.json", &error));
    assert_memory_equal(&keymap, &again, sizeof keymap);
    strbuf_free(&written);
}

typedef struct BadFile {
    const char *json, *message;
} BadFile;

static void a_bad_file_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    static const BadFile files[] = {
        {"", "keys.json"},
        {"[1]", "keys.json: holds a list, not an object"},
        {"{\"step-nxt\": \"L\"}", "keys.json: there is no action \"step-nxt\""},
        {"{\"quit\": \"Strg+Q\"}", "keys.json: \"quit\": key \"Strg+Q\" is not known"},
        {"{\"quit\": 3}", "not a text or a list"},
        {"{\"quit\": [\"Q\", 3]}", "a key is a text"},
        {"{\"quit\": \"Tab\"}", "moves between controls"},
        {"{\"quit\": \"Escape\"}", "moves between controls"},
        {"{\"quit\": \"Q\", \"save\": \"Q\"}", "given to both \"quit\" and \"save\""},
        {"{\"quit\": [\"Q\", \"W\", \"E\", \"Y\", \"U\"]}", "more than 4 keys"},
        {"{\"quit\": \"Q\", \"quit\": \"W\"}", "keys.json"},
        {"{\"quit\": \"Q\"", "keys.json"},
    };
    Keymap before;
    Keymap keymap;
    keymap_init(&before);
    keymap_init(&keymap);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        Error error = {0};
        assert_refused(
            keymap_read(&keymap, files[i].json, strlen(files[i].json), "keys.json", &error),
            files[i].message);
        assert_memory_equal(&keymap, &before, sizeof keymap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chords_are_read_as_people_write_them),
        cmocka_unit_test(every_chord_is_read_back_as_it_was_printed),
        cmocka_unit_test(what_is_no_chord_is_refused_with_an_example),
        cmocka_unit_test(keys_find_their_actions),
        cmocka_unit_test(every_action_has_words_and_a_key_of_its_own),
        cmocka_unit_test(a_file_changes_the_keys_that_it_names),
        cmocka_unit_test(two_actions_can_swap_their_keys),
        cmocka_unit_test(a_keymap_is_read_back_as_it_was_written),
        cmocka_unit_test(a_bad_file_is_refused_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
