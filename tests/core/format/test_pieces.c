#include "format/pieces.h"

#include <string.h>

#include "testing.h"

#define MAX 12
enum {
    C = TRACE_TOKEN_CONTINUES,
    S = TRACE_TOKEN_SPECIAL,
    P = TRACE_TOKEN_PADDING,
    U = TRACE_TOKEN_UNKNOWN
};

typedef struct Case {
    PiecesStyle style;
    const char *tokens[MAX]; /* up to the first NULL */
    const char *labels[MAX];
    uint8_t flags[MAX];
    const char *text;
} Case;

static const Case CASES[] = {
    {PIECES_WORDS, {"the", "house", "."}, {"the", "house", "."}, {0}, "the house ."},
    {PIECES_SENTENCEPIECE,
     {"<s>", "\u2581un", "believ", "able", "\u2581house", ".", "</s>"},
     {"<s>", "un", "believ", "able", "house", ".", "</s>"},
     {S, 0, C, C, 0, C, S},
     "unbelievable house."},
    {PIECES_SENTENCEPIECE, /* a mark alone stays, and its word goes on */
     {"\u2581", "x", "\u2581y"},
     {"\u2581", "x", "y"},
     {0, C, 0},
     "\u2581x y"},
    {PIECES_SENTENCEPIECE, /* bytes that had no piece of their own */
     {"\u2581a", "<0xE2>", "<0x82>", "<0xAC>", "<0xFF>"},
     {"a", "\u20AC", "", "", "\\xFF"},
     {0, C, C, C, C},
     "a\u20AC\\xFF"},
    {PIECES_SENTENCEPIECE, /* no words where no spaces are written */
     {"\u2581\u6211", "\u559C\u6B22", "ok", "ay", "\u732B"},
     {"\u6211", "\u559C\u6B22", "ok", "ay", "\u732B"},
     {0, 0, 0, C, 0},
     "\u6211\u559C\u6B22okay\u732B"},
    {PIECES_BYTE_LEVEL,
     {"The", "\u0120hou", "se", "\u0120caf", "\u00C3\u00A9", "\u010A"},
     {"The", "hou", "se", "caf", "\u00E9", "\n"},
     {0, 0, C, 0, C, 0},
     "The house caf\u00E9 \n"},
    {PIECES_BYTE_LEVEL, /* U+1F600 in two pieces; then half a character before a new word */
     {"\u0120", "\u00F0\u0141\u013A", "\u0122", "\u0120\u00E2\u0124", "\u0120x"},
     {" ", "\U0001F600", "", "\\xE2\\x82", "x"},
     {0, C, C, 0, 0},
     " \U0001F600 \\xE2\\x82 x"},
    {PIECES_BYTE_LEVEL, /* Chinese has no space that would mark it */
     {"\u00E6\u012A", "\u0133", "\u00E7\u012E\u00AB", "<|endoftext|>"},
     {"\u6211", "", "\u732B", "<|endoftext|>"},
     {0, C, 0, S},
     "\u6211\u732B"},
    {PIECES_WORDS, /* letters that could be spelled bytes, but make no text */
     {"\u00E9t\u00E9", "ku\u0107a", "R\u012Bga", "\u00C3"},
     {"\u00E9t\u00E9", "ku\u0107a", "R\u012Bga", "\u00C3"},
     {0},
     "\u00E9t\u00E9 ku\u0107a R\u012Bga \u00C3"},
    {PIECES_SENTENCEPIECE, /* nothing but bytes */
     {"<0xE2>", "<0x82>", "<0xAC>"},
     {"\u20AC", "", ""},
     {0, C, C},
     "\u20AC"},
    {PIECES_WORDPIECE,
     {"[CLS]", "un", "##believ", "##able", "##", "[SEP]", "[PAD]"},
     {"[CLS]", "un", "believ", "able", "##", "[SEP]", "[PAD]"},
     {S, 0, C, C, 0, S, P},
     "unbelievable ##"},
    {PIECES_SUBWORD_NMT,
     {"un@@", "believ@@", "able", "house", "@@"},
     {"un", "believ", "able", "house", "@@"},
     {0, C, C, 0, 0},
     "unbelievable house @@"},
    {PIECES_END_OF_WORD,
     {"un", "able</w>", "<unk>", "x</w>", "y"},
     {"un", "able", "<unk>", "x", "y"},
     {0, C, U, 0, 0},
     "unable <unk> x y"},
    {PIECES_WORDS,
     {"<|endoftext|>", "<EOS>", "<b>", "<||>"},
     {"<|endoftext|>", "<EOS>", "<b>", "<||>"},
     {S, S, 0, 0},
     "<b> <||>"},
    {PIECES_WORDS,
     {"a\xFF", "\xE2\x82", "\xAC"},
     {"a\\xFF", "\\xE2\\x82", "\\xAC"},
     {0},
     "a\\xFF \\xE2\\x82 \\xAC"},
};

static void marks_become_flags_and_labels_become_readable(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        const Case *test = &CASES[c];
        int32_t n = 0;
        while (n < MAX && test->tokens[n])
            n++;
        Pieces pieces;
        pieces_init(&pieces, test->tokens, n);
        assert_int_equal(pieces.style, test->style);
        for (int32_t i = 0; i < n; i++) {
            assert_string_equal(pieces.labels[i], test->labels[i]);
            if (pieces.flags[i] != test->flags[i])
                fail_msg("case %zu, token %d: flags %d", c, i, pieces.flags[i]);
        }
        assert_string_equal(pieces.text, test->text);
        for (int32_t i = 0; i < n; i++) {
            TraceSpan span = pieces.spans[i];
            size_t length = (size_t)(span.end - span.begin);
            bool hidden = pieces.flags[i] & (S | P);
            assert_int_equal(length, hidden ? 0 : strlen(pieces.labels[i]));
            assert_memory_equal(pieces.text + span.begin, pieces.labels[i], length);
        }
        pieces_deinit(&pieces);
    }
}

static void tokens_that_are_not_in_the_file_are_added(void **state)
{
    (void)state;
    const char *tokens[] = {"a", "b"};
    Pieces pieces;
    pieces_init(&pieces, tokens, 2);
    pieces_append_special(&pieces, "</s>", S);
    pieces_prepend_special(&pieces, "<s>", S);
    assert_int_equal(pieces.n, 4);
    assert_string_equal(pieces.labels[0], "<s>");
    assert_string_equal(pieces.labels[1], "a");
    assert_string_equal(pieces.labels[3], "</s>");
    assert_int_equal(pieces.flags[3], S);
    assert_int_equal(pieces.spans[0].end, 0);
    assert_int_equal(pieces.spans[2].end, 3);
    assert_int_equal(pieces.spans[3].begin, 3);
    pieces_deinit(&pieces);
    pieces_init(&pieces, NULL, 0);
    assert_string_equal(pieces.text, "");
    pieces_deinit(&pieces);
}

/* Every byte spelled the byte-level way comes back as itself. */
static void every_byte_has_its_spelling(void **state)
{
    (void)state;
    for (int high = 0xC2; high <= 0xDF; high++) {
        for (int low = 0x80; low <= 0xBF; low++) {
            /* Spelled as bytes_to_unicode does: printable bytes are themselves. */
            uint32_t first = (uint32_t)high;
            uint32_t second = low >= 174 || (low >= 161 && low <= 172) ? (uint32_t)low
                              : low == 173                             ? 323
                                           : (uint32_t)(low - 127 + 289);
            char spelled[16] = {0}, wanted[3] = {(char)high, (char)low, 0};
            unsigned char *p = (unsigned char *)spelled;
            *p++ = (unsigned char)(0xC0 | first >> 6);
            *p++ = (unsigned char)(0x80 | (first & 63));
            *p++ = (unsigned char)(0xC0 | second >> 6);
            *p++ = (unsigned char)(0x80 | (second & 63));
            const char *tokens[] = {spelled, "\u0120x"};
            Pieces pieces;
            pieces_init(&pieces, tokens, 2);
            assert_string_equal(pieces.labels[0], wanted);
            pieces_deinit(&pieces);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_become_flags_and_labels_become_readable),
        cmocka_unit_test(tokens_that_are_not_in_the_file_are_added),
        cmocka_unit_test(every_byte_has_its_spelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
