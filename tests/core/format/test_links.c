#include "format/links.h"

#include <stdlib.h>
#include <string.h>

#include "testing.h"

static bool parse(const char *text, const LinksOptions *options, LinksFile *out, Error *error)
{
    return links_parse(text, strlen(text), "x.align", options, out, error);
}

static void assert_line(const LinksFile *file, int32_t i, const char *wanted)
{
    StrBuf line = {0};
    strbuf_add(&line, "");
    assert_true(i < file->n);
    links_add_line(&file->at[i], &line);
    assert_string_equal(line.text, wanted);
    strbuf_free(&line);
}

static void lines_of_links_are_read(void **state)
{
    (void)state;
    Error error = {0};
    LinksFile file;
    assert_ok(parse("\xEF\xBB\xBF"
                    "0-0 1p2  2?1\r\n\r\n7\t3-3",
                    NULL, &file, &error));
    assert_int_equal(file.n, 3);
    assert_false(file.one_based);
    assert_line(&file, 0, "0-0 1p2 2p1");
    assert_line(&file, 1, "");
    assert_line(&file, 2, "3-3");
    links_free(&file);
}

static void a_file_without_zeros_counts_from_one(void **state)
{
    (void)state;
    Error error = {0};
    LinksFile file;
    assert_ok(parse("1-1 2-3\n4-1\n", NULL, &file, &error));
    assert_true(file.one_based);
    assert_line(&file, 0, "0-0 1-2");
    links_free(&file);
    assert_ok(parse("1-1 2-3\n", &(LinksOptions){.base = LINKS_BASE_ZERO}, &file, &error));
    assert_line(&file, 0, "1-1 2-3");
    links_free(&file);
    assert_ok(parse("\n\n", NULL, &file, &error));
    assert_int_equal(file.n, 2);
    assert_false(file.one_based);
    links_free(&file);
    assert_refused(parse("1-1\n0-2\n", &(LinksOptions){.base = LINKS_BASE_ONE}, &file, &error),
                   "sentence 2 has a position 0");
}

static void target_first_is_turned_round(void **state)
{
    (void)state;
    Error error = {0};
    LinksFile file;
    assert_ok(parse("0-5 3p1\n", &(LinksOptions){.swap = true}, &file, &error));
    assert_line(&file, 0, "5-0 1p3");
    links_free(&file);
}

static void one_link_a_line_is_grouped_by_sentence(void **state)
{
    (void)state;
    Error error = {0};
    LinksFile file;
    assert_ok(parse("3 1 2 P\n1 1 1\n3 2 2 S 0.75\n", NULL, &file, &error));
    assert_true(file.naacl && file.one_based);
    assert_int_equal(file.n, 3);
    assert_line(&file, 0, "0-0");
    assert_line(&file, 1, "");
    assert_line(&file, 2, "0p1 1-1");
    links_free(&file);
}

static void what_is_no_link_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *part;
    } CASES[] = {
        {"0-0\n1-\n", "x.align: line 2: \"1-\" is no link"},
        {"0-0 1-1x\n", "line 1: \"1-1x\""},
        {"0-0 a\n", "\"a\" is no link"},
        {"0-2147483648\n", "is no link"},
        {"0-1048577\n", "line 1: a position above 1048576"},
        {"1 1 1\n0 1 1\n", "line 2: \"0 1 1\""},
        {"1 1 1\n1048577 1 1\n", "line 2: a sentence number above 1048576"},
        {"1 1 1\n2 0 1 S\n", "position 0"},
        {"1 1 1\n1 1\n", "line 1: \"1\" is no link like 0-0"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        LinksFile file;
        assert_refused(parse(CASES[i].text, NULL, &file, &error), CASES[i].part);
    }
    Error error = {0};
    LinksFile file;
    assert_ok(parse("0-1048576\n", NULL, &file, &error));
    links_free(&file);
    assert_refused(links_read(".", NULL, &file, &error), "a directory");
}

static void only_files_of_links_are_recognised(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool links;
    } CASES[] = {
        {"0-0 1-1\n", true},
        {"\n\n0p1\n", true},
        {"1 2 3 S\n", true},
        {"1\t0-0\n", true},
        {"", false},
        {"\n\n", false},
        {"the house\n", false},
        {"0-0\nthe house\n", false},
        {"0-0\n1-", true},
        {"1 1 1\n2 ", true},
        {"0.5 0.5\n", false},
        {"12\n", false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_int_equal(links_recognise(CASES[i].text, strlen(CASES[i].text)), CASES[i].links);
}

/* The published predictions against the published gold alignments, when they are at hand. */
static void published_error_rates_are_reproduced(void **state)
{
    (void)state;
    const char *data = getenv("FOVEA_DATA");
    static const struct {
        const char *name;
        double rate;
    } CASES[] = {{"enfr", 0.0407}, {"zhen", 0.1331}};
    for (size_t c = 0; data && c < 2; c++) {
        Error error = {0};
        StrBuf gold_path = {0}, predicted_path = {0};
        LinksFile gold, predicted;
        const char *name = CASES[c].name;
        strbuf_addf(&gold_path, "%s/align/%s/%s.gold", data, name, name);
        strbuf_addf(&predicted_path, "%s/align/%s/%s.awesome-align.out", data, name, name);
        assert_ok(links_read(gold_path.text, NULL, &gold, &error));
        assert_ok(links_read(predicted_path.text, NULL, &predicted, &error));
        assert_true(gold.one_based);
        assert_false(predicted.one_based);
        assert_int_equal(gold.n, predicted.n);
        AlignScore score = {0};
        for (int32_t i = 0; i < gold.n; i++)
            align_score_add(&score, &predicted.at[i], &gold.at[i]);
        assert_close(align_score_error_rate(&score), CASES[c].rate, 5e-5);
        links_free(&gold);
        links_free(&predicted);
        strbuf_free(&gold_path);
        strbuf_free(&predicted_path);
    }
}

static void fields_and_words_are_split(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int n;
        const char *fields[4];
    } CASES[] = {
        {"a b ||| c", 2, {"a b", "c"}},     {"|||  |||", 3, {"", "", ""}},
        {"||| |||", 3, {"", "", ""}},       {"", 1, {""}},
        {"a|||b ||| c", 2, {"a|||b", "c"}}, {"x\t|||\ty", 2, {"x", "y"}},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Slice rest = {CASES[i].text, strlen(CASES[i].text)}, field;
        int n = 0;
        while (slice_next_field(&rest, &field)) {
            assert_true(n < CASES[i].n);
            assert_true(slice_equals(field, CASES[i].fields[n]));
            n++;
        }
        assert_int_equal(n, CASES[i].n);
    }
    Words words = words_split((Slice){" a\t\xC2\xA0 b", 7});
    assert_int_equal(words.n, 3);
    assert_string_equal(words.at[1], "\xC2\xA0");
    words_free(&words);
    assert_true(slice_is_blank((Slice){" \t", 2}));
    assert_true(slice_starts_with((Slice){"S-12", 4}, "S-"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_links_are_read),
        cmocka_unit_test(a_file_without_zeros_counts_from_one),
        cmocka_unit_test(target_first_is_turned_round),
        cmocka_unit_test(one_link_a_line_is_grouped_by_sentence),
        cmocka_unit_test(what_is_no_link_is_named),
        cmocka_unit_test(only_files_of_links_are_recognised),
        cmocka_unit_test(published_error_rates_are_reproduced),
        cmocka_unit_test(fields_and_words_are_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
