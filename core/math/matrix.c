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

/* Many rows go through the kernel for few in blocks that stay in the first cache. It takes both
 * sides as they lie, where OpenBLAS copies them first; the sums of its lanes at the end of each
 * row make short ones dear. Measured on a Zen 5 with 16 lanes, thousand million operations a
 * second, beside OpenBLAS 0.3.21 with its kernels for 16: [128,512] x [2048,512] 141 and 89,
 * [512,512] x [512,512] 138 and 95, [128,2048] x [512,2048] 108 and 92, [7680,100] x [300,100]
 * 74 and 76. */
enum { ROWS_AT_ONCE = 24, LEAST_LONG_ROW = 128 };

static int is_for_kernel(int m, int k)
{
#ifdef KERNELS_HAVE_X86
    if (k >= LEAST_LONG_ROW && kernels() == &kernels_avx512)
        return 1;
#else
    (void)k;
#endif
    return m <= KERNELS_MAX_SMALL_ROWS;
}

static void product_by_kernel(int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                              Real beta, Real *c, int ldc)
{
    int most = m <= KERNELS_MAX_SMALL_ROWS ? m : ROWS_AT_ONCE;
    for (int i = 0; i < m; i += most)
        kernels()->product_small(m - i < most ? m - i : most, n, k, a + (long)i * lda, lda, b, ldb,
                                 beta, c + (long)i * ldc, ldc);
}

void matrix_product_nt(int m, int n, int k, const Real *a, int lda, const Real *b, int ldb,
                       Real beta, Real *c, int ldc)
{
    if (is_empty(m, n, k, beta, c, ldc))
        return;
    if (is_for_kernel(m, k))
        product_by_kernel(m, n, k, a, lda, b, ldb, beta, c, ldc);
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
    int most = m <= KERNELS_MAX_SMALL_ROWS ? m : ROWS_AT_ONCE;
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
