/* A document that is edited: its verdict comes first, and then what explains it. */
#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "screen/app_internal.h"

static const char review[] = "A slow start. The end is wonderful, and I would see it again.";

static void open_review(App *app)
{
    Error error = {0};
    assert_ok(app_open(app, "han-reviews", &error));
    assert_ok(edit_reset(app->input, review, &error));
    app->input_version = edit_version(app->input);
    document_set_text(&app->doc, review);
    app_run(app);
}

static void click(App *app, const char *word)
{
    Rect place;
    Input input = {.width = 1280, .height = 800, .x = -1, .y = -1};
    app_frame(app, &input);
    assert_true(canvas_find_tag(app_canvas(app), word, &place));
    input.x = place.x + place.w / 2;
    input.y = place.y + place.h / 2;
    for (int down = 1; down >= 0; down--) {
        Event *e = &input.events[input.n_events++];
        *e = (Event){.kind = down ? EVENT_PRESS : EVENT_RELEASE,
                     .x = input.x,
                     .y = input.y,
                     .button = 1,
                     .clicks = 1};
        input.down[1] = down;
        app_frame(app, &input);
    }
}

static bool is_explained(const App *app)
{
    return trace_find(app_trace(app), "word.effect") != NULL;
}

static void a_verdict_is_shown_before_what_explains_it(void **state)
{
    Fonts *fonts = *state;
    App *app = app_new(&(AppSpec){.fonts = fonts});
    open_review(app);
    app_settle_run(app);
    assert_int_equal(trace_n_classes(app_trace(app)), 2);
    assert_non_null(trace_find(app_trace(app), "word.weights"));
    assert_false(is_explained(app));
    assert_true(app->shown == app->ticket); /* nobody has to wait any more */
    app_settle(app);
    assert_true(is_explained(app));
    app_free(app);
}

static void what_was_clicked_stays_and_is_explained(void **state)
{
    Fonts *fonts = *state;
    App *app = app_new(&(AppSpec){.fonts = fonts});
    open_review(app);
    app_settle_run(app);
    app_choose_view(app, view_find("text"));
    click(app, "wonderful");
    assert_int_equal(app->selected.kind, HIT_ITEM);
    int32_t row = app->selected.row;
    app_settle(app);
    assert_int_equal(app->selected.kind, HIT_ITEM);
    assert_int_equal(app->selected.row, row);
    ViewHit kept = app->selected;
    click(app, "wonderful"); /* says all that is known now */
    assert_true(is_explained(app));
    assert_int_equal(kept.n_lines, app->selected.n_lines);
    for (int i = 0; i < kept.n_lines; i++)
        assert_string_equal(kept.lines[i], app->selected.lines[i]);
    app_free(app);
}

static void a_letter_typed_meanwhile_drops_what_would_have_explained(void **state)
{
    Fonts *fonts = *state;
    App *app = app_new(&(AppSpec){.fonts = fonts});
    open_review(app);
    app_settle_run(app);
    document_set_text(&app->doc, "A dreadful waste.");
    app_run(app);
    app_settle(app);
    assert_string_equal(trace_text(app_trace(app), "input"), "A dreadful waste.");
    assert_true(is_explained(app));
    app_free(app);
}

static void words_shaded_by_effects_wait_for_them(void **state)
{
    Fonts *fonts = *state;
    Error error = {0};
    App *app = app_new(&(AppSpec){.fonts = fonts});
    assert_ok(settings_set(document_view(&app->doc, view_find("text"))->options, "shade", "effect",
                           &error));
    open_review(app);
    app_settle_run(app);
    assert_true(is_explained(app));
    app_free(app);
}

static int open_fonts(void **state)
{
    Error error = {0};
    *state = fonts_new(&error);
    return (*state && setenv("FOVEA_ASSETS", FOVEA_ASSETS, 1) == 0) ? 0 : -1;
}

static int close_fonts(void **state)
{
    fonts_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_verdict_is_shown_before_what_explains_it),
        cmocka_unit_test(what_was_clicked_stays_and_is_explained),
        cmocka_unit_test(a_letter_typed_meanwhile_drops_what_would_have_explained),
        cmocka_unit_test(words_shaded_by_effects_wait_for_them),
    };
    return cmocka_run_group_tests(tests, open_fonts, close_fonts);
}
