#include "session/worker.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"

typedef struct Item {
    Job job;
    JobOutcome outcome;
    struct Item *next;
} Item;

typedef struct List {
    Item *first, *last;
} List;

struct Worker {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t thread;
    bool has_thread;
    bool quitting;
    bool running;
    StopFlag stop;
    List waiting, finished;
    void (*wake)(void *);
    void *wake_context;
};

static void push(List *list, Item *item)
{
    item->next = NULL;
    if (list->last)
        list->last->next = item;
    else
        list->first = item;
    list->last = item;
}

static Item *pop(List *list)
{
    Item *item = list->first;
    if (item) {
        list->first = item->next;
        if (!list->first)
            list->last = NULL;
    }
    return item;
}

static void run_item(Worker *worker, Item *item)
{
    worker->running = true;
    stop_clear(&worker->stop);
    pthread_mutex_unlock(&worker->mutex);
    item->job.run(item->job.context, &worker->stop);
    pthread_mutex_lock(&worker->mutex);
    item->outcome = JOB_RAN;
    push(&worker->finished, item);
    worker->running = false;
    pthread_cond_broadcast(&worker->changed);
}

static void *worker_main(void *argument)
{
    Worker *worker = argument;
    pthread_mutex_lock(&worker->mutex);
    while (!worker->quitting) {
        Item *item = pop(&worker->waiting);
        if (!item) {
            pthread_cond_wait(&worker->changed, &worker->mutex);
            continue;
        }
        run_item(worker, item);
        if (!worker->wake)
            continue;
        pthread_mutex_unlock(&worker->mutex);
        worker->wake(worker->wake_context);
        pthread_mutex_lock(&worker->mutex);
    }
    pthread_mutex_unlock(&worker->mutex);
    return NULL;
}

Worker *worker_new(void (*wake)(void *context), void *context)
{
    Worker *worker = memory_new(1, sizeof *worker);
    pthread_mutex_init(&worker->mutex, NULL);
    pthread_cond_init(&worker->changed, NULL);
    worker->wake = wake;
    worker->wake_context = context;
    worker->has_thread = pthread_create(&worker->thread, NULL, worker_main, worker) == 0;
    return worker;
}

static void drop_waiting(Worker *worker)
{
    for (Item *item; (item = pop(&worker->waiting));) {
        item->outcome = JOB_DROPPED;
        push(&worker->finished, item);
    }
}

void worker_free(Worker *worker)
{
    if (!worker)
        return;
    pthread_mutex_lock(&worker->mutex);
    worker->quitting = true;
    stop_request(&worker->stop);
    drop_waiting(worker);
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
    if (worker->has_thread)
        pthread_join(worker->thread, NULL);
    worker_poll(worker);
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->mutex);
    free(worker);
}

static void submit(Worker *worker, Job job, bool replacing)
{
    Item *item = memory_new(1, sizeof *item);
    item->job = job;
    pthread_mutex_lock(&worker->mutex);
    if (replacing) {
        drop_waiting(worker);
        if (worker->running)
            stop_request(&worker->stop);
    }
    push(&worker->waiting, item);
    /* Without a thread (the system gave none) the work is done here: slower, not broken. */
    if (!worker->has_thread)
        while ((item = pop(&worker->waiting)))
            run_item(worker, item);
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
}

void worker_submit(Worker *worker, Job job)
{
    submit(worker, job, false);
}

void worker_submit_replacing(Worker *worker, Job job)
{
    submit(worker, job, true);
}

void worker_cancel(Worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    drop_waiting(worker);
    if (worker->running)
        stop_request(&worker->stop);
    pthread_mutex_unlock(&worker->mutex);
}

int worker_poll(Worker *worker)
{
    int n = 0;
    pthread_mutex_lock(&worker->mutex);
    List ready = worker->finished;
    worker->finished = (List){0};
    pthread_mutex_unlock(&worker->mutex);
    for (Item *item; (item = pop(&ready)); n++) {
        item->job.done(item->job.context, item->outcome);
        free(item);
    }
    return n;
}

bool worker_is_busy(const Worker *shared)
{
    Worker *worker = (Worker *)shared;
    pthread_mutex_lock(&worker->mutex);
    bool busy = worker->running || worker->waiting.first;
    pthread_mutex_unlock(&worker->mutex);
    return busy;
}

void worker_wait(Worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    while (worker->running || worker->waiting.first)
        pthread_cond_wait(&worker->changed, &worker->mutex);
    pthread_mutex_unlock(&worker->mutex);
}
