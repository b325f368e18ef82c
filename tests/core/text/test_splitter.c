#include "testing.h"

#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "text/splitter.h"

/* The words with | between those that are written together and a space between others. */
static void split_to(StrBuf *out, const char *text, size_t n, SplitStyle style)
{
    Splitter splitter;
    SplitWord word;
    splitter_init(&splitter, text, n, style);
    for (bool first = true; splitter_next(&splitter, &word); first = false) {
        if (!first)
            strbuf_add_char(out, word.spaced ? ' ' : '|');
        strbuf_add_bytes(out, text + word.begin, word.end - word.begin);
    }
}

typedef struct Case {
    const char *text;
    const char *words;
} Case;

static void check_cases(const Case *cases, size_t n, SplitStyle style)
{
    for (size_t i = 0; i < n; i++) {
        StrBuf out = {0};
        strbuf_add(&out, "");
        split_to(&out, cases[i].text, strlen(cases[i].text), style);
        assert_string_equal(out.text, cases[i].words);
        strbuf_free(&out);
    }
}

static void words_meet_their_translations(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"", ""},
        {"   \t\n", ""},
        {"The cat sat.", "The cat sat|."},
        {"L'homme dort.", "L'|homme dort|."},
        {"l\u2019homme", "l\u2019|homme"},
        {"aujourd'hui quelqu'un", "aujourd'hui quelqu'un"},
        {"jusqu'\u00e0 lorsqu'il", "jusqu'|\u00e0 lorsqu'|il"},
        {"Qu'est-ce que c'est ?", "Qu'|est|-ce que c'|est ?"},
        {"Y a-t-il du pain ?", "Y a|-t-il du pain ?"},
        {"donne-le-moi", "donne|-le|-moi"},
        {"celui-l\u00e0", "celui|-l\u00e0"},
        {"sur-le-champ, peut-\u00eatre", "sur-le-champ|, peut-\u00eatre"},
        {"moi-m\u00eame", "moi-m\u00eame"},
        {"I don't, isn't, can't, won't", "I do|n't|, is|n't|, can't|, won't"},
        {"Tom's it's I'd we'll they've you're", "Tom|'s it|'s I|'d we|'ll they|'ve you|'re"},
        {"couldn\u2019t", "could|n\u2019t"},
        {"couldn't've he'd've", "could|n't|'ve he|'d|'ve"},
        {"x's's's x's's's's", "x|'s|'s|'s x's's's's"},
        {"xn'tn't he'sn't 3-n't", "xn'tn't he'sn't 3-n't"},
        {"o'clock rock'n'roll", "o'clock rock'n'roll"},
        {"dogs' tails", "dogs|' tails"},
        {"well-known T-shirt", "well-known T-shirt"},
        {"3.5 1,000 10:30 2013 B52", "3.5 1,000 10:30 2013 B52"},
        {"3.", "3|."},
        {"at 2 p.m. in the U.S. now", "at 2 p.m. in the U.S. now"},
        {"J.K. Rowling", "J.K. Rowling"},
        {"the end.The next", "the end|.|The next"},
        {"wait... what?!", "wait|... what|?|!"},
        {"\"yes\" (no)", "\"|yes|\" (|no|)"},
        {"\u00ab oui \u00bb", "\u00ab oui \u00bb"},
        {"nice :-) and ;)", "nice :-) and ;)"},
        {"if(x)", "if|(|x|)"},
        {"http://x.org/a?b=1, www.foo.com.", "http://x.org/a?b=1|, www.foo.com|."},
        {"\u6f22\u5b57\u3002Tom", "\u6f22|\u5b57|\u3002|Tom"},
        {"\U0001F642\U0001F642", "\U0001F642|\U0001F642"},
        {"\U0001F468\u200D\U0001F469\u200D\U0001F467!",
         "\U0001F468\u200D\U0001F469\u200D\U0001F467|!"},
        {"e\u0301te\u0301", "e\u0301te\u0301"},
        {"\u0301x", "\u0301|x"},
        {"\u0645\u0631\u062d\u0628\u0627 \u0628\u0643\u061f",
         "\u0645\u0631\u062d\u0628\u0627 \u0628\u0643|\u061f"},
        {"a\u00a0b\u3000c", "a b c"},
        {"1\u00bd \u20ac5", "1|\u00bd \u20ac|5"},
    };
    check_cases(cases, sizeof cases / sizeof cases[0], SPLIT_TRANSLATION);
}

static void a_treebank_cuts_every_negation_and_no_clitic(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"can't won't don't", "ca|n't wo|n't do|n't"},
        {"CAN'T", "CA|N'T"},
        {"carry-on", "carry-on"},
        {"it's the film's", "it|'s the film|'s"},
        {"it 's ca n't they 're", "it 's ca n't they 're"},
        {"-lrb- a -rrb- -LRB-", "-lrb- a -rrb- -LRB-"},
        {"-lrb -x- --lrb-", "-|lrb -|x|- --|lrb|-"},
        {"the '70s, 'em 'twas 's", "the '70s|, 'em '|twas 's"},
        {"l'homme d'Artagnan", "l'homme d'Artagnan"},
        {"``so'' 'x'", "``|so|'' '|x|'"},
    };
    check_cases(cases, sizeof cases / sizeof cases[0], SPLIT_TREEBANK);
}

static void parts_and_elisions_are_told(void **state)
{
    (void)state;
    Splitter splitter;
    SplitWord word;
    splitter_init(&splitter, "l'ami n'a-t-il", 14, SPLIT_TRANSLATION);
    static const struct {
        bool spaced, part, elided;
    } wanted[] = {{true, false, true},
                  {false, true, false},
                  {true, false, true},
                  {false, true, false},
                  {false, true, false}};
    for (size_t i = 0; i < 5; i++) {
        assert_true(splitter_next(&splitter, &word));
        assert_int_equal(word.spaced, wanted[i].spaced);
        assert_int_equal(word.part, wanted[i].part);
        assert_int_equal(word.elided, wanted[i].elided);
    }
    assert_false(splitter_next(&splitter, &word));
}

/* Invariant 1 of the header, for any bytes. */
static void check_cover(const char *text, size_t n, SplitStyle style)
{
    Splitter splitter;
    SplitWord word;
    size_t at = 0;
    uint32_t code;
    splitter_init(&splitter, text, n, style);
    while (splitter_next(&splitter, &word)) {
        assert_true(word.begin >= at && word.end > word.begin && word.end <= n);
        for (; at < word.begin; at += (size_t)utf8_decode(text + at, n - at, &code))
            assert_true(utf8_decode(text + at, n - at, &code) > 0 &&
                        character_class(code) == CHARACTER_SPACE);
        assert_int_equal(at, word.begin);
        while (at < word.end)
            at += (size_t)utf8_decode(text + at, n - at, &code);
        assert_int_equal(at, word.end);
    }
    for (; at < n; at += (size_t)utf8_decode(text + at, n - at, &code))
        utf8_decode(text + at, n - at, &code),
            assert_int_equal(character_class(code), CHARACTER_SPACE);
}

static void any_bytes_are_covered_by_words_and_white_space(void **state)
{
    (void)state;
    static const char *const odd[] = {"\xFF\xFE a\x80",
                                      "\xE2\x82",
                                      "l'\xE2",
                                      "''''''",
                                      "-t-il-t-il-t-il-t-il-t-il-t-il-t-il",
                                      "a-je-je-je-je-je-je-je-je-je-je's",
                                      "d'l'd'l'd'l'x's's's",
                                      "a'\xE2\x80",
                                      ":-",
                                      ":",
                                      ";)x",
                                      "http://",
                                      "https:// www.",
                                      "www.\xFF",
                                      "\x01\x02\x03",
                                      "n't 't '",
                                      "x\xCC\x81\xCC\x81-y"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        for (size_t n = 0; n <= strlen(odd[i]); n++) {
            check_cover(odd[i], n, SPLIT_TRANSLATION);
            check_cover(odd[i], n, SPLIT_TREEBANK);
        }
    check_cover("a\0b\0 c", 7, SPLIT_TRANSLATION);
}

static void a_very_long_word_is_read_once(void **state)
{
    (void)state;
    StrBuf text = {0};
    for (int i = 0; i < 40000; i++)
        strbuf_add(&text, "-je");
    strbuf_add(&text, "x");
    check_cover(text.text, text.length, SPLIT_TRANSLATION);
    strbuf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_meet_their_translations),
        cmocka_unit_test(a_treebank_cuts_every_negation_and_no_clitic),
        cmocka_unit_test(parts_and_elisions_are_told),
        cmocka_unit_test(any_bytes_are_covered_by_words_and_white_space),
        cmocka_unit_test(a_very_long_word_is_read_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
