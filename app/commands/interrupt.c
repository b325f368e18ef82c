#include "commands/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* A signal handler can only reach a global; it is raised there and nowhere else. */
static StopFlag stop;

static void on_interrupt(int signal)
{
    (void)signal;
    stop_request(&stop);
}

StopFlag *interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &stop;
}
