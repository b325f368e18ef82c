/* Whole processes: from start to end, with processor time and memory.
 *
 *   bench_start NAME RUNS COMMAND [ARGUMENT ...]
 *
 * What the command prints is thrown away. The time that passes is what a person waits; the
 * processor time says the same on a machine that is busy with other things. */
#define _DEFAULT_SOURCE /* wait4 */
#include "bench.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/thread.h"

typedef struct Run {
    double passed, processor; /* seconds */
    double megabytes;         /* largest resident size */
} Run;

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static Run run(char **command)
{
    double began = clock_seconds();
    pid_t child = fork();
    FOVEA_CHECK(child >= 0, "no process can be started");
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        execvp(command[0], command);
        _exit(127);
    }
    int status;
    struct rusage usage;
    FOVEA_CHECK(wait4(child, &status, 0, &usage) == child, "no process to wait for");
    FOVEA_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s failed", command[0]);
    return (Run){clock_seconds() - began, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
                 (double)usage.ru_maxrss / 1000};
}

int main(int argc, char **argv)
{
    static double passed[BENCH_MOST], processor[BENCH_MOST];
    FOVEA_CHECK(argc > 3, "bench_start NAME RUNS COMMAND ...");
    int n = (int)strtol(argv[2], NULL, 10);
    n = n < 1 ? 1 : n > BENCH_MOST ? BENCH_MOST : n;
    double most = 0;
    run(argv + 3);
    for (int i = 0; i < n; i++) {
        Run r = run(argv + 3);
        passed[i] = r.passed;
        processor[i] = r.processor;
        most = r.megabytes > most ? r.megabytes : most;
    }
    BenchTimes wall = bench_summary(passed, n), cpu = bench_summary(processor, n);
    printf("{\"bench\": \"start\", \"case\": \"%s\", \"median_ms\": %.2f, \"min_ms\": %.2f, "
           "\"p90_ms\": %.2f, \"cpu_median_ms\": %.2f, \"cpu_min_ms\": %.2f, \"max_rss_MB\": %.1f, "
           "\"reps\": %d}\n",
           argv[1], 1e3 * wall.median, 1e3 * wall.least, 1e3 * wall.p90, 1e3 * cpu.median,
           1e3 * cpu.least, most, n);
    return 0;
}
