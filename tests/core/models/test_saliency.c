/* What a translation without attention still holds of each source word. */
#include "testing.h"

#include <math.h>
#include <stdio.h>

#include "models/model.h"

static const Trace *run(const char *name, const char *text, const RunOptions *options)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s.safetensors", FOVEA_ASSETS, name);
    Error error = {0};
    Model *model = model_load(path, &error);
    assert_non_null(model);
    const RunInput input = {.text = text};
    const Trace *trace = model_run(model, &input, options, 0, NULL, &error);
    assert_non_null(trace);
    model_release(model);
    return trace;
}

static void every_written_word_shares_itself_out_over_the_source(void **state)
{
    (void)state;
    const RunOptions options = {0};
    const Trace *trace = run("en-fr-none-gru", "She is eating a green apple.", &options);
    const TraceTensor *tensor = trace_find(trace, "saliency.weights");
    assert_non_null(tensor);
    assert_null(trace_find(trace, "attention.weights"));
    TraceMatrix m = trace_matrix(trace, tensor, NULL);
    assert_int_equal(m.rows, trace_n_steps(trace));
    for (int32_t t = 0; t < m.rows; t++) {
        double sum = 0;
        for (int32_t j = 0; j < m.cols; j++) {
            assert_true(trace_matrix_get(&m, t, j) > 0);
            sum += (double)trace_matrix_get(&m, t, j);
        }
        assert_true(fabs(sum - 1) < 1e-5);
    }
    trace_release(trace);
}

/* The pronoun is made from the first word of the source: the gradient must say so. */
static void the_subject_is_where_the_pronoun_comes_from(void **state)
{
    (void)state;
    const RunOptions options = {.force = "Elle mange."};
    const Trace *trace = run("en-fr-none-gru", "She eats.", &options);
    TraceMatrix m = trace_matrix(trace, trace_find(trace, "saliency.weights"), NULL);
    for (int32_t j = 1; j < m.cols; j++)
        assert_true(trace_matrix_get(&m, 0, 0) > trace_matrix_get(&m, 0, j));
    trace_release(trace);
}

static void attention_speaks_for_itself(void **state)
{
    (void)state;
    const RunOptions options = {0};
    const Trace *trace = run("en-fr-dot", "She eats.", &options);
    assert_null(trace_find(trace, "saliency.weights"));
    assert_non_null(trace_find(trace, "attention.weights"));
    trace_release(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_written_word_shares_itself_out_over_the_source),
        cmocka_unit_test(the_subject_is_where_the_pronoun_comes_from),
        cmocka_unit_test(attention_speaks_for_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
