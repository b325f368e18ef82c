/* blas.h - OpenBLAS, loaded at the first call; private to math.
 *
 * Linking it would cost every start of the program: 40 megabytes of library, relocated, with
 * its Fortran runtime and a thread for each core that spins for a while. That is more than a
 * translation takes, and a translation does without: its products have few rows.
 *
 * A machine without the library is a broken installation: the program stops with a message.
 * Threads: any. */
#ifndef FOVEA_MATH_BLAS_H
#define FOVEA_MATH_BLAS_H
#include <cblas.h>

#include "math/real.h"

typedef struct Blas {
    void (*gemm)(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE a_is, enum CBLAS_TRANSPOSE b_is,
                 blasint m, blasint n, blasint k, Real alpha, const Real *a, blasint lda,
                 const Real *b, blasint ldb, Real beta, Real *c, blasint ldc);
    void (*gemv)(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE a_is, blasint m, blasint n,
                 Real alpha, const Real *a, blasint lda, const Real *x, blasint x_step, Real beta,
                 Real *y, blasint y_step);
    void (*set_threads)(int n);
} Blas;

const Blas *blas(void);

#endif
