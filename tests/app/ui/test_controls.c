/* Choices, numbers, sliders, lists, scrolling, panels. */
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

static void a_choice_opens_and_takes_what_is_clicked(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    assert_false(stage_has(stage, "model.2"));
    stage_click(stage, "model");
    stage_click(stage, "model.2");
    assert_int_equal(stage->gallery.model, 2);
    assert_false(stage_has(stage, "model.2"));
    stage_click(stage, "model");
    stage_click(stage, "model.6"); /* disabled */
    assert_int_equal(stage->gallery.model, 2);
    assert_true(stage_has(stage, "model.6"));
    stage_free(stage);
}

static void an_open_choice_has_the_pointer_and_the_keys(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    Rect export = stage_place(stage, "export");
    stage_click(stage, "model");
    stage_key(stage, KEY_RIGHT, 0);
    stage_chord(stage, 'e', MOD_CTRL);
    assert_int_equal(stage->gallery.last, ACTION_NONE);
    stage_click_at(stage, export.x + 10, export.y + 10);
    assert_int_equal(stage->gallery.last, ACTION_NONE);
    assert_false(stage_has(stage, "model.2"));
    stage_click_at(stage, export.x + 10, export.y + 10);
    assert_int_equal(stage->gallery.last, ACTION_EXPORT);
    stage_free(stage);
}

static void a_choice_is_made_by_keys_alone(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    ui_focus(stage->ui, "model");
    stage_key(stage, KEY_DOWN, 0);
    assert_int_equal(stage->gallery.model, 1);
    stage_key(stage, KEY_ENTER, 0);
    assert_true(stage_has(stage, "model.0"));
    stage_key(stage, KEY_DOWN, 0);
    stage_key(stage, KEY_DOWN, 0);
    assert_int_equal(stage->gallery.model, 1);
    stage_key(stage, KEY_ENTER, 0);
    assert_int_equal(stage->gallery.model, 3);
    assert_true(ui_has_focus(stage->ui, "model"));
    stage_key(stage, KEY_SPACE, 0);
    stage_key(stage, KEY_END, 0); /* the last is disabled */
    stage_key(stage, KEY_ENTER, 0);
    assert_int_equal(stage->gallery.model, 5);
    stage_key(stage, KEY_SPACE, 0);
    stage_key(stage, KEY_HOME, 0);
    stage_key(stage, KEY_ESCAPE, 0);
    assert_int_equal(stage->gallery.model, 5);
    assert_false(stage_has(stage, "model.0"));
    assert_true(ui_has_focus(stage->ui, "model"));
    stage_free(stage);
}

static void typing_the_start_of_an_option_goes_to_it(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_click(stage, "colour");
    stage_type(stage, "ma");
    stage_key(stage, KEY_ENTER, 0);
    assert_int_equal(stage->gallery.colour, 3);
    stage_click(stage, "model");
    stage_type(stage, "e");
    stage_wait(stage, 2);
    stage_type(stage, "e"); /* again: the next that starts with it */
    stage_key(stage, KEY_ENTER, 0);
    assert_int_equal(stage->gallery.model, 2);
    stage_free(stage);
}

static void the_list_of_a_choice_stays_in_the_window(void **state)
{
    (void)state;
    static const char *const names[] = {"model", "colour", "scale"};
    for (int i = 0; i < 3; i++) {
        Stage *stage = open_stage();
        stage->input.width = 300;
        stage->input.height = 640;
        stage_play(stage);
        stage_click(stage, names[i]);
        char first[32];
        snprintf(first, sizeof first, "%s.0", names[i]);
        Rect rect = stage_place(stage, first);
        assert_true(rect.x >= 0 && rect.x + rect.w <= 300 && rect.y >= 0 && rect.y + rect.h <= 640);
        stage_free(stage);
    }
}

static void a_number_is_dragged_finer_with_shift(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    Rect rect = stage_place(stage, "temperature");
    float x = rect.x + 20;
    float y = rect.y + 14;
    stage_press(stage, x, y, BUTTON_LEFT, 1);
    stage_move(stage, x + 60, y);
    assert_close(stage->gallery.temperature, 1 + 60 * 3.9 / 240, 1e-6);
    stage_move(stage, x - 1000, y);
    assert_close(stage->gallery.temperature, 0.1, 1e-9);
    stage_move(stage, x, y);
    stage->input.mods = MOD_SHIFT;
    stage_move(stage, x + 60, y);
    assert_close(stage->gallery.temperature, 1 + 6 * 3.9 / 240, 1e-6);
    stage_release(stage, BUTTON_LEFT);
    /* A drag does not start typing. */
    assert_false(ui_wants_text(stage->ui, NULL));
    stage_free(stage);
}

static void a_number_steps_by_keys_and_by_the_wheel_while_it_has_them(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    ui_focus(stage->ui, "samples");
    stage_key(stage, KEY_UP, 0);
    assert_close(stage->gallery.samples, 1001, 0);
    stage_key(stage, KEY_PAGE_DOWN, 0);
    assert_close(stage->gallery.samples, 991, 0);
    stage_key(stage, KEY_END, 0);
    stage_key(stage, KEY_RIGHT, 0);
    assert_close(stage->gallery.samples, 5000, 0);
    stage_hover(stage, "samples");
    stage_wheel(stage, -2);
    assert_close(stage->gallery.samples, 4998, 0);
    stage_key(stage, KEY_ESCAPE, 0);
    stage_wheel(stage, -2);
    assert_close(stage->gallery.samples, 4998, 0);
    stage_free(stage);
}

static void a_number_is_typed(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_click(stage, "temperature");
    stage_type(stage, "0,5");
    stage_key(stage, KEY_ENTER, 0);
    assert_close(stage->gallery.temperature, 0.5, 0);
    stage_key(stage, KEY_ENTER, 0);
    stage_type(stage, "99");
    stage_click_at(stage, 700, 64); /* leaving keeps it, held to the range */
    assert_close(stage->gallery.temperature, 4, 0);
    stage_click(stage, "temperature");
    stage_type(stage, "2");
    stage_key(stage, KEY_ESCAPE, 0);
    assert_close(stage->gallery.temperature, 4, 0);
    stage_click(stage, "samples");
    stage_type(stage, "12.4");
    stage_key(stage, KEY_ENTER, 0);
    assert_close(stage->gallery.samples, 12, 0);
    stage_free(stage);
}

static void what_is_no_number_is_refused_and_can_be_mended(void **state)
{
    (void)state;
    static const char *const bad[] = {"abc", "1x", "inf", "nan", "", "1 2", "0x10", "--1"};
    Stage *stage = open_stage();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        stage_click(stage, "temperature");
        stage_chord(stage, 'a', MOD_CTRL);
        stage_key(stage, KEY_DELETE, 0);
        stage_type(stage, bad[i]);
        stage_key(stage, KEY_ENTER, 0);
        assert_close(stage->gallery.temperature, 1, 0);
        StrBuf dump = {0};
        Error error = {0};
        assert_ok(canvas_dump(stage->canvas, &dump, &error));
        assert_non_null(strstr(dump.text, "is not a number; the value stays 1.00"));
        strbuf_free(&dump);
        stage_key(stage, KEY_ESCAPE, 0);
    }
    stage_click(stage, "temperature");
    stage_type(stage, "x");
    stage_key(stage, KEY_ENTER, 0);
    stage_chord(stage, 'a', MOD_CTRL);
    stage_type(stage, "2");
    assert_false(stage_has(stage, "tooltip"));
    stage_key(stage, KEY_ENTER, 0);
    assert_close(stage->gallery.temperature, 2, 0);
    stage_free(stage);
}

static void a_slider_goes_where_it_is_pressed_and_dragged(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    Rect rect = stage_place(stage, "scrub");
    float y = rect.y + rect.h / 2;
    stage_press(stage, rect.x + 8, y, BUTTON_LEFT, 1);
    assert_close(stage->gallery.step, 1, 0);
    stage_move(stage, rect.x + rect.w / 2 + 20, y + 200);
    assert_close(stage->gallery.step, 4, 0);
    stage_release(stage, BUTTON_LEFT);
    stage_key(stage, KEY_END, 0);
    assert_close(stage->gallery.step, 6, 0);
    stage_hover(stage, "scrub");
    stage_wheel(stage, -3);
    assert_close(stage->gallery.step, 3, 0);
    stage_free(stage);
}

static void the_wheel_scrolls_and_tab_scrolls_into_view(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage->input.height = 400;
    stage_play(stage);
    assert_false(stage_has(stage, "samples"));
    stage_hover(stage, "view.2");
    Rect before = stage_place(stage, "view.2");
    stage_wheel(stage, -1);
    assert_close(before.y - stage_place(stage, "view.2").y, 48, 0);
    stage_wheel(stage, -100);
    Rect last = stage_place(stage, "samples");
    assert_true(last.y + last.h <= 400 - 44 - 28);
    stage_wheel(stage, 100);
    assert_false(stage_has(stage, "samples"));
    ui_focus(stage->ui, "temperature");
    stage_play(stage);
    stage_key(stage, KEY_TAB, 0);
    assert_true(ui_has_focus(stage->ui, "samples"));
    assert_true(stage_has(stage, "samples"));
    assert_close(stage_place(stage, "samples").h, 28, 0);
    stage_free(stage);
}

static void a_scroll_bar_can_be_dragged(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage->input.height = 400;
    stage_play(stage);
    Rect before = stage_place(stage, "view.2");
    stage_press(stage, 171, 70, BUTTON_LEFT, 1);
    stage_move(stage, 171, 95);
    float moved = before.y - stage_place(stage, "view.2").y;
    assert_true(moved > 25);
    stage_move(stage, 171, 2000);
    assert_true(stage_has(stage, "samples"));
    stage_release(stage, BUTTON_LEFT);
    stage_free(stage);
}

static void a_list_is_searched(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_click(stage, "list.search");
    stage_type(stage, "sentences");
    assert_false(stage_has(stage, "list.0"));
    assert_true(stage_has(stage, "list.5"));
    stage_key(stage, KEY_ENTER, 0);
    assert_int_equal(stage->gallery.item, 5);
    /* Text and Enter that came together. */
    stage_chord(stage, 'a', MOD_CTRL);
    stage_add_text(stage, "han");
    stage_send(stage, (Event){.kind = EVENT_KEY, .key = KEY_ENTER});
    stage_play(stage);
    assert_int_equal(stage->gallery.item, 4);
    stage_chord(stage, 'a', MOD_CTRL);
    stage_type(stage, "zzz");
    StrBuf dump = {0};
    Error error = {0};
    assert_ok(canvas_dump(stage->canvas, &dump, &error));
    assert_non_null(strstr(dump.text, "\"Nothing matches.\""));
    strbuf_free(&dump);
    stage_key(stage, KEY_ENTER, 0);
    assert_int_equal(stage->gallery.item, 4);
    stage_free(stage);
}

static void a_list_is_walked_by_keys_and_scrolls_along(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    assert_false(stage_has(stage, "list.5"));
    stage_click(stage, "list.1");
    assert_int_equal(stage->gallery.item, 1);
    for (int i = 0; i < 4; i++)
        stage_key(stage, KEY_DOWN, 0);
    assert_true(stage_has(stage, "list.5"));
    stage_key(stage, KEY_ENTER, 0);
    assert_int_equal(stage->gallery.item, 5);
    stage_type(stage, "n"); /* a letter finds, and is no command */
    assert_int_equal(stage->gallery.last, ACTION_NONE);
    stage_key(stage, KEY_HOME, 0);
    stage_key(stage, KEY_ENTER, 0);
    assert_int_equal(stage->gallery.item, 0);
    stage_free(stage);
}

static void tabs_change_by_clicks_and_keys(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_click(stage, "tabs.2");
    assert_int_equal(stage->gallery.tab, 2);
    ui_focus(stage->ui, "tabs");
    stage_key(stage, KEY_LEFT, 0);
    assert_int_equal(stage->gallery.tab, 1);
    stage_key(stage, KEY_END, 0);
    stage_key(stage, KEY_RIGHT, 0);
    assert_int_equal(stage->gallery.tab, 2);
    stage_free(stage);
}

static void panels_fold_and_give_their_room_to_the_middle(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    Rect before = stage_place(stage, "second");
    stage_click(stage, "left");
    assert_false(stage->gallery.left_open);
    assert_false(stage_has(stage, "view.0"));
    Rect after = stage_place(stage, "second");
    assert_close(before.x - after.x, 176 - 28, 0);
    stage_click(stage, "right");
    stage_click(stage, "left");
    assert_true(stage_has(stage, "view.0"));
    assert_false(stage_has(stage, "candidate.0"));
    stage_free(stage);
}

static void rows_and_bars_answer(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_click(stage, "view.4");
    assert_int_equal(stage->gallery.view, 4);
    stage_click(stage, "candidate.3");
    assert_int_equal(stage->gallery.pressed, 3);
    stage_click(stage, "message.close");
    assert_false(stage_has(stage, "message"));
    stage_free(stage);
}

typedef struct Chart {
    const float *values;
    int n, at;
    bool pressed;
} Chart;

static void draw_chart(Ui *ui, void *context)
{
    Chart *chart = context;
    bool pressed;
    chart->at = ui_chart(ui, (Rect){0, 0, 100, 50}, &(UiControl){.name = "chart"},
                         &(UiChart){chart->values, chart->n, 0}, &pressed);
    chart->pressed |= pressed;
}

static void a_chart_tells_the_bar_under_the_pointer(void **state)
{
    (void)state;
    static const float values[] = {1, -1, NAN, INFINITY, 0};
    Chart chart = {values, 5, 0, false};
    Stage *stage = open_stage();
    stage->draw = draw_chart;
    stage->context = &chart;
    stage_move(stage, 70, 10);
    assert_int_equal(chart.at, 3);
    stage_click_at(stage, 99.9f, 10);
    assert_int_equal(chart.at, 4);
    assert_true(chart.pressed);
    chart.n = 0;
    stage_play(stage);
    assert_int_equal(chart.at, -1);
    stage_free(stage);
}

/* What does not depend on the fonts of the machine, in full. */
typedef struct Golden {
    bool on;
    double value;
} Golden;

static void draw_golden(Ui *ui, void *context)
{
    Golden *golden = context;
    ui_check(ui, (Rect){8, 8, 160, 28}, &(UiControl){.name = "check", .label = "Gold"},
             &golden->on);
    ui_slider(ui, (Rect){8, 40, 174, 28}, &(UiControl){.name = "slider"},
              &(UiRange){.low = 0, .high = 4, .ticks = 3}, &golden->value);
    Rect rest = {0, 72, 200, 100};
    ui_heading(ui, &rest, "Next word");
    ui_bar(ui, &rest, &(UiControl){.name = "bar", .label = "pomme"}, 0.5f, "50.0", true);
}

static const char golden_dump[] = "canvas 200 120\n"
                                  "fill 0 0 200 120 #f6f6f3\n"
                                  "fill 16 15 14 14 #2c63d6 radius 3\n"
                                  "line 19.25 22.38 21.88 25 26.75 19.38 #ffffff width 1.25\n"
                                  "text 38 27 \"Gold\" ui 13 #1d2127 max 122\n"
                                  "tag check \"check\" = \"on\" 8 8 160 28\n"
                                  "fill 15 52 160 4 #e3e3de radius 2\n"
                                  "fill 15 52 40 4 #2c63d6 radius 2\n"
                                  "fill 14.5 49 1 10 #6a717c99\n"
                                  "fill 94.5 49 1 10 #6a717c99\n"
                                  "fill 174.5 49 1 10 #6a717c99\n"
                                  "circle 55 54 7 #2c63d6\n"
                                  "tag slider \"slider\" = \"1\" 8 40 174 28\n"
                                  "text 16 89 \"Next word\" ui 12 bold #1d2127 max 168\n"
                                  "text 184 111 \"50.0\" mono 12 #1d2127 end max 44\n"
                                  "text 16 111 \"pomme\" ui 13 bold #1d2127 max 39\n"
                                  "fill 63 102 34.5 8 #2c63d6 radius 2\n"
                                  "tag item \"bar\" = \"50.0\" 0 96 200 20\n";

static void a_few_controls_read_as_text(void **state)
{
    (void)state;
    Golden golden = {true, 1};
    Stage *stage = open_stage();
    stage->draw = draw_golden;
    stage->context = &golden;
    stage->input.width = 200;
    stage->input.height = 120;
    stage_play(stage);
    StrBuf dump = {0};
    Error error = {0};
    assert_ok(canvas_dump(stage->canvas, &dump, &error));
    assert_string_equal(dump.text, golden_dump);
    strbuf_free(&dump);
    stage_free(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_opens_and_takes_what_is_clicked),
        cmocka_unit_test(an_open_choice_has_the_pointer_and_the_keys),
        cmocka_unit_test(a_choice_is_made_by_keys_alone),
        cmocka_unit_test(typing_the_start_of_an_option_goes_to_it),
        cmocka_unit_test(the_list_of_a_choice_stays_in_the_window),
        cmocka_unit_test(a_number_is_dragged_finer_with_shift),
        cmocka_unit_test(a_number_steps_by_keys_and_by_the_wheel_while_it_has_them),
        cmocka_unit_test(a_number_is_typed),
        cmocka_unit_test(what_is_no_number_is_refused_and_can_be_mended),
        cmocka_unit_test(a_slider_goes_where_it_is_pressed_and_dragged),
        cmocka_unit_test(the_wheel_scrolls_and_tab_scrolls_into_view),
        cmocka_unit_test(a_scroll_bar_can_be_dragged),
        cmocka_unit_test(a_list_is_searched),
        cmocka_unit_test(a_list_is_walked_by_keys_and_scrolls_along),
        cmocka_unit_test(tabs_change_by_clicks_and_keys),
        cmocka_unit_test(panels_fold_and_give_their_room_to_the_middle),
        cmocka_unit_test(rows_and_bars_answer),
        cmocka_unit_test(a_chart_tells_the_bar_under_the_pointer),
        cmocka_unit_test(a_few_controls_read_as_text),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
