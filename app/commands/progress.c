#include "commands/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/thread.h"

#define BAR_WIDTH    30
#define EVERY_SECOND 0.1

Progress progress_begin(int64_t total, int64_t done)
{
    return (Progress){isatty(STDERR_FILENO) == 1, total, done, clock_seconds(), 0};
}

void progress_show(Progress *p, int64_t done)
{
    double now = clock_seconds();
    if (!p->shows || p->total <= 0 || (done < p->total && now - p->drawn < EVERY_SECOND))
        return;
    p->drawn = now;
    char bar[BAR_WIDTH + 1];
    int full = (int)(BAR_WIDTH * done / p->total);
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < full ? '=' : i == full ? '>' : ' ';
    bar[BAR_WIDTH] = '\0';
    double seconds = now - p->began, rate = seconds > 0 ? (double)(done - p->first) / seconds : 0;
    fprintf(stderr, "\r[%s] %lld of %lld", bar, (long long)done, (long long)p->total);
    if (rate > 0) {
        long left = (long)((double)(p->total - done) / rate);
        fprintf(stderr, "  %.1f/s  %ld:%02ld left ", rate, left / 60, left % 60);
    }
    fflush(stderr);
}

void progress_clear(Progress *p)
{
    if (p->shows && p->drawn > 0)
        fputs("\r\033[K", stderr);
}
