/* matrix.h - dense products, row-major.
 *
 * The only place that calls BLAS. Products with few rows go to a kernel of our own that reads
 * each weight once: OpenBLAS runs them at a tenth of its speed. OpenBLAS is loaded when it is
 * first wanted (math/blas.h). One thread by default; matrix_set_threads changes it for the whole
 * process (OpenBLAS has one setting).
 *
 * Shapes: letters m, n, k as in BLAS. lda, ldb, ldc are distances between rows. beta is 0
 * (overwrite; c may be uninitialised) or 1 (add).
 */
#ifndef FOVEA_MATH_MATRIX_H
#define FOVEA_MATH_MATRIX_H
#include <stddef.h>
#include <stdint.h>

#include "math/real.h"

/* A matrix as a model holds it, [n,k] row by row: one of the two is NULL. */
typedef struct Weights {
    const Real *value;
    const uint16_t *half; /* IEEE half precision, widened (exactly) where it is used */
} Weights;

static inline Weights weights_from(Weights w, size_t element)
{
    return (Weights){w.value ? w.value + element : NULL, w.half ? w.half + element : NULL};
}

/* c[m,n] = a[m,k] b[n,k]^T + beta c */
void matrix_product_nt(int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                       Real beta, Real *c, int ldc);
/* c[m,n] = a[m,k] w[n,k]^T + beta c, w without gaps. Half precision goes through the kernel for
 * few rows, 32 at a time. */
void matrix_product_weights(int m, int n, int k, const Real *a, int lda, Weights w, Real beta,
                            Real *c, int ldc);
/* c[m,n] = a[m,k] b[k,n] + beta c */
void matrix_product_nn(int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                       Real beta, Real *c, int ldc);
/* c[m,n] = a[k,m]^T b[k,n] + beta c */
void matrix_product_tn(int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                       Real beta, Real *c, int ldc);

/* Tells OpenBLAS by the environment, unless a person has said otherwise (OPENBLAS_NUM_THREADS,
 * OPENBLAS_CORETYPE), to start no threads when it is loaded, and to use vectors of 16 where the
 * processor has them, also if it is newer than the library. Measured on a Zen 5 with OpenBLAS
 * 0.3.21, [512,512] x [512,512], thousand million operations a second: 57 as it chooses by
 * itself, 121 so. A program calls this first of all, while it has one thread. */
void matrix_prepare(void);

void matrix_set_threads(int n_threads);

#endif
