/* kernels.h - elementwise and reducing loops over arrays of Real.
 *
 * One table of functions for each kind of processor: `portable` (plain C and libm; the only
 * one in a double build), `avx2` and `avx512`. kernels() returns the best that this
 * processor runs. The vector versions are one source, kernels_simd.inc, written with vector
 * types so that it provably vectorises, compiled once for each width.
 *
 * Error bounds of the vector versions against exact results: exp 2 ulp (underflow is
 * gradual, overflow is infinity), tanh and sigmoid 1e-6 absolute; NaN stays NaN. Sums are
 * taken in a fixed order for each version, so results do not depend on threads.
 *
 * Pointers need no alignment. Outputs may be the same array as an input, never overlap
 * otherwise. n >= 0. Threads: pure functions.
 */
#ifndef FOVEA_MATH_KERNELS_H
#define FOVEA_MATH_KERNELS_H
#include <stddef.h>
#include <stdint.h>

#include "math/real.h"

#define KERNELS_MAX_SMALL_ROWS 32

typedef struct AdamStep {
    Real rate;    /* learning rate with the bias corrections folded in      */
    Real beta1;   /* decay of the mean                                      */
    Real beta2;   /* decay of the square                                    */
    Real epsilon; /* added to the root, with its bias correction folded in  */
    Real scale;   /* of the gradient (clipping)                             */
    Real decay;   /* decoupled weight decay times learning rate; 0: none    */
} AdamStep;

/* What one query of multi-dimensional attention left behind; all [d]. */
typedef struct FeatureQuery {
    const Real *eb, *sum, *s, *ds;
    Real *db;
} FeatureQuery;

typedef struct Kernels {
    const char *name;

    void (*exp)(size_t n, const Real *x, Real *y);
    void (*tanh)(size_t n, const Real *x, Real *y);
    void (*sigmoid)(size_t n, const Real *x, Real *y);

    Real (*dot)(size_t n, const Real *x, const Real *y);
    Real (*sum)(size_t n, const Real *x);
    Real (*max)(size_t n, const Real *x);                   /* n >= 1; NaN if any is */
    void (*axpy)(size_t n, Real a, const Real *x, Real *y); /* y += a x     */
    void (*multiply_add)(size_t n, const Real *a, const Real *x, Real *y); /* y += a * x */
    void (*add)(size_t n, const Real *x, Real *y);                         /* y += x       */
    void (*multiply)(size_t n, const Real *a, const Real *b, Real *y);     /* y = a * b    */

    /* y = exp(x - shift); returns the sum of y. */
    Real (*exp_sum)(size_t n, const Real *x, Real shift, Real *y);

    /* sum_i v_i tanh(q_i + k_i); the hyperbolic tangents go to t unless it is NULL. */
    Real (*tanh_dot)(size_t n, const Real *q, const Real *k, const Real *v, Real *t);

    /* The inner loops of multi-dimensional attention, for one query: n keys, d features, rows
     * one after the other. e = exp(c tanh((a + b) / c)) is made from ea = exp(2 a / c) [n,d]
     * and eb = exp(2 b / c) [d], because tanh(u) = 1 - 2 / (exp(2 u) + 1); the products of ea
     * and eb must be finite, 0 < c <= 40.
     *     sum += e      weighted += e x          [d], over the n keys */
    void (*feature_sums)(size_t n, size_t d, Real c, const Real *ea, const Real *eb, const Real *x,
                         Real *sum, Real *weighted);
    /* Backwards, with P = e / sum, s = weighted / sum and its gradient ds [d]:
     *     dx += P ds      g = P ds (x - s) (1 - tanh^2):  da += g, db += g over the keys */
    void (*feature_slopes)(size_t n, size_t d, Real c, const FeatureQuery *query, const Real *ea,
                           const Real *x, Real *da, Real *dx);

    /* One row of a GRU that resets after the product, d units, gates in the order r, z, n;
     * hp = U h and h are NULL at the start of a sequence, where both are zero.
     *     r = sigmoid(xp_r + hp_r)   z = sigmoid(xp_z + hp_z)   n = tanh(xp_n + r hp_n)
     *     y = h + z (n - h)          gates = [r, z, n] [3d]     inner = hp_n [d] */
    void (*gru)(size_t d, const Real *xp, const Real *hp, const Real *h, Real *gates, Real *inner,
                Real *y);
    /* Backwards from dy [d]:  a = dy z (1 - n^2)   b = dy (n - h) z (1 - z)
     *     c = a inner r (1 - r)   dxp += [c, b, a] [3d]   dhp = [c, b, a r] [3d]
     *     dh += dy (1 - z), unless h is NULL */
    void (*gru_slope)(size_t d, const Real *gates, const Real *inner, const Real *h, const Real *dy,
                      Real *dxp, Real *dhp, Real *dh);

    /* One fused update of n parameters by Adam (Kingma and Ba 2014, algorithm 1): value,
     * mean and square of the gradient. */
    void (*adam)(size_t n, const AdamStep *step, const Real *gradient, Real *mean, Real *square,
                 Real *value);

    /* c[m,n] = a[m,k] b[n,k]^T + beta c, meant for 1 <= m <= KERNELS_MAX_SMALL_ROWS: every
     * element of b comes from memory once. A row of c does not depend on the other rows of a.
     * lda, ldb, ldc: distance between rows. */
    void (*product_small)(int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                          Real beta, Real *c, int ldc);
    /* The same with b in IEEE half precision, widened on the way: half of the bytes, and bit for
     * bit what product_small makes of the widened b. */
    void (*product_small_half)(int m, int n, int k, const Real *a, int lda, const uint16_t *b,
                               int ldb, Real beta, Real *c, int ldc);
} Kernels;

const Kernels *kernels(void);

/* Every version that this processor can run, for tests and benchmarks; index 0 is portable.
 * NULL past the end. */
const Kernels *kernels_at(int i);

#endif
