/* Convolution and pooling: gradients, a reference by direct sums, and edges. */
#include "core/grad/gradient_check.h"

#include "nn/conv.h"

static const Conv plain = {4, 3, 3, 1, 1}, strided = {5, 4, 3, 2, 1}, inner = {4, 4, 2, 2, 0};

static Var *convolution(Tape *t, Var *const *x)
{
    return op_conv(t, x[0], x[1], x[2], &plain);
}
static Var *convolution_with_stride(Tape *t, Var *const *x)
{
    return op_conv(t, x[0], x[1], x[2], &strided);
}
static Var *convolution_without_bias(Tape *t, Var *const *x)
{
    return op_conv(t, x[0], x[1], NULL, &inner);
}
static Var *pooling(Tape *t, Var *const *x)
{
    return op_max_pool(t, x[0], &inner);
}
static Var *pooling_that_overlaps(Tape *t, Var *const *x)
{
    return op_max_pool(t, x[0], &strided);
}

static const GradientCase cases[] = {
    {"op_conv", convolution, {{24, 2}, {3, 18}, {1, 3}}},
    {"op_conv with stride", convolution_with_stride, {{40, 2}, {2, 18}, {1, 2}}},
    {"op_conv without bias", convolution_without_bias, {{32, 1}, {3, 4}}},
    {"op_max_pool", pooling, {{32, 3}}},
    {"op_max_pool that overlaps", pooling_that_overlaps, {{40, 2}}},
};

static void every_gradient_agrees_with_central_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            gradient_check(&cases[i], seed);
}

/* The definition, one sum at a time. */
static double direct(const Conv *c, const Real *x, int channels, const Real *w, int picture, int y,
                     int xx, int d)
{
    double sum = 0;
    for (int u = 0; u < c->kernel; u++)
        for (int v = 0; v < c->kernel; v++) {
            int py = y * c->stride + u - c->padding, px = xx * c->stride + v - c->padding;
            if (py < 0 || py >= c->height || px < 0 || px >= c->width)
                continue;
            for (int j = 0; j < channels; j++)
                sum += (double)w[((d * c->kernel + u) * c->kernel + v) * channels + j] *
                       (double)x[((picture * c->height + py) * c->width + px) * channels + j];
        }
    return sum;
}

static void convolution_is_its_definition_for_many_shapes(void **state)
{
    (void)state;
    enum { N = 3, C = 2, D = 4 };
    static const Conv shapes[] = {{5, 7, 3, 1, 1}, {6, 5, 3, 2, 1}, {4, 4, 1, 1, 0},
                                  {7, 3, 3, 3, 2}, {3, 3, 3, 1, 0}, {1, 1, 3, 1, 1}};
    Random random = random_seed(4, RANDOM_EXPLORE);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const Conv *c = &shapes[s];
        Tape *tape = tape_new_inference(NULL);
        Var *x = tape_new_var(tape, N * c->height * c->width, C, false);
        Var *w = tape_new_var(tape, D, c->kernel * c->kernel * C, false);
        for (size_t i = 0; i < var_size(x); i++)
            x->value[i] = (Real)random_normal(&random);
        for (size_t i = 0; i < var_size(w); i++)
            w->value[i] = (Real)random_normal(&random);
        Var *y = op_conv(tape, x, w, NULL, c);
        int oh = conv_out_height(c), ow = conv_out_width(c);
        assert_int_equal(y->rows, N * oh * ow);
        for (int i = 0; i < y->rows; i++)
            for (int d = 0; d < D; d++)
                assert_close(
                    var_row(y, i)[d],
                    direct(c, x->value, C, w->value, i / (oh * ow), i / ow % oh, i % ow, d), 1e-12);
        tape_free(tape);
    }
}

/* More pictures than are laid out at once: each gives what it gives alone. */
static void a_picture_gives_the_same_alone_and_in_a_batch(void **state)
{
    (void)state;
    enum { N = 70, SIDE = 6, C = 2, D = 3 };
    const Conv c = {SIDE, SIDE, 3, 1, 1};
    Random random = random_seed(5, RANDOM_EXPLORE);
    Tape *tape = tape_new_inference(NULL);
    Var *x = tape_new_var(tape, N * SIDE * SIDE, C, false);
    Var *w = tape_new_var(tape, D, 9 * C, false);
    for (size_t i = 0; i < var_size(x); i++)
        x->value[i] = (Real)random_normal(&random);
    for (size_t i = 0; i < var_size(w); i++)
        w->value[i] = (Real)random_normal(&random);
    Var *all = op_conv(tape, x, w, NULL, &c);
    for (int k = 0; k < N; k += 23) {
        Var *one = op_conv(tape, tape_borrow(tape, SIDE * SIDE, C, var_row(x, k * SIDE * SIDE)), w,
                           NULL, &c);
        for (size_t i = 0; i < var_size(one); i++)
            assert_close(one->value[i], var_row(all, k * SIDE * SIDE)[i], 1e-12);
    }
    tape_free(tape);
}

static void padding_never_wins_a_pool(void **state)
{
    (void)state;
    const Conv c = {2, 2, 3, 2, 1};
    Tape *tape = tape_new_inference(NULL);
    const Real values[] = {-3, -1, -4, -2};
    Var *y = op_max_pool(tape, tape_constant(tape, 4, 1, values), &c);
    assert_int_equal(y->rows, 1);
    assert_close(y->value[0], -1, 0);
    tape_free(tape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_gradient_agrees_with_central_differences),
        cmocka_unit_test(convolution_is_its_definition_for_many_shapes),
        cmocka_unit_test(a_picture_gives_the_same_alone_and_in_a_batch),
        cmocka_unit_test(padding_never_wins_a_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
