/* main.c - finds the command and runs it.
 *
 * Compiled twice: `fovea` has the commands that do not draw and starts without loading a
 * graphics library; anything else it hands over to `fovea-window` beside it, which has all
 * of them (FOVEA_DRAWS). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "commands/commands.h"
#include "math/matrix.h"
#include "session/paths.h"
#ifdef FOVEA_DRAWS
#include "screen/window_sdl.h"
#endif

static const Command *const commands[] = {
    &command_models, &command_run,    &command_train, &command_eval,
#ifdef FOVEA_DRAWS
    &command_export, &command_script,
#endif
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

#ifdef FOVEA_DRAWS

/* No command: the words are files to open in the window. */
static int draw(int argc, char **argv)
{
    Error error = {0};
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-') {
            error_set(&error, ERROR_INPUT, "unknown option %s; fovea --help lists what there is",
                      argv[i]);
            return command_fail(&error);
        }
    bool ok = window_run(argc - 1, (const char *const *)argv + 1, &error);
    return ok ? EXIT_DONE : command_fail(&error);
}

#else

/* The other program does it. */
static int draw(int argc, char **argv)
{
    (void)argc;
    char *path = paths_beside("fovea-window");
    execv(path, argv);
    fprintf(stderr, "fovea: %s cannot be started: %s\n", path, strerror(errno));
    free(path);
    return EXIT_FAILED;
}

#endif

/* Commands of fovea-window, for the help page of both. */
static const char *const drawing[][2] = {
    {"export", "draw a run into a file, or write its numbers"},
    {"script FILE", "drive the window by a text, without a display"},
};

static bool is_drawing(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof drawing / sizeof drawing[0]; i++)
        if (strncmp(drawing[i][0], name, n) == 0 && (!drawing[i][0][n] || drawing[i][0][n] == ' '))
            return true;
    return false;
}

static int print_help(void)
{
    puts("fovea - look inside attention\n\n"
         "  fovea [FILE...]        open the window");
    for (int i = 0; i < N_COMMANDS; i++)
        if (!is_drawing(commands[i]->name))
            printf("  fovea %-16s %s\n", commands[i]->name, commands[i]->help);
    for (size_t i = 0; i < sizeof drawing / sizeof drawing[0]; i++)
        printf("  fovea %-16s %s\n", drawing[i][0], drawing[i][1]);
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

/* An option that draws makes its command one for fovea-window. */
static bool must_draw(const Args *args)
{
#ifdef FOVEA_DRAWS
    (void)args;
    return false;
#else
    return args && args_has(args, "report");
#endif
}

static int run_command(const Command *c, int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return print_command_help(c);
    Error error = {0};
    Args *args = args_parse(c->options, argc - 2, argv + 2, &error);
    int status = must_draw(args) ? draw(argc, argv) : args ? c->run(args) : command_fail(&error);
    args_free(args);
    if (status == EXIT_DONE && (fflush(stdout) != 0 || ferror(stdout))) {
        fputs("fovea: standard output cannot be written\n", stderr);
        status = EXIT_FAILED;
    }
    return status;
}

int main(int argc, char **argv)
{
    memory_prepare();
    matrix_prepare();
    const char *first = argc > 1 ? argv[1] : "";
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0)
        return print_help();
    if (strcmp(first, "--version") == 0) {
        puts("fovea " FOVEA_VERSION);
        return EXIT_DONE;
    }
    const Command *c = find(first);
    if (c)
        return run_command(c, argc, argv);
    return draw(argc, argv);
}
