#include "screen/note_words.h"

#include <stdlib.h>

#include "testing.h"

static void said(Language language, const char *note, const char *expected)
{
    StrBuf out = {0};
    note_say(language, note, &out);
    assert_string_equal(out.text, expected);
    strbuf_free(&out);
}

static void notes_stay_as_they_are_in_english(void **state)
{
    (void)state;
    said(LANGUAGE_ENGLISH, "source: 3 tokens for 4 columns; the end mark has none",
         "source: 3 tokens for 4 columns; the end mark has none");
    said(LANGUAGE_ENGLISH, "", "");
}

static void notes_are_said_in_chinese_with_what_stood_in_their_places(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"attn [2, 12, 7, 9] taken as layer, head, target, source",
         "attn [2, 12, 7, 9] 按 层, 头, 目标端, 源端 理解"},
        {"layer.0 [4, 7, 7] and 11 more like it taken as layer, head, target, source; rows and "
         "columns both sum to one, so the order is a guess",
         "layer.0 [4, 7, 7] 及另外 11 个同类数组，按 层, 头, 目标端, 源端 理解；"
         "行和与列和都为 1，行列方向是猜测"},
        {"x [3] taken as source; does not look like attention: values below zero, taken as scores",
         "x [3] 按 源端 理解；看来不是注意力：有负值，按分数显示"},
        {"target: 9 tokens for 10 rows; taken as the sentence and its end mark",
         "目标端：9 个词元对 10 个行；理解为句子加句末符"},
        {"token: 13 tokens do not fit 12 rows and columns, so these are numbered. Are the tokens "
         "of another sentence, or counted in words where the model has pieces?",
         "词元：13 个词元与 12 个行列不符，故以编号显示。词元是否属于另一句，或按词而非子词计数？"},
        {"source: pieces of byte-level BPE, marks taken off",
         "源端：byte-level BPE 子词，已去掉标记"},
        {"no tokens of the source and the target were found; they can stand beside the file, in "
         ".src and .tgt or .tokens.json",
         "没有找到源端与目标端的词元；词元可放在同名的 .src、.tgt 或 .tokens.json 文件中"},
        {"left out: labels.npy: complex numbers (<c8); save a.real or abs(a) instead",
         "未读入：labels.npy: complex numbers (<c8)；save a.real or abs(a) instead"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        said(LANGUAGE_CHINESE, cases[i][0], cases[i][1]);
}

static void what_is_in_no_pattern_is_shown_as_it_is(void **state)
{
    (void)state;
    said(LANGUAGE_CHINESE, "", "");
    said(LANGUAGE_CHINESE, ": ", ": ");
    said(LANGUAGE_CHINESE, "a 100% new note: of 2", "a 100% new note: of 2");
}

static void a_place_has_its_axes_by_their_names(void **state)
{
    (void)state;
    StrBuf out = {0};
    note_say_place(LANGUAGE_CHINESE, "layer 1, head 2, target 3 (maison)", &out);
    assert_string_equal(out.text, "层 1，头 2，目标端 3 (maison)");
    strbuf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_stay_as_they_are_in_english),
        cmocka_unit_test(notes_are_said_in_chinese_with_what_stood_in_their_places),
        cmocka_unit_test(what_is_in_no_pattern_is_shown_as_it_is),
        cmocka_unit_test(a_place_has_its_axes_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
