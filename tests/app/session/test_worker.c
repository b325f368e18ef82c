#include "testing.h"

#include <stdlib.h>

#include "session/worker.h"

typedef struct Counted {
    int number;
    atomic_int *started, *release;
    int *log, *n_log; /* of finished jobs, in the window's thread */
    bool waits, was_stopped;
} Counted;

static void run(void *context, const StopFlag *stop)
{
    Counted *c = context;
    atomic_fetch_add(c->started, 1);
    while (c->waits && !stop_requested(stop) && !atomic_load(c->release))
        ;
    c->was_stopped = stop_requested(stop);
}

static void done(void *context, JobOutcome outcome)
{
    Counted *c = context;
    int what = outcome == JOB_DROPPED ? -c->number : c->was_stopped ? 100 + c->number : c->number;
    c->log[(*c->n_log)++] = what;
    free(c);
}

typedef struct Fixture {
    atomic_int started, release, woken;
    int log[64], n_log;
} Fixture;

static Job job(Fixture *f, int number, bool waits)
{
    Counted *c = calloc(1, sizeof *c);
    *c = (Counted){number, &f->started, &f->release, f->log, &f->n_log, waits, false};
    return (Job){c, run, done};
}

static void wake(void *context)
{
    atomic_fetch_add((atomic_int *)context, 1);
}

static void jobs_run_in_order_and_are_finished_once(void **state)
{
    (void)state;
    Fixture f = {0};
    Worker *worker = worker_new(wake, &f.woken);
    for (int i = 1; i <= 20; i++)
        worker_submit(worker, job(&f, i, false));
    worker_wait(worker);
    worker_poll(worker);
    assert_int_equal(f.n_log, 20);
    for (int i = 0; i < 20; i++)
        assert_int_equal(f.log[i], i + 1);
    worker_free(worker);
    assert_int_equal(f.n_log, 20);
    assert_int_equal(atomic_load(&f.woken), 20);
}

static void a_new_keystroke_stops_the_running_job_and_drops_the_waiting_one(void **state)
{
    (void)state;
    Fixture f = {0};
    Worker *worker = worker_new(NULL, NULL);
    worker_submit_replacing(worker, job(&f, 1, true));
    while (atomic_load(&f.started) == 0)
        ;
    worker_submit(worker, job(&f, 2, false));
    worker_submit_replacing(worker, job(&f, 3, false));
    worker_wait(worker);
    worker_poll(worker);
    assert_int_equal(f.n_log, 3);
    int sum = f.log[0] + f.log[1] + f.log[2];
    assert_int_equal(sum, 101 - 2 + 3); /* 1 stopped, 2 dropped, 3 ran */
    assert_int_equal(f.log[2], 3);
    assert_false(worker_is_busy(worker));
    worker_free(worker);
}

static void closing_in_the_middle_finishes_everything(void **state)
{
    (void)state;
    Fixture f = {0};
    Worker *worker = worker_new(NULL, NULL);
    worker_submit(worker, job(&f, 1, true));
    worker_submit(worker, job(&f, 2, true));
    worker_free(worker);
    assert_int_equal(f.n_log, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_run_in_order_and_are_finished_once),
        cmocka_unit_test(a_new_keystroke_stops_the_running_job_and_drops_the_waiting_one),
        cmocka_unit_test(closing_in_the_middle_finishes_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
