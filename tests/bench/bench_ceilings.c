/* What this machine can do at most, with one thread: matrix products by size, products with one
 * and five rows, reading memory by size, exp and tanh an element, each version of the kernels.
 * Everything else is compared with these. */
#include "bench.h"

#include <math.h>

#include "base/memory.h"
#include "math/kernels.h"
#include "math/matrix.h"

typedef struct Product {
    int m, n, k;
    Real *a, *b, *c;
} Product;

static Real *numbers(size_t n)
{
    Real *x = memory_new(n, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = (Real)((double)(i % 1009) / 1009 - 0.5);
    return x;
}

static void multiply(void *context)
{
    const Product *p = context;
    matrix_product_nt(p->m, p->n, p->k, p->a, p->k, p->b, p->k, 0, p->c, p->n);
}

static double bench_product(double seconds, int m, int n, int k)
{
    Product p = {m,
                 n,
                 k,
                 numbers((size_t)m * (size_t)k),
                 numbers((size_t)n * (size_t)k),
                 numbers((size_t)m * (size_t)n)};
    BenchTimes t = bench_measure(seconds, multiply, &p);
    double speed = 2e-9 * m * n * k / t.least;
    printf("{\"ceiling\": \"product\", \"case\": \"%d x %d x %d\", \"gflops\": %.1f, "
           "\"weights_gbps\": %.1f, \"min_ms\": %.4f}\n",
           m, n, k, speed, 4e-9 * n * k / t.least, 1e3 * t.least);
    fflush(stdout);
    free(p.a);
    free(p.b);
    free(p.c);
    return speed;
}

typedef struct Block {
    size_t n;
    const Real *x;
    volatile Real sum;
} Block;

static void read_block(void *context)
{
    Block *b = context;
    b->sum = kernels()->sum(b->n, b->x);
}

static void bench_reading(double seconds)
{
    static const double megabytes[] = {0.03, 0.25, 1, 4, 8, 16, 64, 256};
    for (size_t i = 0; i < sizeof megabytes / sizeof megabytes[0]; i++) {
        Block b = {.n = (size_t)(megabytes[i] * 1e6 / sizeof(Real))};
        Real *x = numbers(b.n);
        b.x = x;
        BenchTimes t = bench_measure(seconds, read_block, &b);
        printf("{\"ceiling\": \"read\", \"megabytes\": %g, \"gbps\": %.1f}\n", megabytes[i],
               1e-9 * (double)(b.n * sizeof(Real)) / t.least);
        fflush(stdout);
        free(x);
    }
}

enum { ELEMENTS = 4096 };

typedef struct Map {
    void (*function)(size_t n, const Real *x, Real *y);
    Real x[ELEMENTS], y[ELEMENTS];
} Map;

static void map_once(void *context)
{
    Map *m = context;
    m->function(ELEMENTS, m->x, m->y);
}

static void bench_maps(double seconds)
{
    Map *m = memory_new(1, sizeof *m);
    for (int i = 0; i < ELEMENTS; i++)
        m->x[i] = (Real)(6 * ((double)(i % 1009) / 1009 - 0.5));
    for (int v = 0; kernels_at(v); v++) {
        const Kernels *k = kernels_at(v);
        void (*const functions[])(size_t, const Real *, Real *) = {k->exp, k->tanh, k->sigmoid};
        static const char *const names[] = {"exp", "tanh", "sigmoid"};
        for (int f = 0; f < 3; f++) {
            m->function = functions[f];
            BenchTimes t = bench_measure(seconds, map_once, m);
            printf("{\"ceiling\": \"%s\", \"version\": \"%s\", \"ns_per_element\": %.3f}\n",
                   names[f], k->name, 1e9 * t.least / ELEMENTS);
        }
        fflush(stdout);
    }
    free(m);
}

int main(int argc, char **argv)
{
    static const int sizes[][3] = {
        {128, 128, 128},  {256, 256, 256},  {512, 512, 512}, {1024, 1024, 512}, {64, 768, 256},
        {768, 8000, 256}, {128, 2048, 512}, {1, 768, 256},   {1, 8000, 256},    {1, 8000, 512},
        {5, 8000, 256},   {5, 8000, 512},   {20, 768, 256}};
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 0.3, peak = 0;
    matrix_prepare();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        double speed = bench_product(seconds, sizes[i][0], sizes[i][1], sizes[i][2]);
        peak = speed > peak ? speed : peak;
    }
    printf("{\"ceiling\": \"peak\", \"gflops\": %.1f}\n", peak);
    bench_reading(seconds);
    bench_maps(seconds / 3);
    return 0;
}
