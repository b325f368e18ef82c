/* What floats: dialogs, menus, the palette, the help page; and what frames cost. */
#include "testing.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef HAS_ADDRESS_SANITIZER
/* Of sanitizer/allocator_interface.h, which not every compiler's package has. */
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *));
#endif

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

static void open_dialog(Stage *stage)
{
    assert_true(ui_open(stage->ui, "dialog"));
    stage_play(stage);
}

static void a_dialog_has_the_pointer_and_the_keyboard(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    ui_focus(stage->ui, "b-framed");
    stage_play(stage);
    open_dialog(stage);
    stage_key(stage, KEY_RIGHT, 0);
    assert_int_equal(stage->gallery.last, ACTION_NONE);
    static const char *const inside[] = {"dialog.close", "dialog.ok", "dialog.cancel",
                                         "dialog.colour", "dialog.field"};
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++) {
            stage_key(stage, KEY_TAB, 0);
            if (!ui_has_focus(stage->ui, inside[i]))
                fail_msg("Tab does not come to \"%s\" in round %d", inside[i], round);
        }
    /* What it closes over does not hear the press. */
    stage_click(stage, "scores");
    assert_false(stage->gallery.scores);
    assert_false(stage_has(stage, "dialog"));
    assert_true(ui_has_focus(stage->ui, "b-framed"));
    stage_free(stage);
}

static void escape_closes_one_thing_at_a_time(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    open_dialog(stage);
    stage_click(stage, "dialog.colour");
    assert_true(stage_has(stage, "dialog.colour.1"));
    stage_key(stage, KEY_ESCAPE, 0);
    assert_false(stage_has(stage, "dialog.colour.1"));
    assert_true(stage_has(stage, "dialog"));
    stage_key(stage, KEY_ESCAPE, 0);
    assert_false(stage_has(stage, "dialog"));
    stage_free(stage);
}

static void there_is_one_dialog_at_a_time(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    open_dialog(stage);
    assert_false(ui_open(stage->ui, "help"));
    stage_play(stage);
    assert_false(ui_is_open(stage->ui, "help"));
    stage_click(stage, "dialog.cancel");
    assert_true(ui_open(stage->ui, "help"));
    stage_play(stage);
    assert_true(stage_has(stage, "help"));
    stage_free(stage);
}

static void a_dialog_is_no_larger_than_the_window(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage->input.width = 300;
    stage->input.height = 200;
    open_dialog(stage);
    Rect rect = stage_place(stage, "dialog");
    assert_true(rect.x >= 0 && rect.y >= 0 && rect.x + rect.w <= 300 && rect.y + rect.h <= 200);
    stage_free(stage);
}

static void the_palette_runs_what_it_finds(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_chord(stage, 'k', MOD_CTRL);
    assert_true(ui_has_focus(stage->ui, "palette.search"));
    stage_type(stage, "matrix");
    stage_key(stage, KEY_ENTER, 0);
    assert_int_equal(stage->gallery.last, ACTION_COPY_MATRIX);
    assert_false(stage_has(stage, "palette.0"));
    /* Everything at once, as a script sends it. */
    stage_send(stage,
               (Event){.kind = EVENT_KEY, .key = KEY_CHARACTER, .code = 'k', .mods = MOD_CTRL});
    stage_add_text(stage, "copy");
    stage_send(stage, (Event){.kind = EVENT_KEY, .key = KEY_DOWN});
    stage_send(stage, (Event){.kind = EVENT_KEY, .key = KEY_ENTER});
    stage_play(stage);
    assert_int_equal(stage->gallery.last, ACTION_COPY_ROW);
    stage_chord(stage, 'k', MOD_CTRL);
    stage_click(stage, "palette.1");
    assert_int_equal(stage->gallery.last, ACTION_STEP_PREVIOUS);
    stage_chord(stage, 'k', MOD_CTRL);
    stage_type(stage, "zzzz");
    stage_key(stage, KEY_ENTER, 0);
    assert_true(ui_is_open(stage->ui, "palette"));
    stage_key(stage, KEY_ESCAPE, 0);
    assert_false(ui_is_open(stage->ui, "palette"));
    assert_int_equal(stage->gallery.last, ACTION_PALETTE);
    stage_free(stage);
}

static void the_palette_leads_the_keyboard_to_where_its_command_wants_it(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    ui_focus(stage->ui, "scores");
    stage_play(stage);
    stage_chord(stage, 'k', MOD_CTRL);
    stage_type(stage, "edit the input");
    stage_key(stage, KEY_ENTER, 0);
    assert_true(ui_has_focus(stage->ui, "input"));
    stage_type(stage, "x");
    assert_string_equal(edit_text(stage->gallery.input), "She is eating a green apple.x");
    stage_free(stage);
}

static void the_palette_knows_english_and_chinese(void **state)
{
    (void)state;
    Stage *stage = stage_new(fonts, THEME_DARK, LANGUAGE_CHINESE, 1);
    static const char *const queries[] = {"复制矩阵", "copy the mat", "copy-matrix", "CPYMTRX"};
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        stage->gallery.last = ACTION_NONE;
        stage_chord(stage, 'k', MOD_CTRL);
        stage_text(stage, queries[i]);
        stage_key(stage, KEY_ENTER, 0);
        assert_int_equal(stage->gallery.last, ACTION_COPY_MATRIX);
    }
    stage_free(stage);
}

static void the_palette_does_not_run_what_cannot_be_done(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage->unavailable[ACTION_COPY_MATRIX] = true;
    stage_chord(stage, 'k', MOD_CTRL);
    stage_type(stage, "matrix");
    stage_key(stage, KEY_ENTER, 0);
    assert_int_equal(stage->gallery.last, ACTION_PALETTE);
    stage_free(stage);
}

static void the_help_page_lists_every_action_with_its_keys(void **state)
{
    (void)state;
    for (int language = 0; language < LANGUAGE_COUNT; language++) {
        Stage *stage = stage_new(fonts, THEME_LIGHT, (Language)language, 0);
        stage->input.height = 2000;
        stage_play(stage);
        stage_key(stage, KEY_F1, 0);
        StrBuf dump = {0};
        Error error = {0};
        assert_ok(canvas_dump(stage->canvas, &dump, &error));
        for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
            bool view = i >= ACTION_VIEW_1 && i <= ACTION_VIEW_9;
            const char *words =
                ui_text((Language)language, view ? STRING_KEY_VIEWS : action_words((Action)i));
            if (!strstr(dump.text, words))
                fail_msg("\"%s\" is not on the help page", words);
        }
        assert_non_null(strstr(dump.text, "\"Ctrl+Shift+Z   Ctrl+Y\""));
        strbuf_free(&dump);
        stage_key(stage, KEY_ESCAPE, 0);
        assert_false(stage_has(stage, "help"));
        stage_free(stage);
    }
}

static void the_help_page_scrolls_by_keys_where_it_is_too_long(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage->input.width = 800;
    stage->input.height = 600;
    stage_play(stage);
    stage_key(stage, KEY_F1, 0);
    uint64_t before = canvas_hash(stage->canvas);
    stage_key(stage, KEY_PAGE_DOWN, 0);
    assert_true(canvas_hash(stage->canvas) != before);
    stage_key(stage, KEY_PAGE_UP, 0);
    assert_true(canvas_hash(stage->canvas) == before);
    stage_free(stage);
}

static void a_menu_opens_at_the_pointer_and_does_its_action(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage_press(stage, 700, 64, BUTTON_RIGHT, 1);
    stage_release(stage, BUTTON_RIGHT);
    Rect menu = stage_place(stage, "figure.menu");
    assert_close(menu.x, 700, 0);
    assert_close(menu.y, 64, 0);
    stage_key(stage, KEY_UP, 0); /* from the end */
    stage_key(stage, KEY_UP, 0);
    stage_key(stage, KEY_UP, 0); /* over the line */
    stage_key(stage, KEY_ENTER, 0);
    assert_int_equal(stage->gallery.answer, 2);
    assert_int_equal(stage->gallery.last, ACTION_COPY_MATRIX);
    stage_press(stage, 1000, 752, BUTTON_RIGHT, 1);
    stage_release(stage, BUTTON_RIGHT);
    menu = stage_place(stage, "figure.menu");
    assert_true(menu.x + menu.w <= 1280 && menu.y + menu.h <= 800);
    stage_click(stage, "figure.menu.5");
    assert_int_equal(stage->gallery.last, ACTION_TRANSPOSE);
    stage_free(stage);
}

static void draw_tip(Ui *ui, void *context)
{
    (void)context;
    UiArea area = ui_area(ui, "figure", ui_window(ui));
    const char *lines[] = {"pomme ← apple", "weight 0.770 · score 3.92", "rank 1 of 7"};
    if (area.inside)
        ui_tip_lines(ui, lines, 3);
}

static void words_beside_the_pointer_stay_in_the_window(void **state)
{
    (void)state;
    Stage *stage = open_stage();
    stage->draw = draw_tip;
    for (float x = 0; x < 1280; x += 79)
        for (float y = 0; y < 800; y += 47) {
            stage_move(stage, x, y);
            Rect tip = stage_place(stage, "tooltip");
            assert_true(tip.x >= 0 && tip.y >= 0 && tip.x + tip.w <= 1280 && tip.y + tip.h <= 800);
            assert_false(rect_contains(tip, x, y));
        }
    stage_free(stage);
}

/* What a frame costs. */

#ifdef HAS_ADDRESS_SANITIZER
static int n_allocations;

static void count_allocation(const volatile void *pointer, size_t size)
{
    (void)pointer;
    (void)size;
    n_allocations++;
}

static void ignore_free(const volatile void *pointer)
{
    (void)pointer;
}
#endif

static void check_warm(Stage *stage, const char *what)
{
    stage_play(stage);
    uint64_t hash = canvas_hash(stage->canvas);
#ifdef HAS_ADDRESS_SANITIZER
    int before = n_allocations;
    stage_play(stage);
    if (n_allocations != before)
        fail_msg("%s: a warm frame allocates %d times", what, n_allocations - before);
#else
    (void)what;
    stage_play(stage);
#endif
    assert_true(canvas_hash(stage->canvas) == hash);
    assert_int_equal(stage->frames, 1);
}

static void warm_frames_allocate_nothing_and_are_equal(void **state)
{
    (void)state;
#ifdef HAS_ADDRESS_SANITIZER
    assert_true(__sanitizer_install_malloc_and_free_hooks(count_allocation, ignore_free) > 0);
#endif
    for (int words = 0; words < 3; words++) {
        Stage *stage = stage_new(fonts, THEME_DARK, (Language)(words % 2), words);
        stage->still = true;
        check_warm(stage, "the screen");
        stage_click(stage, "text");
        stage_chord(stage, 'a', MOD_CTRL);
        check_warm(stage, "a field");
        stage_click(stage, "model");
        check_warm(stage, "a choice");
        stage_key(stage, KEY_ESCAPE, 0);
        stage_chord(stage, 'k', MOD_CTRL);
        stage_text(stage, "c");
        check_warm(stage, "the palette");
        stage_key(stage, KEY_ESCAPE, 0);
        stage_key(stage, KEY_F1, 0);
        check_warm(stage, "the help page");
        stage_free(stage);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dialog_has_the_pointer_and_the_keyboard),
        cmocka_unit_test(escape_closes_one_thing_at_a_time),
        cmocka_unit_test(there_is_one_dialog_at_a_time),
        cmocka_unit_test(a_dialog_is_no_larger_than_the_window),
        cmocka_unit_test(the_palette_runs_what_it_finds),
        cmocka_unit_test(the_palette_leads_the_keyboard_to_where_its_command_wants_it),
        cmocka_unit_test(the_palette_knows_english_and_chinese),
        cmocka_unit_test(the_palette_does_not_run_what_cannot_be_done),
        cmocka_unit_test(the_help_page_lists_every_action_with_its_keys),
        cmocka_unit_test(the_help_page_scrolls_by_keys_where_it_is_too_long),
        cmocka_unit_test(a_menu_opens_at_the_pointer_and_does_its_action),
        cmocka_unit_test(words_beside_the_pointer_stay_in_the_window),
        cmocka_unit_test(warm_frames_allocate_nothing_and_are_equal),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
