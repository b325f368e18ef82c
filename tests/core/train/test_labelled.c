#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "train/labelled.h"

static Bytes bytes_of(const char *text, size_t n)
{
    return (Bytes){memory_copy_bytes(text, n), n};
}

static bool parse(const char *text, const LabelledSpec *spec, ClassNames **classes, Labelled *out,
                  Error *error)
{
    return labelled_parse("x.tsv", bytes_of(text, strlen(text)), spec, classes, out, error);
}

static void assert_item(const Labelled *labelled, int i, int label, const char *text)
{
    assert_int_equal(labelled->items[i].label, label);
    assert_int_equal(labelled->items[i].n, strlen(text));
    assert_memory_equal(labelled->items[i].text, text, strlen(text));
}

static void labels_and_texts_are_read_line_by_line(void **state)
{
    (void)state;
    Error error = {0};
    const LabelledSpec spec = {0};
    ClassNames *classes = NULL;
    Labelled data;
    assert_ok(parse("\xEF\xBB\xBFpos\tgood\r\nneg\tbad \nneg\t", &spec, &classes, &data, &error));
    assert_int_equal(data.n, 3);
    assert_int_equal(class_names_count(classes), 2);
    assert_string_equal(class_names_at(classes, 0), "neg");
    assert_item(&data, 0, 1, "good");
    assert_item(&data, 1, 0, "bad ");
    assert_item(&data, 2, 0, "");
    labelled_free(&data);
    class_names_free(classes);
}

static void the_label_may_stand_in_any_column_and_end_early(void **state)
{
    (void)state;
    Error error = {0};
    const LabelledSpec spec = {.column = 2, .end = ":"};
    ClassNames *classes = NULL;
    Labelled data;
    assert_ok(parse("x\t10:a\tid\tten\ny\t9:b\tid\tnine\nz\t10\tid\tten too", &spec, &classes,
                    &data, &error));
    assert_string_equal(class_names_at(classes, 0), "9"); /* numbers stand by value */
    assert_string_equal(class_names_at(classes, 1), "10");
    assert_item(&data, 0, 1, "ten");
    assert_item(&data, 1, 0, "nine");
    assert_item(&data, 2, 1, "ten too");
    labelled_free(&data);
    class_names_free(classes);
}

static void pairs_stand_in_two_columns_beside_each_other(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        LabelledSpec spec;
    } cases[] = {
        {"no\ta b\tc\nyes\td\te f\n", {.pairs = true}},
        {"label\tfirst\tsecond\r\nno\ta b\tc\r\nyes\td\te f", {.pairs = true, .header = true}},
        {"a b\tc\tno\nd\te f\tyes", {.pairs = true, .column = 3, .text = 1}},
        {"1\ta b\tc\t3.5\tno\n2\td\te f\t4\tyes", {.pairs = true, .column = 5, .text = 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Error error = {0};
        ClassNames *classes = NULL;
        Labelled data;
        assert_ok(parse(cases[i].text, &cases[i].spec, &classes, &data, &error));
        assert_int_equal(data.n, 2);
        assert_item(&data, 0, 0, "a b");
        assert_item(&data, 1, 1, "d");
        assert_int_equal(data.items[0].n_second, 1);
        assert_memory_equal(data.items[0].second, "c", 1);
        assert_int_equal(data.items[1].n_second, 3);
        assert_memory_equal(data.items[1].second, "e f", 3);
        labelled_free(&data);
        class_names_free(classes);
    }
}

static void columns_that_are_not_there_or_meant_twice_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        LabelledSpec spec;
        const char *part;
    } cases[] = {
        {"a\tb", {.pairs = true}, "line 1: a label and two texts"},
        {"h\th\th\na\tb", {.pairs = true, .header = true}, "line 2: a label and two texts"},
        {"a\tb\tc", {.pairs = true, .text = 3}, "line 1: a label and two texts"},
        {"a\tb\tc", {.pairs = true, .column = 2}, "line 1: a label and two texts"},
        {"a\tb\tc", {.column = 2, .text = 2}, "line 1: a label and a text"},
        {"a\tb\tc", {.column = 3}, "line 1: a label and a text"},
        {"a\tb\tc", {.text = 4}, "line 1: a label and a text"},
        {"names\tonly", {.header = true}, "there is nothing in it"},
        {"h\th\na\tx\nb\ty", {.header = true, .classes = "a,c"}, "line 3: label \"b\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Error error = {0};
        ClassNames *classes = NULL;
        Labelled data;
        assert_refused(parse(cases[i].text, &cases[i].spec, &classes, &data, &error),
                       cases[i].part);
        class_names_free(classes);
    }
}

static void classes_may_be_named_and_labels_shortened(void **state)
{
    (void)state;
    Error error = {0};
    const LabelledSpec spec = {.classes = "positive,negative"};
    ClassNames *classes = NULL;
    Labelled data;
    assert_ok(parse("neg\ta\npos\tb\npositive\tc", &spec, &classes, &data, &error));
    assert_item(&data, 0, 1, "a");
    assert_item(&data, 1, 0, "b");
    assert_item(&data, 2, 0, "c");
    labelled_free(&data);
    assert_refused(parse("neg\ta\nfine\tb", &spec, &classes, &data, &error),
                   "x.tsv, line 2: label \"fine\" is none of the 2 classes (positive, ...)");
    class_names_free(classes);
}

static void bad_lines_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "x.tsv: there is nothing in it"},
        {"\xEF\xBB\xBF", "there is nothing in it"},
        {"a\tx\nb", "line 2: a label and a text"},
        {"a\tx\n\nb\ty", "line 2: a label and a text"},
        {"a\tx\n\ty", "line 2: the label is empty"},
        {"a\tx\nb\t\xff", "line 2: not valid UTF-8"},
        {"a\tx\na\ty", "1 classes: a classifier has 2 to"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Error error = {0};
        const LabelledSpec spec = {0};
        ClassNames *classes = NULL;
        Labelled data;
        assert_refused(parse(cases[i].text, &spec, &classes, &data, &error), cases[i].part);
        class_names_free(classes);
    }
}

static void every_cut_of_a_file_is_read_or_refused(void **state)
{
    (void)state;
    static const char text[] = "\xEF\xBB\xBFp\xC3\xA9s\tgood\r\nneg\t\xE4\xB8\xAD\r\n";
    for (size_t n = 0; n < sizeof text; n++) {
        Error error = {0};
        const LabelledSpec spec = {0};
        ClassNames *classes = NULL;
        Labelled data;
        bool ok = labelled_parse("x", bytes_of(text, n), &spec, &classes, &data, &error);
        assert_true(ok == !error_is_set(&error));
        labelled_free(&data);
        class_names_free(classes);
    }
}

/* ---- class names ---- */

static void a_shortened_name_must_be_clear(void **state)
{
    (void)state;
    Error error = {0};
    const char *const names[] = {"1", "10", "abc", "abd"};
    ClassNames *classes = class_names_new(4, names, &error);
    assert_ok(classes);
    assert_int_equal(class_names_find(classes, "1", 1), 0);
    assert_int_equal(class_names_find(classes, "10", 2), 1);
    assert_int_equal(class_names_find(classes, "abd", 3), 3);
    assert_int_equal(class_names_find(classes, "ab", 2), -1);
    assert_int_equal(class_names_find(classes, "", 0), -1);
    assert_int_equal(class_names_find(classes, "abcd", 4), -1);
    class_names_free(classes);
}

static void class_names_survive_json_and_bad_ones_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *json, *part;
    } bad[] = {
        {"7", "a list of 2 to"},
        {"[]", "0 classes"},
        {"[\"a\"]", "1 classes"},
        {"[\"a\", 3]", "name 2 is not a text"},
        {"[\"a\", \"\"]", "class 2 has a name of 0 bytes"},
        {"[\"a\", \"a\"]", "\"a\" stands twice"},
    };
    Error error = {0};
    json_t *value = json_loads("[\"neg\", \"pos\"]", 0, NULL);
    ClassNames *classes = class_names_from_json(value, &error);
    assert_ok(classes);
    json_t *again = class_names_to_json(classes);
    assert_true(json_equal(value, again));
    json_decref(value);
    json_decref(again);
    class_names_free(classes);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        value = json_loads(bad[i].json, JSON_DECODE_ANY, NULL);
        assert_refused(class_names_from_json(value, &error), bad[i].part);
        json_decref(value);
    }
}

static void limits_of_class_names_hold_on_both_sides(void **state)
{
    (void)state;
    static char text[CLASS_NAMES_MAX + 1][16], name[CLASS_NAMES_MAX_BYTES + 2];
    const char *names[CLASS_NAMES_MAX + 1];
    for (int i = 0; i <= CLASS_NAMES_MAX; i++) {
        snprintf(text[i], sizeof text[i], "%d", i);
        names[i] = text[i];
    }
    Error error = {0};
    ClassNames *classes = class_names_new(CLASS_NAMES_MAX, names, &error);
    assert_ok(classes);
    class_names_free(classes);
    assert_refused(class_names_new(CLASS_NAMES_MAX + 1, names, &error), "1001 classes");
    memset(name, 'x', CLASS_NAMES_MAX_BYTES);
    names[0] = name;
    classes = class_names_new(2, names, &error);
    assert_ok(classes);
    class_names_free(classes);
    name[CLASS_NAMES_MAX_BYTES] = 'x';
    assert_refused(class_names_new(2, names, &error), "a name of 257 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_and_texts_are_read_line_by_line),
        cmocka_unit_test(the_label_may_stand_in_any_column_and_end_early),
        cmocka_unit_test(pairs_stand_in_two_columns_beside_each_other),
        cmocka_unit_test(columns_that_are_not_there_or_meant_twice_are_refused),
        cmocka_unit_test(classes_may_be_named_and_labels_shortened),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(every_cut_of_a_file_is_read_or_refused),
        cmocka_unit_test(a_shortened_name_must_be_clear),
        cmocka_unit_test(class_names_survive_json_and_bad_ones_are_refused),
        cmocka_unit_test(limits_of_class_names_hold_on_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
