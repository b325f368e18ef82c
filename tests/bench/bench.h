/* bench.h - how long something takes: the median, least and 90th percentile of many repeats,
 * as one JSON object a line. Processor time of the whole process, so that what else runs on
 * the machine disturbs it little; with one thread it is the time that passes. */
#ifndef FOVEA_TESTS_BENCH_H
#define FOVEA_TESTS_BENCH_H
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BENCH_MOST = 5000, BENCH_LEAST = 7, BENCH_WARM = 3 };

static int bench_by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static inline double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Runs `once` for about so many seconds. */
static inline void bench_run(const char *bench, const char *name, double seconds,
                             void (*once)(void *context), void *context)
{
    static double times[BENCH_MOST];
    int n = 0;
    for (int i = 0; i < BENCH_WARM; i++)
        once(context);
    double end = bench_now() + seconds;
    while (n < BENCH_MOST && (n < BENCH_LEAST || bench_now() < end)) {
        double start = bench_now();
        once(context);
        times[n++] = bench_now() - start;
    }
    qsort(times, (size_t)n, sizeof *times, bench_by_value);
    printf("{\"bench\": \"%s\", \"case\": \"%s\", \"median_ms\": %.4f, \"min_ms\": %.4f, "
           "\"p90_ms\": %.4f, \"reps\": %d}\n",
           bench, name, 1e3 * times[n / 2], 1e3 * times[0], 1e3 * times[n * 9 / 10], n);
    fflush(stdout);
}

#endif
