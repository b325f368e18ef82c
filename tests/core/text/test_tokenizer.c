#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/utf8.h"
#include "text/tokenizer.h"

#include "normalised.h"

/* A small text of the tests' own, in two languages. */
static const char *const lines[] = {
    "The man is not sleeping.",       "L'homme ne dort pas.",
    "The woman doesn't eat apples.",  "La femme ne mange pas de pommes.",
    "Is the man eating the apple?",   "L'homme mange-t-il la pomme\u202f?",
    "What a beautiful morning!",      "Quelle belle matin\u00e9e\u202f!",
    "I don't know the woman.",        "Je ne connais pas la femme.",
    "It's ten o'clock in 2019.",      "Il est dix heures en 2019.",
    "We said: \"Good morning.\"",     "Nous avons dit\u00a0: \u00ab\u00a0Bonjour.\u00a0\u00bb",
    "The man's apples (all of them)", "Aujourd'hui, la femme dort\u2026 \u00e7a va",
};

static Tokenizer *learn(TokenizerSpec spec)
{
    TokenizerLearner *learner = tokenizer_learner_new(&spec);
    for (int times = 0; times < 3; times++)
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
            tokenizer_learner_add(learner, lines[i], strlen(lines[i]));
    return tokenizer_learner_finish(learner);
}

static char *decode_list(const Tokenizer *t, const TokenList *list, unsigned options)
{
    int32_t *ids = memory_new(list->n, sizeof *ids);
    for (size_t i = 0; i < list->n; i++)
        ids[i] = list->items[i].id;
    StrBuf out = {0};
    tokenizer_decode(t, ids, list->n, options, &out, NULL);
    free(ids);
    return strbuf_take(&out);
}

static void check_round_trip(const Tokenizer *t, const char *text, const char *wanted,
                             unsigned options)
{
    TokenList list = {0};
    tokenizer_encode(t, text, strlen(text), &list);
    char *back = decode_list(t, &list, options);
    assert_string_equal(back, wanted);
    free(back);
    token_list_free(&list);
}

/* The pieces with their marks, a space between. */
static char *pieces_of(const Tokenizer *t, const char *text)
{
    TokenList list = {0};
    StrBuf out = {0};
    tokenizer_encode(t, text, strlen(text), &list);
    for (size_t i = 0; i < list.n; i++)
        strbuf_addf(&out, "%s%s", i ? " " : "", tokenizer_raw_piece(t, list.items[i].id));
    token_list_free(&list);
    return strbuf_take(&out);
}

static void check_pieces(const Tokenizer *t, const char *text, const char *wanted)
{
    char *pieces = pieces_of(t, text);
    assert_string_equal(pieces, wanted);
    free(pieces);
}

static void frequent_words_become_one_piece(void **state)
{
    (void)state;
    Tokenizer *t = learn((TokenizerSpec){.n_merges = 1000});
    check_pieces(t, "L'homme ne dort pas.", "▁L'⁀ ▁homme ▁ne ▁dort ▁pas ‿.");
    check_pieces(t, "The woman doesn't sleep", "▁The ▁woman ▁does ‿n't ▁sleep");
    check_pieces(t, "mange-t-il", "▁mange ‿-t-il");
    check_pieces(t, "(homme", "▁(⁀ ▁homme");
    tokenizer_free(t);
}

static void merges_are_learned_by_falling_count_and_older_pieces_first(void **state)
{
    (void)state;
    /* "ab" 5 times, "abc" 3, "cd" 3: the pairs ▁a and ab have 8, ▁c and cd 3, bc 3. */
    TokenizerLearner *learner =
        tokenizer_learner_new(&(TokenizerSpec){.n_merges = 5, .min_letter_count = 1});
    tokenizer_learner_add(learner, "ab ab ab ab ab abc abc abc cd cd cd", 35);
    Tokenizer *t = tokenizer_learner_finish(learner);
    int32_t n = tokenizer_n_pieces(t);
    static const char *const wanted[] = {"▁a", "▁ab", "▁c", "▁cd", "▁abc"};
    for (int i = 0; i < 5; i++) /* the keyboard's letters come in the order of their codes */
        assert_true(tokenizer_find(t, wanted[i]) >= n - 5);
    assert_string_equal(tokenizer_raw_piece(t, n - 5), "▁a");
    assert_string_equal(tokenizer_raw_piece(t, n - 4), "▁ab");
    tokenizer_free(t);
}

static void rare_pairs_are_not_joined(void **state)
{
    (void)state;
    TokenizerSpec spec = {.n_merges = 100, .min_pair_count = 4};
    TokenizerLearner *learner = tokenizer_learner_new(&spec);
    tokenizer_learner_add(learner, "xy xy xy uv uv uv uv", 20);
    Tokenizer *t = tokenizer_learner_finish(learner);
    check_pieces(t, "xy uv", "▁ x y ▁uv");
    tokenizer_free(t);
}

static void the_same_text_gives_the_same_tokenizer(void **state)
{
    (void)state;
    Tokenizer *a = learn((TokenizerSpec){.n_merges = 80});
    Tokenizer *b = learn((TokenizerSpec){.n_merges = 80});
    json_t *x = tokenizer_to_json(a), *y = tokenizer_to_json(b);
    assert_true(json_equal(x, y));
    json_decref(x);
    json_decref(y);
    tokenizer_free(a);
    tokenizer_free(b);
}

static void numbers_are_written_digit_by_digit(void **state)
{
    (void)state;
    Tokenizer *t = learn((TokenizerSpec){.n_merges = 1000});
    check_pieces(t, "2019", "▁2 0 1 9");
    check_pieces(t, "x2019", "▁ x 2 0 1 9");
    tokenizer_free(t);
}

static void unknown_characters_are_written_in_bytes(void **state)
{
    (void)state;
    Tokenizer *t = learn((TokenizerSpec){.n_merges = 50});
    check_pieces(t, "\u00f1", "▁ <0xC3> <0xB1>");
    check_pieces(t, "\u6f22", "‿ <0xE6> <0xBC> <0xA2>");
    check_pieces(t, "\x01", "▁ <0x01>");
    /* The marks themselves are text like any other when they are in a text. */
    check_pieces(t, "▁‿⁀", "▁ <0xE2> <0x96> <0x81> ‿ <0xE2> <0x80> <0xBF> ‿ <0xE2> <0x81> <0x80>");
    tokenizer_free(t);
}

static void decoding_gives_back_what_was_encoded(void **state)
{
    (void)state;
    static const char *const same[] = {
        "",
        "a",
        "The man.",
        "l'homme",
        "\"a\" 'b' (c) [d] {e} <f>",
        "don't can't it's",
        "x.y.z",
        "U.S. p.m.",
        "a-b -c- d--e",
        "3.5% $5 5$ #1 @x a@b.c a/b",
        "\u6f22\u5b57 abc\u6f22 \u6f22",
        "\u6f22\u3002\u201c\u5b57\u201d",
        "\u0645\u0631\u062d\u0628\u0627 \u0628\u0643\u061f",
        "\U0001F642\U0001F1EB\U0001F1F7 x\U0001F468\u200D\U0001F469\u200D\U0001F467",
        "e\u0301 \u0301 a\u0301\u0302",
        "\x01\x02 \x7F",
        "▁ ‿ ⁀ ▁x x⁀",
        "<s> </s> <pad> <0x41>",
        "a\u00adb \u200b",
        "\u2019 l\u2019homme \u201cx\u201d",
        "Hello! What? x: y; z",
        ":-) ;) =D",
        "\u2026 a\u2026b",
        "\u0e01\u0e32\u0e23 \u0915\u094d\u0937",
        "https://x.org/a?b=c&d! www.a.b",
    };
    Tokenizer *many = learn((TokenizerSpec){.n_merges = 200});
    Tokenizer *none = learn((TokenizerSpec){.n_merges = 0, .min_letter_count = 4});
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        check_round_trip(many, same[i], same[i], 0);
        check_round_trip(none, same[i], same[i], 0);
    }
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        bool french = i % 2;
        check_round_trip(many, lines[i], lines[i], french ? TOKENIZER_FRENCH : 0);
    }
    tokenizer_free(many);
    tokenizer_free(none);
}

static void white_space_is_normalised_as_declared(void **state)
{
    (void)state;
    static const struct {
        const char *text, *plain, *french;
    } cases[] = {
        {"  a \t\n b\u3000c\u00a0d ", "a b c d", "a b c d"},
        {"Quoi ?", "Quoi?", "Quoi\u202f?"},
        {"Quoi\u00a0?!", "Quoi?!", "Quoi\u202f?!"},
        {"oui : non ; bien", "oui: non; bien", "oui\u00a0: non\u202f; bien"},
        {"\u00ab oui \u00bb", "\u00aboui\u00bb", "\u00ab\u00a0oui\u00a0\u00bb"},
        {"a != b :-)", "a != b :-)", "a != b :-)"},
        {"? a", "? a", "? a"},
        {"\u6f22 \uff1f", "\u6f22 \uff1f", "\u6f22 \uff1f"},
    };
    Tokenizer *t = learn((TokenizerSpec){.n_merges = 100});
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_round_trip(t, cases[i].text, cases[i].plain, 0);
        check_round_trip(t, cases[i].text, cases[i].french, TOKENIZER_FRENCH);
    }
    tokenizer_free(t);
}

static void folding_makes_quotes_straight_and_letters_whole(void **state)
{
    (void)state;
    Tokenizer *t = learn((TokenizerSpec){.n_merges = 500, .fold = true});
    check_pieces(t, "L\u2019homme", "▁L'⁀ ▁homme");
    check_round_trip(t, "\u201cmatine\u0301e\u201d \u2018x\u2019", "\"matin\u00e9e\" 'x'", 0);
    check_round_trip(t, "q\u0301 e\u0302\u0301", "q\u0301 \u1ebf", 0);
    tokenizer_free(t);
}

static void bytes_that_are_no_utf8_become_replacements(void **state)
{
    (void)state;
    Tokenizer *t = learn((TokenizerSpec){.n_merges = 50});
    check_round_trip(t,
                     "a\xFF"
                     "b",
                     "a\uFFFD"
                     "b",
                     0);
    check_round_trip(t, "\xE2\x82", "\uFFFD\uFFFD", 0);
    const int32_t broken[] = {3 + 0xE6, 3 + 0xBC, 3 + 'x', 3 + 0xA2};
    StrBuf out = {0};
    tokenizer_decode(t, broken, 4, 0, &out, NULL);
    assert_string_equal(out.text, "\uFFFD\uFFFDx\uFFFD");
    strbuf_free(&out);
    tokenizer_free(t);
}

static void spans_point_into_the_text_as_it_was_given(void **state)
{
    (void)state;
    Tokenizer *t = learn((TokenizerSpec){.n_merges = 1000, .fold = true});
    const char *text = " L\u2019homme\u00a0 ? \u6f22";
    TokenList list = {0};
    tokenizer_encode(t, text, strlen(text), &list);
    static const struct {
        const char *raw;
        int begin, end;
        bool starts;
    } wanted[] = {{"▁L'⁀", 1, 5, true},     {"▁homme", 5, 10, true},   {"‿?", 13, 14, true},
                  {"▁", 15, 15, true},      {"<0xE6>", 15, 18, false}, {"<0xBC>", 15, 18, false},
                  {"<0xA2>", 15, 18, false}};
    assert_int_equal(list.n, sizeof wanted / sizeof wanted[0]);
    for (size_t i = 0; i < list.n; i++) {
        assert_string_equal(tokenizer_raw_piece(t, list.items[i].id), wanted[i].raw);
        assert_int_equal(list.items[i].begin, wanted[i].begin);
        assert_int_equal(list.items[i].end, wanted[i].end);
        assert_int_equal(list.items[i].starts_word, wanted[i].starts);
    }
    token_list_free(&list);
    tokenizer_free(t);
}

static void spans_of_a_decoding_point_into_what_was_written(void **state)
{
    (void)state;
    Tokenizer *t = learn((TokenizerSpec){.n_merges = 1000});
    const char *text = "l'homme mange\u202f? \u6f22";
    TokenList list = {0}, spans = {0};
    tokenizer_encode(t, text, strlen(text), &list);
    int32_t ids[64];
    assert_true(list.n + 1 < 64);
    for (size_t i = 0; i < list.n; i++)
        ids[i] = list.items[i].id;
    ids[list.n] = TOKENIZER_END;
    StrBuf out = {0};
    strbuf_add(&out, ">>");
    tokenizer_decode(t, ids, list.n + 1, TOKENIZER_FRENCH, &out, &spans);
    assert_string_equal(out.text + 2, text);
    assert_int_equal(spans.n, list.n + 1);
    for (size_t i = 0; i < list.n; i++) {
        assert_int_equal(spans.items[i].id, list.items[i].id);
        if (list.items[i].begin == list.items[i].end) {
            assert_int_equal(spans.items[i].begin, spans.items[i].end);
            continue;
        }
        assert_int_equal(spans.items[i].begin, list.items[i].begin);
        assert_int_equal(spans.items[i].end, list.items[i].end);
    }
    assert_int_equal(spans.items[list.n].begin, strlen(text));
    assert_int_equal(spans.items[list.n].end, strlen(text));
    token_list_free(&list);
    token_list_free(&spans);
    strbuf_free(&out);
    tokenizer_free(t);
}

static void labels_are_without_marks(void **state)
{
    (void)state;
    Tokenizer *t = learn((TokenizerSpec){.n_merges = 1000});
    static const char *const cases[][2] = {{"▁L'⁀", "L'"}, {"▁homme", "homme"}, {"‿.", "."},
                                           {"▁", "▁"},     {"‿", "‿"},          {"⁀", "⁀"},
                                           {"e", "e"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int32_t id = tokenizer_find(t, cases[i][0]);
        assert_true(id >= 0);
        assert_string_equal(tokenizer_piece(t, id), cases[i][1]);
    }
    assert_string_equal(tokenizer_piece(t, TOKENIZER_END), "</s>");
    assert_string_equal(tokenizer_piece(t, 3 + 0xE6), "<0xE6>");
    assert_true(tokenizer_starts_word(t, TOKENIZER_END));
    assert_false(tokenizer_starts_word(t, 3 + 0xE6));
    assert_int_equal(tokenizer_find(t, "no such piece"), -1);
    tokenizer_free(t);
}

static void without_merges_every_character_is_a_piece(void **state)
{
    (void)state;
    TokenizerLearner *learner = tokenizer_learner_new(&(TokenizerSpec){.n_merges = 0});
    const char *text = "\u6211\u4eec\u5403Tom\u7684\u82f9\u679c\u3002";
    tokenizer_learner_add(learner, text, strlen(text));
    Tokenizer *t = tokenizer_learner_finish(learner);
    check_pieces(t, text, "\u6211 \u4eec \u5403 ‿ T o m \u7684 \u82f9 \u679c \u3002");
    check_round_trip(t, text, text, 0);
    assert_true(tokenizer_starts_word(t, tokenizer_find(t, "\u6211")));
    tokenizer_free(t);
}

/* A text of words, marks, spaces and odd characters, by chance. */
static void random_text(Random *random, StrBuf *text)
{
    static const char *const bits[] = {
        "a",       "the",    "l'",     "'s",     "-t-il",  "n't",    "homme",
        " ",       " ",      " ",      "?",      "!",      ":",      "\u00ab",
        "\u00bb",  ".",      ",",      "(",      ")",      "\"",     "'",
        "\u2019",  "-",      "3",      "42",     "\u6f22", "\u3002", "\U0001F642",
        "\u0301",  "\u200d", "\u0627", "\u00e9", "\x01",   "\xFF",   "\xE2\x82",
        "▁",       "‿",      "⁀",      "\t",     "\u00a0", "\u202f", "www.",
        "http://", ";)",     "<",      ">",      "\u0e01", "...",    "p.m."};
    strbuf_clear(text);
    strbuf_add(text, "");
    size_t n = random_below(random, 24);
    for (size_t i = 0; i < n; i++)
        strbuf_add(text, bits[random_below(random, sizeof bits / sizeof bits[0])]);
}

/* Invariant 2 of the header. */
static void check_spans(const TokenList *list, const char *text, size_t n)
{
    int32_t at = 0;
    for (size_t i = 0; i < list->n; i++) {
        const Token *token = &list->items[i];
        bool same = i > 0 && token->begin == list->items[i - 1].begin &&
                    token->end == list->items[i - 1].end;
        assert_true(same || token->begin >= at);
        assert_true(token->end >= token->begin && (size_t)token->end <= n);
        at = token->end;
        uint32_t code;
        assert_true((size_t)token->begin == n ||
                    ((unsigned char)text[token->begin] & 0xC0) != 0x80 ||
                    utf8_decode(text + token->begin, n - (size_t)token->begin, &code) == 1);
    }
}

static void random_texts_come_back_normalised(void **state)
{
    (void)state;
    Tokenizer *t = learn((TokenizerSpec){.n_merges = 300});
    Random random = random_seed(20, 0);
    StrBuf text = {0}, wanted = {0};
    TokenList list = {0};
    for (int round = 0; round < 20000; round++) {
        random_text(&random, &text);
        token_list_clear(&list);
        strbuf_clear(&wanted);
        strbuf_add(&wanted, "");
        tokenizer_encode(t, text.text, text.length, &list);
        check_spans(&list, text.text, text.length);
        char *back = decode_list(t, &list, 0);
        add_normalised(&wanted, text.text, text.length);
        assert_string_equal(back, wanted.text);
        free(back);
    }
    strbuf_free(&text);
    strbuf_free(&wanted);
    token_list_free(&list);
    tokenizer_free(t);
}

static void long_words_are_encoded_in_stretches(void **state)
{
    (void)state;
    Tokenizer *t = learn((TokenizerSpec){.n_merges = 200});
    StrBuf text = {0};
    for (int i = 0; i < 10000; i++)
        strbuf_add(&text, i % 7 ? "the" : "\u00f1");
    check_round_trip(t, text.text, text.text, 0);
    strbuf_clear(&text);
    for (int i = 0; i < 100000; i++)
        strbuf_add_char(&text, '!');
    check_round_trip(t, text.text, text.text, TOKENIZER_FRENCH);
    strbuf_free(&text);
    tokenizer_free(t);
}

static void texts_with_zero_bytes_are_kept(void **state)
{
    (void)state;
    Tokenizer *t = learn((TokenizerSpec){.n_merges = 50});
    TokenList list = {0};
    tokenizer_encode(t, "a\0b", 3, &list);
    int32_t ids[16];
    assert_true(list.n <= 16);
    for (size_t i = 0; i < list.n; i++)
        ids[i] = list.items[i].id;
    StrBuf out = {0};
    tokenizer_decode(t, ids, list.n, 0, &out, NULL);
    assert_int_equal(out.length, 3);
    assert_memory_equal(out.text, "a\0b", 3);
    strbuf_free(&out);
    token_list_free(&list);
    tokenizer_free(t);
}

static void a_learner_without_text_makes_a_tokenizer(void **state)
{
    (void)state;
    TokenizerLearner *learner = tokenizer_learner_new(&(TokenizerSpec){.n_merges = 10});
    Tokenizer *t = tokenizer_learner_finish(learner);
    check_round_trip(t, "anything \u6f22", "anything \u6f22", 0);
    tokenizer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequent_words_become_one_piece),
        cmocka_unit_test(merges_are_learned_by_falling_count_and_older_pieces_first),
        cmocka_unit_test(rare_pairs_are_not_joined),
        cmocka_unit_test(the_same_text_gives_the_same_tokenizer),
        cmocka_unit_test(numbers_are_written_digit_by_digit),
        cmocka_unit_test(unknown_characters_are_written_in_bytes),
        cmocka_unit_test(decoding_gives_back_what_was_encoded),
        cmocka_unit_test(white_space_is_normalised_as_declared),
        cmocka_unit_test(folding_makes_quotes_straight_and_letters_whole),
        cmocka_unit_test(bytes_that_are_no_utf8_become_replacements),
        cmocka_unit_test(spans_point_into_the_text_as_it_was_given),
        cmocka_unit_test(spans_of_a_decoding_point_into_what_was_written),
        cmocka_unit_test(labels_are_without_marks),
        cmocka_unit_test(without_merges_every_character_is_a_piece),
        cmocka_unit_test(random_texts_come_back_normalised),
        cmocka_unit_test(long_words_are_encoded_in_stretches),
        cmocka_unit_test(texts_with_zero_bytes_are_kept),
        cmocka_unit_test(a_learner_without_text_makes_a_tokenizer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
