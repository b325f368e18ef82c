#include "testing.h"

#include <string.h>

#include "trace/corpus.h"
#include "trace/followed.h"

/* Letters as tokens, each with a probability of 0.1, 0.2, ... by place. */
static const Trace *word_trace(const char *letters)
{
    Error error = {0};
    TraceBuilder *b = trace_builder_new();
    for (int i = 0; letters[i]; i++) {
        const char token[2] = {letters[i], '\0'};
        const TraceCandidate candidates[] = {{token, letters[i], 0.1 * (i + 1)}, {"z", 'z', 0.05}};
        trace_add_step(b, &(TraceStep){.token = token,
                                       .id = letters[i],
                                       .probability = 0.1 * (i + 1),
                                       .n_candidates = 2,
                                       .candidates = candidates});
    }
    const Trace *trace = trace_seal(b, &error);
    assert_non_null(trace);
    return trace;
}

static void check(const char *before, const char *after, const char *expected, int n_other)
{
    const Trace *a = word_trace(before), *b = word_trace(after);
    Followed f = followed_new(a, b);
    char text[64];
    int n = 0;
    for (int i = 0; i < f.n; i++) {
        text[n++] = f.at[i].before >= 0 ? before[f.at[i].before] : '-';
        text[n++] = f.at[i].after >= 0 ? after[f.at[i].after] : '-';
        text[n++] = ' ';
    }
    text[n > 0 ? n - 1 : 0] = '\0';
    assert_string_equal(text, expected);
    assert_int_equal(f.n_other, n_other);
    followed_free(&f);
    trace_release(a);
    trace_release(b);
}

static void outputs_are_laid_over_each_other(void **state)
{
    (void)state;
    check("abc", "abc", "aa bb cc", 0);
    check("abc", "axc", "aa bx cc", 1);
    check("abcd", "acd", "aa b- cc dd", 1);
    check("acd", "abcd", "aa -b cc dd", 1);
    check("abc", "xyz", "ax by cz", 3);
    check("", "ab", "-a -b", 2);
    check("ab", "", "a- b-", 2);
    check("", "", "", 0);
}

static void probabilities_of_both_runs_stand_side_by_side(void **state)
{
    (void)state;
    const Trace *a = word_trace("abz"), *b = word_trace("axcab");
    Followed f = followed_new(a, b);
    assert_true(f.at[0].same);
    assert_close(f.at[0].change, 0, 0);
    const Trace *c = word_trace("zz"), *d = word_trace("az");
    Followed g = followed_new(c, d);
    assert_false(g.at[0].same);
    assert_close(g.at[0].p_before, 0.1, 1e-12);
    assert_close(g.at[0].p_old, 0.05, 1e-12); /* z was still possible */
    assert_true(isnan(g.at[0].change));
    assert_close(g.at[1].change, 0, 1e-12);
    followed_free(&f);
    followed_free(&g);
    trace_release(a);
    trace_release(b);
    trace_release(c);
    trace_release(d);
}

/* ---- corpora ---- */

/* Two target rows over three source tokens, the last of them special. */
static const Trace *attention_trace(const float weights[6])
{
    Error error = {0};
    TraceBuilder *b = trace_builder_new();
    const char *source[] = {"a", "b", "</s>"}, *target[] = {"x", "y"};
    const uint8_t flags[] = {0, 0, TRACE_TOKEN_SPECIAL};
    const TraceAxis s = {
        .name = "source", .len = 3, .labels = source, .flags = flags, .parent_axis = -1};
    const TraceAxis t = {.name = "target", .len = 2, .labels = target, .parent_axis = -1};
    int32_t cols = trace_add_axis(b, &s), rows = trace_add_axis(b, &t);
    const int32_t axes[] = {rows, cols};
    trace_add_tensor(b, "attention.weights", TRACE_WEIGHTS, 2, axes, weights);
    for (int i = 0; i < 2; i++)
        trace_add_step(b, &(TraceStep){.token = target[i], .probability = 0.5});
    trace_set_score(b, -3);
    const Trace *trace = trace_seal(b, &error);
    assert_non_null(trace);
    return trace;
}

static void a_run_is_measured(void **state)
{
    (void)state;
    const Trace *trace = attention_trace((const float[]){1, 0, 0, 0.5f, 0.25f, 0.25f});
    CorpusLine line = corpus_measure(trace);
    assert_int_equal(line.n_source, 2);
    assert_int_equal(line.n_target, 2);
    assert_close(line.entropy, (0 + 1.5 * log(2)) / 2, 1e-6);
    assert_close(line.coverage, (1 + 0.25) / 2, 1e-6);
    assert_close(line.score, -1.5, 1e-12);
    trace_release(trace);
}

static void numbers_are_added_up_by_length(void **state)
{
    (void)state;
    Corpus corpus = {0};
    const CorpusLine lines[] = {
        {.n_source = 5, .n_target = 4, .entropy = 1, .coverage = 0.5, .score = -1},
        {.n_source = 6, .n_target = 6, .entropy = NAN, .coverage = NAN, .score = -2},
        {.n_source = 900,
         .n_target = 8,
         .entropy = 100,
         .coverage = 1,
         .score = NAN,
         .label = "good",
         .align = {10, 5, 5, 8}},
    };
    for (int i = 0; i < 3; i++)
        corpus_add(&corpus, &lines[i]);
    assert_int_equal(corpus.all.n, 3);
    assert_close(corpus_mean(&corpus.all.target), 6, 1e-12);
    assert_close(corpus_mean(&corpus.all.score), -1.5, 1e-12);
    assert_close(corpus_mean(&corpus.length[0].entropy), 1, 1e-12);
    assert_true(isnan(corpus_mean(&corpus.length[1].entropy)));
    assert_int_equal(corpus.length[CORPUS_N_LENGTHS - 1].n, 1);
    assert_int_equal(corpus.entropy_bins[CORPUS_N_BINS - 1], 1); /* what is above stays inside */
    assert_int_equal(corpus.coverage_bins[CORPUS_N_BINS / 2], 1);
    assert_close(align_score_error_rate(&corpus.all.align), 1 - 13.0 / 15, 1e-12);
    assert_int_equal(corpus.n_classes, 1);
}

static void classes_beyond_the_limit_count_together(void **state)
{
    (void)state;
    Corpus corpus = {0};
    for (int i = 0; i < CORPUS_MAX_CLASSES + 3; i++) {
        CorpusLine line = {.n_source = 1, .label = {(char)('a' + i)}};
        corpus_add(&corpus, &line);
        corpus_add(&corpus, &line);
    }
    assert_int_equal(corpus.n_classes, CORPUS_MAX_CLASSES);
    assert_int_equal(corpus.classes[0].n, 2);
    assert_int_equal(corpus.classes[CORPUS_MAX_CLASSES].n, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_laid_over_each_other),
        cmocka_unit_test(probabilities_of_both_runs_stand_side_by_side),
        cmocka_unit_test(a_run_is_measured),
        cmocka_unit_test(numbers_are_added_up_by_length),
        cmocka_unit_test(classes_beyond_the_limit_count_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
