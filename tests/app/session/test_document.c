/* Sessions: what is kept comes back, and what cannot be read is refused with a reason. */
#include "testing.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "session/catalogue.h"
#include "session/document.h"
#include "session/paths.h"
#include "trace/grid.h"

static int enter_folder(void **state)
{
    char *folder = memory_copy_string("/tmp/fovea-session-XXXXXX");
    *state = mkdtemp(folder);
    return *state && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    DIR *folder = opendir(*state);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        unlink(entry->d_name);
    if (folder)
        closedir(folder);
    int status = rmdir("models") | chdir("/") | rmdir(*state);
    (void)status;
    free(*state);
    return 0;
}

static int count_files(void)
{
    int n = 0;
    DIR *folder = opendir(".");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        n += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    closedir(folder);
    return n;
}

/* A run with an n x n matrix. */
static const Trace *make_run(const char *output, int32_t n)
{
    Error error = {0};
    TraceBuilder *b = trace_builder_new();
    trace_set_text(b, "input", "a \"b\" \xE4\xBD\xA0");
    trace_set_text(b, "output", output);
    const TraceAxis axis = {.name = "item", .kind = TRACE_AXIS_INDEX, .len = n, .parent_axis = -1};
    int32_t index = trace_add_axis(b, &axis);
    const int32_t axes[] = {index, index};
    float *data = trace_new_tensor(b, "attention.weights", TRACE_WEIGHTS, 2, axes);
    for (int32_t i = 0; data && i < n * n; i++)
        data[i] = (float)(i % 7) / 7;
    const Trace *trace = trace_seal(b, &error);
    if (!trace)
        fail_msg("%s", error.message);
    return trace;
}

static void pin_run(Document *d, const char *output, int32_t n)
{
    const Trace *trace = make_run(output, n);
    document_pin(d, trace);
    trace_release(trace);
}

/* A document with something in every part of it. */
static void fill(Document *d)
{
    Error error = {0};
    document_init(d);
    document_set_model(d, "en-fr-additive");
    document_set_text(d, "L\xC3\xA0 \"bas\" \xE4\xBD\xA0\xE5\xA5\xBD \xD9\x87\xD9\x8A\n\t\\ end");
    document_set_question(d, "Where?");
    run_edits_set_beam(d->edits, 5);
    const float weights[] = {0.25f, 0.75f};
    run_edits_set_weights(d->edits, 2, 2, weights);
    document_commit(d);
    d->view = view_find("links");
    d->step = 3;
    DocumentView *view = document_view(d, view_find("heatmap"));
    assert_ok(settings_set(view->options, "numbers", "no", &error));
    view->camera = (ViewCamera){2.5f, 10.25f, -3};
    view->at[0] = GRID_ALL;
    view->at[1] = 4;
    d->flipped = true;
    Picture picture = {0};
    assert_ok(picture_new(&picture, 3, 2, &error));
    for (int i = 0; i < 24; i++)
        picture.rgba[i] = (uint8_t)(10 * i);
    document_set_picture(d, picture);
    pin_run(d, "one", 2);
    pin_run(d, "two", 1);
    d->screen = json_pack("{s:s, s:{s:f}}", "theme", "dark", "scroll", "left", 12.5);
}

static bool read_text(Document *d, const char *json, Error *error)
{
    return document_from_json(d, json, strlen(json), error);
}

static void everything_in_a_session_comes_back(void **state)
{
    (void)state;
    Error error = {0};
    Document written, read;
    fill(&written);
    document_init(&read);
    assert_ok(document_save(&written, "a.fovea", &error));
    assert_ok(document_open(&read, "a.fovea", &error));
    assert_string_equal(read.model, written.model);
    assert_string_equal(read.text, written.text);
    assert_string_equal(read.question, written.question);
    assert_true(run_edits_equal(read.edits, written.edits));
    assert_ptr_equal(read.view, written.view);
    assert_int_equal(read.step, 3);
    const DocumentView *view = document_view(&read, view_find("heatmap"));
    assert_string_equal(settings_text(view->options, "numbers"), "no");
    assert_true(view->camera.zoom == 2.5f && view->camera.x == 10.25f && view->camera.y == -3);
    assert_int_equal(view->at[0], GRID_ALL);
    assert_int_equal(view->at[1], 4);
    assert_false(document_can_undo(&read));
    char *first = document_to_json(&written), *second = document_to_json(&read);
    assert_string_equal(first, second);
    free(first);
    free(second);
    document_deinit(&written);
    document_deinit(&read);
}

static void pinned_runs_the_picture_and_the_screen_come_back(void **state)
{
    (void)state;
    Error error = {0};
    Document written, read;
    fill(&written);
    document_init(&read);
    char *json = document_to_json(&written), *run = document_run_to_json(&written);
    assert_ok(read_text(&read, json, &error));
    assert_true(read.flipped);
    assert_int_equal(read.picture.width, 3);
    assert_memory_equal(read.picture.rgba, written.picture.rgba, 24);
    assert_int_equal(read.n_pins, 2);
    assert_string_equal(trace_text(read.pins[0].trace, "output"), "one");
    assert_string_equal(read.pins[1].json, written.pins[1].json);
    assert_true(json_equal(read.screen, written.screen));
    /* A figure carries the picture, but neither the pinned runs nor the screen. */
    assert_non_null(strstr(run, "\"picture\""));
    assert_null(strstr(run, "\"pins\""));
    assert_null(strstr(run, "\"screen\""));
    free(json);
    free(run);
    document_deinit(&written);
    document_deinit(&read);
}

static void of_too_many_pinned_runs_the_oldest_goes(void **state)
{
    (void)state;
    Document d, other;
    document_init(&d);
    document_init(&other);
    char name[16];
    for (int i = 0; i <= DOCUMENT_MAX_PINS; i++) {
        snprintf(name, sizeof name, "run %d", i);
        pin_run(&d, name, 1);
    }
    assert_int_equal(d.n_pins, DOCUMENT_MAX_PINS);
    assert_string_equal(trace_text(d.pins[0].trace, "output"), "run 1");
    document_take_pins(&other, &d);
    assert_int_equal(d.n_pins, 0);
    assert_int_equal(other.n_pins, DOCUMENT_MAX_PINS);
    document_unpin_all(&other);
    assert_int_equal(other.n_pins, 0);
    document_deinit(&d);
    document_deinit(&other);
}

static void a_run_that_is_pinned_already_counts_as_one(void **state)
{
    (void)state;
    Document d;
    document_init(&d);
    pin_run(&d, "one", 2);
    pin_run(&d, "one", 3);
    const Trace *same = make_run("one", 2);
    assert_ptr_not_equal(d.pins[0].trace, same);
    document_recognise(&d, same);
    assert_ptr_equal(d.pins[0].trace, same);
    assert_ptr_not_equal(d.pins[1].trace, same);
    trace_release(same);
    document_deinit(&d);
}

static void a_run_too_large_for_a_file_stays_pinned_and_is_counted(void **state)
{
    (void)state;
    Error error = {0};
    Document d, read;
    document_init(&d);
    document_init(&read);
    pin_run(&d, "largest that fits", 1024);
    assert_int_equal(document_n_unsaved(&d), 0);
    pin_run(&d, "too large", 1025);
    pin_run(&d, "small", 1);
    assert_int_equal(document_n_unsaved(&d), 1);
    char *json = document_to_json(&d);
    assert_ok(read_text(&read, json, &error));
    assert_int_equal(read.n_pins, 2);
    assert_string_equal(trace_text(read.pins[1].trace, "output"), "small");
    free(json);
    document_deinit(&d);
    document_deinit(&read);
}

static void a_session_looks_at_a_file_or_at_a_model_never_at_both(void **state)
{
    (void)state;
    Document d;
    document_init(&d);
    document_set_model(&d, "en-fr-additive");
    document_set_file(&d, "dump.npz", 3);
    assert_string_equal(d.model, "");
    document_set_model(&d, "en-fr-additive");
    assert_string_equal(d.file, "");
    document_deinit(&d);
}

static void another_text_drops_the_changes_of_single_steps_only(void **state)
{
    (void)state;
    Document d;
    fill(&d);
    assert_true(document_set_text(&d, "another"));
    int n;
    run_edits_interventions(d.edits, &n);
    assert_int_equal(n, 0);
    assert_int_equal(run_edits_options(d.edits)->beam, 5);
    assert_false(document_set_text(&d, "another"));
    document_undo(&d);
    run_edits_interventions(d.edits, &n);
    assert_int_equal(n, 1);
    document_deinit(&d);
}

static void undo_goes_back_two_hundred_steps_and_no_further(void **state)
{
    (void)state;
    Document d;
    document_init(&d);
    for (int i = 0; i < DOCUMENT_MAX_UNDO + 50; i++) {
        run_edits_set_beam(d.edits, 2 + i);
        document_commit(&d);
        document_commit(&d); /* nothing changed: no step */
    }
    int steps = 0;
    for (; document_can_undo(&d); steps++)
        document_undo(&d);
    assert_int_equal(steps, DOCUMENT_MAX_UNDO - 1);
    assert_int_equal(run_edits_options(d.edits)->beam, 2 + 50);
    document_redo(&d);
    assert_int_equal(run_edits_options(d.edits)->beam, 2 + 51);
    run_edits_set_beam(d.edits, 9);
    document_commit(&d);
    assert_false(document_can_redo(&d));
    document_deinit(&d);
}

static void a_refused_session_says_why_and_changes_nothing(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "line"},
        {"{", "line 1"},
        {"[]", "not a Fovea session"},
        {"{}", "not a Fovea session"},
        {"{\"fovea_session\": \"1\"}", "not a Fovea session"},
        {"{\"fovea_session\": 2}", "session version 2; this Fovea reads version 1"},
        {"{\"fovea_session\": 1, \"fovea_session\": 1}", "duplicate"},
        {"{\"fovea_session\": 1, \"text\": \"\xFF\"}", "byte 0xff"},
        {"{\"fovea_session\": 1, \"text\": \"\\u0000\"}", "NUL"},
        {"{\"fovea_session\": 1, \"edits\": {\"beams\": 3}}", "beams"},
        {"{\"fovea_session\": 1, \"edits\": []}", "an object was expected"},
        {"{\"fovea_session\": 1, \"picture\": \"?\"}", "\"picture\" is not base64"},
        {"{\"fovea_session\": 1, \"picture\": \"AAAA\"}", "picture"},
        {"{\"fovea_session\": 1, \"pins\": [{\"fovea\": 1}, 7]}", "pinned run 2"},
        {"{\"fovea_session\": 1, \"pins\": [{\"fovea\": 1, \"beam\": 3}]}", "pinned run 1"},
        {"{\"fovea_session\": 1} more", "line 1"},
    };
    Document d;
    fill(&d);
    char *before = document_to_json(&d);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Error error = {0};
        assert_refused(read_text(&d, cases[i][0], &error), cases[i][1]);
        char *after = document_to_json(&d);
        assert_string_equal(before, after);
        free(after);
    }
    free(before);
    document_deinit(&d);
}

static void a_session_cut_anywhere_is_refused(void **state)
{
    (void)state;
    Document d, read;
    fill(&d);
    document_init(&read);
    char *json = document_to_json(&d);
    for (size_t n = 0; n < strlen(json); n++) {
        Error error = {0};
        assert_refused(document_from_json(&read, json, n, &error), "line");
    }
    free(json);
    document_deinit(&d);
    document_deinit(&read);
}

static void what_belongs_to_another_version_is_passed_over(void **state)
{
    (void)state;
    Error error = {0};
    Document d;
    document_init(&d);
    assert_ok(
        read_text(&d,
                  "{\"fovea_session\": 1, \"view\": \"hologram\", \"later\": [1], \"step\": -4,"
                  " \"sentence\": 1e3, \"views\": {\"hologram\": {}, \"heatmap\":"
                  " {\"options\": {\"depth\": \"3\", \"numbers\": \"maybe\"},"
                  " \"camera\": [1e300, \"x\"], \"at\": [99999999999, -7]}}}",
                  &error));
    assert_ptr_equal(d.view, view_at(0));
    assert_int_equal(d.step, 0);
    assert_int_equal(d.sentence, 0);
    const DocumentView *view = document_view(&d, view_find("heatmap"));
    assert_string_equal(settings_text(view->options, "numbers"), "yes");
    assert_true(isfinite(view->camera.zoom) && view->camera.x == 0 && view->camera.y == 0);
    assert_int_equal(view->at[0], 0);
    assert_int_equal(view->at[1], 0);
    document_deinit(&d);
}

static void a_message_about_a_session_names_its_file(void **state)
{
    (void)state;
    Error error = {0};
    Document d;
    document_init(&d);
    assert_refused(document_open(&d, "none.fovea", &error), "none.fovea");
    assert_ok(file_write("new.fovea", "{\"fovea_session\": 7}", 20, &error));
    assert_refused(document_open(&d, "new.fovea", &error),
                   "new.fovea: session version 7; this Fovea reads version 1");
    document_deinit(&d);
}

/* As on a full disk: the file may not grow beyond a few bytes. */
static void a_write_that_fails_leaves_the_old_session_whole(void **state)
{
    (void)state;
    Error error = {0};
    Document d, read;
    fill(&d);
    document_init(&read);
    assert_ok(document_save(&d, "a.fovea", &error));
    int n = count_files();
    document_set_text(&d, "the new text");
    struct rlimit old;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){64, old.rlim_max}), 0);
    bool written = document_save(&d, "a.fovea", &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);
    assert_refused(written, "a.fovea");
    assert_int_equal(count_files(), n);
    assert_ok(document_open(&read, "a.fovea", &error));
    assert_string_not_equal(read.text, d.text);
    assert_refused(document_save(&d, "no/folder/a.fovea", &error), "no/folder");
    document_deinit(&d);
    document_deinit(&read);
}

/* ---- models by name ---- */

static void a_missing_model_is_named_with_what_there_is(void **state)
{
    Error error = {0};
    setenv("FOVEA_ASSETS", *state, 1);
    assert_refused(paths_find_model("en-xx", &error),
                   "there is no model \"en-xx\"; installed: none");
    assert_ok(file_make_directories("models", &error));
    assert_ok(file_write("models/zeta.safetensors", "x", 1, &error));
    assert_ok(file_write("models/en-fr-additive.safetensors", "x", 1, &error));
    assert_ok(file_write("models/notes.txt", "x", 1, &error));
    assert_refused(paths_find_model("en-xx", &error), "installed: en-fr-additive, zeta");
    char *path = paths_find_model("zeta", &error);
    assert_non_null(path);
    assert_true(file_exists(path));
    free(path);
    path = paths_find_model("elsewhere/mine.safetensors", &error);
    assert_string_equal(path, "elsewhere/mine.safetensors");
    free(path);
}

static void a_damaged_model_stays_in_the_list_with_its_problem(void **state)
{
    Error error = {0};
    setenv("FOVEA_ASSETS", *state, 1);
    assert_ok(file_make_directories("models", &error));
    assert_ok(file_write("models/zeta.safetensors", "x", 1, &error));
    assert_ok(file_write("models/en-fr-additive.safetensors", "x", 1, &error));
    Catalogue *c = catalogue_new();
    assert_int_equal(c->n, 2);
    assert_string_equal(c->entries[0].name, "en-fr-additive");
    catalogue_read(c);
    assert_int_equal(catalogue_find(c, "zeta"), 1);
    assert_int_equal(catalogue_find(c, "zet"), -1);
    for (int i = 0; i < c->n; i++) {
        assert_false(c->entries[i].is_read);
        assert_non_null(strstr(c->entries[i].problem, c->entries[i].name));
        assert_string_equal(catalogue_group(&c->entries[i]), "");
    }
    catalogue_free(c);
}

static void state_is_kept_where_the_system_says(void **state)
{
    (void)state;
    setenv("XDG_STATE_HOME", "/x/state", 1);
    setenv("HOME", "/home/me", 1);
    char *path = paths_state();
    assert_string_equal(path, "/x/state/fovea");
    free(path);
    unsetenv("XDG_STATE_HOME");
    path = paths_state();
    assert_string_equal(path, "/home/me/.local/state/fovea");
    free(path);
    unsetenv("HOME");
    assert_null(paths_state());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_in_a_session_comes_back),
        cmocka_unit_test(pinned_runs_the_picture_and_the_screen_come_back),
        cmocka_unit_test(of_too_many_pinned_runs_the_oldest_goes),
        cmocka_unit_test(a_run_that_is_pinned_already_counts_as_one),
        cmocka_unit_test(a_run_too_large_for_a_file_stays_pinned_and_is_counted),
        cmocka_unit_test(a_session_looks_at_a_file_or_at_a_model_never_at_both),
        cmocka_unit_test(another_text_drops_the_changes_of_single_steps_only),
        cmocka_unit_test(undo_goes_back_two_hundred_steps_and_no_further),
        cmocka_unit_test(a_refused_session_says_why_and_changes_nothing),
        cmocka_unit_test(a_session_cut_anywhere_is_refused),
        cmocka_unit_test(what_belongs_to_another_version_is_passed_over),
        cmocka_unit_test(a_message_about_a_session_names_its_file),
        cmocka_unit_test(a_write_that_fails_leaves_the_old_session_whole),
        cmocka_unit_test(a_missing_model_is_named_with_what_there_is),
        cmocka_unit_test(a_damaged_model_stays_in_the_list_with_its_problem),
        cmocka_unit_test(state_is_kept_where_the_system_says),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
