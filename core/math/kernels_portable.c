/* The plain versions: what the vector versions are measured against, and the engine's
 * arithmetic in a double build. */
#include <math.h>

#include "base/half.h"
#include "math/kernels_list.h"

static void portable_exp(size_t n, const Real *x, Real *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (Real)exp((double)x[i]);
}

static void portable_tanh(size_t n, const Real *x, Real *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (Real)tanh((double)x[i]);
}

static void portable_sigmoid(size_t n, const Real *x, Real *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (Real)(1 / (1 + exp(-(double)x[i])));
}

static Real portable_dot(size_t n, const Real *x, const Real *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)y[i];
    return (Real)sum;
}

static Real portable_sum(size_t n, const Real *x)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i];
    return (Real)sum;
}

static Real portable_max(size_t n, const Real *x)
{
    Real max = x[0];
    for (size_t i = 1; i < n; i++)
        if (!(x[i] <= max) && max == max)
            max = x[i];
    return max;
}

static void portable_axpy(size_t n, Real a, const Real *x, Real *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

static void portable_multiply_add(size_t n, const Real *a, const Real *x, Real *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a[i] * x[i];
}

static void portable_add(size_t n, const Real *x, Real *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += x[i];
}

static void portable_multiply(size_t n, const Real *a, const Real *b, Real *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = a[i] * b[i];
}

static Real portable_exp_sum(size_t n, const Real *x, Real shift, Real *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        y[i] = (Real)exp((double)(x[i] - shift));
        sum += (double)y[i];
    }
    return (Real)sum;
}

static Real portable_tanh_dot(size_t n, const Real *q, const Real *k, const Real *v, Real *t)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double u = tanh((double)(q[i] + k[i]));
        if (t)
            t[i] = (Real)u;
        sum += (double)v[i] * u;
    }
    return (Real)sum;
}

/* e = exp(c tanh(u)) with exp(2 u) = ea eb; *r = 1 / (exp(2 u) + 1). */
static double feature_exp(Real c, Real ea, Real eb, double *r)
{
    *r = 1 / ((double)ea * (double)eb + 1);
    return exp((double)c * (1 - 2 * *r));
}

static void portable_feature_sums(size_t n, size_t d, Real c, const Real *ea, const Real *eb,
                                  const Real *x, Real *sum, Real *weighted)
{
    for (size_t k = 0; k < d; k++) {
        double s = (double)sum[k], w = (double)weighted[k], r;
        for (size_t i = 0; i < n; i++) {
            double e = feature_exp(c, ea[i * d + k], eb[k], &r);
            s += e;
            w += e * (double)x[i * d + k];
        }
        sum[k] = (Real)s;
        weighted[k] = (Real)w;
    }
}

static void portable_feature_slopes(size_t n, size_t d, Real c, const FeatureQuery *q,
                                    const Real *ea, const Real *x, Real *da, Real *dx)
{
    for (size_t k = 0; k < d; k++)
        for (size_t i = 0; i < n; i++) {
            size_t at = i * d + k;
            double r, p = feature_exp(c, ea[at], q->eb[k], &r) / (double)q->sum[k];
            double slope = p * (double)q->ds[k];
            double g = slope * (double)(x[at] - q->s[k]) * 4 * r * (1 - r);
            dx[at] += (Real)slope;
            da[at] += (Real)g;
            q->db[k] += (Real)g;
        }
}

static void portable_gru(size_t d, const Real *xp, const Real *hp, const Real *h, Real *gates,
                         Real *inner, Real *y)
{
    for (size_t j = 0; j < d; j++) {
        double at = hp ? (double)hp[j] : 0, az = hp ? (double)hp[d + j] : 0;
        double u = hp ? (double)hp[2 * d + j] : 0, old = h ? (double)h[j] : 0;
        double r = 1 / (1 + exp(-((double)xp[j] + at)));
        double z = 1 / (1 + exp(-((double)xp[d + j] + az)));
        double n = tanh((double)xp[2 * d + j] + r * u);
        gates[j] = (Real)r;
        gates[d + j] = (Real)z;
        gates[2 * d + j] = (Real)n;
        inner[j] = (Real)u;
        y[j] = (Real)(old + z * (n - old));
    }
}

static void portable_gru_slope(size_t d, const Real *gates, const Real *inner, const Real *h,
                               const Real *dy, Real *dxp, Real *dhp, Real *dh)
{
    for (size_t j = 0; j < d; j++) {
        Real r = gates[j], z = gates[d + j], n = gates[2 * d + j];
        Real a = dy[j] * z * (1 - n * n);
        Real b = dy[j] * (n - (h ? h[j] : 0)) * z * (1 - z);
        Real c = a * inner[j] * r * (1 - r);
        dxp[j] += c;
        dxp[d + j] += b;
        dxp[2 * d + j] += a;
        dhp[j] = c;
        dhp[d + j] = b;
        dhp[2 * d + j] = a * r;
        if (h)
            dh[j] += dy[j] * (1 - z);
    }
}

static void portable_adam(size_t n, const AdamStep *s, const Real *gradient, Real *mean,
                          Real *square, Real *value)
{
    for (size_t i = 0; i < n; i++) {
        Real g = gradient[i] * s->scale;
        mean[i] = s->beta1 * mean[i] + (1 - s->beta1) * g;
        square[i] = s->beta2 * square[i] + (1 - s->beta2) * g * g;
        value[i] -=
            s->rate * mean[i] / ((Real)sqrt((double)square[i]) + s->epsilon) + s->decay * value[i];
    }
}

static void portable_product_small(int m, int n, int k, const Real *a, int lda, const Real *b,
                                   int ldb, Real beta, Real *c, int ldc)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            Real *out = &c[(size_t)i * (size_t)ldc + (size_t)j];
            Real old = beta == 0 ? 0 : beta * *out;
            *out = old + portable_dot((size_t)k, a + (size_t)i * (size_t)lda,
                                      b + (size_t)j * (size_t)ldb);
        }
}

static void portable_product_small_half(int m, int n, int k, const Real *a, int lda,
                                        const uint16_t *b, int ldb, Real beta, Real *c, int ldc)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            const Real *x = a + (size_t)i * (size_t)lda;
            const uint16_t *y = b + (size_t)j * (size_t)ldb;
            Real *out = &c[(size_t)i * (size_t)ldc + (size_t)j];
            Real old = beta == 0 ? 0 : beta * *out;
            double sum = 0; /* as portable_dot */
            for (int q = 0; q < k; q++)
                sum += (double)x[q] * (double)half_f16_to_f32(y[q]);
            *out = old + (Real)sum;
        }
}

const Kernels kernels_portable = {
    .name = "portable",
    .exp = portable_exp,
    .tanh = portable_tanh,
    .sigmoid = portable_sigmoid,
    .dot = portable_dot,
    .sum = portable_sum,
    .max = portable_max,
    .axpy = portable_axpy,
    .multiply_add = portable_multiply_add,
    .add = portable_add,
    .multiply = portable_multiply,
    .exp_sum = portable_exp_sum,
    .tanh_dot = portable_tanh_dot,
    .feature_sums = portable_feature_sums,
    .feature_slopes = portable_feature_slopes,
    .gru = portable_gru,
    .gru_slope = portable_gru_slope,
    .adam = portable_adam,
    .product_small = portable_product_small,
    .product_small_half = portable_product_small_half,
};
