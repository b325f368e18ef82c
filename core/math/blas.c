#include "math/blas.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/library.h"
#include "math/matrix.h"

#ifdef FOVEA_DOUBLE
#define GEMM "cblas_dgemm"
#define GEMV "cblas_dgemv"
#else
#define GEMM "cblas_sgemm"
#define GEMV "cblas_sgemv"
#endif

/* The one global of the engine: a library is loaded once for a process. Written under `once`,
 * constant afterwards. */
static Blas table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    const LibraryFunction functions[] = {
        {GEMM, &table.gemm}, {GEMV, &table.gemv}, {"openblas_set_num_threads", &table.set_threads}};
    Error error = {0};
    bool ok = library_load("libopenblas.so.0", "libopenblas0", 3, functions, &error);
    FOVEA_CHECK(ok, "%s", error.message);
}

const Blas *blas(void)
{
    pthread_once(&once, load);
    return &table;
}

/* OpenBLAS knows processors by name. A processor of AMD that is newer than the library gets
 * kernels for 8 lanes even if it has 16: half the speed. What Skylake's kernels use is all
 * asked for here (the compiler's question includes the operating system's support); Intel's
 * own processors are recognised by their features. */
static int wants_wide_kernels(void)
{
#if defined(__x86_64__)
    return !__builtin_cpu_is("intel") && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    return 0;
#endif
}

void matrix_prepare(void)
{
    const int replace = 0;
    setenv("OPENBLAS_NUM_THREADS", "1", replace);
    if (wants_wide_kernels())
        setenv("OPENBLAS_CORETYPE", "SKYLAKEX", replace);
}
