/* The window without a display: what SDL reports, as an Input. */
#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include <SDL.h>

#include "ui/controls.h"
#include "ui/platform_keys_sdl.h"
#include "ui/platform_sdl.h"

static Fonts *fonts;
static Platform *platform;

static int set_up(void **state)
{
    (void)state;
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    Error error = {0};
    fonts = fonts_new(&error);
    platform = fonts ? platform_new("test", 800, 600, fonts, &error) : NULL;
    return platform ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    platform_free(platform);
    fonts_free(fonts);
    SDL_Quit();
    return 0;
}

/* All that waits; what the window itself reported at its start is gone afterwards. */
static Input collect(void)
{
    static Input input;
    input.n_events = 0;
    assert_true(platform_wait(platform, 0, &input));
    return input;
}

static void push(SDL_Event event)
{
    assert_int_equal(SDL_PushEvent(&event), 1);
}

static void push_key(SDL_Keycode sym, SDL_Scancode place, Uint16 mods, bool repeat)
{
    push((SDL_Event){.key = {.type = SDL_KEYDOWN,
                             .state = SDL_PRESSED,
                             .repeat = repeat,
                             .keysym = {.scancode = place, .sym = sym, .mod = mods}}});
}

static void push_text(const char *text)
{
    SDL_Event event = {.text = {.type = SDL_TEXTINPUT}};
    SDL_strlcpy(event.text.text, text, sizeof event.text.text);
    push(event);
}

static void the_window_tells_its_size_and_time(void **state)
{
    (void)state;
    Input input = collect();
    assert_close(input.width, 800, 0);
    assert_close(input.height, 600, 0);
    platform_set_zoom(platform, 2);
    Input larger = collect();
    assert_close(larger.width, 400, 0);
    assert_true(larger.time >= input.time);
    platform_set_zoom(platform, 100);
    assert_close(platform_zoom(platform), PLATFORM_MOST_ZOOM, 0);
    platform_set_zoom(platform, 0);
    assert_close(platform_zoom(platform), PLATFORM_LEAST_ZOOM, 0);
    platform_set_zoom(platform, 1);
}

static void buttons_and_motion_come_in_logical_pixels(void **state)
{
    (void)state;
    collect();
    platform_set_zoom(platform, 2);
    push((SDL_Event){.button = {.type = SDL_MOUSEBUTTONDOWN,
                                .button = SDL_BUTTON_RIGHT,
                                .state = SDL_PRESSED,
                                .clicks = 5,
                                .x = 100,
                                .y = 60}});
    push((SDL_Event){.motion = {.type = SDL_MOUSEMOTION, .x = 120, .y = 80}});
    Input input = collect();
    assert_int_equal(input.n_events, 1);
    assert_int_equal(input.events[0].kind, EVENT_PRESS);
    assert_int_equal(input.events[0].button, BUTTON_RIGHT);
    assert_int_equal(input.events[0].clicks, 2); /* the fifth is the second of another three */
    assert_close(input.events[0].x, 50, 0);
    assert_close(input.events[0].y, 30, 0);
    assert_close(input.x, 60, 0);
    assert_true(input.down[BUTTON_RIGHT]);
    push((SDL_Event){.button = {.type = SDL_MOUSEBUTTONUP,
                                .button = SDL_BUTTON_RIGHT,
                                .clicks = 1,
                                .x = 120,
                                .y = 80}});
    push((SDL_Event){.wheel = {.type = SDL_MOUSEWHEEL, .preciseX = 0.25f, .preciseY = -1.5f}});
    push((SDL_Event){
        .wheel = {.type = SDL_MOUSEWHEEL, .preciseY = 1, .direction = SDL_MOUSEWHEEL_FLIPPED}});
    input = collect();
    assert_int_equal(input.n_events, 3);
    assert_int_equal(input.events[0].kind, EVENT_RELEASE);
    assert_false(input.down[BUTTON_RIGHT]);
    assert_close(input.events[1].dx, 0.25, 0);
    assert_close(input.events[1].dy, -1.5, 0);
    assert_close(input.events[2].dy, -1, 0);
    platform_set_zoom(platform, 1);
}

static void keys_and_typed_text_come_in_order(void **state)
{
    (void)state;
    collect();
    push_key(SDLK_a, SDL_SCANCODE_A, KMOD_LSHIFT, false);
    push_text("A苹");
    push_key(SDLK_LEFT, SDL_SCANCODE_LEFT, KMOD_LCTRL, true);
    push_key(SDLK_LSHIFT, SDL_SCANCODE_LSHIFT, 0, false);
    Input input = collect();
    assert_int_equal(input.n_events, 3);
    assert_int_equal(input.events[0].key, KEY_CHARACTER);
    assert_int_equal(input.events[0].code, 'a');
    assert_int_equal(input.events[0].mods, MOD_SHIFT);
    assert_string_equal(input.events[1].text, "A苹");
    assert_int_equal(input.events[2].key, KEY_LEFT);
    assert_int_equal(input.events[2].mods, MOD_CTRL);
    assert_true(input.events[2].repeat);
}

typedef struct KeyCase {
    SDL_Keycode sym;
    SDL_Scancode place;
    Uint16 mods;
    Key key;
    uint32_t code;
} KeyCase;

static void keys_mean_the_same_on_every_layout(void **state)
{
    (void)state;
    static const KeyCase cases[] = {
        {SDLK_z, SDL_SCANCODE_Y, 0, KEY_CHARACTER, 'z'},         /* German    */
        {0x44F, SDL_SCANCODE_Z, KMOD_LCTRL, KEY_CHARACTER, 'z'}, /* Russian   */
        {0xF6, SDL_SCANCODE_SEMICOLON, 0, KEY_CHARACTER, 0xF6},  /* German o  */
        {SDLK_AMPERSAND, SDL_SCANCODE_1, 0, KEY_CHARACTER, '1'}, /* French    */
        {0xE0, SDL_SCANCODE_0, KMOD_LSHIFT, KEY_CHARACTER, '0'}, /* French    */
        {SDLK_KP_4, SDL_SCANCODE_KP_4, KMOD_NUM, KEY_CHARACTER, '4'},
        {SDLK_KP_4, SDL_SCANCODE_KP_4, 0, KEY_LEFT, 0},
        {SDLK_KP_PLUS, SDL_SCANCODE_KP_PLUS, KMOD_LCTRL, KEY_CHARACTER, '+'},
        {SDLK_KP_ENTER, SDL_SCANCODE_KP_ENTER, 0, KEY_ENTER, 0},
        {SDLK_F12, SDL_SCANCODE_F12, 0, KEY_F12, 0},
        {SDLK_SPACE, SDL_SCANCODE_SPACE, 0, KEY_SPACE, 0},
        {SDLK_DELETE, SDL_SCANCODE_DELETE, 0, KEY_DELETE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SDL_Keysym sym = {.scancode = cases[i].place, .sym = cases[i].sym, .mod = cases[i].mods};
        Event event = {0};
        assert_true(platform_read_key(&sym, &event));
        assert_int_equal(event.key, cases[i].key);
        assert_int_equal(event.code, cases[i].code);
    }
    static const SDL_Keycode silent[] = {SDLK_LCTRL, SDLK_CAPSLOCK, SDLK_VOLUMEUP, SDLK_F13, 0};
    for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++) {
        SDL_Keysym sym = {.sym = silent[i]};
        Event event = {0};
        assert_false(platform_read_key(&sym, &event));
    }
}

static void a_composition_is_held_until_it_is_typed(void **state)
{
    (void)state;
    collect();
    SDL_Event event = {.edit = {.type = SDL_TEXTEDITING, .start = 2}};
    SDL_strlcpy(event.edit.text, "苹果x", sizeof event.edit.text);
    push(event);
    Input input = collect();
    assert_string_equal(input.composing, "苹果x");
    assert_int_equal(input.composing_caret, 6);
    assert_int_equal(input.n_events, 0);
    /* Longer than SDL's own event, cut between characters to what an Input holds. */
    char *longer = SDL_malloc(1000);
    assert_non_null(longer);
    longer[0] = '\0';
    for (int i = 0; i < 100; i++)
        SDL_strlcat(longer, "苹果", 1000);
    push((SDL_Event){.editExt = {.type = SDL_TEXTEDITING_EXT, .text = longer}});
    input = collect();
    assert_int_equal(strlen(input.composing), 255);
    assert_int_equal(input.composing_caret, 255);
    push_text("苹果");
    input = collect();
    assert_string_equal(input.composing, "");
    assert_string_equal(input.events[0].text, "苹果");
}

static void a_dropped_file_is_the_last_event_of_its_frame(void **state)
{
    (void)state;
    collect();
    push((SDL_Event){.drop = {.type = SDL_DROPFILE, .file = SDL_strdup("/tmp/one.npz")}});
    push((SDL_Event){.drop = {.type = SDL_DROPFILE, .file = SDL_strdup("/tmp/two.npz")}});
    Input input = collect();
    assert_int_equal(input.n_events, 1);
    assert_int_equal(input.events[0].kind, EVENT_DROP);
    assert_string_equal(input.dropped, "/tmp/one.npz");
    input = collect();
    assert_int_equal(input.n_events, 1);
    assert_string_equal(input.dropped, "/tmp/two.npz");
}

static void what_does_not_fit_waits_for_the_next_frame(void **state)
{
    (void)state;
    collect();
    enum { MORE = 20 };
    for (int i = 0; i < INPUT_MAX_EVENTS + MORE; i++)
        push_text("x");
    assert_int_equal(collect().n_events, INPUT_MAX_EVENTS);
    assert_int_equal(collect().n_events, MORE);
    assert_int_equal(collect().n_events, 0);
}

static void closing_is_told_once(void **state)
{
    (void)state;
    collect();
    push((SDL_Event){.type = SDL_QUIT});
    Input input = {0};
    assert_false(platform_wait(platform, 0, &input));
    assert_true(platform_wait(platform, 0, &input));
}

static int wake_later(void *context)
{
    platform_wake(context);
    return 0;
}

static void another_thread_ends_a_wait_without_end(void **state)
{
    (void)state;
    collect();
    SDL_Thread *thread = SDL_CreateThread(wake_later, "waker", platform);
    assert_non_null(thread);
    Input input = {0};
    assert_true(platform_wait(platform, (double)INFINITY, &input));
    assert_int_equal(input.n_events, 0);
    SDL_WaitThread(thread, NULL);
}

static void the_clipboard_is_the_systems(void **state)
{
    (void)state;
    const Clipboard *clipboard = platform_clipboard(platform);
    clipboard->set(clipboard->context, CLIP_COPIED, "苹果");
    StrBuf text = {0};
    clipboard->get(clipboard->context, CLIP_COPIED, &text);
    assert_string_equal(text.text, "苹果");
    strbuf_free(&text);
}

static void a_field_turns_the_input_method_on_and_leaving_it_off(void **state)
{
    (void)state;
    Error error = {0};
    Theme theme = theme_make(THEME_LIGHT);
    Canvas *canvas = canvas_new(1, 1);
    Edit *edit = edit_new(EDIT_ONE_LINE, 100);
    Ui *ui = ui_new();
    for (int i = 0; i < 6; i++) {
        Input input = collect();
        ui_begin(ui,
                 &(UiFrame){.canvas = canvas, .fonts = fonts, .theme = &theme, .input = &input});
        ui_field(ui, (Rect){10, 10, 200, 30}, &(UiControl){.name = "field"}, edit, NULL);
        ui_end(ui);
        if (i == 1)
            ui_focus(ui, "field");
        if (i == 3) {
            platform_follow(platform, ui);
            assert_true(SDL_IsTextInputActive());
            ui_focus(ui, NULL);
        }
    }
    platform_follow(platform, ui);
    assert_false(SDL_IsTextInputActive());
    assert_ok(platform_show(platform, canvas, &error));
    StrBuf png = {0};
    assert_ok(platform_screenshot(platform, &png, &error));
    assert_memory_equal(png.text, "\x89PNG", 4);
    strbuf_free(&png);
    ui_free(ui);
    edit_free(edit);
    canvas_free(canvas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_window_tells_its_size_and_time),
        cmocka_unit_test(buttons_and_motion_come_in_logical_pixels),
        cmocka_unit_test(keys_and_typed_text_come_in_order),
        cmocka_unit_test(keys_mean_the_same_on_every_layout),
        cmocka_unit_test(a_composition_is_held_until_it_is_typed),
        cmocka_unit_test(a_dropped_file_is_the_last_event_of_its_frame),
        cmocka_unit_test(what_does_not_fit_waits_for_the_next_frame),
        cmocka_unit_test(closing_is_told_once),
        cmocka_unit_test(another_thread_ends_a_wait_without_end),
        cmocka_unit_test(the_clipboard_is_the_systems),
        cmocka_unit_test(a_field_turns_the_input_method_on_and_leaving_it_off),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
