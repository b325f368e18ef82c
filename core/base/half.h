/* half.h - sixteen- and eight-bit floating point numbers.
 *
 * F16 is IEEE binary16; BF16 the upper half of binary32; F8_E4M3 the "FN" variant that the
 * deep-learning file formats mean (no infinities, 0x7F is NaN, largest 448); F8_E5M2 the
 * upper half of binary16. Widening is exact. Narrowing rounds to nearest, ties to even,
 * overflows to infinity and keeps NaN a NaN.
 *
 * The bulk functions take bytes at any address in this machine's byte order and use the
 * processor's conversion instructions when it has them (asked at run time); both ways give
 * the same bits.
 */
#ifndef FOVEA_BASE_HALF_H
#define FOVEA_BASE_HALF_H
#include <stddef.h>
#include <stdint.h>

float half_f16_to_f32(uint16_t bits);
uint16_t half_f32_to_f16(float value);
float half_bf16_to_f32(uint16_t bits);
uint16_t half_f32_to_bf16(float value);
float half_e4m3_to_f32(uint8_t bits);
float half_e5m2_to_f32(uint8_t bits);

void half_read_f16(const void *source, size_t n, float *out);
void half_write_f16(const float *source, size_t n, void *out);
void half_read_bf16(const void *source, size_t n, float *out);
void half_write_bf16(const float *source, size_t n, void *out);

#endif
