#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "text/tokenizer.h"

static Tokenizer *small_tokenizer(void)
{
    TokenizerLearner *learner =
        tokenizer_learner_new(&(TokenizerSpec){.n_merges = 6, .fold = true});
    const char *text = "abc abc abd xbc. abc l'abc";
    tokenizer_learner_add(learner, text, strlen(text));
    return tokenizer_learner_finish(learner);
}

static json_t *small_json(void)
{
    Tokenizer *t = small_tokenizer();
    json_t *value = tokenizer_to_json(t);
    tokenizer_free(t);
    return value;
}

static void a_tokenizer_survives_json(void **state)
{
    (void)state;
    Error error = {0};
    Tokenizer *t = small_tokenizer();
    json_t *value = tokenizer_to_json(t);
    char *text = json_dumps(value, JSON_COMPACT);
    json_t *read = json_text_parse(text, strlen(text), "x", &error);
    assert_non_null(read);
    Tokenizer *u = tokenizer_from_json(read, "x", &error);
    assert_non_null(u);
    json_t *again = tokenizer_to_json(u);
    assert_true(json_equal(value, again));
    static const char *const texts[] = {"abc abd \u201cx\u201d", "l\u2019abc", "\u00f1 42"};
    for (size_t i = 0; i < 3; i++) {
        TokenList a = {0}, b = {0};
        tokenizer_encode(t, texts[i], strlen(texts[i]), &a);
        tokenizer_encode(u, texts[i], strlen(texts[i]), &b);
        assert_int_equal(a.n, b.n);
        for (size_t k = 0; k < a.n; k++)
            assert_int_equal(a.items[k].id, b.items[k].id);
        token_list_free(&a);
        token_list_free(&b);
    }
    free(text);
    json_decref(value);
    json_decref(read);
    json_decref(again);
    tokenizer_free(t);
    tokenizer_free(u);
}

static json_t *as_text(const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    json_t *string = json_string(text);
    free(text);
    return string;
}

static json_t *pieces_of(json_t *value)
{
    return json_object_get(value, "pieces");
}

static json_t *merges_of(json_t *value)
{
    return json_object_get(value, "merges");
}

static json_int_t first_merged(json_t *value)
{
    return 259 + json_integer_value(json_object_get(value, "letters"));
}

static json_int_t find(json_t *value, const char *raw)
{
    size_t i;
    json_t *piece;
    json_array_foreach(pieces_of(value), i,
                       piece) if (strcmp(json_string_value(piece), raw) == 0) return (json_int_t)i;
    fail_msg("no piece %s", raw);
    return -1;
}

static void set_piece(json_t *value, json_int_t i, json_t *piece)
{
    json_array_set_new(pieces_of(value), (size_t)i, piece);
}

static void set_merge(json_t *value, size_t i, json_int_t left, json_int_t right)
{
    json_array_set_new(merges_of(value), i, json_pack("[II]", left, right));
}

static void wrong_type(json_t *value)
{
    json_object_set_new(value, "type", json_string("words"));
}

static void no_type(json_t *value)
{
    json_object_del(value, "type");
}

static void wrong_version(json_t *value)
{
    json_object_set_new(value, "version", json_integer(2));
}

static void no_pieces(json_t *value)
{
    json_object_del(value, "pieces");
}

static void merges_no_array(json_t *value)
{
    json_object_set_new(value, "merges", json_string("a b"));
}

static void too_many_letters(json_t *value)
{
    json_object_set_new(value, "letters", json_integer(1000));
}

static void negative_letters(json_t *value)
{
    json_object_set_new(value, "letters", json_integer(-1));
}

static void few_pieces(json_t *value)
{
    while (json_array_size(pieces_of(value)) > 100)
        json_array_remove(pieces_of(value), 100);
}

static void special_renamed(json_t *value)
{
    set_piece(value, 1, json_string("<S>"));
}

static void byte_is_number(json_t *value)
{
    set_piece(value, 50, json_integer(7));
}

static void piece_empty(json_t *value)
{
    set_piece(value, 262, json_string(""));
}

static void piece_long(json_t *value)
{
    char text[TOKENIZER_MAX_PIECE_BYTES + 2];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    set_piece(value, 262, json_string(text));
}

static void letter_long(json_t *value)
{
    set_piece(value, 262, json_string("ab"));
}

static void letter_twice(json_t *value)
{
    set_piece(value, 263, json_string("!"));
}

static void mark_missing(json_t *value)
{
    set_piece(value, 260, json_string("\u00fc"));
}

static void merge_of_one(json_t *value)
{
    json_array_set_new(merges_of(value), 1, json_pack("[i]", 300));
}

static void merge_of_strings(json_t *value)
{
    json_array_set_new(merges_of(value), 1, json_pack("[ss]", "a", "b"));
}

static void merge_of_itself(json_t *value)
{
    set_merge(value, 0, first_merged(value), find(value, "b"));
}

static void merge_of_a_later_piece(json_t *value)
{
    set_merge(value, 0, first_merged(value) + 1, find(value, "b"));
}

static void merge_of_special(json_t *value)
{
    set_merge(value, 0, 1, find(value, "b"));
}

static void merge_of_byte(json_t *value)
{
    set_merge(value, 0, 3 + 'a', find(value, "b"));
}

static void merge_negative(json_t *value)
{
    set_merge(value, 0, -5, find(value, "b"));
}

static void merge_twice(json_t *value)
{
    json_array_set(merges_of(value), 1, json_array_get(merges_of(value), 0));
}

static void merge_with_mark_inside(json_t *value)
{
    set_merge(value, 0, find(value, "b"), find(value, "\u2581"));
}

static void merge_after_binding_mark(json_t *value)
{
    set_merge(value, 0, find(value, "\u2040"), find(value, "b"));
}

static void merge_makes_another(json_t *value)
{
    set_merge(value, 0, find(value, "x"), find(value, "y"));
}

static void merge_missing(json_t *value)
{
    json_array_remove(merges_of(value), json_array_size(merges_of(value)) - 1);
}

static void piece_missing(json_t *value)
{
    json_array_remove(pieces_of(value), json_array_size(pieces_of(value)) - 1);
}

/* "<" "s" ">" by two merges would be the special piece. */
static void merges_make_special(json_t *value)
{
    json_int_t at = first_merged(value);
    json_array_clear(merges_of(value));
    while (json_array_size(pieces_of(value)) > (size_t)at)
        json_array_remove(pieces_of(value), (size_t)at);
    json_array_append_new(pieces_of(value), json_string("s>"));
    json_array_append_new(merges_of(value), json_pack("[II]", find(value, "s"), find(value, ">")));
    json_array_append_new(merges_of(value), json_pack("[II]", find(value, "<"), at));
}

static void piece_grows_too_long(json_t *value)
{
    json_int_t at = first_merged(value);
    json_array_clear(merges_of(value));
    while (json_array_size(pieces_of(value)) > (size_t)at)
        json_array_remove(pieces_of(value), (size_t)at);
    StrBuf raw = {0};
    strbuf_add(&raw, "a");
    json_int_t left = find(value, "a");
    for (int i = 0; i < 10; i++, left = at++) {
        char *half = strbuf_take(&raw);
        strbuf_add(&raw, half);
        strbuf_add(&raw, half);
        free(half);
        json_array_append_new(pieces_of(value), json_string(raw.text));
        json_array_append_new(merges_of(value), json_pack("[II]", left, left));
    }
    strbuf_free(&raw);
}

typedef struct Wrong {
    void (*change)(json_t *value);
    const char *message;
} Wrong;

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    static const Wrong cases[] = {
        {wrong_type, "type \"words\", expected \"bpe\""},
        {no_type, "type \"\", expected \"bpe\""},
        {wrong_version, "version 2, this program reads 1"},
        {no_pieces, "\"pieces\" is"},
        {merges_no_array, "\"merges\" is a string, expected a list"},
        {too_many_letters, "1000 letters among"},
        {negative_letters, "-1 letters among"},
        {few_pieces, "letters among 100 pieces"},
        {special_renamed, "piece 1 is \"<S>\", expected \"<s>\""},
        {byte_is_number, "piece 50 is a number, expected a string"},
        {piece_empty, "piece 262 has 0 bytes, expected 1 to 640"},
        {piece_long, "piece 262 has 641 bytes, expected 1 to 640"},
        {letter_long, "piece 262 \"ab\" is not one character"},
        {letter_twice, "piece 263 \"!\" is there twice"},
        {mark_missing, "the mark U+203F is no letter"},
        {merge_of_one, "merge 1 is a list, expected a list of two ids"},
        {merge_of_strings, "merge 1 joins piece 0, expected one of the"},
        {merge_of_itself, "known by then"},
        {merge_of_a_later_piece, "known by then"},
        {merge_of_special, "merge 0 joins piece 1, expected"},
        {merge_of_byte, "merge 0 joins piece 100, expected"},
        {merge_negative, "merge 0 joins piece -5, expected"},
        {merge_twice, "is there twice"},
        {merge_with_mark_inside, "merge 0 makes no piece of \"b\" and"},
        {merge_after_binding_mark, "merge 0 makes no piece of"},
        {merge_makes_another, "merge 0 makes \"xy\", but piece"},
        {merge_missing, "no merge makes piece"},
        {piece_missing, "which is no piece"},
        {merges_make_special, "merge 1 makes the special \"<s>\""},
        {piece_grows_too_long, "merge 9 makes no piece of"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Error error = {0};
        json_t *value = small_json();
        cases[i].change(value);
        Tokenizer *t = tokenizer_from_json(value, "file.json", &error);
        assert_refused(t, cases[i].message);
        json_t *text = as_text(value);
        error_clear(&error);
        t = tokenizer_from_json(text, "file.json", &error);
        assert_refused(t, cases[i].message);
        json_decref(text);
        json_decref(value);
    }
}

/* Whether the text is walked or, with its members in another order, given to jansson. */
static void text_and_values_make_the_same_tokenizer(void **state)
{
    (void)state;
    json_t *value = small_json(), *sorted = json_string("");
    char *text = json_dumps(value, JSON_SORT_KEYS | JSON_INDENT(1));
    json_string_set(sorted, text);
    json_t *const forms[] = {as_text(value), sorted};
    for (size_t i = 0; i < 2; i++) {
        Error error = {0};
        Tokenizer *t = tokenizer_from_json(forms[i], "x", &error);
        assert_non_null(t);
        json_t *again = tokenizer_to_json(t);
        assert_true(json_equal(again, value));
        json_decref(again);
        json_decref(forms[i]);
        tokenizer_free(t);
    }
    free(text);
    json_decref(value);
}

static void text_that_is_cut_off_anywhere_is_refused(void **state)
{
    (void)state;
    json_t *value = small_json();
    char *text = json_dumps(value, JSON_COMPACT);
    for (size_t n = 0; n < strlen(text); n++) {
        Error error = {0};
        json_t *part = json_stringn_nocheck(text, n);
        assert_refused(tokenizer_from_json(part, "x", &error), "x: tokenizer: ");
        json_decref(part);
    }
    free(text);
    json_decref(value);
}

static void other_values_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"null", "[]", "3", "\"bpe\"", "{}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        Error error = {0};
        json_t *value = json_loads(texts[i], JSON_DECODE_ANY, NULL);
        assert_refused(tokenizer_from_json(value, "x", &error), "x: tokenizer: ");
        json_decref(value);
    }
    Error error = {0};
    assert_refused(tokenizer_from_json(NULL, "x", &error), "x: tokenizer: ");
}

static void too_many_pieces_are_refused(void **state)
{
    (void)state;
    Error error = {0};
    json_t *value = small_json();
    json_t *pieces = json_array();
    json_t *one = json_string("a");
    for (int i = 0; i <= TOKENIZER_MAX_PIECES; i++)
        json_array_append(pieces, one);
    json_object_set_new(value, "pieces", pieces);
    assert_refused(tokenizer_from_json(value, "x", &error), "at most 1048576 are read");
    json_decref(one);
    json_decref(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tokenizer_survives_json),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(text_and_values_make_the_same_tokenizer),
        cmocka_unit_test(text_that_is_cut_off_anywhere_is_refused),
        cmocka_unit_test(other_values_are_refused),
        cmocka_unit_test(too_many_pieces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
