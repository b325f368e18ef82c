#include "math/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/matrix.h"

#define LIBRARY "libopenblas.so.0"

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

/* ISO C has no conversion from an object's address to a function's; POSIX has the bytes. */
static void find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    FOVEA_CHECK(symbol, "%s has no function %s", LIBRARY, name);
    memcpy(function, &symbol, sizeof symbol);
}

static void load(void)
{
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    const char *why = library ? NULL : dlerror();
    FOVEA_CHECK(library, "OpenBLAS cannot be loaded (Debian: libopenblas0): %s", why);
    find(library, GEMM, &table.gemm);
    find(library, GEMV, &table.gemv);
    find(library, "openblas_set_num_threads", &table.set_threads);
}

const Blas *blas(void)
{
    pthread_once(&once, load);
    return &table;
}

void matrix_prepare(void)
{
    const int replace = 0;
    setenv("OPENBLAS_NUM_THREADS", "1", replace);
}
