/* Any bytes as a person in front of every control: mouse, keys, text, input method, sizes of
 * the window. The screen must come to rest, and the texts keep their invariants. */
#include <stdlib.h>
#include <string.h>

#include "../app/ui/stage.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Hands {
    const uint8_t *data;
    size_t size, at;
} Hands;

static unsigned next(Hands *hands)
{
    return hands->at < hands->size ? hands->data[hands->at++] : 0;
}

static void check_edit(const Edit *edit)
{
    const char *text = edit_text(edit);
    size_t n = edit_length(edit);
    EditRange range = edit_selection(edit);
    FOVEA_CHECK(utf8_is_valid(text, n) && strlen(text) == n && n <= edit_max_bytes(edit) &&
                    range.end <= n,
                "%zu bytes, selected %zu to %zu", n, range.start, range.end);
}

static void pointer(Stage *stage, Hands *hands)
{
    stage->input.x = (float)next(hands) / 255 * stage->input.width;
    stage->input.y = (float)next(hands) / 255 * stage->input.height;
}

static void button(Stage *stage, Hands *hands, EventKind kind)
{
    unsigned what = next(hands);
    int number = 1 + (int)(what % 3);
    stage->input.down[number] = kind == EVENT_PRESS;
    stage_send(stage, (Event){.kind = kind,
                              .button = number,
                              .clicks = 1 + (int)(what / 3 % 3),
                              .mods = what / 9 % 8,
                              .x = stage->input.x,
                              .y = stage->input.y});
}

static void key(Stage *stage, Hands *hands)
{
    unsigned what = next(hands);
    stage_send(stage, (Event){.kind = EVENT_KEY,
                              .key = (Key)(what % (KEY_CHARACTER + 1)),
                              .code = ' ' + next(hands) % 96,
                              .mods = next(hands) % 8,
                              .repeat = what > 200});
}

static void text(Stage *stage, Hands *hands)
{
    char piece[16] = {0};
    size_t n = next(hands) % (sizeof piece - 1);
    for (size_t i = 0; i < n; i++)
        piece[i] = (char)next(hands);
    stage_add_text(stage, piece);
}

static void compose(Stage *stage, Hands *hands)
{
    size_t n = next(hands) % 12;
    for (size_t i = 0; i < n; i++)
        stage->input.composing[i] = (char)next(hands);
    stage->input.composing[n] = '\0';
    stage->input.composing_caret = (int)(next(hands) % 16);
}

static void act(Stage *stage, Hands *hands)
{
    switch (next(hands) % 12) {
    case 0:
    case 1: pointer(stage, hands); break;
    case 2: button(stage, hands, EVENT_PRESS); break;
    case 3: button(stage, hands, EVENT_RELEASE); break;
    case 4:
    case 5: key(stage, hands); break;
    case 6: text(stage, hands); break;
    case 7: compose(stage, hands); break;
    case 8:
        stage_send(stage, (Event){.kind = EVENT_WHEEL,
                                  .dy = (float)next(hands) - 128,
                                  .x = stage->input.x,
                                  .y = stage->input.y});
        break;
    case 9:
        stage->input.width = 1 + 5 * (float)next(hands);
        stage->input.height = 1 + 4 * (float)next(hands);
        break;
    case 10: stage->input.time += (double)next(hands) / 100; break;
    default: stage_play(stage); break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    Fonts *fonts = fonts_new(&error);
    FOVEA_CHECK(fonts, "%s", error.message);
    Hands hands = {data, size < 4096 ? size : 4096, 0};
    unsigned how = next(&hands);
    Stage *stage = stage_new(fonts, how % 2 ? THEME_DARK : THEME_LIGHT,
                             (Language)(how / 2 % LANGUAGE_COUNT), (int)(how / 4 % 3));
    while (hands.at < hands.size) {
        act(stage, &hands);
        if (stage->input.n_events > INPUT_MAX_EVENTS / 2)
            stage_play(stage);
    }
    stage_play(stage);
    check_edit(stage->gallery.input);
    check_edit(stage->gallery.second);
    check_edit(stage->gallery.text);
    check_edit(stage->gallery.search);
    stage_free(stage);
    fonts_free(fonts);
    return 0;
}
