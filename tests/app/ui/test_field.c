/* Text fields on the screen, and text broken to lines. */
#include "testing.h"

#include "canvas/canvas_dump.h"
#include "stage.h"
#include "ui/text_lines.h"

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

static Stage *open_stage(int words)
{
    return stage_new(fonts, THEME_DARK, LANGUAGE_ENGLISH, words);
}

static TextStyle plain_style(void)
{
    Theme theme = theme_make(THEME_LIGHT);
    return theme_input(&theme);
}

static void lines_cover_the_text_in_order(void **state)
{
    (void)state;
    TextStyle style = plain_style();
    static const char *const texts[] = {
        "",
        "\n",
        "a",
        "a\n",
        "\n\na",
        "one two three four five six seven eight nine ten",
        "我本来对又一个鬼屋故事没抱什么期望。前半个小时节奏缓慢",
        "كان نصف الساعة الأول بطيئا\nx",
        "Donaudampfschifffahrtsgesellschaft",
        "👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧 🇫🇷🇫🇷"};
    static const float widths[] = {0, 1, 60, 100, 10000};
    TextLines lines = {0};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (size_t j = 0; j < sizeof widths / sizeof widths[0]; j++) {
            size_t n = strlen(texts[i]);
            text_lines_update(&lines, fonts, texts[i], n, &style, widths[j]);
            size_t at = 0;
            for (size_t line = 0; line < lines.n_lines; line++) {
                assert_int_equal(lines.lines[line].start, at);
                at = lines.lines[line].next;
                assert_true(lines.lines[line].end <= at);
            }
            assert_true(lines.n_lines > 0);
            assert_int_equal(at, n);
        }
    text_lines_free(&lines);
}

static void an_offset_and_its_place_lead_to_each_other(void **state)
{
    (void)state;
    TextStyle style = plain_style();
    static const char text[] = "one two three four\nfive six seven";
    TextLines lines = {0};
    text_lines_update(&lines, fonts, text, strlen(text), &style, 70);
    for (size_t offset = 0; offset <= strlen(text); offset++) {
        size_t line = text_lines_find(&lines, offset, false);
        float x = text_lines_caret_x(&lines, fonts, line, offset);
        bool at_end;
        size_t back = text_lines_offset_at(&lines, fonts, line, x, &at_end);
        if (lines.lines[line].start <= offset && offset <= lines.lines[line].end)
            assert_int_equal(back, offset);
    }
    text_lines_free(&lines);
}

static void a_soft_break_has_two_places_for_one_offset(void **state)
{
    (void)state;
    TextStyle style = plain_style();
    static const char text[] = "苹果苹果苹果苹果苹果苹果";
    TextLines lines = {0};
    text_lines_update(&lines, fonts, text, strlen(text), &style, 70);
    assert_true(lines.n_lines > 1);
    size_t offset = lines.lines[1].start;
    assert_int_equal(text_lines_find(&lines, offset, false), 1);
    assert_int_equal(text_lines_find(&lines, offset, true), 0);
    bool at_end;
    assert_int_equal(text_lines_offset_at(&lines, fonts, 0, 1000, &at_end), offset);
    assert_true(at_end);
    text_lines_free(&lines);
}

static void right_to_left_lines_stand_at_the_right(void **state)
{
    (void)state;
    TextStyle style = plain_style();
    static const char text[] = "هي تأكل\nabc";
    TextLines lines = {0};
    text_lines_update(&lines, fonts, text, strlen(text), &style, 300);
    assert_true(lines.lines[0].right_to_left);
    assert_false(lines.lines[1].right_to_left);
    assert_close(text_lines_caret_x(&lines, fonts, 0, 0), 300, 1);
    assert_close(text_lines_caret_x(&lines, fonts, 1, lines.lines[1].start), 0, 1);
    TextSpan spans[4];
    assert_int_equal(text_lines_spans(&lines, fonts, 0, 0, strlen(text), spans, 4), 1);
    assert_close(spans[0].x + spans[0].width, 300, 1);
    text_lines_free(&lines);
}

static void up_and_down_keep_their_place_across_lines(void **state)
{
    (void)state;
    Stage *stage = open_stage(0);
    Edit *edit = stage->gallery.text;
    stage_click(stage, "text");
    Error error = {0};
    assert_ok(edit_replace_all(edit, "abcdefgh\nab\nabcdefgh", &error));
    edit_place(edit, 6, false);
    stage_key(stage, KEY_DOWN, 0);
    assert_int_equal(edit_caret(edit), 11);
    stage_key(stage, KEY_DOWN, 0);
    assert_int_equal(edit_caret(edit), 18);
    stage_key(stage, KEY_UP, MOD_SHIFT);
    stage_key(stage, KEY_UP, MOD_SHIFT);
    assert_int_equal(edit_selection(edit).start, 6);
    assert_int_equal(edit_selection(edit).end, 18);
    stage_key(stage, KEY_UP, 0);
    assert_int_equal(edit_caret(edit), 0);
    stage_key(stage, KEY_PAGE_DOWN, 0);
    assert_int_equal(edit_caret(edit), 20);
    stage_free(stage);
}

static void home_and_end_go_by_the_lines_that_are_seen(void **state)
{
    (void)state;
    Stage *stage = open_stage(0);
    Edit *edit = stage->gallery.text;
    stage_click(stage, "text");
    stage_key(stage, KEY_HOME, MOD_CTRL);
    stage_key(stage, KEY_END, 0);
    size_t end = edit_caret(edit);
    assert_true(end > 50 && edit_text(edit)[end] != '\n');
    assert_true(edit_at_line_end(edit));
    stage_key(stage, KEY_HOME, 0);
    assert_int_equal(edit_caret(edit), 0);
    stage_key(stage, KEY_DOWN, 0);
    stage_key(stage, KEY_HOME, 0);
    assert_int_equal(edit_caret(edit), end);
    assert_false(edit_at_line_end(edit));
    stage_key(stage, KEY_END, MOD_CTRL | MOD_SHIFT);
    assert_int_equal(edit_selection(edit).end, edit_length(edit));
    stage_free(stage);
}

static void right_goes_right_in_text_of_either_direction(void **state)
{
    (void)state;
    Stage *stage = open_stage(2);
    Edit *edit = stage->gallery.input;
    stage_click(stage, "input");
    edit_place(edit, 0, false);
    Rect before;
    Rect after;
    stage_key(stage, KEY_LEFT, 0);
    assert_true(edit_caret(edit) > 0);
    assert_true(ui_wants_text(stage->ui, &before));
    stage_key(stage, KEY_LEFT, 0);
    assert_true(ui_wants_text(stage->ui, &after));
    assert_true(after.x < before.x);
    stage_key(stage, KEY_RIGHT, 0);
    assert_true(ui_wants_text(stage->ui, &after));
    assert_close(after.x, before.x, 0);
    stage_key(stage, KEY_LEFT, MOD_CTRL);
    assert_int_equal(edit_text(edit)[edit_caret(edit)], ' ');
    stage_free(stage);
}

static void the_mouse_places_and_selects(void **state)
{
    (void)state;
    Stage *stage = open_stage(0);
    Edit *edit = stage->gallery.input;
    Rect rect = stage_place(stage, "input");
    float y = rect.y + rect.h / 2;
    stage_click_at(stage, rect.x + 10, y);
    assert_int_equal(edit_caret(edit), 0);
    stage_click_at(stage, rect.x + rect.w - 4, y);
    assert_int_equal(edit_caret(edit), edit_length(edit));
    stage_press(stage, rect.x + 10, y, BUTTON_LEFT, 1);
    stage_move(stage, rect.x + 2000, y + 300);
    assert_int_equal(edit_selection(edit).end, edit_length(edit));
    stage_release(stage, BUTTON_LEFT);
    /* By words after a double click, both ways from where it began. */
    float in_eating = rect.x + 70;
    stage_press(stage, in_eating, y, BUTTON_LEFT, 2);
    assert_int_equal(edit_selection(edit).start, 7);
    assert_int_equal(edit_selection(edit).end, 13);
    stage_move(stage, rect.x + 14, y);
    assert_int_equal(edit_selection(edit).start, 0);
    assert_int_equal(edit_selection(edit).end, 13);
    stage_release(stage, BUTTON_LEFT);
    stage_press(stage, in_eating, y, BUTTON_LEFT, 3);
    assert_int_equal(edit_selection(edit).end, edit_length(edit));
    stage_release(stage, BUTTON_LEFT);
    /* Shift takes the selection there. */
    stage_click_at(stage, rect.x + 10, y);
    stage->input.mods = MOD_SHIFT;
    stage_click_at(stage, rect.x + rect.w - 4, y);
    assert_int_equal(edit_selection(edit).start, 0);
    assert_int_equal(edit_selection(edit).end, edit_length(edit));
    stage_free(stage);
}

static void what_is_selected_goes_to_the_middle_button(void **state)
{
    (void)state;
    Stage *stage = open_stage(0);
    Rect rect = stage_place(stage, "input");
    stage_press(stage, rect.x + 70, rect.y + 15, BUTTON_LEFT, 2);
    stage_release(stage, BUTTON_LEFT);
    rect = stage_place(stage, "second");
    stage_press(stage, rect.x + 10, rect.y + 15, BUTTON_MIDDLE, 1);
    stage_release(stage, BUTTON_MIDDLE);
    assert_memory_equal(edit_text(stage->gallery.second), "eatingDonau", 11);
    stage_free(stage);
}

static void the_right_button_cuts_and_pastes(void **state)
{
    (void)state;
    Stage *stage = open_stage(0);
    Rect rect = stage_place(stage, "input");
    stage_press(stage, rect.x + 70, rect.y + 15, BUTTON_LEFT, 2);
    stage_release(stage, BUTTON_LEFT);
    stage_press(stage, rect.x + 72, rect.y + 15, BUTTON_RIGHT, 1);
    stage_release(stage, BUTTON_RIGHT);
    assert_true(stage_has(stage, "input.menu"));
    stage_click(stage, "input.menu.0");
    assert_string_equal(edit_text(stage->gallery.input), "She is  a green apple.");
    assert_false(stage_has(stage, "input.menu"));
    assert_true(ui_has_focus(stage->ui, "input"));
    stage_chord(stage, 'v', MOD_CTRL);
    assert_string_equal(edit_text(stage->gallery.input), "She is eating a green apple.");
    stage_free(stage);
}

static void undo_is_the_fields_as_long_as_it_has_any(void **state)
{
    (void)state;
    Stage *stage = open_stage(0);
    stage_click(stage, "input");
    stage_type(stage, " So");
    stage_chord(stage, 'z', MOD_CTRL);
    stage_chord(stage, 'z', MOD_CTRL);
    assert_string_equal(edit_text(stage->gallery.input), "She is eating a green apple.");
    assert_int_equal(stage->gallery.last, ACTION_NONE);
    stage_chord(stage, 'z', MOD_CTRL);
    assert_int_equal(stage->gallery.last, ACTION_UNDO);
    stage_chord(stage, 'z', MOD_CTRL | MOD_SHIFT);
    assert_string_equal(edit_text(stage->gallery.input), "She is eating a green apple. ");
    stage_free(stage);
}

static void text_of_an_input_method_is_seen_before_it_is_typed(void **state)
{
    (void)state;
    Stage *stage = open_stage(1);
    Edit *edit = stage->gallery.input;
    stage_click(stage, "input");
    stage_key(stage, KEY_END, 0);
    snprintf(stage->input.composing, INPUT_TEXT_BYTES, "ping guo");
    stage->input.composing_caret = 4;
    stage_play(stage);
    StrBuf dump = {0};
    Error error = {0};
    assert_ok(canvas_dump(stage->canvas, &dump, &error));
    assert_non_null(strstr(dump.text, "果。ping guo\""));
    strbuf_free(&dump);
    assert_string_equal(edit_text(edit), "她正在吃一个绿色的苹果。");
    stage->input.composing[0] = '\0';
    stage_text(stage, "苹果");
    assert_string_equal(edit_text(edit), "她正在吃一个绿色的苹果。苹果");
    stage_free(stage);
}

/* A field alone, with what it returns. */
typedef struct Alone {
    Edit *edit;
    unsigned flags; /* of all frames since they were cleared */
    Error error;
} Alone;

static void draw_alone(Ui *ui, void *context)
{
    Alone *alone = context;
    UiControl control = {.name = "alone"};
    UiControl button = {.name = "button", .label = "other"};
    alone->flags |= ui_field(ui, (Rect){10, 10, 200, 30}, &control, alone->edit, &alone->error);
    ui_button(ui, (Rect){10, 50, 80, 28}, &button, UI_FRAMED, false);
}

static Stage *open_alone(Alone *alone, EditMode mode, size_t max_bytes)
{
    Stage *stage = open_stage(0);
    *alone = (Alone){.edit = edit_new(mode, max_bytes)};
    stage->draw = draw_alone;
    stage->context = alone;
    stage_play(stage);
    stage_click(stage, "alone");
    alone->flags = 0;
    return stage;
}

static unsigned take_flags(Alone *alone)
{
    unsigned flags = alone->flags;
    alone->flags = 0;
    return flags;
}

static void a_field_tells_what_happened_to_it(void **state)
{
    (void)state;
    Alone alone;
    Stage *stage = open_alone(&alone, EDIT_ONE_LINE, 8);
    stage_type(stage, "abc");
    assert_int_equal(take_flags(&alone), UI_FIELD_CHANGED);
    stage_key(stage, KEY_LEFT, 0);
    assert_int_equal(take_flags(&alone), 0);
    stage_key(stage, KEY_ENTER, 0);
    assert_int_equal(take_flags(&alone), UI_FIELD_SUBMITTED);
    stage_text(stage, "too long");
    assert_int_equal(take_flags(&alone), UI_FIELD_REFUSED);
    assert_non_null(strstr(alone.error.message, "room for 8"));
    assert_string_equal(edit_text(alone.edit), "abc");
    stage_key(stage, KEY_TAB, 0);
    assert_int_equal(take_flags(&alone), UI_FIELD_LEFT);
    stage_click(stage, "alone");
    stage_key(stage, KEY_ESCAPE, 0);
    assert_int_equal(take_flags(&alone), UI_FIELD_LEFT);
    edit_free(alone.edit);
    stage_free(stage);
}

static void enter_makes_a_line_where_there_are_several(void **state)
{
    (void)state;
    Alone alone;
    Stage *stage = open_alone(&alone, EDIT_LINES, 100);
    stage_type(stage, "a");
    stage_key(stage, KEY_ENTER, 0);
    stage_type(stage, "b");
    assert_string_equal(edit_text(alone.edit), "a\nb");
    assert_int_equal(take_flags(&alone), UI_FIELD_CHANGED);
    stage_key(stage, KEY_ENTER, MOD_CTRL);
    assert_int_equal(take_flags(&alone), UI_FIELD_SUBMITTED);
    edit_free(alone.edit);
    stage_free(stage);
}

static void the_caret_of_a_long_line_stays_in_the_field(void **state)
{
    (void)state;
    static const char *const words[] = {"eating ", "تأكل ", "苹果"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        Alone alone;
        Stage *stage = open_alone(&alone, EDIT_ONE_LINE, 10000);
        for (int j = 0; j < 40; j++)
            stage_text(stage, words[i]);
        for (int step = 0; step < 300; step++) {
            Rect caret;
            assert_true(ui_wants_text(stage->ui, &caret));
            if (caret.x < 10 || caret.x > 210)
                fail_msg("word %zu, step %d: the caret is at %g", i, step, (double)caret.x);
            stage_key(stage, step < 150 ? KEY_LEFT : KEY_RIGHT, 0);
        }
        edit_free(alone.edit);
        stage_free(stage);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_cover_the_text_in_order),
        cmocka_unit_test(an_offset_and_its_place_lead_to_each_other),
        cmocka_unit_test(a_soft_break_has_two_places_for_one_offset),
        cmocka_unit_test(right_to_left_lines_stand_at_the_right),
        cmocka_unit_test(up_and_down_keep_their_place_across_lines),
        cmocka_unit_test(home_and_end_go_by_the_lines_that_are_seen),
        cmocka_unit_test(right_goes_right_in_text_of_either_direction),
        cmocka_unit_test(the_mouse_places_and_selects),
        cmocka_unit_test(what_is_selected_goes_to_the_middle_button),
        cmocka_unit_test(the_right_button_cuts_and_pastes),
        cmocka_unit_test(undo_is_the_fields_as_long_as_it_has_any),
        cmocka_unit_test(text_of_an_input_method_is_seen_before_it_is_typed),
        cmocka_unit_test(a_field_tells_what_happened_to_it),
        cmocka_unit_test(enter_makes_a_line_where_there_are_several),
        cmocka_unit_test(the_caret_of_a_long_line_stays_in_the_field),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
