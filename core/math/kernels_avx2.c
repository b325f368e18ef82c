#include "math/kernels_list.h"

#ifdef KERNELS_HAVE_X86
#define SIMD_LANES 8
#define SIMD_TABLE kernels_avx2
#define SIMD_NAME  "avx2"
#include "math/kernels_simd.inc"
#endif
