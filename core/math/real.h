/* real.h - the number type of the engine.
 *
 * Real is float. The same sources are compiled a second time with FOVEA_DOUBLE for gradient
 * checks and exact enumerations, where single precision would hide mistakes.
 */
#ifndef FOVEA_MATH_REAL_H
#define FOVEA_MATH_REAL_H

#ifdef FOVEA_DOUBLE
typedef double Real;
#else
typedef float Real;
#endif

#endif
