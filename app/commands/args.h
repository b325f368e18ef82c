/* args.h - the words of a command line, against a table that also makes the help page. */
#ifndef FOVEA_COMMANDS_ARGS_H
#define FOVEA_COMMANDS_ARGS_H
#include <stdbool.h>

#include "base/error.h"

typedef struct ArgOption {
    const char *name;        /* "model": --model VALUE or --model=VALUE; NULL ends a table */
    char letter;             /* 'm': -m VALUE; 0: none                                     */
    const char *placeholder; /* "MODEL"; NULL: a flag without value                        */
    const char *help;
} ArgOption;

typedef struct Args Args;

/* ERROR_INPUT names the word that is wrong. "--" ends options; "-" is a plain word. */
Args *args_parse(const ArgOption *options, int argc, char **argv, Error *error) FOVEA_MUST_USE;
void args_free(Args *args); /* NULL is fine */

bool args_has(const Args *args, const char *name);
const char *args_get(const Args *args, const char *name); /* last value, or NULL */
int args_count(const Args *args, const char *name);
const char *args_nth(const Args *args, const char *name, int i);
int args_n_words(const Args *args); /* words that are no options */
const char *args_word(const Args *args, int i);

/* The number, `otherwise` when absent; ERROR_INPUT outside least..most. */
bool args_number(const Args *args, const char *name, double otherwise, double least, double most,
                 double *value, Error *error) FOVEA_MUST_USE;

void args_print_help(const ArgOption *options);

#endif
