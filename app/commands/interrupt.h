/* interrupt.h - Ctrl-C asks a long command to end well; a second one ends it at once. */
#ifndef FOVEA_COMMANDS_INTERRUPT_H
#define FOVEA_COMMANDS_INTERRUPT_H
#include "base/thread.h"

/* From now on SIGINT and SIGTERM raise the flag that is returned. */
StopFlag *interrupt_catch(void);

#endif
