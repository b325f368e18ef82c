#include "math/matrix.h"

#include "math/blas.h"
#include "math/kernels_list.h"

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

/* Few rows go through our kernel, which reads every weight once, as it lies; OpenBLAS copies both
 * sides first, which pays with more rows, and sooner when they are short. Measured on a Zen 5
 * with 16 lanes, thousand million operations a second, kernel and OpenBLAS 0.3.21 with its kernels
 * for 16, [m,k] x [n,k]: m = 5 of [768,256] 146 and 32, m = 32 155 and 122, m = 128 150 and 195;
 * m = 8 of [300,100] 69 and 50, m = 16 80 and 87, m = 32 80 and 112. */
enum { MAX_SHORT_ROWS = 12, SHORT_ROW = 128 };

static int is_for_kernel(int m, int k)
{
    return m <= (k < SHORT_ROW ? MAX_SHORT_ROWS : KERNELS_MAX_SMALL_ROWS);
}

void matrix_product_nt(int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                       Real beta, Real *c, int ldc)
{
    if (is_empty(m, n, k, beta, c, ldc))
        return;
    if (is_for_kernel(m, k))
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
    const int most = KERNELS_MAX_SMALL_ROWS;
    for (int i = 0; i < m; i += most) {
        int rows = m - i < most ? m - i : most;
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
