/* thread.h - a stop flag, a clock, and work split over threads.
 *
 * StopFlag is how a long job is asked to end: it is set from any thread (or a signal
 * handler) and polled at every step. Workers runs a fixed number of tasks on up to that
 * many threads and waits for all of them; what each task computes does not depend on how
 * many threads there are.
 */
#ifndef FOVEA_BASE_THREAD_H
#define FOVEA_BASE_THREAD_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct StopFlag {
    atomic_int value;
} StopFlag;

static inline void stop_request(StopFlag *flag)
{
    atomic_store(&flag->value, 1);
}

static inline void stop_clear(StopFlag *flag)
{
    atomic_store(&flag->value, 0);
}

/* NULL: nobody can ask. */
static inline bool stop_requested(const StopFlag *flag)
{
    return flag && atomic_load_explicit((atomic_int *)&flag->value, memory_order_relaxed) != 0;
}

double clock_seconds(void); /* monotonic, from an arbitrary start */
void clock_sleep(double seconds);

int thread_count_available(void); /* processors this process may use, >= 1 */

typedef struct Workers Workers;

/* n_threads >= 1; the calling thread is one of them, so 1 starts none. */
Workers *workers_new(int n_threads);
void workers_free(Workers *workers); /* NULL is fine */

/* Calls task(context, i) once for every i in 0..n-1 and returns when all are done. */
void workers_run(Workers *workers, int n, void (*task)(void *context, int i), void *context);

#endif
