/* kernels_list.h - the versions that were compiled in; private to the kernels. */
#ifndef FOVEA_MATH_KERNELS_LIST_H
#define FOVEA_MATH_KERNELS_LIST_H
#include "math/kernels.h"

extern const Kernels kernels_portable;

#if defined(__x86_64__) && !defined(FOVEA_DOUBLE)
#define KERNELS_HAVE_X86 1
extern const Kernels kernels_avx2;
extern const Kernels kernels_avx512;
#endif

#endif
