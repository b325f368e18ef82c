/* progress.h - a bar on standard error while a long command works; nothing unless that is a
 * terminal. */
#ifndef FOVEA_COMMANDS_PROGRESS_H
#define FOVEA_COMMANDS_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>

typedef struct Progress {
    bool shows;
    int64_t total, first; /* first: done before the clock started */
    double began, drawn;
} Progress;

Progress progress_begin(int64_t total, int64_t done);
/* At most ten times a second, and at the end. */
void progress_show(Progress *progress, int64_t done);
/* Takes the bar off, so that a message has the line for itself. */
void progress_clear(Progress *progress);

#endif
