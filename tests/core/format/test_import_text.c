#include <unistd.h>

#include "dumps.h"

#define W     "attention.weights"
#define LINKS "alignment.links"

static ImportSet *open_text(const char *text, const ImportOptions *options, Error *error)
{
    return import_open_memory(text, strlen(text), "x.txt", options, error);
}

/* The matrix as text: "0.8 0.1 / 0.1 0.8". */
static void assert_matrix(const Trace *trace, const char *name, const char *wanted)
{
    const TraceTensor *tensor = trace_find(trace, name);
    if (!tensor)
        fail_msg("no tensor %s", name);
    TraceMatrix matrix = trace_matrix(trace, tensor, NULL);
    StrBuf text = {0};
    strbuf_add(&text, "");
    for (int32_t i = 0; i < matrix.rows; i++)
        for (int32_t j = 0; j < matrix.cols; j++)
            strbuf_addf(&text, "%s%g",
                        j   ? " "
                        : i ? " / "
                            : "",
                        (double)trace_matrix_get(&matrix, i, j));
    assert_string_equal(text.text, wanted);
    strbuf_free(&text);
}

/* One sentence of a text, in full. */
typedef struct Case {
    const char *text;
    int32_t sentence, count;
    const char *format;
    const char *label;
    const char *source, *target; /* labels; "(none)" */
    const char *tensor, *matrix;
    const char *note; /* or NULL */
} Case;

static void check_case(const Case *test)
{
    Error error = {0};
    ImportSet *set = open_text(test->text, NULL, &error);
    assert_ok(set);
    assert_string_equal(import_format(set), test->format);
    assert_int_equal(import_count(set), test->count);
    assert_string_equal(import_label(set, test->sentence), test->label);
    const Trace *trace = import_trace(set, test->sentence, &error);
    assert_ok(trace);
    import_close(set);
    assert_labels(trace, "source", test->source);
    assert_labels(trace, "target", test->target);
    assert_matrix(trace, test->tensor, test->matrix);
    if (test->note)
        assert_note(trace, test->note);
    trace_release(trace);
}

#define BLOCKS "blocks of Nematus, Sockeye or OpenNMT"

static void blocks_are_read_in_every_dialect(void **state)
{
    (void)state;
    static const Case CASES[] = {
        /* Nematus: target x source, both with their end marks; CRLF and a byte order mark. */
        {"\xEF\xBB\xBF"
         "7 ||| das Haus ||| -1.5 ||| the house ||| 3 3\r\n0.8 0.1 0.1\r\n0.1 0.8 0.1\r\n"
         "0 0 1\r\n\r\n8 ||| x ||| 0 ||| y ||| 2 2\r\n1 0\r\n0 1\r\n",
         0, 2, BLOCKS, "the house | das Haus", "the house </s>", "das Haus </s>", W,
         "0.8 0.1 0.1 / 0.1 0.8 0.1 / 0 0 1", "its end mark"},
        {"7 ||| das Haus ||| -1.5 ||| the house ||| 3 3\n0.8 0.1 0.1\n0.1 0.8 0.1\n0 0 1\n\n"
         "8 ||| x ||| 0 ||| y ||| 2 2\n1 0\n0 1\n",
         1, 2, BLOCKS, "y | x", "y </s>", "x </s>", W, "1 0 / 0 1", NULL},
        /* Sockeye: source x target, "</s>" in the target text. */
        {"0 ||| das kleine Haus </s> ||| -1 ||| the house ||| 2 ||| 4\n0.8 0.1 0.1 0.5\n"
         "0.2 0.9 0.9 0.5\n",
         0, 1, BLOCKS, "the house | das kleine Haus", "the house", "das kleine Haus </s>", W,
         "0.8 0.2 / 0.1 0.9 / 0.1 0.9 / 0.5 0.5", "turned round"},
        /* Square: the dialect is not enough, the sums of the columns are. */
        {"0 ||| das Haus ||| -1 ||| the house ||| 2 2\n0.8 0.5\n0.2 0.5\n", 0, 1, BLOCKS,
         "the house | das Haus", "the house", "das Haus", W, "0.8 0.2 / 0.5 0.5", "turned round"},
        {"0 ||| a b ||| -1 ||| c d ||| 2 ||| 2\n0.9 0.1\n0.1 0.9\n", 0, 1, BLOCKS, "c d | a b",
         "c d", "a b", W, "0.9 0.1 / 0.1 0.9", NULL},
        /* OpenNMT: counts of zero. */
        {"0 ||| das Haus ||| 0 ||| the house ||| 0 0\n0.75 0.25\n0.25 0.75\n", 0, 1, BLOCKS,
         "the house | das Haus", "the house", "das Haus", W, "0.75 0.25 / 0.25 0.75", NULL},
        /* An empty source, written either way, and a token that is "|||". */
        {"0 ||| x ||| 0 |||  ||| 1 2\n1\n1\n", 0, 1, BLOCKS, "x", "</s>", "x </s>", W, "1 / 1",
         NULL},
        {"0 ||| x ||| 0 ||| ||| 1 2\n1\n1\n", 0, 1, BLOCKS, "x", "</s>", "x </s>", W, "1 / 1",
         NULL},
        {"0 ||| a ||| b ||| -1.5 ||| c ||| d ||| 3 3\n1 0 0\n0 1 0\n0 0 1\n", 0, 1, BLOCKS,
         "c ||| d | a ||| b", "c ||| d", "a ||| b", W, "1 0 0 / 0 1 0 / 0 0 1", NULL},
        {"0 ||| 1 ||| 2 3 ||| -1.5 ||| c ||| 2 5\n1 0\n1 0\n1 0\n1 0\n0 1\n", 0, 1, BLOCKS,
         "c | 1 ||| 2 3", "c </s>", "1 ||| 2 3 </s>", W, "1 0 / 1 0 / 1 0 / 1 0 / 0 1", NULL},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        check_case(&CASES[i]);
}

static void marian_lines_are_read_in_every_dialect(void **state)
{
    (void)state;
    static const Case CASES[] = {
        {"das Haus . ||| 0-0 1-1 2-2\n\nx ||| 1-0\n", 0, 2, "Marian alignments", "das Haus .",
         "(none)", "das Haus .", LINKS, "1 0 0 / 0 1 0 / 0 0 1", "no tokens of the source"},
        {"das Haus . ||| 0-0 1-1 2-2\n\nx ||| 1-0\n", 1, 2, "Marian alignments", "x", "(none)", "x",
         LINKS, "0 1", NULL},
        {"das Haus ||| 0.9,0.1,0 0.1,0.8,0.1 0,0,1\n", 0, 1, "Marian alignments", "das Haus",
         "(none)", "das Haus </s>", W, "0.9 0.1 0 / 0.1 0.8 0.1 / 0 0 1", "its end mark"},
        {"0 ||| das ||| 1,0 0,1 ||| WordScores= -0.1 ||| F0= -1.2 ||| -0.4\n"
         "0 ||| die ||| 1,0 0,1 ||| F0= -2 ||| -0.9\n",
         1, 2, "Marian alignments", "die", "(none)", "die </s>", W, "1 0 / 0 1", NULL},
        {"a ||| b ||| 0-0 1-1 2-2\n", 0, 1, "Marian alignments", "a ||| b", "(none)", "a ||| b",
         LINKS, "1 0 0 / 0 1 0 / 0 0 1", NULL},
        {"0.5,0.5 1,0\n", 0, 1, "Marian alignments", "0.5,0.5 1,0", "(none)", "(none)", W,
         "0.5 0.5 / 1 0", "source and the target"},
        {"x y ||| 0-0\nz |||\n", 1, 2, "Marian alignments", "z", "(none)", "z", LINKS, "", NULL},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        check_case(&CASES[i]);
}

static void fairseq_output_is_read_in_every_dialect(void **state)
{
    (void)state;
    static const char HARD[] = "2024 | INFO | log\nS-7\tthe hou@@ se\nT-7\tdas Haus\n"
                               "H-7\t-0.3\tdas Haus\nP-7\t-0.1 -0.2\nA-7\t0-0 2-1 1-1\n"
                               "S-2\tup\nH-2\t-1\tauf\nA-2\t0-0\n";
    static const Case CASES[] = {
        {HARD, 0, 2, "fairseq output", "up | auf", "up", "auf", LINKS, "1", NULL}, /* 2 before 7 */
        {HARD, 1, 2, "fairseq output", "the house | das Haus", "the hou se", "das Haus", LINKS,
         "1 0 0 / 0 1 1", "pieces of subword-nmt"},
        {"S-0\ta b\nH-0\t-0.3\tx\nA-0\t0.7,0.2,0.1 0.1,0.1,0.8\n", 0, 1, "fairseq output",
         "a b | x", "a b </s>", "x </s>", W, "0.7 0.2 0.1 / 0.1 0.1 0.8", NULL},
        {"S-0\ta b\nH-0\t-0.3\tx y\nA-0\t0 2 2\n", 0, 1, "fairseq output", "a b | x y", "a b </s>",
         "x y </s>", W, "1 0 0 / 0 0 1 / 0 0 1", "only the largest weight"},
        /* Two hypotheses of a beam, each with its own alignment. */
        {"S-0\ta\nH-0\t-0.3\tx\nA-0\t0-0\nH-0\t-0.5\ty z\nA-0\t0-1\n", 1, 2, "fairseq output",
         "a | y z", "a", "y z", LINKS, "0 / 1", NULL},
        {"H-0\t-0.3\tx\nA-0\t\n", 0, 1, "fairseq output", "x", "(none)", "x", LINKS, "", NULL},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        check_case(&CASES[i]);
    Error error = {0};
    ImportSet *set = open_text(HARD, NULL, &error);
    const Trace *trace = import_trace(set, 1, &error);
    assert_close(trace_score(trace), -0.3, 1e-9);
    assert_string_equal(trace_attribute(trace, "id"), "7");
    trace_release(trace);
    import_close(set);
}

static void tables_of_opennmt_are_read(void **state)
{
    (void)state;
    static const char TABLE[] = "PRED SCORE: -1.2\n"
                                "                  the      house \n"
                                "       das *0.8000000  0.2000000 \n"
                                "      </s>  0.3000000 *0.7000000 \n"
                                "\n"
                                "SENT 2: ['internationally', \"it's\"]\nPRED 2: x\n"
                                "           internati       it's \n"
                                "         x *1.0000000  0.0000000 \n";
    static const Case CASES[] = {
        {TABLE, 0, 2, "OpenNMT-py tables", "the      house", "the house", "das </s>", W,
         "0.8 0.2 / 0.3 0.7", NULL},
        {TABLE, 1, 2, "OpenNMT-py tables", "internati       it's", "internationally it's", "x", W,
         "1 0", NULL},
        {"           internati\n         x *1.0000000\n", 0, 1, "OpenNMT-py tables", "internati",
         "internati", "x", W, "1", "cuts words"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        check_case(&CASES[i]);
}

static void files_of_links_are_drawn(void **state)
{
    (void)state;
    static const Case CASES[] = {
        {"0-0 1p2\n\n", 0, 2, "word alignments", "0-0 1p2", "(none)", "(none)", LINKS,
         "1 0 / 0 0 / 0 0.5", "no tokens"},
        {"1-1 2-1\n", 0, 1, "word alignments", "0-0 1-0", "(none)", "(none)", LINKS, "1 1",
         "taken to count from 1"},
        {"1 1 1\n1 2 1 P\n", 0, 1, "word alignments", "0-0 1p0", "(none)", "(none)", LINKS, "1 0.5",
         NULL},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        check_case(&CASES[i]);
}

static void tokens_beside_links_are_used_and_doubted(void **state)
{
    (void)state;
    Error error = {0};
    const char *links = "0-0 1-1\n0-1 5-0\n", *pairs = "a b ||| v w x\nc d ||| y z\n";
    assert_ok(file_write("test_links.out", links, strlen(links), &error));
    assert_ok(file_write("test_links.src-tgt", pairs, strlen(pairs), &error));
    ImportSet *set = import_open("test_links.out", NULL, &error);
    assert_ok(set);
    assert_string_equal(import_label(set, 0), "a b");
    const Trace *trace = import_trace(set, 0, &error);
    assert_ok(trace);
    assert_labels(trace, "target", "v w x");
    assert_matrix(trace, LINKS, "1 0 / 0 1 / 0 0");
    trace_release(trace);
    trace = import_trace(set, 1, &error);
    assert_ok(trace);
    assert_note(trace, "1 links point beyond the sentence");
    assert_labels(trace, "source", "(none)");
    trace_release(trace);
    import_close(set);
    ImportOptions options = {.links.swap = true};
    set = import_open("test_links.out", &options, &error);
    trace = import_trace(set, 1, &error);
    assert_ok(trace);
    assert_axes(trace, LINKS, "target 6, source 2");
    trace_release(trace);
    import_close(set);
    unlink("test_links.out");
    unlink("test_links.src-tgt");
}

/* A square matrix may lie either way, whoever wrote it. */
static void every_kind_of_text_can_be_swapped(void **state)
{
    (void)state;
    static const struct {
        const char *text, *tensor, *matrix, *swapped;
    } CASES[] = {
        {"0 ||| x y ||| 0 ||| a b ||| 2 2\n0.9 0.1\n0.3 0.7\n", W, "0.9 0.1 / 0.3 0.7",
         "0.9 0.3 / 0.1 0.7"},
        {"x y ||| 0.9,0.1 0.3,0.7\n", W, "0.9 0.1 / 0.3 0.7", "0.9 0.3 / 0.1 0.7"},
        {"x y ||| 0-1\n", LINKS, "0 / 1", "0 1 / 0 0"},
        {"S-0\ta b\nH-0\t-1\tx y\nA-0\t0-1\n", LINKS, "0 0 / 1 0", "0 1 / 0 0"},
        {"0-1 1-1\n", LINKS, "0 0 / 1 1", "0 1 / 0 1"},
        {"          a         b\n  x *0.9000000  0.1000000\n  y  0.3000000 *0.7000000\n", W,
         "0.9 0.1 / 0.3 0.7", "0.9 0.3 / 0.1 0.7"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        for (int swap = 0; swap < 2; swap++) {
            Error error = {0};
            ImportSet *set = open_text(CASES[i].text, &(ImportOptions){.swap = swap}, &error);
            assert_ok(set);
            assert_true(import_can_swap(set));
            const Trace *trace = import_trace(set, 0, &error);
            assert_ok(trace);
            assert_matrix(trace, CASES[i].tensor, swap ? CASES[i].swapped : CASES[i].matrix);
            if (swap)
                assert_note(trace, "exchanged, as asked");
            trace_release(trace);
            import_close(set);
        }
    }
}

static void faults_in_texts_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool opens;
        const char *part;
    } CASES[] = {
        {"0 ||| a ||| 0 ||| b ||| 1 1\n1 x\n", true, "x.txt: line 2: a row of numbers"},
        {"0 ||| a ||| 0 ||| b ||| 1 1\n1 0\n1\n", true,
         "x.txt: line 3: a row of 1 numbers; 2 before"},
        {"0 ||| a ||| 0 ||| b ||| 1 1\n1 0\n\n1 0\n", false,
         "x.txt: line 4: a header was expected"},
        {"a ||| 0-0\nb\n", false, "no kind of attention dump"},
        {"S-0\ta\nH-0\t-1\tb\n", false, "generate with --print-alignment"},
        {"S-0\ta\nH-0\t-1\tb\nA-0\t0-0 x\n", true, "line 3: \"x\" is no link"},
        {"A-0\t0.5,0.5 x\n", true, "\"x\" is no list"},
        {"A-0\t0 x\n", true, "\"x\" is no source position"},
        {"A-0\t0 99999999\n", true, "is no source position"},
        {"A-0\t0-1048577\n", true, "\"0-1048577\" is no link"},
        {"A-0\t1048576-1048576\n", true, "an alignment of 1048577 x 1048577 cells"},
        {"A-0\t0 1048577\n", true, "is no source position"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        ImportSet *set = open_text(CASES[i].text, NULL, &error);
        if (CASES[i].opens) {
            assert_ok(set);
            assert_refused(import_trace(set, 0, &error), CASES[i].part);
        } else {
            assert_refused(set, CASES[i].part);
        }
        import_close(set);
    }
}

static void texts_cut_at_any_byte_never_crash(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "7 ||| das Haus ||| -1.5 ||| the house ||| 3 3\n0.8 0.1 0.1\n0.1 0.8 0.1\n0 0 1\n\n",
        "0 ||| das ||| 1,0 0,1 ||| WordScores= -0.1 ||| F0= -1.2 ||| -0.4\n",
        "S-7\tthe hou@@ se\nH-7\t-0.3\tdas Haus\nA-7\t0-0 2-1 1-1\nA-7\t0.5,0.5\nA-7\t0 1\n",
        "SENT 1: ['a', 'b']\n              the      house \n   das *0.8000000  0.2000000 \n",
        "0-0 1p2\n\n18-1\n",
        "{\"src\":[\"a\",\"b\"],\"tgt\":[\"x\"],\"att\":[[0.5,0.5]]}\n{\"src\":[]}\n",
    };
    for (size_t t = 0; t < sizeof TEXTS / sizeof *TEXTS; t++) {
        size_t length = strlen(TEXTS[t]);
        for (size_t n = 0; n < length; n++) {
            Error error = {0};
            ImportSet *set = import_open_memory(TEXTS[t], n, "cut", NULL, &error);
            for (int32_t i = 0; set && i < import_count(set); i++) {
                Error fault = {0};
                const Trace *trace = import_trace(set, i, &fault);
                assert_true(trace || error_is_set(&fault));
                trace_release(trace);
            }
            assert_true(set || error_is_set(&error));
            import_close(set);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_read_in_every_dialect),
        cmocka_unit_test(marian_lines_are_read_in_every_dialect),
        cmocka_unit_test(fairseq_output_is_read_in_every_dialect),
        cmocka_unit_test(tables_of_opennmt_are_read),
        cmocka_unit_test(files_of_links_are_drawn),
        cmocka_unit_test(tokens_beside_links_are_used_and_doubted),
        cmocka_unit_test(every_kind_of_text_can_be_swapped),
        cmocka_unit_test(faults_in_texts_are_named),
        cmocka_unit_test(texts_cut_at_any_byte_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
