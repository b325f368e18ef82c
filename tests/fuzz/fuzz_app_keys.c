/* Any bytes as a file of keys, and as one chord. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ui/actions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_chord(const char *text)
{
    Error error = {0};
    Chord chord;
    if (!chord_parse(text, &chord, &error)) {
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
        return;
    }
    char printed[CHORD_TEXT_BYTES];
    Chord again;
    chord_print(chord, printed);
    FOVEA_CHECK(chord_parse(printed, &again, &error) && chord_equal(chord, again),
                "\"%s\" is not read back", printed);
}

/* No chord does two things. */
static void check_keymap(const Keymap *keymap)
{
    for (int i = 1; i < ACTION_COUNT; i++)
        for (int j = 0; j < KEYMAP_CHORDS && keymap->chords[i][j].key; j++) {
            Chord chord = keymap->chords[i][j];
            Event event = {
                .kind = EVENT_KEY, .key = chord.key, .code = chord.code, .mods = chord.mods};
            FOVEA_CHECK((int)keymap_action(keymap, &event) == i, "a key of %s does %s",
                        action_name((Action)i), action_name(keymap_action(keymap, &event)));
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = memory_copy_bytes((const char *)data, size);
    Error error = {0};
    Keymap keymap;
    keymap_init(&keymap);
    check_chord(text);
    if (keymap_read(&keymap, (const char *)data, size, "fuzz", &error)) {
        check_keymap(&keymap);
        StrBuf written = {0};
        Keymap again;
        keymap_write(&keymap, &written);
        keymap_init(&again);
        FOVEA_CHECK(keymap_read(&again, written.text, written.length, "again", &error) &&
                        memcmp(&keymap, &again, sizeof keymap) == 0,
                    "not read back: %s", error.message);
        strbuf_free(&written);
    } else {
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
    }
    free(text);
    return 0;
}
