#define _GNU_SOURCE /* sched_getaffinity */
#include "base/thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void clock_sleep(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    nanosleep(&time, NULL);
}

int thread_count_available(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? n : 1;
}

/* All threads, the caller's among them, take task numbers from `next` until none is left.
 * `generation` tells a waiting thread that there is a new run. */
struct Workers {
    pthread_mutex_t mutex;
    pthread_cond_t started;
    pthread_cond_t finished;
    pthread_t *threads;
    int n_started;
    int generation;
    bool quitting;
    void (*task)(void *, int);
    void *context;
    int n_tasks;
    int next;
    int n_done;
};

static void take_tasks(Workers *workers)
{
    pthread_mutex_lock(&workers->mutex);
    while (workers->next < workers->n_tasks) {
        int i = workers->next++;
        pthread_mutex_unlock(&workers->mutex);
        workers->task(workers->context, i);
        pthread_mutex_lock(&workers->mutex);
        if (++workers->n_done == workers->n_tasks)
            pthread_cond_signal(&workers->finished);
    }
    pthread_mutex_unlock(&workers->mutex);
}

static void *worker_main(void *argument)
{
    Workers *workers = argument;
    int seen = 0;
    for (;;) {
        pthread_mutex_lock(&workers->mutex);
        while (workers->generation == seen && !workers->quitting)
            pthread_cond_wait(&workers->started, &workers->mutex);
        seen = workers->generation;
        bool quitting = workers->quitting;
        pthread_mutex_unlock(&workers->mutex);
        if (quitting)
            return NULL;
        take_tasks(workers);
    }
}

Workers *workers_new(int n_threads)
{
    FOVEA_CHECK(n_threads >= 1, "%d threads", n_threads);
    Workers *workers = memory_new(1, sizeof *workers);
    pthread_mutex_init(&workers->mutex, NULL);
    pthread_cond_init(&workers->started, NULL);
    pthread_cond_init(&workers->finished, NULL);
    workers->threads = memory_new((size_t)n_threads, sizeof *workers->threads);
    /* Fewer threads than wanted only makes it slower. */
    for (int i = 0; i < n_threads - 1; i++)
        if (pthread_create(&workers->threads[workers->n_started], NULL, worker_main, workers) == 0)
            workers->n_started++;
    return workers;
}

void workers_free(Workers *workers)
{
    if (!workers)
        return;
    pthread_mutex_lock(&workers->mutex);
    workers->quitting = true;
    pthread_cond_broadcast(&workers->started);
    pthread_mutex_unlock(&workers->mutex);
    for (int i = 0; i < workers->n_started; i++)
        pthread_join(workers->threads[i], NULL);
    pthread_cond_destroy(&workers->finished);
    pthread_cond_destroy(&workers->started);
    pthread_mutex_destroy(&workers->mutex);
    free(workers->threads);
    free(workers);
}

void workers_run(Workers *workers, int n, void (*task)(void *context, int i), void *context)
{
    if (n <= 0)
        return;
    pthread_mutex_lock(&workers->mutex);
    workers->task = task;
    workers->context = context;
    workers->n_tasks = n;
    workers->next = 0;
    workers->n_done = 0;
    workers->generation++;
    pthread_cond_broadcast(&workers->started);
    pthread_mutex_unlock(&workers->mutex);
    take_tasks(workers);
    pthread_mutex_lock(&workers->mutex);
    while (workers->n_done < workers->n_tasks)
        pthread_cond_wait(&workers->finished, &workers->mutex);
    pthread_mutex_unlock(&workers->mutex);
}
