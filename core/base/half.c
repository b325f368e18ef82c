#include "base/half.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float half_f16_to_f32(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t exponent = (half >> 10) & 0x1Fu;
    uint32_t mantissa = half & 0x3FFu;
    if (exponent == 0x1F) {
        /* The processor's instruction makes every NaN a quiet one; so do we. */
        uint32_t quiet = mantissa ? 0x400000u : 0;
        return float_of_bits(sign | 0x7F800000u | quiet | mantissa << 13);
    }
    if (exponent == 0) {
        float magnitude = (float)mantissa * 0x1p-24f; /* exact: subnormals count in 2^-24 */
        return sign ? -magnitude : magnitude;
    }
    return float_of_bits(sign | (exponent + 112) << 23 | mantissa << 13);
}

/* value / 2^shift, to nearest, ties to even. */
static uint32_t shift_rounded(uint32_t value, int shift)
{
    uint32_t kept = value >> shift;
    uint32_t rest = value & ((1u << shift) - 1);
    uint32_t half = 1u << (shift - 1);
    return kept + (rest > half || (rest == half && (kept & 1)));
}

uint16_t half_f32_to_f16(float value)
{
    uint32_t bits = bits_of_float(value);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u)
        return (uint16_t)(sign | 0x7E00u | (magnitude >> 13 & 0x3FFu));
    if (magnitude >= 0x47800000u) /* 65536 and above */
        return (uint16_t)(sign | 0x7C00u);
    if (magnitude >= 0x38800000u) /* normal; a carry into the exponent is right as it is */
        return (uint16_t)(sign | shift_rounded(magnitude - 0x38000000u, 13));
    if (magnitude < 0x33000000u) /* below half of the smallest subnormal */
        return sign;
    uint32_t mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
    return (uint16_t)(sign | shift_rounded(mantissa, 126 - (int)(magnitude >> 23)));
}

float half_bf16_to_f32(uint16_t bits)
{
    return float_of_bits((uint32_t)bits << 16);
}

uint16_t half_f32_to_bf16(float value)
{
    uint32_t bits = bits_of_float(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7FFFu + (bits >> 16 & 1)) >> 16);
}

float half_e4m3_to_f32(uint8_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x80u) << 24;
    uint32_t exponent = bits >> 3 & 0xFu;
    uint32_t mantissa = bits & 7u;
    if (exponent == 0xF && mantissa == 7)
        return float_of_bits(sign | 0x7FC00000u);
    if (exponent == 0) {
        float magnitude = (float)mantissa * 0x1p-9f;
        return sign ? -magnitude : magnitude;
    }
    return float_of_bits(sign | (exponent + 120) << 23 | mantissa << 20);
}

float half_e5m2_to_f32(uint8_t bits)
{
    return half_f16_to_f32((uint16_t)(bits << 8));
}

#if defined(__x86_64__)
/* Every processor with AVX2 has F16C; asking for AVX2 is what both compilers understand. */
static int has_conversion(void)
{
    return __builtin_cpu_supports("avx2");
}

__attribute__((target("avx2,f16c"))) static size_t read_f16_eights(const void *source, size_t n,
                                                                   float *out)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m128i packed = _mm_loadu_si128((const __m128i *)((const char *)source + 2 * i));
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(packed));
    }
    return i;
}

__attribute__((target("avx2,f16c"))) static size_t write_f16_eights(const float *source, size_t n,
                                                                    void *out)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m128i packed = _mm256_cvtps_ph(_mm256_loadu_ps(source + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128((__m128i *)((char *)out + 2 * i), packed);
    }
    return i;
}
#else
static int has_conversion(void)
{
    return 0;
}

static size_t read_f16_eights(const void *source, size_t n, float *out)
{
    (void)source, (void)n, (void)out;
    return 0;
}

static size_t write_f16_eights(const float *source, size_t n, void *out)
{
    (void)source, (void)n, (void)out;
    return 0;
}
#endif

void half_read_f16(const void *source, size_t n, float *out)
{
    for (size_t i = has_conversion() ? read_f16_eights(source, n, out) : 0; i < n; i++) {
        uint16_t bits;
        memcpy(&bits, (const char *)source + 2 * i, sizeof bits);
        out[i] = half_f16_to_f32(bits);
    }
}

void half_write_f16(const float *source, size_t n, void *out)
{
    for (size_t i = has_conversion() ? write_f16_eights(source, n, out) : 0; i < n; i++) {
        uint16_t bits = half_f32_to_f16(source[i]);
        memcpy((char *)out + 2 * i, &bits, sizeof bits);
    }
}

void half_read_bf16(const void *source, size_t n, float *out)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t bits;
        memcpy(&bits, (const char *)source + 2 * i, sizeof bits);
        out[i] = half_bf16_to_f32(bits);
    }
}

void half_write_bf16(const float *source, size_t n, void *out)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t bits = half_f32_to_bf16(source[i]);
        memcpy((char *)out + 2 * i, &bits, sizeof bits);
    }
}
