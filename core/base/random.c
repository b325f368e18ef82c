#include "base/random.h"

#include <math.h>

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = (*x += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

Random random_seed(uint64_t seed, uint64_t stream)
{
    uint64_t x = seed;
    uint64_t mixed = splitmix(&x) ^ (stream + 1) * 0xD1342543DE82EF95u;
    Random random;
    for (int i = 0; i < 4; i++)
        random.state[i] = splitmix(&mixed);
    return random;
}

static uint64_t rotate_left(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

uint64_t random_bits(Random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double random_uniform(Random *random)
{
    return (double)(random_bits(random) >> 11) * 0x1.0p-53;
}

uint32_t random_below(Random *random, uint32_t n)
{
    /* Lemire's multiply-and-reject: exact, and almost never a second draw. */
    uint64_t product = (random_bits(random) >> 32) * n;
    if ((uint32_t)product < n) {
        uint32_t threshold = -n % n;
        while ((uint32_t)product < threshold)
            product = (random_bits(random) >> 32) * n;
    }
    return (uint32_t)(product >> 32);
}

double random_normal(Random *random)
{
    double u, v, s;
    do {
        u = 2 * random_uniform(random) - 1;
        v = 2 * random_uniform(random) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    /* The second value is dropped: keeping it would be hidden state. */
    return u * sqrt(-2 * log(s) / s);
}

void random_shuffle(Random *random, int *values, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)random_below(random, (uint32_t)i + 1);
        int swap = values[i];
        values[i] = values[j];
        values[j] = swap;
    }
}
