/* random.h - reproducible random numbers in independent streams.
 *
 * xoshiro256** (Blackman and Vigna 2018), seeded through splitmix64. A stream is named by
 * a seed and a number, so that initialisation, data order, dropout, sampling and
 * exploration never disturb each other: adding a draw to one leaves the others as they
 * were. The whole state is plain data: checkpoints store it, traces replay it.
 */
#ifndef FOVEA_BASE_RANDOM_H
#define FOVEA_BASE_RANDOM_H
#include <stdint.h>

typedef struct Random {
    uint64_t state[4];
} Random;

typedef enum {
    RANDOM_INIT,    /* initial weights          */
    RANDOM_DATA,    /* order of examples        */
    RANDOM_DROPOUT, /* dropout masks            */
    RANDOM_SAMPLE,  /* hard attention, glimpses */
    RANDOM_EXPLORE, /* everything else          */
} RandomStream;

Random random_seed(uint64_t seed, uint64_t stream);

uint64_t random_bits(Random *random);
double random_uniform(Random *random);             /* [0, 1), 53 bits */
uint32_t random_below(Random *random, uint32_t n); /* 0 .. n-1 without bias, n >= 1 */
double random_normal(Random *random);              /* N(0, 1), Marsaglia's polar method */
void random_shuffle(Random *random, int *values, int n);

#endif
