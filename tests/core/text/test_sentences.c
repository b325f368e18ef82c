#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "text/sentences.h"
#include "text/splitter.h"
#include "text/vocabulary.h"

#include "sentence_cases.h"

#define MAX_BARS 32

/* Only white space and tags. */
static void check_gap(const char *text, size_t begin, size_t end)
{
    bool tag = false;
    uint32_t code;
    for (size_t i = begin; i < end;) {
        i += (size_t)utf8_decode(text + i, end - i, &code);
        assert_true(tag || code == '<' || character_class(code) == CHARACTER_SPACE);
        tag = tag ? code != '>' : code == '<';
    }
    assert_false(tag);
}

/* Invariant 1 of the header. */
static void check_list(const char *text, size_t n, int max_words, const SentenceList *list)
{
    size_t at = 0;
    for (size_t i = 0; i < list->n; i++) {
        Splitter splitter;
        SplitWord word = {0};
        int words = 0;
        check_gap(text, at, list->items[i].begin);
        splitter_init(&splitter, text, n, SPLIT_TREEBANK);
        splitter.offset = list->items[i].begin;
        for (; word.end < list->items[i].end; words++)
            assert_true(splitter_next(&splitter, &word));
        at = list->items[i].end;
        assert_int_equal(word.end, at);
        assert_int_equal(words, list->items[i].n_words);
        assert_true(words > 0 && (max_words == 0 || words <= max_words));
    }
    check_gap(text, at, n);
}

/* Splits a case at its bars: as many sentences, and every bar between two of them. */
static void check_case(const char *marked)
{
    StrBuf text = {0};
    size_t bars[MAX_BARS];
    size_t n_bars = 0;
    strbuf_add(&text, "");
    for (const char *at = marked; *at; at++) {
        if (*at == '|')
            bars[n_bars++] = text.length;
        else
            strbuf_add_char(&text, *at);
        assert_true(n_bars < MAX_BARS);
    }
    SentenceList list = {0};
    sentences_split(text.text, text.length, 0, &list);
    bool right = list.n == n_bars + 1;
    for (size_t i = 0; right && i < n_bars; i++)
        right = list.items[i].end <= bars[i] && list.items[i + 1].begin >= bars[i];
    if (!right) {
        for (size_t i = 0; i < list.n; i++)
            print_error("found [%.*s]\n", (int)(list.items[i].end - list.items[i].begin),
                        text.text + list.items[i].begin);
        fail_msg("wanted \"%s\"", marked);
    }
    check_list(text.text, text.length, 0, &list);
    strbuf_free(&text);
    sentence_list_free(&list);
}

static void sentences_end_where_a_reader_ends_them(void **state)
{
    (void)state;
    size_t n = sizeof sentence_cases / sizeof sentence_cases[0];
    assert_true(n >= 150);
    for (size_t i = 0; i < n; i++)
        check_case(sentence_cases[i]);
}

static void nothing_gives_no_sentence(void **state)
{
    (void)state;
    static const char *const texts[] = {"", " \t\n ", "<br>", " <br /> <p></p>\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        SentenceList list = {0};
        sentences_split(texts[i], strlen(texts[i]), 0, &list);
        assert_int_equal(list.n, 0);
        sentence_list_free(&list);
    }
}

static void spans_leave_out_space_and_tags(void **state)
{
    (void)state;
    const char *text = "  Good.<br />Bad! \n";
    SentenceList list = {0};
    sentences_split(text, strlen(text), 0, &list);
    assert_int_equal(list.n, 2);
    assert_int_equal(list.items[0].begin, 2);
    assert_int_equal(list.items[0].end, 7);
    assert_int_equal(list.items[0].n_words, 2);
    assert_int_equal(list.items[1].begin, 13);
    assert_int_equal(list.items[1].end, 17);
    sentence_list_free(&list);
}

static void long_sentences_flow_into_new_ones(void **state)
{
    (void)state;
    StrBuf text = {0};
    for (int i = 0; i < 101; i++)
        strbuf_add(&text, i ? " w" : "w");
    SentenceList list = {0};
    sentences_split(text.text, text.length, 50, &list);
    assert_int_equal(list.n, 3);
    assert_int_equal(list.items[0].n_words, 50);
    assert_int_equal(list.items[1].n_words, 50);
    assert_int_equal(list.items[2].n_words, 1);
    list.n = 0;
    sentences_split(text.text, 99, 50, &list); /* 50 words: both sides of the limit */
    assert_int_equal(list.n, 1);
    list.n = 0;
    sentences_split(text.text, 101, 50, &list);
    assert_int_equal(list.n, 2);
    strbuf_free(&text);
    sentence_list_free(&list);
}

static void random_text(Random *random, StrBuf *text)
{
    static const char *const bits[] = {
        "Mr",     "good",   "The",    "I",          "a",    "U.S.",     "3",
        ".",      ".",      ".",      "!",          "?",    "...",      "\"",
        "'",      "(",      ")",      " ",          " ",    " ",        " ",
        "\n",     "<br>",   "</p",    ">",          ",",    ":)",       "\u3002",
        "\u6f22", "\u2026", "\u061f", "\U0001F642", "\xFF", "\xE2\x80", "\u00ab",
        "\u00bb", "-",      "e.g.",   "'s",         "n't",  "etc"};
    strbuf_clear(text);
    strbuf_add(text, "");
    size_t n = random_below(random, 40);
    for (size_t i = 0; i < n; i++)
        strbuf_add(text, bits[random_below(random, sizeof bits / sizeof bits[0])]);
}

static void any_text_is_cut_into_whole_words(void **state)
{
    (void)state;
    Random random = random_seed(3, 0);
    StrBuf text = {0};
    SentenceList list = {0};
    for (int round = 0; round < 20000; round++) {
        random_text(&random, &text);
        int max_words = (int)random_below(&random, 6);
        list.n = 0;
        sentences_split(text.text, text.length, max_words, &list);
        check_list(text.text, text.length, max_words, &list);
    }
    strbuf_free(&text);
    sentence_list_free(&list);
}

/* What a model does next: a sentence by itself has no more words than it was said to have. */
static void sentences_keep_their_words_when_they_stand_alone(void **state)
{
    (void)state;
    Random random = random_seed(4, 0);
    StrBuf text = {0};
    SentenceList list = {0};
    TokenList tokens = {0};
    Vocabulary *vocabulary =
        vocabulary_learner_finish(vocabulary_learner_new(&(VocabularySpec){0}));
    for (int round = 0; round < 5000; round++) {
        random_text(&random, &text);
        list.n = 0;
        sentences_split(text.text, text.length, 5, &list);
        for (size_t i = 0; i < list.n; i++) {
            size_t n = list.items[i].end - list.items[i].begin;
            token_list_clear(&tokens);
            vocabulary_encode(vocabulary, text.text + list.items[i].begin, n, &tokens);
            assert_true(tokens.n >= 1 && tokens.n <= 5);
        }
    }
    vocabulary_free(vocabulary);
    strbuf_free(&text);
    sentence_list_free(&list);
    token_list_free(&tokens);
}

static void very_long_texts_take_linear_time(void **state)
{
    (void)state;
    static const char *const bits[] = {".", "\"",     "(",    "a.",   "<",
                                       "!", "\u3002", "\" .", "U.S.", ". "};
    for (size_t k = 0; k < sizeof bits / sizeof bits[0]; k++) {
        StrBuf text = {0};
        SentenceList list = {0};
        for (int i = 0; i < 50000; i++)
            strbuf_add(&text, bits[k]);
        sentences_split(text.text, text.length, 50, &list);
        check_list(text.text, text.length, 50, &list);
        strbuf_free(&text);
        sentence_list_free(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_end_where_a_reader_ends_them),
        cmocka_unit_test(nothing_gives_no_sentence),
        cmocka_unit_test(spans_leave_out_space_and_tags),
        cmocka_unit_test(long_sentences_flow_into_new_ones),
        cmocka_unit_test(any_text_is_cut_into_whole_words),
        cmocka_unit_test(sentences_keep_their_words_when_they_stand_alone),
        cmocka_unit_test(very_long_texts_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
