#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "train/language_data.h"

static Bytes bytes_of(const char *text, size_t n)
{
    return (Bytes){memory_copy_bytes(text, n), n};
}

static bool parse(const char *text, LanguageLines *lines, Error *error)
{
    return language_lines_parse("test.tsv", bytes_of(text, strlen(text)), lines, error);
}

static void a_text_ends_at_the_tab_and_counts_once(void **state)
{
    (void)state;
    Error error = {0};
    LanguageLines lines;
    assert_ok(parse("\xEF\xBB\xBFHello.\tSalut.\r\nHello.\tBonjour.\nGo on.\r\n\n\tnothing\nlast",
                    &lines, &error));
    static const char *const want[] = {"Hello.", "Go on.", "last"};
    assert_int_equal(lines.n, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lines.items[i].n, strlen(want[i]));
        assert_memory_equal(lines.items[i].text, want[i], strlen(want[i]));
    }
    language_lines_free(&lines);
}

static void bad_bytes_and_nothing_are_refused_with_the_place(void **state)
{
    (void)state;
    Error error = {0};
    LanguageLines lines;
    assert_refused(parse("good\nb\xFF"
                         "d\n",
                         &lines, &error),
                   "test.tsv, line 2: not valid UTF-8");
    assert_refused(parse("", &lines, &error), "no text in it");
    assert_refused(parse("\t\t\n\n", &lines, &error), "no text in it");
}

static void every_cut_is_read_or_refused(void **state)
{
    (void)state;
    static const char text[] = "caf\xC3\xA9 au lait\tcoffee\r\n\xE6\xBC\xA2\xE5\xAD\x97\n";
    for (size_t n = 0; n < sizeof text; n++) {
        Error error = {0};
        LanguageLines lines;
        if (language_lines_parse("test.tsv", bytes_of(text, n), &lines, &error))
            language_lines_free(&lines);
        else
            assert_true(error_is_set(&error));
    }
}

static void a_batch_is_shifted_by_one_and_sorted(void **state)
{
    (void)state;
    static const char data[] = "a\nb b b\nc c\n";
    Error error = {0};
    LanguageLines lines;
    assert_ok(parse(data, &lines, &error));
    const TokenizerSpec spec = {0};
    TokenizerLearner *learner = tokenizer_learner_new(&spec);
    tokenizer_learner_add(learner, data, strlen(data));
    Tokenizer *tokenizer = tokenizer_learner_finish(learner);
    Pairs *sentences = language_encode(&lines, "test.tsv", tokenizer, 0, &error);
    assert_non_null(sentences);
    BatchPlan plan = {0};
    pair_plan(&plan, sentences, 3, NULL);
    Arena *arena = arena_new();
    LanguageBatch batch = language_batch(arena, sentences, &plan, 0, 0, 1);
    assert_int_equal(batch.rows.n, 3);
    assert_int_equal(batch.rows.rows, batch.n_tokens_in_batch);
    for (int i = 0; i < 3; i++) {
        int last = batch.rows.length[i] - 1;
        assert_true(i == 0 || batch.rows.length[i] <= batch.rows.length[i - 1]);
        assert_int_equal(batch.input_ids[ragged_row(&batch.rows, i, 0)], TOKENIZER_BEGIN);
        assert_int_equal(batch.target_ids[ragged_row(&batch.rows, i, last)], TOKENIZER_END);
        for (int t = 0; t < last; t++)
            assert_int_equal(batch.target_ids[ragged_row(&batch.rows, i, t)],
                             batch.input_ids[ragged_row(&batch.rows, i, t + 1)]);
    }
    Pairs *none = language_encode(&lines, "test.tsv", tokenizer, 1, &error);
    assert_true(none == NULL || none->n < sentences->n);
    error_clear(&error);
    pairs_free(none);
    arena_free(arena);
    batch_plan_free(&plan);
    pairs_free(sentences);
    tokenizer_free(tokenizer);
    language_lines_free(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_ends_at_the_tab_and_counts_once),
        cmocka_unit_test(bad_bytes_and_nothing_are_refused_with_the_place),
        cmocka_unit_test(every_cut_is_read_or_refused),
        cmocka_unit_test(a_batch_is_shifted_by_one_and_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
