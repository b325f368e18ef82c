#include "testing.h"

#include <string.h>

#include "base/half.h"

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The definition, independent of bit tricks. */
static double f16_by_definition(uint16_t half)
{
    double sign = half & 0x8000 ? -1 : 1;
    int exponent = half >> 10 & 31;
    double mantissa = half & 1023;
    return sign * (exponent ? ldexp(1 + mantissa / 1024, exponent - 15) : ldexp(mantissa, -24));
}

static void every_f16_widens_exactly_and_comes_back(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 65536; i++) {
        uint16_t half = (uint16_t)i;
        float value = half_f16_to_f32(half);
        if ((i & 0x7C00) == 0x7C00) {
            assert_true(i & 0x3FF ? isnan(value) : isinf(value));
            assert_true(half_f32_to_f16(value) == (i & 0x3FF ? (half | 0x200) : half));
            continue;
        }
        assert_true((double)value == f16_by_definition(half));
        assert_int_equal(half_f32_to_f16(value), half);
    }
}

static void narrowing_rounds_to_the_nearest_even(void **state)
{
    (void)state;
    static const struct {
        float value;
        uint16_t half;
    } CASES[] = {
        {1 + 0x1p-11f, 0x3C00}, {1 + 0x1.8p-10f, 0x3C02}, {1 + 0x1.002p-11f, 0x3C01},
        {65519.0f, 0x7BFF},     {65520.0f, 0x7C00},       {0x1p-24f, 0x0001},
        {0x1p-25f, 0x0000},     {0x1.002p-25f, 0x0001},   {0x1.8p-24f, 0x0002},
        {0x1.ffap-15f, 0x03FF}, {-0x1p-26f, 0x8000},      {-1e30f, 0xFC00},
        {0x1.ffcp-15f, 0x0400}, {0x1.ff8p-15f, 0x03FF},   {-2, 0xC000},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_int_equal(half_f32_to_f16(CASES[i].value), CASES[i].half);
}

static void the_bulk_way_gives_the_same_bits(void **state)
{
    (void)state;
    enum { N = 1003 };
    float values[N], back[N];
    unsigned char bytes[2 * N + 1];
    uint32_t bits = 1;
    for (int turn = 0; turn < 300; turn++) {
        for (int i = 0; i < N; i++) {
            bits = bits * 1664525u + 1013904223u;
            /* Exponents around the range of a half, and anything at all. */
            values[i] = float_of(turn & 1 ? bits : (bits & 0x8FFFFFFFu) | 0x30000000u);
        }
        half_write_f16(values, N, bytes + 1);
        half_read_f16(bytes + 1, N, back);
        for (int i = 0; i < N; i++) {
            uint16_t one;
            memcpy(&one, bytes + 1 + 2 * i, 2);
            assert_int_equal(one, half_f32_to_f16(values[i]));
            assert_int_equal(bits_of(back[i]), bits_of(half_f16_to_f32(one)));
        }
    }
}

static void bf16_is_the_upper_half_of_a_float(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 65536; i++) {
        float value = half_bf16_to_f32((uint16_t)i);
        assert_int_equal(bits_of(value), i << 16);
        if (!isnan(value))
            assert_int_equal(half_f32_to_bf16(value), i);
    }
    assert_int_equal(half_f32_to_bf16(float_of(0x3F808000)), 0x3F80); /* tie, even below */
    assert_int_equal(half_f32_to_bf16(float_of(0x3F818000)), 0x3F82); /* tie, even above */
    assert_int_equal(half_f32_to_bf16(3.4e38f), 0x7F80);
    assert_true(isnan(half_bf16_to_f32(half_f32_to_bf16(float_of(0x7F800001)))));
    float values[3] = {1, -2, 0.5f}, back[3];
    char bytes[7];
    half_write_bf16(values, 3, bytes + 1);
    half_read_bf16(bytes + 1, 3, back);
    assert_memory_equal(values, back, sizeof values);
}

static void eight_bit_numbers_widen_by_their_definition(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 256; i++) {
        double sign = i & 0x80 ? -1 : 1;
        int e = i >> 3 & 15, m = i & 7;
        float value = half_e4m3_to_f32((uint8_t)i);
        if (e == 15 && m == 7)
            assert_true(isnan(value));
        else
            assert_true((double)value == sign * (e ? ldexp(1 + m / 8.0, e - 7) : ldexp(m, -9)));
        float wide = half_e5m2_to_f32((uint8_t)i);
        assert_int_equal(bits_of(wide), bits_of(half_f16_to_f32((uint16_t)(i << 8))));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_f16_widens_exactly_and_comes_back),
        cmocka_unit_test(narrowing_rounds_to_the_nearest_even),
        cmocka_unit_test(the_bulk_way_gives_the_same_bits),
        cmocka_unit_test(bf16_is_the_upper_half_of_a_float),
        cmocka_unit_test(eight_bit_numbers_widen_by_their_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
