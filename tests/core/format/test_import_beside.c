/* What stands beside a dump, or is typed for it: gold links and tokens. */
#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "dumps.h"

/* Two sentences of JSON in a folder of its own, with "x.gold" beside them. */
typedef struct Folder {
    char path[64];
    char dump[96], gold[96];
} Folder;

static void write_text(const char *path, const char *text)
{
    Error error = {0};
    assert_ok(file_write(path, text, strlen(text), &error));
}

static void make_folder(Folder *f, const char *dump, const char *gold)
{
    snprintf(f->path, sizeof f->path, "/tmp/fovea-beside-XXXXXX");
    assert_non_null(mkdtemp(f->path));
    snprintf(f->dump, sizeof f->dump, "%s/x.jsonl", f->path);
    snprintf(f->gold, sizeof f->gold, "%s/x.gold", f->path);
    write_text(f->dump, dump);
    if (gold)
        write_text(f->gold, gold);
}

static void remove_folder(Folder *f)
{
    unlink(f->dump);
    unlink(f->gold);
    rmdir(f->path);
}

static const char two_sentences[] =
    "{\"src\":[\"a\",\"b\"],\"tgt\":[\"x\",\"y\"],\"att\":[[0.8,0.2],[0.1,0.9]]}\n"
    "{\"src\":[\"c\",\"d\",\"e\"],\"tgt\":[\"z\"],\"att\":[[0.2,0.1,0.7]]}\n";

static float gold_at(const Trace *trace, const char *name, int32_t row, int32_t col)
{
    const TraceTensor *tensor = trace_find(trace, name);
    assert_non_null(tensor);
    TraceMatrix m = trace_matrix(trace, tensor, NULL);
    return trace_matrix_get(&m, row, col);
}

static void gold_links_beside_a_dump_are_tensors_of_its_sentences(void **state)
{
    (void)state;
    Folder f;
    Error error = {0};
    make_folder(&f, two_sentences, "0-0 1p1\n0-0 2p0\n");
    ImportSet *set = import_open(f.dump, NULL, &error);
    assert_ok(set);
    const Trace *trace = import_trace(set, 0, &error);
    assert_ok(trace);
    assert_float_equal(gold_at(trace, "gold.sure", 0, 0), 1, 0);
    assert_float_equal(gold_at(trace, "gold.sure", 1, 1), 0, 0);
    assert_float_equal(gold_at(trace, "gold.possible", 1, 1), 1, 0);
    trace_release(trace);
    ImportMeasures m;
    assert_ok(import_measure(set, 0, &m, &error));
    assert_float_equal(m.error_rate, 0, 1e-9);
    assert_float_equal(m.length_ratio, 1, 1e-9);
    /* The one word points at "e", which is possible; the sure link to "c" is missed. */
    assert_ok(import_measure(set, 1, &m, &error));
    assert_float_equal(m.error_rate, 1 - (0 + 1) / 2.0, 1e-9);
    assert_true(m.confidence.confidence > 0 && m.confidence.confidence < 1);
    import_close(set);
    remove_folder(&f);
}

static void links_beyond_the_sentence_are_left_out_and_said(void **state)
{
    (void)state;
    Folder f;
    Error error = {0};
    make_folder(&f, two_sentences, "0-0 5-1\n\n");
    ImportSet *set = import_open(f.dump, NULL, &error);
    assert_ok(set);
    const Trace *trace = import_trace(set, 0, &error);
    assert_ok(trace);
    assert_note(trace, "1 of 2 links lie beyond the 2 x 2 tokens");
    trace_release(trace);
    import_close(set);
    remove_folder(&f);
}

static void a_gold_file_that_is_named_comes_before_the_one_beside(void **state)
{
    (void)state;
    Folder f;
    Error error = {0};
    make_folder(&f, two_sentences, "0-1\n0-0\n");
    char other[96];
    snprintf(other, sizeof other, "%s/other", f.path);
    write_text(other, "1-1\n0-0\n");
    ImportSet *set = import_open(f.dump, &(ImportOptions){.gold_path = other}, &error);
    assert_ok(set);
    const Trace *trace = import_trace(set, 0, &error);
    assert_ok(trace);
    assert_float_equal(gold_at(trace, "gold.sure", 1, 1), 1, 0);
    assert_float_equal(gold_at(trace, "gold.sure", 1, 0), 0, 0);
    trace_release(trace);
    import_close(set);
    unlink(other);
    remove_folder(&f);
}

static void a_gold_file_that_is_none_is_refused_by_name(void **state)
{
    (void)state;
    Folder f;
    Error error = {0};
    make_folder(&f, two_sentences, "the house\n");
    assert_null(import_open(f.dump, NULL, &error));
    assert_non_null(strstr(error.message, "x.gold"));
    remove_folder(&f);
}

static void gold_links_make_a_square_matrix_one_between_two_texts(void **state)
{
    (void)state;
    Folder f;
    Error error = {0};
    make_folder(&f, "{\"att\":[[0.8,0.2],[0.1,0.9]]}\n", "0-0 1-1\n");
    ImportSet *set = import_open(f.dump, NULL, &error);
    assert_ok(set);
    const Trace *trace = import_trace(set, 0, &error);
    assert_ok(trace);
    assert_axes(trace, "gold.sure", "target 2, source 2");
    trace_release(trace);
    import_close(set);
    remove_folder(&f);
}

static void tokens_can_be_typed(void **state)
{
    (void)state;
    Folder f;
    Error error = {0};
    make_folder(&f, "{\"att\":[[0.8,0.1,0.1],[0.1,0.8,0.1]]}\n", NULL);
    const ImportOptions typed = {.source_text = "the red house", .target_text = "maison rouge"};
    ImportSet *set = import_open(f.dump, &typed, &error);
    assert_ok(set);
    const Trace *trace = import_trace(set, 0, &error);
    assert_ok(trace);
    assert_labels(trace, "source", "the red house");
    assert_labels(trace, "target", "maison rouge");
    trace_release(trace);
    import_close(set);
    set = import_open(f.dump, &(ImportOptions){.source_text = "one two three four"}, &error);
    assert_ok(set);
    trace = import_trace(set, 0, &error);
    assert_ok(trace);
    assert_note(trace, "4 tokens do not fit 3 columns");
    trace_release(trace);
    import_close(set);
    remove_folder(&f);
}

static void measures_have_names(void **state)
{
    (void)state;
    const ImportMeasures m = {.rows = 3, .length_ratio = 1.5, .error_rate = 0.25};
    assert_string_equal(import_measure_name(0), "length");
    assert_float_equal(import_measure_value(&m, 0), 3, 0);
    assert_string_equal(import_measure_name(1), "ratio");
    assert_float_equal(import_measure_value(&m, 1), 1.5, 0);
    assert_string_equal(import_measure_name(IMPORT_N_MEASURES - 1), "error-rate");
    assert_float_equal(import_measure_value(&m, IMPORT_N_MEASURES - 1), 0.25, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gold_links_beside_a_dump_are_tensors_of_its_sentences),
        cmocka_unit_test(links_beyond_the_sentence_are_left_out_and_said),
        cmocka_unit_test(a_gold_file_that_is_named_comes_before_the_one_beside),
        cmocka_unit_test(a_gold_file_that_is_none_is_refused_by_name),
        cmocka_unit_test(gold_links_make_a_square_matrix_one_between_two_texts),
        cmocka_unit_test(tokens_can_be_typed),
        cmocka_unit_test(measures_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
