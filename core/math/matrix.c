#include "math/matrix.h"

#include "math/blas.h"
#include "math/kernels.h"

/* BLAS does nothing to c when k is 0 and beta is 0 in some versions; be exact. */
static int is_empty(int m, int n, int k, Real beta, Real *c, int ldc)
{
    if (m <= 0 || n <= 0)
        return 1;
    if (k > 0)
        return 0;
    if (beta == 0)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                c[(long)i * ldc + j] = 0;
    return 1;
}

void matrix_product_nt(int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                       Real beta, Real *c, int ldc)
{
    if (is_empty(m, n, k, beta, c, ldc))
        return;
    if (m <= KERNELS_MAX_SMALL_ROWS)
        kernels()->product_small(m, n, k, a, lda, b, ldb, beta, c, ldc);
    else if (n == 1)
        blas()->gemv(CblasRowMajor, CblasNoTrans, m, k, 1, a, lda, b, 1, beta, c, ldc);
    else
        blas()->gemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, a, lda, b, ldb, beta, c,
                     ldc);
}

void matrix_product_weights(int m, int n, int k, const Real *a, int lda, Weights w, Real beta,
                            Real *c, int ldc)
{
    if (!w.half) {
        matrix_product_nt(m, n, k, a, lda, w.value, k, beta, c, ldc);
        return;
    }
    if (is_empty(m, n, k, beta, c, ldc))
        return;
    for (int i = 0; i < m; i += KERNELS_MAX_SMALL_ROWS) {
        int rows = m - i < KERNELS_MAX_SMALL_ROWS ? m - i : KERNELS_MAX_SMALL_ROWS;
        kernels()->product_small_half(rows, n, k, a + (long)i * lda, lda, w.half, k, beta,
                                      c + (long)i * ldc, ldc);
    }
}

void matrix_product_nn(int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                       Real beta, Real *c, int ldc)
{
    if (is_empty(m, n, k, beta, c, ldc))
        return;
    if (m == 1)
        blas()->gemv(CblasRowMajor, CblasTrans, k, n, 1, b, ldb, a, 1, beta, c, 1);
    else
        blas()->gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, lda, b, ldb, beta, c,
                     ldc);
}

void matrix_product_tn(int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                       Real beta, Real *c, int ldc)
{
    if (is_empty(m, n, k, beta, c, ldc))
        return;
    blas()->gemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, k, 1, a, lda, b, ldb, beta, c, ldc);
}

void matrix_set_threads(int n_threads)
{
    blas()->set_threads(n_threads);
}
