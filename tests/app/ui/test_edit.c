#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/utf8.h"
#include "ui/edit.h"

#define FAMILY  "👨‍👩‍👧"
#define E_ACUTE "e\xCC\x81"

static Edit *edit_with(EditMode mode, const char *text)
{
    Error error = {0};
    Edit *edit = edit_new(mode, 100000);
    assert_ok(edit_reset(edit, text, &error));
    return edit;
}

static void type(Edit *edit, const char *text)
{
    Error error = {0};
    assert_ok(edit_type(edit, text, &error));
}

/* Letter by letter, as a person types. */
static void type_letters(Edit *edit, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n;) {
        size_t next = utf8_next_grapheme(text, n, i);
        char *letter = memory_copy_bytes(text + i, next - i);
        type(edit, letter);
        free(letter);
        i = next;
    }
}

static void assert_selection(const Edit *edit, size_t start, size_t end)
{
    EditRange range = edit_selection(edit);
    assert_int_equal(range.start, start);
    assert_int_equal(range.end, end);
}

static void typing_puts_text_at_the_caret(void **state)
{
    (void)state;
    Edit *edit = edit_new(EDIT_ONE_LINE, 100);
    type_letters(edit, "green aple");
    for (int i = 0; i < 3; i++)
        edit_move(edit, EDIT_PREVIOUS, false);
    type(edit, "p");
    assert_string_equal(edit_text(edit), "green apple");
    assert_int_equal(edit_caret(edit), 8);
    edit_free(edit);
}

static void the_caret_moves_by_what_a_person_takes_for_a_letter(void **state)
{
    (void)state;
    static const char *const letters[] = {"a",   E_ACUTE, FAMILY, "苹",
                                          "क्षि", "🇫🇷",    "لا",   "\xE2\x80\x8D"};
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        size_t n = strlen(letters[i]);
        Edit *edit = edit_with(EDIT_ONE_LINE, letters[i]);
        size_t steps = 0;
        for (; edit_caret(edit) > 0; steps++)
            edit_move(edit, EDIT_PREVIOUS, false);
        size_t graphemes = 0;
        for (size_t at = 0; at < n; graphemes++)
            at = utf8_next_grapheme(letters[i], n, at);
        assert_int_equal(steps, graphemes);
        edit_free(edit);
    }
    Edit *edit = edit_with(EDIT_ONE_LINE, "x" FAMILY "y");
    edit_place(edit, 1, false);
    edit_move(edit, EDIT_NEXT, false);
    assert_int_equal(edit_caret(edit), 1 + strlen(FAMILY));
    assert_true(edit_delete(edit, EDIT_PREVIOUS));
    assert_string_equal(edit_text(edit), "xy");
    edit_free(edit);
}

static void the_caret_is_never_inside_a_letter(void **state)
{
    (void)state;
    Edit *edit = edit_with(EDIT_ONE_LINE, "a" FAMILY "b");
    for (size_t i = 0; i <= edit_length(edit) + 5; i++) {
        edit_place(edit, i, false);
        size_t caret = edit_caret(edit);
        assert_true(caret == 0 || caret == 1 || caret == 1 + strlen(FAMILY) ||
                    caret == edit_length(edit));
    }
    edit_free(edit);
}

static void letters_that_a_deletion_joins_keep_the_caret_outside(void **state)
{
    (void)state;
    /* An accent behind a newline is a letter of its own until the newline goes. */
    Edit *edit = edit_with(EDIT_LINES, "e\n\xCC\x81x");
    edit_place(edit, 2, false);
    assert_true(edit_delete(edit, EDIT_PREVIOUS));
    assert_string_equal(edit_text(edit), E_ACUTE "x");
    assert_int_equal(edit_caret(edit), strlen(E_ACUTE));
    assert_true(edit_undo(edit));
    assert_string_equal(edit_text(edit), "e\n\xCC\x81x");
    edit_free(edit);
}

/* The stops of a motion as bars in the text. */
static void mark_stops(const char *text, EditMotion motion, StrBuf *out)
{
    Edit *edit = edit_with(EDIT_LINES, text);
    size_t n = edit_length(edit);
    bool *stops = memory_new(n + 1, sizeof *stops);
    edit_place(edit, motion == EDIT_WORD_END ? 0 : n, false);
    for (size_t before = n + 1; before != edit_caret(edit);) {
        before = edit_caret(edit);
        edit_move(edit, motion, false);
        stops[edit_caret(edit)] = true;
    }
    for (size_t i = 0; i <= n; i++) {
        if (stops[i])
            strbuf_add_char(out, '|');
        if (i < n)
            strbuf_add_char(out, text[i]);
    }
    free(stops);
    edit_free(edit);
}

/* `marked` is a text with a bar wherever the motion stops. */
static void check_stops(const char *marked, EditMotion motion)
{
    StrBuf plain = {0};
    StrBuf found = {0};
    for (const char *at = marked; *at; at++)
        if (*at != '|')
            strbuf_add_char(&plain, *at);
    mark_stops(plain.text, motion, &found);
    assert_string_equal(found.text, marked);
    strbuf_free(&plain);
    strbuf_free(&found);
}

static void words_end_where_a_person_sees_their_end(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "She| is| eating|.|", "don't| stop|",    "  two|   spaces|  |", "snake_case| x1|",
        "我吃苹果|。|",       "word|苹果|word|", "a|\n\n b|",           "هي| تأكل|",
        "'|quoted|'|",        "3|.|14| is| π|",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_stops(cases[i], EDIT_WORD_END);
}

static void words_start_where_a_person_sees_their_start(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "|She |is |eating|.", "|don't |stop", "|  |two   |spaces  ", "|我吃苹果|。", "|a\n\n |b",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_stops(cases[i], EDIT_WORD_START);
}

static void clicks_select_words_and_lines(void **state)
{
    (void)state;
    Edit *edit = edit_with(EDIT_LINES, "one two\n三四 five");
    edit_select(edit, edit_word_at(edit, 5));
    assert_selection(edit, 4, 7);
    edit_select(edit, edit_word_at(edit, 7)); /* behind the line's last letter */
    assert_selection(edit, 4, 7);
    edit_select(edit, edit_word_at(edit, 8));
    assert_selection(edit, 8, 14);
    edit_select(edit, edit_word_at(edit, 1000));
    assert_selection(edit, 15, 19);
    edit_select(edit, edit_line_at(edit, 2));
    assert_selection(edit, 0, 8);
    edit_select(edit, edit_line_at(edit, 9));
    assert_selection(edit, 8, 19);
    edit_select_all(edit);
    assert_selection(edit, 0, 19);
    edit_free(edit);
    edit = edit_with(EDIT_LINES, "");
    edit_select(edit, edit_word_at(edit, 0));
    edit_select(edit, edit_line_at(edit, 3));
    assert_selection(edit, 0, 0);
    edit_free(edit);
}

static void a_move_leaves_a_selection_at_its_side(void **state)
{
    (void)state;
    Edit *edit = edit_with(EDIT_ONE_LINE, "abcdef");
    edit_select(edit, (EditRange){2, 4});
    edit_move(edit, EDIT_PREVIOUS, false);
    assert_selection(edit, 2, 2);
    edit_select(edit, (EditRange){2, 4});
    edit_move(edit, EDIT_NEXT, false);
    assert_selection(edit, 4, 4);
    edit_move(edit, EDIT_LINE_START, true);
    assert_selection(edit, 0, 4);
    assert_int_equal(edit_caret(edit), 0);
    edit_free(edit);
}

static void typing_and_deleting_take_the_selection(void **state)
{
    (void)state;
    Edit *edit = edit_with(EDIT_ONE_LINE, "a red apple");
    edit_select(edit, (EditRange){2, 5});
    type(edit, "green");
    assert_string_equal(edit_text(edit), "a green apple");
    edit_select(edit, (EditRange){0, 2});
    assert_true(edit_delete(edit, EDIT_NEXT));
    assert_string_equal(edit_text(edit), "green apple");
    assert_false(edit_delete(edit, EDIT_PREVIOUS));
    edit_move(edit, EDIT_TEXT_END, false);
    assert_true(edit_delete(edit, EDIT_WORD_START));
    assert_string_equal(edit_text(edit), "green ");
    edit_move(edit, EDIT_TEXT_START, false);
    assert_true(edit_delete(edit, EDIT_WORD_END));
    assert_string_equal(edit_text(edit), " ");
    edit_free(edit);
}

static void typing_is_undone_by_words_and_deleting_as_one(void **state)
{
    (void)state;
    Edit *edit = edit_new(EDIT_ONE_LINE, 100);
    type_letters(edit, "She is eating");
    assert_true(edit_undo(edit));
    assert_string_equal(edit_text(edit), "She is ");
    assert_true(edit_undo(edit));
    assert_string_equal(edit_text(edit), "She ");
    assert_true(edit_redo(edit));
    assert_true(edit_redo(edit));
    assert_false(edit_redo(edit));
    assert_string_equal(edit_text(edit), "She is eating");
    for (int i = 0; i < 6; i++)
        assert_true(edit_delete(edit, EDIT_PREVIOUS));
    assert_string_equal(edit_text(edit), "She is ");
    assert_true(edit_undo(edit));
    assert_string_equal(edit_text(edit), "She is eating");
    edit_move(edit, EDIT_TEXT_START, false);
    for (int i = 0; i < 4; i++)
        assert_true(edit_delete(edit, EDIT_NEXT));
    assert_true(edit_undo(edit));
    assert_string_equal(edit_text(edit), "She is eating");
    assert_int_equal(edit_caret(edit), 0);
    edit_free(edit);
}

static void a_move_or_a_pause_ends_an_undo_step(void **state)
{
    (void)state;
    Edit *edit = edit_new(EDIT_ONE_LINE, 100);
    type_letters(edit, "ab");
    edit_end_step(edit);
    type_letters(edit, "cd");
    edit_place(edit, 4, false);
    type_letters(edit, "ef");
    assert_true(edit_undo(edit));
    assert_string_equal(edit_text(edit), "abcd");
    assert_true(edit_undo(edit));
    assert_string_equal(edit_text(edit), "ab");
    type(edit, "x");
    assert_false(edit_can_redo(edit));
    assert_string_equal(edit_text(edit), "abx");
    edit_free(edit);
}

static void undo_restores_the_selection_that_a_change_took(void **state)
{
    (void)state;
    Edit *edit = edit_with(EDIT_ONE_LINE, "a red apple");
    edit_select(edit, (EditRange){2, 5});
    type_letters(edit, "green");
    assert_true(edit_undo(edit));
    assert_string_equal(edit_text(edit), "a red apple");
    assert_selection(edit, 2, 5);
    assert_true(edit_redo(edit));
    assert_string_equal(edit_text(edit), "a green apple");
    assert_int_equal(edit_caret(edit), 7);
    edit_free(edit);
}

static void what_would_be_too_long_is_refused_whole(void **state)
{
    (void)state;
    Error error = {0};
    Edit *edit = edit_new(EDIT_ONE_LINE, 8);
    assert_ok(edit_type(edit, "12345678", &error));
    assert_refused(edit_type(edit, "9", &error), "9 bytes long, and there is room for 8");
    edit_select(edit, (EditRange){2, 4});
    assert_refused(edit_insert(edit, "苹", &error), "nothing was changed");
    assert_string_equal(edit_text(edit), "12345678");
    assert_selection(edit, 2, 4);
    assert_ok(edit_insert(edit, "xy", &error));
    assert_string_equal(edit_text(edit), "12xy5678");
    assert_refused(edit_reset(edit, "123456789", &error), "9 bytes");
    assert_string_equal(edit_text(edit), "12xy5678");
    assert_true(edit_undo(edit));
    assert_string_equal(edit_text(edit), "12345678");
    edit_free(edit);
}

static void bad_bytes_and_line_ends_are_cleaned(void **state)
{
    (void)state;
    static const char dirty[] = "a\r\nb\rc\nd\xE2\x80\xA8"
                                "e\xC2\x85"
                                "f\xFFg\xE4\xB8h\ti";
    Edit *lines = edit_with(EDIT_LINES, dirty);
    assert_string_equal(edit_text(lines),
                        "a\nb\nc\nd\ne\nf\xEF\xBF\xBDg\xEF\xBF\xBD\xEF\xBF\xBDh\ti");
    edit_free(lines);
    Edit *line = edit_with(EDIT_ONE_LINE, dirty);
    assert_string_equal(edit_text(line), "a b c d e f\xEF\xBF\xBDg\xEF\xBF\xBD\xEF\xBF\xBDh\ti");
    edit_free(line);
}

static void a_composition_is_seen_but_is_no_part_of_the_text(void **state)
{
    (void)state;
    Edit *edit = edit_with(EDIT_ONE_LINE, "吃果");
    edit_place(edit, 3, false);
    edit_compose(edit, "ping guo", 4);
    assert_true(edit_is_composing(edit));
    EditShown shown = edit_shown(edit);
    assert_string_equal(shown.text, "吃ping guo果");
    assert_int_equal(shown.caret, 7);
    assert_int_equal(shown.composition.start, 3);
    assert_int_equal(shown.composition.end, 11);
    assert_string_equal(edit_text(edit), "吃果");
    type(edit, "苹");
    assert_false(edit_is_composing(edit));
    assert_string_equal(edit_shown(edit).text, "吃苹果");
    /* Over a selection, which stays until something is typed. */
    edit_select(edit, (EditRange){0, 3});
    edit_compose(edit, "chi", 100);
    assert_string_equal(edit_shown(edit).text, "chi苹果");
    edit_compose(edit, "", 0);
    assert_string_equal(edit_shown(edit).text, "吃苹果");
    assert_selection(edit, 0, 3);
    /* A click while composing ends it. */
    edit_compose(edit, "x", 1);
    edit_place(edit, 6, false);
    assert_false(edit_is_composing(edit));
    assert_string_equal(edit_shown(edit).text, "吃苹果");
    edit_free(edit);
}

typedef struct Board {
    StrBuf text[2];
} Board;

static void board_get(void *context, ClipKind kind, StrBuf *out)
{
    const StrBuf *text = &((Board *)context)->text[kind];
    strbuf_add_bytes(out, text->text, text->length);
}

static void board_set(void *context, ClipKind kind, const char *text)
{
    StrBuf *to = &((Board *)context)->text[kind];
    strbuf_clear(to);
    strbuf_add(to, text);
}

static void the_clipboard_takes_and_gives(void **state)
{
    (void)state;
    Error error = {0};
    Board board = {0};
    Clipboard clipboard = {&board, board_get, board_set};
    Edit *edit = edit_with(EDIT_ONE_LINE, "a green apple");
    assert_false(edit_copy(edit, &clipboard));
    assert_ok(edit_paste(edit, &clipboard, CLIP_COPIED, &error));
    edit_select(edit, (EditRange){2, 8});
    assert_true(edit_cut(edit, &clipboard));
    assert_string_equal(edit_text(edit), "a apple");
    edit_move(edit, EDIT_TEXT_END, false);
    assert_ok(edit_paste(edit, &clipboard, CLIP_COPIED, &error));
    assert_string_equal(edit_text(edit), "a applegreen ");
    assert_true(edit_undo(edit));
    assert_true(edit_undo(edit));
    assert_string_equal(edit_text(edit), "a green apple");
    board_set(&board, CLIP_COPIED, "two\nlines");
    edit_select_all(edit);
    assert_ok(edit_paste(edit, &clipboard, CLIP_COPIED, &error));
    assert_string_equal(edit_text(edit), "two lines");
    edit_free(edit);
    strbuf_free(&board.text[0]);
    strbuf_free(&board.text[1]);
}

static void a_long_history_forgets_its_oldest_steps_only(void **state)
{
    (void)state;
    Error error = {0};
    enum { PIECE = 1 << 18, N = 40 };
    char *piece = memory_new(PIECE + 1, 1);
    Edit *edit = edit_new(EDIT_ONE_LINE, (size_t)PIECE * 2);
    for (int i = 0; i < N; i++) {
        memset(piece, 'a' + i % 26, PIECE);
        edit_select_all(edit);
        assert_ok(edit_insert(edit, piece, &error));
    }
    int undone = 0;
    while (edit_undo(edit)) {
        undone++;
        assert_int_equal(edit_length(edit), undone < N ? PIECE : 0);
        if (undone < N)
            assert_int_equal(edit_text(edit)[PIECE - 1], 'a' + (N - 1 - undone) % 26);
    }
    assert_in_range(undone, 3, N - 1);
    free(piece);
    edit_free(edit);
}

static void a_version_changes_with_the_text_alone(void **state)
{
    (void)state;
    Edit *edit = edit_with(EDIT_ONE_LINE, "abc");
    uint64_t version = edit_version(edit);
    edit_move(edit, EDIT_TEXT_START, true);
    edit_compose(edit, "x", 1);
    edit_compose(edit, "", 0);
    assert_true(edit_version(edit) == version);
    type(edit, "z");
    assert_true(edit_version(edit) != version);
    edit_free(edit);
}

/* Random hands on the keyboard. */

static const char *const pieces[] = {
    "a",
    "b c",
    " ",
    "\n",
    "\r\n",
    "e\xCC\x81",
    "\xCC\x81",
    "苹果",
    "👨‍👩‍👧",
    "🇫🇷🇨",
    "हिन्दी",
    "هي",
    "\xFF\xFE",
    "\xE2\x80\x8D",
    "don't stop, now!",
    "\t\x01",
    "",
};

enum { N_PIECES = sizeof pieces / sizeof pieces[0] };

static int below(Random *random, int n)
{
    return (int)random_below(random, (uint32_t)n);
}

static void random_step(Edit *edit, Random *random, const Clipboard *clipboard)
{
    Error error = {0};
    const char *piece = pieces[below(random, N_PIECES)];
    EditMotion motion = (EditMotion)below(random, EDIT_TEXT_END + 1);
    bool select = below(random, 2) != 0;
    size_t anywhere = (size_t)below(random, (int)edit_length(edit) + 8);
    bool done = true;
    switch (below(random, 17)) {
    case 0:
    case 1:
    case 2: done = edit_type(edit, piece, &error); break;
    case 3: done = edit_insert(edit, piece, &error); break;
    case 4:
    case 5: edit_delete(edit, motion); break;
    case 6:
    case 7: edit_move(edit, motion, select); break;
    case 8: edit_place(edit, anywhere, select); break;
    case 9: edit_place_at_line_end(edit, anywhere, select); break;
    case 10: edit_select(edit, edit_word_at(edit, anywhere)); break;
    case 11: edit_undo(edit); break;
    case 12: edit_redo(edit); break;
    case 13: edit_compose(edit, piece, anywhere); break;
    case 14: edit_cut(edit, clipboard); break;
    case 15: done = edit_paste(edit, clipboard, CLIP_COPIED, &error); break;
    default: edit_select(edit, edit_line_at(edit, anywhere)); break;
    }
    assert_int_equal(!done, error_is_set(&error));
}

static bool is_boundary(const char *text, size_t n, size_t offset)
{
    size_t at = 0;
    while (at < offset)
        at = utf8_next_grapheme(text, n, at);
    return at == offset;
}

static void check_edit(const Edit *edit, uint64_t seed, int step)
{
    const char *text = edit_text(edit);
    size_t n = edit_length(edit);
    EditRange selection = edit_selection(edit);
    EditShown shown = edit_shown(edit);
    bool good = strlen(text) == n && n <= edit_max_bytes(edit) && utf8_is_valid(text, n) &&
                selection.end <= n && is_boundary(text, n, selection.start) &&
                is_boundary(text, n, selection.end) && shown.caret <= shown.n &&
                strlen(shown.text) == shown.n && utf8_is_valid(shown.text, shown.n) &&
                (edit_mode(edit) == EDIT_LINES || !strchr(text, '\n'));
    if (!good)
        fail_msg("seed %llu, step %d: \"%s\", caret %zu", (unsigned long long)seed, step, text,
                 edit_caret(edit));
}

static void run_hands(uint64_t seed)
{
    Random random = random_seed(seed, RANDOM_EXPLORE);
    Board board = {0};
    Clipboard clipboard = {&board, board_get, board_set};
    Edit *edit = edit_new(seed % 2 ? EDIT_LINES : EDIT_ONE_LINE, 200 + seed % 300);
    static const char start[] = "She is eating a green apple.";
    Error error = {0};
    assert_ok(edit_reset(edit, start, &error));
    for (int i = 0; i < 400; i++) {
        random_step(edit, &random, &clipboard);
        check_edit(edit, seed, i);
    }
    while (edit_redo(edit))
        check_edit(edit, seed, -1);
    char *last = memory_copy_string(edit_text(edit));
    while (edit_undo(edit))
        check_edit(edit, seed, -2);
    if (strcmp(edit_text(edit), start) != 0)
        fail_msg("seed %llu: undoing all gives \"%s\"", (unsigned long long)seed, edit_text(edit));
    while (edit_redo(edit))
        check_edit(edit, seed, -3);
    if (strcmp(edit_text(edit), last) != 0)
        fail_msg("seed %llu: redoing all gives \"%s\"", (unsigned long long)seed, edit_text(edit));
    free(last);
    edit_free(edit);
    strbuf_free(&board.text[0]);
    strbuf_free(&board.text[1]);
}

static void any_keys_in_any_order_keep_the_invariants_and_can_be_undone(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++)
        run_hands(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typing_puts_text_at_the_caret),
        cmocka_unit_test(the_caret_moves_by_what_a_person_takes_for_a_letter),
        cmocka_unit_test(the_caret_is_never_inside_a_letter),
        cmocka_unit_test(letters_that_a_deletion_joins_keep_the_caret_outside),
        cmocka_unit_test(words_end_where_a_person_sees_their_end),
        cmocka_unit_test(words_start_where_a_person_sees_their_start),
        cmocka_unit_test(clicks_select_words_and_lines),
        cmocka_unit_test(a_move_leaves_a_selection_at_its_side),
        cmocka_unit_test(typing_and_deleting_take_the_selection),
        cmocka_unit_test(typing_is_undone_by_words_and_deleting_as_one),
        cmocka_unit_test(a_move_or_a_pause_ends_an_undo_step),
        cmocka_unit_test(undo_restores_the_selection_that_a_change_took),
        cmocka_unit_test(what_would_be_too_long_is_refused_whole),
        cmocka_unit_test(bad_bytes_and_line_ends_are_cleaned),
        cmocka_unit_test(a_composition_is_seen_but_is_no_part_of_the_text),
        cmocka_unit_test(the_clipboard_takes_and_gives),
        cmocka_unit_test(a_long_history_forgets_its_oldest_steps_only),
        cmocka_unit_test(a_version_changes_with_the_text_alone),
        cmocka_unit_test(any_keys_in_any_order_keep_the_invariants_and_can_be_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
