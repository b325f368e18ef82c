#include "testing.h"

#include <string.h>

#include "base/file.h"
#include "base/json_text.h"
#include "text/bleu.h"
#include "text/chrf.h"

#define SCORES FOVEA_TEST_DATA "/text/scores.json"

static const char *const token_names[] = {"13a", "zh", "char"};

static json_t *read_scores(void)
{
    Error error = {0};
    Bytes bytes;
    assert_ok(file_read(SCORES, 1 << 20, &bytes, &error));
    json_t *corpora = json_text_parse(bytes.data, bytes.size, SCORES, &error);
    assert_non_null(corpora);
    bytes_free(&bytes);
    return corpora;
}

static const char *text_at(const json_t *list, size_t i)
{
    const char *text = json_string_value(json_array_get(list, i));
    assert_non_null(text);
    return text;
}

static void check_corpus(const json_t *corpus, BleuTokens tokens)
{
    const json_t *pairs = json_object_get(corpus, "pairs");
    const json_t *words = json_object_get(json_object_get(corpus, "words"), token_names[tokens]);
    Bleu bleu = {.tokens = tokens};
    Chrf chrf = {0};
    assert_true(json_array_size(pairs) > 0);
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        StrBuf out = {0};
        bleu_tokenize(tokens, text_at(pair, 0), &out);
        assert_string_equal(out.text, text_at(words, i));
        strbuf_free(&out);
        bleu_add(&bleu, text_at(pair, 0), text_at(pair, 1));
        chrf_add(&chrf, text_at(pair, 0), text_at(pair, 1));
    }
    const json_t *wanted = json_object_get(json_object_get(corpus, "bleu"), token_names[tokens]);
    assert_close(bleu_score(&bleu).score, json_number_value(wanted), 1e-9);
    assert_close(chrf_score(&chrf), json_number_value(json_object_get(corpus, "chrf")), 1e-9);
}

static void words_and_scores_are_those_of_the_definitions(void **state)
{
    (void)state;
    json_t *corpora = read_scores();
    assert_true(json_array_size(corpora) >= 28);
    for (size_t i = 0; i < json_array_size(corpora); i++)
        for (BleuTokens tokens = BLEU_13A; tokens <= BLEU_CHARS; tokens++)
            check_corpus(json_array_get(corpora, i), tokens);
    json_decref(corpora);
}

static BleuScore bleu_of(const char *hypothesis, const char *reference)
{
    Bleu bleu = {.tokens = BLEU_13A};
    bleu_add(&bleu, hypothesis, reference);
    return bleu_score(&bleu);
}

static double chrf_of(const char *hypothesis, const char *reference)
{
    Chrf chrf = {0};
    chrf_add(&chrf, hypothesis, reference);
    return chrf_score(&chrf);
}

static void bleu_by_hand(void **state)
{
    (void)state;
    /* 3 of 4 words, 2 of 3 pairs, 1 of 2 triples, none of 1 counted as a half */
    BleuScore score = bleu_of("this is a fest", "this is a test");
    assert_close(score.precision[0], 75.0, 1e-12);
    assert_close(score.precision[1], 200.0 / 3.0, 1e-12);
    assert_close(score.precision[2], 50.0, 1e-12);
    assert_close(score.precision[3], 50.0, 1e-12);
    assert_close(score.score, 100.0 * pow(0.75 * 2.0 / 3.0 * 0.5 * 0.5, 0.25), 1e-9);
    /* two orders without a match: 1/2 of 2 triples, 1/4 of 1 four-gram */
    score = bleu_of("a b c d", "a b x c d");
    assert_close(score.precision[2], 25.0, 1e-12);
    assert_close(score.precision[3], 25.0, 1e-12);
    assert_close(score.brevity_penalty, exp(1.0 - 5.0 / 4.0), 1e-12);
    assert_close(bleu_of("a b c d e", "a b c d").brevity_penalty, 1.0, 0.0);
    assert_close(bleu_of("", "a").brevity_penalty, 0.0, 0.0);
}

static void chrf_by_hand(void **state)
{
    (void)state;
    /* "ab" against "ac": 1 of 2 characters, 0 of 1 pair: P = R = 1/4 */
    assert_close(chrf_of("ab", "ac"), 25.0, 1e-12);
    assert_close(chrf_of("a b", "ab"), 100.0, 1e-12);
    /* "abcd" against "ab": P = (2/4 + 1/3) / 2, R = 1; longer orders have no reference */
    double p = (0.5 + 1.0 / 3.0) / 2.0;
    assert_close(chrf_of("abcd", "ab"), 100.0 * 5.0 * p / (4.0 * p + 1.0), 1e-9);
    assert_close(chrf_of("", "x"), 0.0, 0.0);
    assert_close(chrf_of("x", ""), 0.0, 0.0);
}

static void sums_do_not_depend_on_the_order_of_sentences(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"the cat sat down", "the cat sat"}, {"a dog", "the dog ran away"}, {"", "nothing"}};
    Bleu forth = {0}, back = {0};
    Chrf chrf_forth = {0}, chrf_back = {0};
    for (size_t i = 0; i < 3; i++) {
        bleu_add(&forth, pairs[i][0], pairs[i][1]);
        bleu_add(&back, pairs[2 - i][0], pairs[2 - i][1]);
        chrf_add(&chrf_forth, pairs[i][0], pairs[i][1]);
        chrf_add(&chrf_back, pairs[2 - i][0], pairs[2 - i][1]);
    }
    assert_memory_equal(&forth, &back, sizeof forth);
    assert_memory_equal(&chrf_forth, &chrf_back, sizeof chrf_forth);
}

static void broken_text_is_scored(void **state)
{
    (void)state;
    assert_close(chrf_of("\xFF\xE2\x82", "\xFF\xE2\x82"), 100.0, 1e-12);
    assert_close(bleu_of("\xFF a b \xE2\x82", "\xFF a b \xE2\x82").score, 100.0, 1e-9);
}

static void signatures_name_the_tokenisation(void **state)
{
    (void)state;
    for (BleuTokens tokens = BLEU_13A; tokens <= BLEU_CHARS; tokens++)
        assert_non_null(strstr(bleu_signature(tokens), token_names[tokens]));
    assert_non_null(strstr(chrf_signature(), "nc:6"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_scores_are_those_of_the_definitions),
        cmocka_unit_test(bleu_by_hand),
        cmocka_unit_test(chrf_by_hand),
        cmocka_unit_test(sums_do_not_depend_on_the_order_of_sentences),
        cmocka_unit_test(broken_text_is_scored),
        cmocka_unit_test(signatures_name_the_tokenisation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
