/* bench.h - how long something takes: the median, least and 90th percentile of many repeats, as
 * one JSON object a line, beside the least time that this machine could take.
 *
 * The clock is the processor time of the whole process, so that what else runs on the machine
 * disturbs it little; with one thread it is the time that passes. FOVEA_BENCH_CLOCK=wall takes
 * the time that passes, which is what more threads are for; thread takes the processor time of
 * the measuring thread alone, which is what a frame costs beside work that a worker does.
 *
 * The floor of a piece of work is max(flops / peak, bytes / bandwidth): all its multiplications
 * and additions at the speed of the best matrix product, or every byte that it must read once
 * from where so many bytes lie. Both ceilings come from bench_ceilings by way of run.sh:
 * FOVEA_BENCH_GFLOPS is a number, FOVEA_BENCH_GBPS a list "0.25:90,4:70,16:60" of megabytes and
 * gigabytes a second. Without them no floor is printed. */
#ifndef FOVEA_TESTS_BENCH_H
#define FOVEA_TESTS_BENCH_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BENCH_MOST = 5000, BENCH_LEAST = 7, BENCH_WARM = 3 };

/* What must be done at least, to compare with; 0: not known. */
typedef struct BenchWork {
    double flops; /* multiplications and additions */
    double bytes; /* read or written once          */
} BenchWork;

typedef struct BenchTimes {
    double least, median, p90; /* seconds */
    int repeats;
} BenchTimes;

static int bench_by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static inline double bench_now(void)
{
    const char *clock = getenv("FOVEA_BENCH_CLOCK");
    struct timespec now;
    clockid_t id = !clock                         ? CLOCK_PROCESS_CPUTIME_ID
                   : strcmp(clock, "wall") == 0   ? CLOCK_MONOTONIC
                   : strcmp(clock, "thread") == 0 ? CLOCK_THREAD_CPUTIME_ID
                                                  : CLOCK_PROCESS_CPUTIME_ID;
    clock_gettime(id, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline BenchTimes bench_summary(double *times, int n)
{
    qsort(times, (size_t)n, sizeof *times, bench_by_value);
    return (BenchTimes){times[0], times[n / 2], times[n * 9 / 10], n};
}

/* FOVEA_BENCH_ONLY: a part of the names of those that run. */
static inline int bench_is_wanted(const char *name)
{
    const char *only = getenv("FOVEA_BENCH_ONLY");
    return !only || strstr(name, only) != NULL;
}

/* Runs `once` for about so many seconds. */
static inline BenchTimes bench_measure(double seconds, void (*once)(void *context), void *context)
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
    return bench_summary(times, n);
}

/* Gigabytes a second of a working set of so many bytes: that of the next larger size. */
static inline double bench_bandwidth(double bytes)
{
    const char *list = getenv("FOVEA_BENCH_GBPS");
    double speed = 0;
    for (char *end; list && *list; list = *end == ',' ? end + 1 : end) {
        double size = 1e6 * strtod(list, &end);
        if (*end != ':')
            break;
        speed = strtod(end + 1, &end);
        if (size >= bytes)
            break;
    }
    return speed;
}

static inline void bench_print_floor(const BenchWork *work, double least)
{
    const char *peak_text = getenv("FOVEA_BENCH_GFLOPS");
    double peak = peak_text ? strtod(peak_text, NULL) : 0, speed = bench_bandwidth(work->bytes);
    if (peak <= 0 || speed <= 0 || (work->flops <= 0 && work->bytes <= 0))
        return;
    double compute = work->flops / peak / 1e9, memory = work->bytes / speed / 1e9;
    double floor = compute > memory ? compute : memory;
    printf(
        ", \"floor_ms\": %.4f, \"over_floor\": %.2f, \"floor\": \"max(%.4g flops / %.4g Gflop/s, "
        "%.4g bytes / %.4g GB/s)\"",
        1e3 * floor, least / floor, work->flops, peak, work->bytes, speed);
}

static inline void bench_print(const char *bench, const char *name, const BenchWork *work,
                               BenchTimes t)
{
    printf("{\"bench\": \"%s\", \"case\": \"%s\", \"median_ms\": %.4f, \"min_ms\": %.4f, "
           "\"p90_ms\": %.4f, \"reps\": %d",
           bench, name, 1e3 * t.median, 1e3 * t.least, 1e3 * t.p90, t.repeats);
    if (work)
        bench_print_floor(work, t.least);
    puts("}");
    fflush(stdout);
}

static inline void bench_run_work(const char *bench, const char *name, double seconds,
                                  BenchWork work, void (*once)(void *context), void *context)
{
    if (bench_is_wanted(name))
        bench_print(bench, name, &work, bench_measure(seconds, once, context));
}

static inline void bench_run(const char *bench, const char *name, double seconds,
                             void (*once)(void *context), void *context)
{
    if (bench_is_wanted(name))
        bench_print(bench, name, NULL, bench_measure(seconds, once, context));
}

#endif
