#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/random.h"
#include "math/kernels.h"
#include "math/matrix.h"
#include "math/ragged.h"

enum { MOST = 131 };

static void fill(Random *random, float *x, size_t n, double scale)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(scale * random_normal(random));
}

static double ulp_of(float x)
{
    return (double)nextafterf(fabsf(x), INFINITY) - (double)fabsf(x);
}

static void exp_is_within_two_ulp_from_underflow_to_overflow(void **state)
{
    (void)state;
    for (int v = 0; kernels_at(v); v++)
        for (double x = -110; x < 90; x += 0.00137) {
            float in = (float)x, out;
            kernels_at(v)->exp(1, &in, &out);
            double exact = exp((double)in);
            if (exact > 3.4028235e38)
                assert_true(isinf(out));
            else
                assert_close(out, exact, 2 * ulp_of((float)exact));
        }
}

static void tanh_and_sigmoid_are_within_a_millionth(void **state)
{
    (void)state;
    for (int v = 0; kernels_at(v); v++)
        for (double x = -30; x < 30; x += 0.00041) {
            float in = (float)x, t, s;
            kernels_at(v)->tanh(1, &in, &t);
            kernels_at(v)->sigmoid(1, &in, &s);
            assert_close(t, tanh((double)in), 1e-6);
            assert_close(s, 1 / (1 + exp(-(double)in)), 1e-6);
        }
}

static void special_values_stay_special(void **state)
{
    (void)state;
    const float in[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-40f, 3e38f, -3e38f};
    for (int v = 0; kernels_at(v); v++) {
        const Kernels *k = kernels_at(v);
        float e[8], t[8], s[8];
        k->exp(8, in, e);
        k->tanh(8, in, t);
        k->sigmoid(8, in, s);
        assert_true(isnan(e[0]) && isnan(t[0]) && isnan(s[0]));
        assert_true(isinf(e[1]) && e[2] == 0 && e[3] == 1 && e[4] == 1 && e[5] == 1);
        assert_true(t[1] == 1 && t[2] == -1 && t[3] == 0 && t[4] == 0 && signbit(t[4]));
        assert_true(s[1] == 1 && s[2] == 0 && s[3] == 0.5f && s[6] == 1 && s[7] == 0);
        const float some[] = {1, NAN, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
        assert_true(isnan(k->max(17, some)));
        assert_true(k->max(1, some) == 1);
        assert_true(k->max(15, some + 2) == 16);
    }
}

/* Every version against the portable one, at every length up to two vectors and more. */
static void versions_agree_at_every_length(void **state)
{
    (void)state;
    Random random = random_seed(3, 0);
    float x[MOST], y[MOST], z[MOST], a[MOST], b[MOST];
    const Kernels *p = kernels_at(0);
    for (int v = 1; kernels_at(v); v++)
        for (size_t n = 0; n <= MOST; n++) {
            const Kernels *k = kernels_at(v);
            fill(&random, x, MOST, 2);
            fill(&random, y, MOST, 2);
            fill(&random, z, MOST, 1);
            double bound = 1e-5 * (double)(n + 1);
            assert_close(k->dot(n, x, y), p->dot(n, x, y), bound);
            assert_close(k->sum(n, x), p->sum(n, x), bound);
            assert_close(k->exp_sum(n, x, 1, a), p->exp_sum(n, x, 1, b), bound * 10);
            for (size_t i = 0; i < n; i++)
                assert_close(a[i], b[i], 1e-6 * fabs((double)b[i]));
            assert_close(k->tanh_dot(n, x, y, z, a), p->tanh_dot(n, x, y, z, b), bound);
            for (size_t i = 0; i < n; i++)
                assert_close(a[i], b[i], 1e-6);
            memcpy(a, z, sizeof a);
            memcpy(b, z, sizeof b);
            k->axpy(n, 0.3f, x, a);
            p->axpy(n, 0.3f, x, b);
            k->multiply_add(n, x, y, a);
            p->multiply_add(n, x, y, b);
            k->add(n, x, a);
            p->add(n, x, b);
            for (size_t i = 0; i < MOST; i++)
                assert_close(a[i], b[i], 1e-5);
            k->multiply(n, x, y, a);
            for (size_t i = 0; i < n; i++)
                assert_true(a[i] == x[i] * y[i]);
            if (n)
                assert_true(k->max(n, x) == p->max(n, x));
        }
}

static void recurrent_rows_agree_between_versions(void **state)
{
    (void)state;
    enum { MOST_D = 37 };
    Random random = random_seed(9, 0);
    float xp[3 * MOST_D], hp[3 * MOST_D], h[MOST_D], dy[MOST_D];
    for (int v = 1; kernels_at(v); v++)
        for (size_t d = 0; d <= MOST_D; d++)
            for (int fresh = 0; fresh < 2; fresh++) {
                fill(&random, xp, 3 * MOST_D, 2);
                fill(&random, hp, 3 * MOST_D, 2);
                fill(&random, h, MOST_D, 1);
                fill(&random, dy, MOST_D, 1);
                float out[2][6][3 * MOST_D] = {{{0}}};
                for (int k = 0; k < 2; k++) {
                    const Kernels *kernel = kernels_at(k * v);
                    float(*o)[3 * MOST_D] = out[k];
                    memcpy(o[3], xp, sizeof xp); /* gradients are added to what is there */
                    memcpy(o[5], h, sizeof h);
                    kernel->gru(d, xp, fresh ? NULL : hp, fresh ? NULL : h, o[0], o[1], o[2]);
                    kernel->gru_slope(d, o[0], o[1], fresh ? NULL : h, dy, o[3], o[4],
                                      fresh ? NULL : o[5]);
                }
                for (int i = 0; i < 6; i++)
                    for (int j = 0; j < 3 * MOST_D; j++)
                        assert_close(out[0][i][j], out[1][i][j], 1e-5);
            }
}

static void multi_dimensional_attention_agrees_between_versions(void **state)
{
    (void)state;
    enum { KEYS = 5, MOST_D = 37 };
    Random random = random_seed(8, 0);
    float ea[KEYS * MOST_D], x[KEYS * MOST_D], q[4][MOST_D];
    for (int v = 1; kernels_at(v); v++)
        for (size_t d = 0; d <= MOST_D; d++)
            for (size_t n = 0; n <= KEYS; n++) {
                for (size_t i = 0; i < KEYS * MOST_D; i++) {
                    ea[i] = expf((float)(2 * random_normal(&random)));
                    x[i] = (float)random_normal(&random);
                }
                for (size_t i = 0; i < MOST_D; i++) {
                    q[0][i] = expf((float)(2 * random_normal(&random)));
                    q[1][i] = 150 * (1 + (float)random_uniform(&random)); /* above exp(5) */
                    q[2][i] = (float)random_normal(&random);
                    q[3][i] = (float)random_normal(&random);
                }
                float out[2][5][KEYS * MOST_D] = {{{0}}};
                for (int k = 0; k < 2; k++) {
                    const Kernels *kernel = kernels_at(k * v);
                    float(*o)[KEYS * MOST_D] = out[k];
                    const FeatureQuery query = {q[0], q[1], q[2], q[3], o[2]};
                    kernel->feature_sums(n, d, 5, ea, q[0], x, o[0], o[1]);
                    kernel->feature_slopes(n, d, 5, &query, ea, x, o[3], o[4]);
                }
                /* The first two add terms as large as exp(5). */
                for (int o = 0; o < 5; o++)
                    for (size_t i = 0; i < KEYS * MOST_D; i++)
                        assert_close(out[0][o][i], out[1][o][i],
                                     1e-6 * (o < 2 ? 150 : 1) *
                                         (KEYS + fabs((double)out[0][o][i])));
            }
}

/* The two factors as large and small as callers make them. */
static void multi_dimensional_attention_stays_finite_at_the_ends(void **state)
{
    (void)state;
    for (int v = 0; kernels_at(v); v++)
        for (int i = 0; i < 4; i++) {
            const float ea = expf(i & 1 ? 40 : -40), eb = expf(i & 2 ? 40 : -40), x = 3;
            float sum = 0, weighted = 0;
            kernels_at(v)->feature_sums(1, 1, 20, &ea, &eb, &x, &sum, &weighted);
            double want = i == 0 ? exp(-20) : i == 3 ? exp(20) : 1;
            assert_close(sum / want, 1, 1e-4);
            assert_close(weighted / sum, 3, 1e-5);
        }
}

static void adam_versions_agree(void **state)
{
    (void)state;
    const AdamStep step = {.rate = 0.01f,
                           .beta1 = 0.9f,
                           .beta2 = 0.999f,
                           .epsilon = 1e-8f,
                           .scale = 0.5f,
                           .decay = 0.001f};
    Random random = random_seed(5, 0);
    for (int v = 1; kernels_at(v); v++)
        for (size_t n = 1; n <= 70; n += 23) {
            float g[MOST], m[2][MOST] = {{0}}, s[2][MOST] = {{0}}, w[2][MOST];
            fill(&random, w[0], MOST, 1);
            memcpy(w[1], w[0], sizeof w[0]);
            for (int turn = 0; turn < 5; turn++) {
                fill(&random, g, MOST, 1);
                kernels_at(0)->adam(n, &step, g, m[0], s[0], w[0]);
                kernels_at(v)->adam(n, &step, g, m[1], s[1], w[1]);
            }
            for (size_t i = 0; i < MOST; i++)
                assert_close(w[0][i], w[1][i], 2e-6);
        }
}

static void product_case(Random *random, int m, int n, int k, float beta)
{
    size_t lda = (size_t)k + 3, ldb = (size_t)k + 1, ldc = (size_t)n + 2;
    size_t na = (size_t)m * lda, nb = (size_t)n * ldb, nc = (size_t)m * ldc;
    float *a = malloc((na + 1) * 4), *b = malloc((nb + 1) * 4), *c = malloc((nc + 1) * 4);
    float *d = malloc((nc + 1) * 4);
    fill(random, a, na, 1);
    fill(random, b, nb, 1);
    fill(random, c, nc, 1);
    memcpy(d, c, nc * 4);
    matrix_product_nt(m, n, k, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < (int)ldc; j++) {
            size_t at = (size_t)i * ldc + (size_t)j;
            double want = j < n ? (double)beta * (double)d[at] : (double)d[at];
            for (int q = 0; j < n && q < k; q++)
                want +=
                    (double)a[(size_t)i * lda + (size_t)q] * (double)b[(size_t)j * ldb + (size_t)q];
            assert_close(c[at], want, 1e-5 * (k + 1));
        }
    free(a);
    free(b);
    free(c);
    free(d);
}

static void products_with_few_rows_are_right(void **state)
{
    (void)state;
    Random random = random_seed(11, 0);
    for (int m = 1; m <= KERNELS_MAX_SMALL_ROWS + 2; m++)
        for (int n = 1; n <= 9; n++)
            for (int k = 0; k <= 40; k += 3)
                product_case(&random, m, n, k, (float)((n + k) % 2));
}

static void products_with_many_rows_are_right(void **state)
{
    (void)state;
    Random random = random_seed(15, 0);
    for (int m = 33; m <= 100; m += 13)
        for (int n = 1; n <= 37; n += 6)
            for (int k = 126; k <= 131; k++)
                product_case(&random, m, n, k, (float)((n + k) % 2));
}

/* Every version against the portable one, and each row alone against the row among others. */
static void product_versions_agree_and_rows_do_not_meet(void **state)
{
    (void)state;
    enum { M = 15, N = 11, K = 70 };
    Random random = random_seed(12, 0);
    float a[M * K], b[N * K], c[2][M * N], alone[N];
    for (int v = 1; kernels_at(v); v++)
        for (int m = 1; m <= M; m++)
            for (int n = 1; n <= N; n += m % 3 + 1)
                for (int k = 0; k <= K; k += 7) {
                    const Real beta = (Real)(k % 2);
                    fill(&random, a, M * K, 1);
                    fill(&random, b, N * K, 1);
                    fill(&random, c[0], M * N, 1);
                    memcpy(c[1], c[0], sizeof c[0]);
                    memcpy(alone, c[0], sizeof alone);
                    kernels_at(0)->product_small(m, n, k, a, K, b, K, beta, c[0], N);
                    kernels_at(v)->product_small(m, n, k, a, K, b, K, beta, c[1], N);
                    for (int i = 0; i < m * N; i++)
                        assert_close(c[0][i], c[1][i], 1e-5);
                    kernels_at(v)->product_small(1, n, k, a, K, b, K, beta, alone, N);
                    assert_memory_equal(alone, c[1], (size_t)n * sizeof *alone);
                }
}

/* Bit for bit what is made of the widened numbers: also of the smallest, infinities and NaN. */
static void products_with_half_precision_widen_exactly(void **state)
{
    (void)state;
    enum { M = 13, N = 9, K = 70 };
    Random random = random_seed(13, 0);
    float a[M * K], b[N * K], c[2][M * N];
    uint16_t half[N * K];
    fill(&random, b, N * K, 1);
    half_write_f16(b, N * K, half);
    const uint16_t special[] = {0x0001, 0x83FF, 0x7C00, 0xFC00, 0x7E01, 0x7BFF, 0x8000};
    memcpy(half + 3 * K, special, sizeof special);
    half_read_f16(half, N * K, b);
    for (int v = 0; kernels_at(v); v++)
        for (int m = 1; m <= M; m++)
            for (int k = 0; k <= K; k += m % 5 + 1) {
                const Real beta = (Real)(k % 2);
                fill(&random, a, M * K, 1);
                fill(&random, c[0], M * N, 1);
                memcpy(c[1], c[0], sizeof c[0]);
                kernels_at(v)->product_small(m, N, k, a, K, b, K, beta, c[0], N);
                kernels_at(v)->product_small_half(m, N, k, a, K, half, K, beta, c[1], N);
                for (int i = 0; i < m * N; i++)
                    assert_true((isnan(c[0][i]) && isnan(c[1][i])) || c[0][i] == c[1][i]);
            }
}

/* Also more rows than the kernel takes at once, and none. */
static void products_with_weights_are_the_same_in_either_form(void **state)
{
    (void)state;
    enum { M = 2 * KERNELS_MAX_SMALL_ROWS + 3, N = 6, K = 33 };
    Random random = random_seed(14, 0);
    float a[M * K], b[N * K], c[2][M * N];
    uint16_t half[N * K];
    fill(&random, a, M * K, 1);
    fill(&random, b, N * K, 1);
    half_write_f16(b, N * K, half);
    half_read_f16(half, N * K, b);
    for (int m = 0; m <= M; m++)
        for (int k = 0; k <= K; k += K) {
            fill(&random, c[0], M * N, 1);
            memcpy(c[1], c[0], sizeof c[0]);
            const Weights plain = {.value = b}, packed = {.half = half};
            matrix_product_weights(m, N, k, a, K, plain, 0, c[0], N);
            matrix_product_weights(m, N, k, a, K, packed, 0, c[1], N);
            for (int i = 0; i < M * N; i++)
                assert_close(c[0][i], c[1][i], 1e-5);
        }
    assert_ptr_equal(weights_from((Weights){.half = half}, 5).half, half + 5);
    assert_null(weights_from((Weights){.half = half}, 5).value);
}

static void a_ragged_batch_numbers_every_item_once(void **state)
{
    (void)state;
    const int lengths[2][5] = {{4, 3, 3, 1, 0}, {2, 0, 5, 1, 3}};
    for (int order = 0; order < 2; order++) {
        Arena *arena = arena_new();
        Ragged r = ragged_new(arena, (RaggedOrder)order, 5, lengths[order]);
        int seen[16] = {0};
        assert_int_equal(r.rows, 11);
        for (int i = 0; i < 5; i++)
            for (int t = 0; t < r.length[i]; t++)
                seen[ragged_row(&r, i, t)]++;
        for (int i = 0; i < 11; i++)
            assert_int_equal(seen[i], 1);
        arena_free(arena);
    }
    int order[5];
    ragged_sort(5, lengths[1], order);
    const int want[5] = {2, 4, 0, 3, 1};
    assert_memory_equal(order, want, sizeof want);
    for (int longest = 1023; longest <= 1024; longest++) { /* more than the stack has places for */
        const int lengths_of_three[3] = {0, longest, 7}, falling[3] = {1, 2, 0};
        ragged_sort(3, lengths_of_three, order);
        assert_memory_equal(order, falling, sizeof falling);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_within_two_ulp_from_underflow_to_overflow),
        cmocka_unit_test(tanh_and_sigmoid_are_within_a_millionth),
        cmocka_unit_test(special_values_stay_special),
        cmocka_unit_test(versions_agree_at_every_length),
        cmocka_unit_test(recurrent_rows_agree_between_versions),
        cmocka_unit_test(multi_dimensional_attention_agrees_between_versions),
        cmocka_unit_test(multi_dimensional_attention_stays_finite_at_the_ends),
        cmocka_unit_test(adam_versions_agree),
        cmocka_unit_test(products_with_few_rows_are_right),
        cmocka_unit_test(products_with_many_rows_are_right),
        cmocka_unit_test(product_versions_agree_and_rows_do_not_meet),
        cmocka_unit_test(products_with_half_precision_widen_exactly),
        cmocka_unit_test(products_with_weights_are_the_same_in_either_form),
        cmocka_unit_test(a_ragged_batch_numbers_every_item_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
