#include "math/kernels_list.h"

#ifdef KERNELS_HAVE_X86
#define SIMD_LANES 16
#define SIMD_TABLE kernels_avx512
#define SIMD_NAME  "avx512"
#include "math/kernels_simd.inc"
#endif
