/* matrix.h - dense products, row-major.
 *
 * The only place that calls BLAS. Products with few rows go to a kernel of our own that
 * reads each weight once: OpenBLAS runs them at a tenth of its speed. OpenBLAS itself is
 * loaded at the first product that is larger (math/blas.h). One thread by default;
 * matrix_set_threads changes it for the whole process (OpenBLAS has one setting).
 *
 * Shapes: letters m, n, k as in BLAS. lda, ldb, ldc are distances between rows. beta is 0
 * (overwrite; c may be uninitialised) or 1 (add).
 */
#ifndef FOVEA_MATH_MATRIX_H
#define FOVEA_MATH_MATRIX_H
#include "math/real.h"

/* c[m,n] = a[m,k] b[n,k]^T + beta c */
void matrix_product_nt(int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                       Real beta, Real *c, int ldc);
/* c[m,n] = a[m,k] b[k,n] + beta c */
void matrix_product_nn(int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                       Real beta, Real *c, int ldc);
/* c[m,n] = a[k,m]^T b[k,n] + beta c */
void matrix_product_tn(int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                       Real beta, Real *c, int ldc);

/* Tells OpenBLAS by the environment, unless a person has said otherwise, to start no threads
 * when it is loaded. A program calls this first of all, while it has one thread. */
void matrix_prepare(void);

void matrix_set_threads(int n_threads);

#endif
