/* Frames, events, the pointer and the keyboard. */
#include "testing.h"

#include "canvas/canvas_dump.h"
#include "stage.h"

static Fonts *fonts;

static int set_up(void **state)
{
    (void)state;
    Error error = {0};
    fonts = fonts_new(&error);
    return fonts ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    fonts_free(fonts);
    return 0;
}

static Stage *open_stage(void)
{
    return stage_new(fonts, THEME_LIGHT, LANGUAGE_ENGLISH, 0);
}

static void a_click_presses_and_a_release_elsewhere_does_not(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_click(stage, "scores");
    assert_true(stage->gallery.scores);
    stage_click(stage, "b-framed");
    assert_int_equal(stage->gallery.pressed, 101);
    Rect rect = stage_place(stage, "scores");
    stage_press(stage, rect.x + 20, rect.y + 10, BUTTON_LEFT, 1);
    stage->input.x = 600;
    stage->input.y = 400;
    stage_release(stage, BUTTON_LEFT);
    assert_true(stage->gallery.scores);
    stage_free(stage);
}

static void what_is_disabled_does_not_answer(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_click(stage, "b-off");
    assert_int_equal(stage->gallery.pressed, 0);
    stage_click(stage, "gold");
    assert_true(stage->gallery.specials);
    stage_free(stage);
}

/* The controls of the gallery in the order in which Tab goes through them. */
static const char *const order[] = {
    "model",       "export",      "help-button", "language",    "theme",         "input",
    "first",       "previous",    "play",        "next",        "last",          "scrub",
    "left",        "view.0",      "view.1",      "view.2",      "view.3",        "view.4",
    "view.5",      "scores",      "numbers",     "merge",       "scale",         "colour",
    "temperature", "samples",     "right",       "candidate.0", "candidate.1",   "candidate.2",
    "candidate.3", "candidate.4", "candidate.5", "tabs",        "b-primary",     "b-framed",
    "b-on",        "b-quiet",     "second",      "text",        "message.close", "message.action",
    "list.search", "list",
};

enum { N_ORDER = sizeof order / sizeof order[0] };

static void tab_goes_through_every_control_and_round(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < N_ORDER; i++) {
            stage_key(stage, KEY_TAB, 0);
            if (!ui_has_focus(stage->ui, order[i]))
                fail_msg("Tab does not come to \"%s\" in round %d", order[i], round);
        }
    for (int i = N_ORDER - 2; i >= 0; i--) {
        stage_key(stage, KEY_TAB, MOD_SHIFT);
        if (!ui_has_focus(stage->ui, order[i]))
            fail_msg("Shift+Tab does not come to \"%s\"", order[i]);
    }
    stage_key(stage, KEY_ESCAPE, 0);
    assert_false(ui_has_focus(stage->ui, order[0]));
    stage_free(stage);
}

static void focus_that_came_by_keys_is_drawn(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_wait(stage, 1);
    uint64_t plain = canvas_hash(stage->canvas);
    for (int i = 0; i < N_ORDER; i++) {
        stage_key(stage, KEY_TAB, 0);
        stage_wait(stage, 20); /* the caret does not blink any more */
        if (canvas_hash(stage->canvas) == plain)
            fail_msg("\"%s\" looks the same with the keyboard", order[i]);
    }
    stage_free(stage);
}

static void space_and_enter_press_what_has_the_keyboard(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    ui_focus(stage->ui, "scores");
    stage_key(stage, KEY_SPACE, 0);
    assert_true(stage->gallery.scores);
    assert_false(stage->gallery.playing);
    stage_key(stage, KEY_ENTER, 0);
    assert_false(stage->gallery.scores);
    stage_key(stage, KEY_ESCAPE, 0);
    stage_key(stage, KEY_SPACE, 0);
    assert_true(stage->gallery.playing);
    stage_free(stage);
}

static void keys_do_actions_unless_a_control_takes_them(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_key(stage, KEY_RIGHT, 0);
    assert_int_equal(stage->gallery.last, ACTION_STEP_NEXT);
    assert_close(stage->gallery.step, 5, 0);
    stage_type(stage, "n");
    assert_int_equal(stage->gallery.last, ACTION_TOGGLE_NUMBERS);
    stage_click(stage, "input");
    stage_key(stage, KEY_HOME, 0);
    stage_type(stage, "n ");
    stage_key(stage, KEY_RIGHT, 0);
    assert_int_equal(stage->gallery.last, ACTION_TOGGLE_NUMBERS);
    assert_string_equal(edit_text(stage->gallery.input), "n She is eating a green apple.");
    assert_int_equal(edit_caret(stage->gallery.input), 3);
    stage_chord(stage, 'e', MOD_CTRL);
    assert_int_equal(stage->gallery.last, ACTION_EXPORT);
    stage_free(stage);
}

static void a_key_that_opens_a_field_is_not_typed_into_it(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_type(stage, "/x");
    assert_string_equal(edit_text(stage->gallery.input), "She is eating a green apple.x");
    /* What an input method commits without a key is kept. */
    stage_key(stage, KEY_ESCAPE, 0);
    stage_send(stage, (Event){.kind = EVENT_KEY, .key = KEY_CHARACTER, .code = '/'});
    stage_text(stage, "苹");
    assert_string_equal(edit_text(stage->gallery.input), "She is eating a green apple.x苹");
    stage_free(stage);
}

static void events_that_came_together_are_met_in_their_order(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    Rect rect = stage_place(stage, "second");
    Event press = {
        .kind = EVENT_PRESS, .button = 1, .clicks = 1, .x = rect.x + 300, .y = rect.y + 10};
    Event release = press;
    release.kind = EVENT_RELEASE;
    stage_type(stage, "");
    stage_send(stage, press);
    stage_send(stage, release);
    stage_send(stage,
               (Event){.kind = EVENT_KEY, .key = KEY_CHARACTER, .code = 'a', .mods = MOD_CTRL});
    stage_add_text(stage, "one");
    stage_send(stage, (Event){.kind = EVENT_KEY, .key = KEY_TAB});
    stage_send(stage, (Event){.kind = EVENT_KEY, .key = KEY_END, .mods = MOD_CTRL});
    stage_add_text(stage, " two");
    stage_send(stage, (Event){.kind = EVENT_KEY, .key = KEY_ESCAPE});
    stage_send(stage, (Event){.kind = EVENT_KEY, .key = KEY_RIGHT});
    stage_play(stage);
    assert_string_equal(edit_text(stage->gallery.second), "one");
    const char *text = edit_text(stage->gallery.text);
    assert_string_equal(text + strlen(text) - 10, "since. two");
    assert_close(stage->gallery.step, 5, 0);
    stage_free(stage);
}

static void a_full_input_is_worked_off_to_the_last_event(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_click(stage, "input");
    stage_chord(stage, 'a', MOD_CTRL);
    for (int i = 0; i < INPUT_MAX_EVENTS; i++)
        stage_add_text(stage, "x");
    stage_play(stage);
    assert_int_equal(edit_length(stage->gallery.input), INPUT_MAX_EVENTS);
    stage_free(stage);
}

static void a_click_on_a_button_leaves_the_keyboard_in_the_field(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_click(stage, "input");
    stage_click(stage, "b-framed");
    assert_true(ui_has_focus(stage->ui, "input"));
    assert_true(ui_wants_text(stage->ui, NULL));
    stage_click_at(stage, 600, 60); /* the figure */
    assert_false(ui_has_focus(stage->ui, "input"));
    assert_false(ui_wants_text(stage->ui, NULL));
    stage_free(stage);
}

static void a_held_key_repeats_only_what_makes_sense(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    Event event = {.kind = EVENT_KEY, .key = KEY_SPACE, .repeat = true};
    stage_send(stage, event);
    stage_play(stage);
    assert_false(stage->gallery.playing);
    event.key = KEY_RIGHT;
    stage_send(stage, event);
    stage_play(stage);
    assert_close(stage->gallery.step, 5, 0);
    stage_free(stage);
}

static void an_action_that_cannot_be_done_has_no_key_and_no_button(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage->unavailable[ACTION_STEP_NEXT] = true;
    stage_key(stage, KEY_RIGHT, 0);
    stage_click(stage, "next");
    assert_int_equal(stage->gallery.last, ACTION_NONE);
    stage->unavailable[ACTION_STEP_NEXT] = false;
    stage_click(stage, "next");
    assert_int_equal(stage->gallery.last, ACTION_STEP_NEXT);
    stage_free(stage);
}

static void a_tooltip_comes_with_its_key_when_the_pointer_rests(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_hover(stage, "export");
    assert_false(stage_has(stage, "tooltip"));
    assert_close(ui_wants_frame(stage->ui), 0.5, 1e-6);
    stage_wait(stage, 0.3);
    assert_close(ui_wants_frame(stage->ui), 0.2, 1e-6);
    stage_wait(stage, 0.21);
    assert_true(stage_has(stage, "tooltip"));
    StrBuf dump = {0};
    Error error = {0};
    assert_ok(canvas_dump(stage->canvas, &dump, &error));
    assert_non_null(strstr(dump.text, "\"Export the figure\""));
    assert_non_null(strstr(dump.text, "\"Ctrl+E\""));
    strbuf_free(&dump);
    /* The next one needs no waiting, and a key sends it away. */
    stage_hover(stage, "theme");
    assert_true(stage_has(stage, "tooltip"));
    stage_key(stage, KEY_RIGHT, 0);
    assert_false(stage_has(stage, "tooltip"));
    stage_wait(stage, 5);
    assert_false(stage_has(stage, "tooltip"));
    stage_free(stage);
}

static void a_label_that_was_cut_is_whole_in_its_tooltip(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_hover(stage, "merge");
    stage_wait(stage, 1);
    StrBuf dump = {0};
    Error error = {0};
    assert_ok(canvas_dump(stage->canvas, &dump, &error));
    assert_non_null(strstr(dump.text, "tag label \"tooltip\""));
    assert_non_null(strstr(dump.text, "= \"Renormalise what the window leaves of the weights\""));
    strbuf_free(&dump);
    stage_free(stage);
}

static void an_idle_screen_asks_for_no_frames(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    assert_true(isinf(ui_wants_frame(stage->ui)));
    stage_click(stage, "input");
    assert_close(ui_wants_frame(stage->ui), 0.5, 0.04); /* tooltip or caret */
    stage_wait(stage, 3);
    assert_true(ui_wants_frame(stage->ui) <= 0.531);
    stage_wait(stage, 8);
    assert_true(isinf(ui_wants_frame(stage->ui)));
    stage->still = true;
    stage_type(stage, "x");
    assert_true(isinf(ui_wants_frame(stage->ui)));
    stage_free(stage);
}

static void the_caret_is_on_and_off_for_equal_times(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_click(stage, "input");
    stage_move(stage, -1, -1);
    uint64_t on = canvas_hash(stage->canvas);
    stage_wait(stage, ui_wants_frame(stage->ui) + 1e-6);
    uint64_t off = canvas_hash(stage->canvas);
    assert_true(on != off);
    stage_wait(stage, ui_wants_frame(stage->ui) + 1e-6);
    assert_true(canvas_hash(stage->canvas) == on);
    stage_free(stage);
}

static void equal_input_gives_equal_recordings(void **state)
{
    (void)state;
    Stage *a = open_stage();
    Stage *b = open_stage();
    static const char *const clicks[] = {"model", "model.2", "text", "scrub", "view.3", "right"};
    for (size_t i = 0; i < sizeof clicks / sizeof clicks[0]; i++) {
        stage_click(a, clicks[i]);
        stage_click(b, clicks[i]);
        assert_true(canvas_hash(a->canvas) == canvas_hash(b->canvas));
    }
    stage_free(a);
    stage_free(b);
}

static void areas_answer_to_every_button_and_to_drags_that_leave_them(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    const UiArea *figure = &stage->gallery.figure;
    stage_move(stage, 700, 64);
    assert_true(figure->inside);
    stage_press(stage, 700, 64, BUTTON_LEFT, 2);
    assert_true(figure->held);
    stage_move(stage, 20, 20);
    assert_true(figure->held);
    assert_close(figure->x - figure->from_x, -680, 0);
    stage->input.down[BUTTON_LEFT] = false;
    stage_send(stage, (Event){.kind = EVENT_RELEASE, .button = BUTTON_LEFT, .x = 20, .y = 20});
    stage_frame(stage);
    assert_true(figure->released);
    assert_int_equal(figure->button, BUTTON_LEFT);
    stage_play(stage);
    assert_false(figure->held);
    /* A control on it has the pointer for itself. */
    stage_hover(stage, "b-framed");
    assert_false(figure->inside);
    stage_move(stage, 700, 64);
    stage_send(stage, (Event){.kind = EVENT_WHEEL, .x = 700, .y = 64, .dy = 2});
    stage_frame(stage);
    assert_close(figure->wheel_y, 2, 0);
    stage_free(stage);
}

static void a_file_may_be_dropped_anywhere_and_is_taken_once(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_move(stage, 20, 20);
    snprintf(stage->input.dropped, sizeof stage->input.dropped, "/tmp/dump.npz");
    stage_send(stage, (Event){.kind = EVENT_DROP, .x = 20, .y = 20});
    stage_frame(stage);
    assert_string_equal(stage->gallery.dropped, "/tmp/dump.npz");
    stage->gallery.dropped[0] = '\0';
    stage_frame(stage);
    assert_string_equal(stage->gallery.dropped, "");
    stage_free(stage);
}

static void a_button_let_go_outside_the_window_is_not_held_for_ever(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_press(stage, 700, 64, BUTTON_LEFT, 1);
    stage->input.down[BUTTON_LEFT] = false; /* no release was ever reported */
    stage_play(stage);
    stage_play(stage);
    assert_false(stage->gallery.figure.held);
    stage_free(stage);
}

/* The next line of a dump that is a tag, from its role on; NULL: there is none. */
static const char *next_tag(const char *dump)
{
    while (dump && *dump) {
        const char *line = dump + strspn(dump, " \n");
        if (strncmp(line, "tag ", 4) == 0)
            return line + 4;
        dump = strchr(line, '\n');
    }
    return NULL;
}

static void check_tag(const char *tag, float width, float height)
{
    const char *name = strchr(tag, '"');
    const char *end = strchr(name + 1, '"') + 1;
    const char *numbers = strchr(end, '\n');
    for (int spaces = 0; spaces < 4; numbers--)
        spaces += numbers[-1] == ' ';
    Rect rect;
    assert_int_equal(sscanf(numbers, "%f %f %f %f", &rect.x, &rect.y, &rect.w, &rect.h), 4);
    const float slack = 0.01f;
    if (rect.x < 0 || rect.y < 0 || rect.x + rect.w > width + slack ||
        rect.y + rect.h > height + slack)
        fail_msg("%.*s reaches out of the window", (int)(end - name), name);
    for (const char *other = next_tag(end); other; other = next_tag(other))
        if (strncmp(other, tag, (size_t)(end - tag)) == 0)
            fail_msg("%.*s is there twice", (int)(end - name), name);
}

static void names_are_unique_and_inside_the_window(void **state)
{
    (void)state;
    static const float sizes[][2] = {{1280, 800}, {800, 600}, {480, 360}, {40, 30}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        Stage *stage = open_stage();
        stage->input.width = sizes[i][0];
        stage->input.height = sizes[i][1];
        stage_play(stage);
        StrBuf dump = {0};
        Error error = {0};
        assert_ok(canvas_dump(stage->canvas, &dump, &error));
        for (const char *tag = next_tag(dump.text); tag; tag = next_tag(tag))
            check_tag(tag, sizes[i][0], sizes[i][1]);
        strbuf_free(&dump);
        stage_free(stage);
    }
}

static void motion_ends_where_it_should_within_its_time(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_hover(stage, "scrub");
    uint64_t before = canvas_hash(stage->canvas);
    stage_key(stage, KEY_RIGHT, 0);
    stage_wait(stage, 0.016);
    assert_true(canvas_hash(stage->canvas) != before);
    int frames = 0;
    double wants;
    while (!isinf(wants = ui_wants_frame(stage->ui)) && frames < 1000) {
        stage_wait(stage, wants);
        frames++;
    }
    assert_in_range(frames, 2, 15);
    stage->still = true;
    stage_key(stage, KEY_RIGHT, 0);
    assert_true(isinf(ui_wants_frame(stage->ui)));
    stage_free(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_click_presses_and_a_release_elsewhere_does_not),
        cmocka_unit_test(what_is_disabled_does_not_answer),
        cmocka_unit_test(tab_goes_through_every_control_and_round),
        cmocka_unit_test(focus_that_came_by_keys_is_drawn),
        cmocka_unit_test(space_and_enter_press_what_has_the_keyboard),
        cmocka_unit_test(keys_do_actions_unless_a_control_takes_them),
        cmocka_unit_test(a_key_that_opens_a_field_is_not_typed_into_it),
        cmocka_unit_test(events_that_came_together_are_met_in_their_order),
        cmocka_unit_test(a_full_input_is_worked_off_to_the_last_event),
        cmocka_unit_test(a_click_on_a_button_leaves_the_keyboard_in_the_field),
        cmocka_unit_test(a_held_key_repeats_only_what_makes_sense),
        cmocka_unit_test(an_action_that_cannot_be_done_has_no_key_and_no_button),
        cmocka_unit_test(a_tooltip_comes_with_its_key_when_the_pointer_rests),
        cmocka_unit_test(a_label_that_was_cut_is_whole_in_its_tooltip),
        cmocka_unit_test(an_idle_screen_asks_for_no_frames),
        cmocka_unit_test(the_caret_is_on_and_off_for_equal_times),
        cmocka_unit_test(equal_input_gives_equal_recordings),
        cmocka_unit_test(areas_answer_to_every_button_and_to_drags_that_leave_them),
        cmocka_unit_test(a_file_may_be_dropped_anywhere_and_is_taken_once),
        cmocka_unit_test(a_button_let_go_outside_the_window_is_not_held_for_ever),
        cmocka_unit_test(names_are_unique_and_inside_the_window),
        cmocka_unit_test(motion_ends_where_it_should_within_its_time),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
