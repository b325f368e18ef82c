#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "text/vocabulary.h"

static const char *const lines[] = {
    "The film is good, the cast isn't.",
    "It 's a good film -lrb- really -rrb- .",
    "So so so... the END!!!!!",
    "caf\u00e9 \u2014 \u201cfine\u201d",
};

static Vocabulary *learn(VocabularySpec spec)
{
    VocabularyLearner *learner = vocabulary_learner_new(&spec);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        vocabulary_learner_add(learner, lines[i], strlen(lines[i]));
    return vocabulary_learner_finish(learner);
}

/* The forms of a text's words, a space between. */
static char *forms_of(const Vocabulary *vocabulary, const char *text)
{
    TokenList list = {0};
    StrBuf out = {0};
    vocabulary_encode(vocabulary, text, strlen(text), &list);
    for (size_t i = 0; i < list.n; i++)
        strbuf_addf(&out, "%s%s", i ? " " : "", vocabulary_form(vocabulary, list.items[i].id));
    token_list_free(&list);
    return strbuf_take(&out);
}

static void check_forms(const Vocabulary *vocabulary, const char *text, const char *wanted)
{
    char *forms = forms_of(vocabulary, text);
    assert_string_equal(forms, wanted);
    free(forms);
}

static void typed_and_treebank_text_come_out_the_same(void **state)
{
    (void)state;
    Vocabulary *vocabulary = learn((VocabularySpec){0});
    check_forms(vocabulary, "It's a good film (really).", "it 's a good film ( really ) .");
    check_forms(vocabulary, "It 's a good film -LRB- really -RRB- .",
                "it 's a good film ( really ) .");
    check_forms(vocabulary, "isn't is n't", "is n't is n't");
    check_forms(vocabulary, "``fine'' \u201cfine\u201d \"fine\"",
                "\" fine \" \" fine \" \" fine \"");
    check_forms(vocabulary, "so\u2026 so.. so....", "so ... so ... so ...");
    check_forms(vocabulary, "END!!! END!!!!!!!!", "end !!! end !!!");
    check_forms(vocabulary, "-- \u2013 \u2014", "-- -- --");
    check_forms(vocabulary, "cafe\u0301 CAF\u00c9", "caf\u00e9 caf\u00e9");
    check_forms(vocabulary, "bad", "<unk>");
    check_forms(vocabulary, "", "");
    vocabulary_free(vocabulary);
}

static void words_are_ordered_by_count_then_bytes(void **state)
{
    (void)state;
    Vocabulary *vocabulary = learn((VocabularySpec){0});
    assert_string_equal(vocabulary_form(vocabulary, VOCABULARY_PAD), "<pad>");
    assert_string_equal(vocabulary_form(vocabulary, VOCABULARY_UNKNOWN), "<unk>");
    assert_string_equal(vocabulary_form(vocabulary, 2), "so"); /* 3 times, as "the" */
    assert_string_equal(vocabulary_form(vocabulary, 3), "the");
    assert_string_equal(vocabulary_form(vocabulary, 4), "\""); /* twice, as the next */
    assert_string_equal(vocabulary_form(vocabulary, 5), ".");
    assert_string_equal(vocabulary_form(vocabulary, 6), "film");
    assert_string_equal(vocabulary_form(vocabulary, 7), "good");
    assert_string_equal(vocabulary_form(vocabulary, 8), "is");
    assert_int_equal(vocabulary_find(vocabulary, "film"), 6);
    assert_int_equal(vocabulary_find(vocabulary, "Film"), VOCABULARY_UNKNOWN);
    assert_int_equal(vocabulary_find(vocabulary, "<pad>"), VOCABULARY_UNKNOWN);
    vocabulary_free(vocabulary);
}

static void rare_words_and_those_beyond_the_limit_are_unknown(void **state)
{
    (void)state;
    Vocabulary *vocabulary = learn((VocabularySpec){.min_count = 3});
    assert_int_equal(vocabulary_count(vocabulary), 4);
    check_forms(vocabulary, "so the film", "so the <unk>");
    vocabulary_free(vocabulary);
    vocabulary = learn((VocabularySpec){.max_words = 1});
    assert_int_equal(vocabulary_count(vocabulary), 3);
    check_forms(vocabulary, "so the film", "so <unk> <unk>");
    vocabulary_free(vocabulary);
}

static void case_may_be_kept(void **state)
{
    (void)state;
    Vocabulary *vocabulary = learn((VocabularySpec){.keep_case = true});
    check_forms(vocabulary, "The the THE", "The the <unk>");
    vocabulary_free(vocabulary);
}

static void spaced_text_is_taken_as_it_is(void **state)
{
    (void)state;
    VocabularyLearner *learner =
        vocabulary_learner_new(&(VocabularySpec){.style = VOCABULARY_SPACED});
    const char *text = "it 's good. `` -lrb- !!!!! <unk> \u00c9t\u00e9";
    vocabulary_learner_add(learner, text, strlen(text));
    Vocabulary *vocabulary = vocabulary_learner_finish(learner);
    check_forms(vocabulary, "  it 's\tgood.\n`` -lrb- !!!!!\u00a0\u00e9t\u00e9 ",
                "it 's good. `` -lrb- !!!!! \u00e9t\u00e9");
    check_forms(vocabulary, "good . <unk>", "<unk> <unk> <unk>");
    vocabulary_free(vocabulary);
}

static void spans_are_those_of_the_text(void **state)
{
    (void)state;
    Vocabulary *vocabulary = learn((VocabularySpec){0});
    TokenList list = {0};
    const char *text = " Isn\u2019t it\u2026?";
    static const int wanted[][2] = {{1, 3}, {3, 8}, {9, 11}, {11, 14}, {14, 15}};
    vocabulary_encode(vocabulary, text, strlen(text), &list);
    assert_int_equal(list.n, 5);
    for (size_t i = 0; i < list.n; i++) {
        assert_int_equal(list.items[i].begin, wanted[i][0]);
        assert_int_equal(list.items[i].end, wanted[i][1]);
        assert_true(list.items[i].starts_word);
    }
    token_list_free(&list);
    vocabulary_free(vocabulary);
}

static void long_and_odd_words_are_no_words(void **state)
{
    (void)state;
    char text[VOCABULARY_MAX_FORM_BYTES + 3];
    memset(text, 'x', sizeof text);
    for (VocabularyStyle style = VOCABULARY_TEXT; style < VOCABULARY_N_STYLES; style++) {
        VocabularyLearner *learner = vocabulary_learner_new(&(VocabularySpec){.style = style});
        vocabulary_learner_add(learner, text, VOCABULARY_MAX_FORM_BYTES);
        vocabulary_learner_add(learner, text, VOCABULARY_MAX_FORM_BYTES + 1);
        vocabulary_learner_add(learner, "a\0b \xFF\xFE \x01", 8);
        Vocabulary *vocabulary = vocabulary_learner_finish(learner);
        TokenList list = {0};
        vocabulary_encode(vocabulary, text, VOCABULARY_MAX_FORM_BYTES, &list);
        vocabulary_encode(vocabulary, text, VOCABULARY_MAX_FORM_BYTES + 1, &list);
        assert_true(list.items[0].id >= VOCABULARY_N_SPECIAL);
        assert_int_equal(list.items[1].id, VOCABULARY_UNKNOWN);
        json_t *value = vocabulary_to_json(vocabulary);
        assert_int_equal(json_array_size(json_object_get(value, "words")),
                         vocabulary_count(vocabulary));
        json_decref(value);
        token_list_free(&list);
        vocabulary_free(vocabulary);
    }
}

static void a_vocabulary_survives_json(void **state)
{
    (void)state;
    Error error = {0};
    VocabularySpec specs[] = {{0}, {.style = VOCABULARY_SPACED, .keep_case = true}};
    for (size_t i = 0; i < 2; i++) {
        Vocabulary *vocabulary = learn(specs[i]);
        json_t *value = vocabulary_to_json(vocabulary);
        Vocabulary *again = vocabulary_from_json(value, "x", &error);
        assert_non_null(again);
        json_t *second = vocabulary_to_json(again);
        assert_true(json_equal(value, second));
        char *forms = forms_of(vocabulary, lines[1]);
        check_forms(again, lines[1], forms);
        free(forms);
        json_decref(value);
        json_decref(second);
        vocabulary_free(vocabulary);
        vocabulary_free(again);
    }
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"[]", "found a list, expected an object"},
        {"{}", "type is \"\", expected \"words\""},
        {"{\"type\":\"bpe\"}", "type is \"bpe\", expected \"words\""},
        {"{\"type\":\"words\",\"style\":\"x\"}", "style is \"x\", expected \"text\" or \"spaced\""},
        {"{\"type\":\"words\",\"style\":\"text\",\"case\":\"upper\"}",
         "case is \"upper\", expected \"lower\" or \"kept\""},
        {"{\"type\":\"words\",\"style\":\"text\",\"case\":\"kept\",\"version\":2,\"words\":[]}",
         "version 2 with 0 words"},
        {"{\"type\":\"words\",\"style\":\"text\",\"case\":\"kept\",\"version\":1,\"words\":[\"a\"]"
         "}",
         "version 1 with 1 words"},
        {"{\"type\":\"words\",\"style\":\"text\",\"case\":\"kept\",\"version\":1,"
         "\"words\":[\"<unk>\",\"<pad>\"]}",
         "word 0 is \"<unk>\", expected \"<pad>\""},
        {"{\"type\":\"words\",\"style\":\"text\",\"case\":\"kept\",\"version\":1,"
         "\"words\":[\"<pad>\",\"<unk>\",3]}",
         "word 2 is a number, expected a string"},
        {"{\"type\":\"words\",\"style\":\"text\",\"case\":\"kept\",\"version\":1,"
         "\"words\":[\"<pad>\",\"<unk>\",\"\"]}",
         "word 2 has 0 bytes, expected 1 to 256"},
        {"{\"type\":\"words\",\"style\":\"text\",\"case\":\"kept\",\"version\":1,"
         "\"words\":[\"<pad>\",\"<unk>\",\"a\",\"b\",\"a\"]}",
         "word 4 \"a\" is there twice"},
        {"{\"type\":\"words\",\"style\":\"text\",\"case\":\"kept\",\"version\":1,"
         "\"words\":[\"<pad>\",\"<unk>\",\"<unk>\"]}",
         "word 2 \"<unk>\" is there twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Error error = {0};
        json_t *value = json_loads(cases[i][0], 0, NULL);
        assert_non_null(value);
        assert_refused(vocabulary_from_json(value, "file", &error), cases[i][1]);
        json_decref(value);
    }
}

static void too_many_words_are_refused(void **state)
{
    (void)state;
    Error error = {0};
    Vocabulary *vocabulary = learn((VocabularySpec){0});
    json_t *value = vocabulary_to_json(vocabulary);
    json_t *list = json_object_get(value, "words");
    json_t *one = json_string("x");
    while (json_array_size(list) <= VOCABULARY_MAX_COUNT)
        json_array_append(list, one);
    assert_refused(vocabulary_from_json(value, "x", &error), "with 1048577 words");
    json_array_remove(list, VOCABULARY_MAX_COUNT);
    assert_refused(vocabulary_from_json(value, "x", &error), "is there twice");
    json_decref(one);
    json_decref(value);
    vocabulary_free(vocabulary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typed_and_treebank_text_come_out_the_same),
        cmocka_unit_test(words_are_ordered_by_count_then_bytes),
        cmocka_unit_test(rare_words_and_those_beyond_the_limit_are_unknown),
        cmocka_unit_test(case_may_be_kept),
        cmocka_unit_test(spaced_text_is_taken_as_it_is),
        cmocka_unit_test(spans_are_those_of_the_text),
        cmocka_unit_test(long_and_odd_words_are_no_words),
        cmocka_unit_test(a_vocabulary_survives_json),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(too_many_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
