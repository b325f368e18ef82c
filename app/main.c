/* main.c - finds the command and runs it.
 *
 * Compiled twice: `fovea` has the commands that do not draw and starts without loading a
 * graphics library; anything else it hands over to `fovea-window` beside it, which has all
 * of them (FOVEA_DRAWS). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "session/paths.h"

static const Command *const commands[] = {
    &command_models,
    &command_run,
    &command_train,
    &command_eval,
};

enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

int command_fail(const Error *error)
{
    fprintf(stderr, "fovea: %s\n", error->message);
    return error->kind == ERROR_INPUT ? EXIT_WORDS : EXIT_FAILED;
}

static const Command *find(const char *name)
{
    for (int i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int print_help(void)
{
    puts("fovea - look inside attention\n\n"
         "  fovea [FILE...]        open the window");
    for (int i = 0; i < N_COMMANDS; i++)
        printf("  fovea %-16s %s\n", commands[i]->name, commands[i]->help);
    puts("\n  fovea COMMAND --help   the options of a command\n"
         "  fovea --version");
    return EXIT_DONE;
}

static int print_command_help(const Command *c)
{
    printf("fovea %s %s\n\n%s\n\n", c->name, c->usage, c->help);
    args_print_help(c->options);
    if (c->more_help)
        c->more_help();
    return EXIT_DONE;
}

static int run_command(const Command *c, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return print_command_help(c);
    Error error = {0};
    Args *args = args_parse(c->options, argc, argv, &error);
    int status = args ? c->run(args) : command_fail(&error);
    args_free(args);
    if (status == EXIT_DONE && (fflush(stdout) != 0 || ferror(stdout))) {
        fputs("fovea: standard output cannot be written\n", stderr);
        status = EXIT_FAILED;
    }
    return status;
}

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0)
        return print_help();
    if (strcmp(first, "--version") == 0) {
        puts("fovea " FOVEA_VERSION);
        return EXIT_DONE;
    }
    const Command *c = find(first);
    if (c)
        return run_command(c, argc - 2, argv + 2);
    fprintf(stderr, "fovea: there is no command \"%s\"; fovea --help lists them\n", first);
    return EXIT_WORDS;
}
