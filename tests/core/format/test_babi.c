/* Question answering tasks in bAbI's format. */
#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/babi.h"

static bool parse(const char *text, size_t n, Babi *out, Error *error)
{
    return babi_parse("task.txt", (Bytes){memory_copy_bytes(text, n), n}, out, error);
}

static const char two_stories[] = "1 Ruth took the lamp to the attic.\n"
                                  "2 Omar slept in the barn.\n"
                                  "3 Where is the lamp?\tattic\t1\n"
                                  "4 Ruth left the attic.\n"
                                  "5 Where is Omar? \tbarn\t2\n"
                                  "1 Lin has a key.\n"
                                  "2 Lin has a map.\n"
                                  "3 What does Lin carry?\tkey,map\t1 2\n";

static bool is_text(Slice slice, const char *text)
{
    return slice_equals(slice, text);
}

static void stories_questions_and_supports_are_read(void **state)
{
    (void)state;
    Error error = {0};
    Babi b;
    assert_ok(parse(two_stories, strlen(two_stories), &b, &error));
    assert_int_equal(b.n_sentences, 5);
    assert_int_equal(b.n_questions, 3);
    assert_int_equal(b.n_stories, 2);
    const BabiQuestion *q = &b.questions[1];
    assert_int_equal(q->line, 5);
    assert_int_equal(q->n_sentences, 3);
    assert_true(is_text(q->question, "Where is Omar?"));
    assert_true(is_text(q->answer, "barn"));
    assert_int_equal(q->n_supports, 1);
    assert_int_equal(q->supports[0], 1);
    q = &b.questions[2];
    assert_int_equal(q->first_sentence, 3);
    assert_true(is_text(q->answer, "key,map"));
    assert_int_equal(q->n_supports, 2);
    assert_int_equal(q->supports[1], 1);
    babi_free(&b);
}

static void a_question_between_sentences_takes_a_number_but_is_no_sentence(void **state)
{
    (void)state;
    Error error = {0};
    Babi b;
    const char text[] = "1 A is in B.\n2 Where is A?\tB\t1\n3 C is in D.\n4 Where is C?\tD\t3\n";
    assert_ok(parse(text, strlen(text), &b, &error));
    assert_int_equal(b.questions[1].supports[0], 1);
    char *story = babi_story(&b, &b.questions[1]);
    assert_string_equal(story, "A is in B.\nC is in D.");
    free(story);
    story = babi_story(&b, &b.questions[0]);
    assert_string_equal(story, "A is in B.");
    free(story);
    babi_free(&b);
}

static void questions_are_found_by_number(void **state)
{
    (void)state;
    Error error = {0};
    Babi b;
    assert_ok(parse(two_stories, strlen(two_stories), &b, &error));
    assert_ptr_equal(babi_find(&b, 1, 1, &error), &b.questions[0]);
    assert_ptr_equal(babi_find(&b, 1, 0, &error), &b.questions[1]); /* 0: the last one */
    assert_ptr_equal(babi_find(&b, 2, 1, &error), &b.questions[2]);
    assert_refused(babi_find(&b, 0, 1, &error), "story 0: there are 2");
    assert_refused(babi_find(&b, 3, 1, &error), "story 3: there are 2");
    assert_refused(babi_find(&b, 2, 2, &error), "question 2: story 2 has 1");
    babi_free(&b);
}

static void numbers_of_stories_and_questions_are_read(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "0", "x", "-1", "1:", "1:0", "1:x", "1:2:3", "1 2", "99999999999"};
    Error error = {0};
    int story, question;
    assert_ok(babi_read_number("12", &story, &question, &error));
    assert_true(story == 12 && question == 0);
    assert_ok(babi_read_number("3:2", &story, &question, &error));
    assert_true(story == 3 && question == 2);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused(babi_read_number(bad[i], &story, &question, &error), "N or N:K");
}

static void windows_lines_marks_and_blank_lines_are_taken_off(void **state)
{
    (void)state;
    Error error = {0};
    Babi b;
    const char text[] = "\xEF\xBB\xBF"
                        "1 A is in B.\r\n\r\n2 Where is A?\tB\t1\r\n \n";
    assert_ok(parse(text, strlen(text), &b, &error));
    assert_true(is_text(b.sentences[0], "A is in B."));
    assert_true(is_text(b.questions[0].answer, "B"));
    babi_free(&b);
    const char bare[] = "1 A is in B.\n2 Where is A?\tB"; /* no support, no last line end */
    assert_ok(parse(bare, strlen(bare), &b, &error));
    assert_int_equal(b.questions[0].n_supports, 0);
    babi_free(&b);
}

static void what_is_wrong_is_said_with_line_and_column(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"", "there is no question in it"},
        {"1 A is in B.\n", "there is no question in it"},
        {"A is in B.\n", "task.txt, line 1, column 1: a line begins with its number"},
        {"1 A is in B.\n3 Where is A?\tB\t1\n", "line 2, column 1: line number 3; 2, or 1"},
        {"2 A is in B.\n", "line 1, column 1: line number 2; 1, or 1"},
        {"1 A is in B.\n2Where is A?\tB\t1\n", "line 2, column 2: a space was expected"},
        {"1 \n", "line 1, column 3: the sentence is empty"},
        {"1 A is in B.\n2 \tB\t1\n", "line 2, column 3: the question is empty"},
        {"1 A is in B.\n2 Where?\t\t1\n", "line 2, column 10: the answer is empty"},
        {"1 A is in B.\n2 Where?\tB\t1\t1\n", "line 2, column 13: one TAB too many"},
        {"1 A is in B.\n2 Where?\tB\tx\n", "line 2, column 12: the number of a supporting"},
        {"1 A is in B.\n2 Where?\tB\t1x\n", "line 2, column 12: the number of a supporting"},
        {"1 A is in B.\n2 Where?\tB\t2\n", "line 2, column 12: no earlier sentence"},
        {"1 A is in B.\n2 Where?\tB\t0\n", "line 2, column 12: no earlier sentence"},
        {"1 A is.\n2 Where?\tB\t1\n3 Where?\tB\t1 2\n", "line 3, column 14: no earlier sentence"},
        {"1 A is in \xFF.\n", "line 1, column 11: not UTF-8"},
        {"99999999999 A.\n", "line 1, column 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Error error = {0};
        Babi b;
        assert_refused(parse(bad[i][0], strlen(bad[i][0]), &b, &error), bad[i][1]);
        babi_free(&b);
    }
    Error error = {0};
    Babi b;
    assert_refused(parse("1 A\0 B.\n", 8, &b, &error), "line 1, column 4: not UTF-8");
    babi_free(&b);
    assert_refused(babi_read("no/such/file", &b, &error), "no/such/file");
    babi_free(&b);
}

static void a_file_cut_at_any_byte_is_read_or_refused(void **state)
{
    (void)state;
    for (size_t n = 0; n <= strlen(two_stories); n++) {
        Error error = {0};
        Babi b;
        if (!parse(two_stories, n, &b, &error))
            assert_true(error_is_set(&error));
        else
            assert_true(b.n_questions > 0);
        babi_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stories_questions_and_supports_are_read),
        cmocka_unit_test(a_question_between_sentences_takes_a_number_but_is_no_sentence),
        cmocka_unit_test(questions_are_found_by_number),
        cmocka_unit_test(numbers_of_stories_and_questions_are_read),
        cmocka_unit_test(windows_lines_marks_and_blank_lines_are_taken_off),
        cmocka_unit_test(what_is_wrong_is_said_with_line_and_column),
        cmocka_unit_test(a_file_cut_at_any_byte_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
