/* command.h - the commands of the program.
 *
 * Exit codes: 0 done, 1 the work failed, 2 the words were wrong. Results go to standard
 * output, progress and errors to standard error.
 */
#ifndef FOVEA_COMMANDS_COMMAND_H
#define FOVEA_COMMANDS_COMMAND_H
#include "commands/args.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_WORDS = 2 };

typedef struct Command {
    const char *name;  /* "run" */
    const char *usage; /* "-m MODEL [-t TEXT | FILE | -] ..." */
    const char *help;  /* one line */
    const ArgOption *options;
    int (*run)(const Args *args);
    void (*more_help)(void); /* printed after the options; or NULL */
} Command;

/* Prints "fovea: message" to standard error; EXIT_WORDS for ERROR_INPUT, else EXIT_FAILED. */
int command_fail(const Error *error);

#endif
