#include "math/kernels.h"

#include "math/kernels_list.h"

#ifdef KERNELS_HAVE_X86
static int has_avx2(void)
{
    /* Every processor with AVX2 converts half precision too, which clang cannot ask for. */
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}
#endif

const Kernels *kernels(void)
{
#ifdef KERNELS_HAVE_X86
    if (has_avx512())
        return &kernels_avx512;
    if (has_avx2())
        return &kernels_avx2;
#endif
    return &kernels_portable;
}

const Kernels *kernels_at(int i)
{
    const Kernels *found[4] = {&kernels_portable};
#ifdef KERNELS_HAVE_X86
    int n = 1;
    if (has_avx2())
        found[n++] = &kernels_avx2;
    if (has_avx512())
        found[n++] = &kernels_avx512;
#endif
    return i >= 0 && i < 4 ? found[i] : NULL;
}
