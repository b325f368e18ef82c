#include "commands/args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct Given {
    const ArgOption *option;
    const char *value;
} Given;

struct Args {
    Given *given;
    int n_given;
    const char **words;
    int n_words;
};

static const ArgOption *by_name(const ArgOption *options, const char *name, size_t n)
{
    for (const ArgOption *o = options; o->name; o++)
        if (strlen(o->name) == n && memcmp(o->name, name, n) == 0)
            return o;
    return NULL;
}

static const ArgOption *by_letter(const ArgOption *options, char letter)
{
    for (const ArgOption *o = options; o->name; o++)
        if (o->letter && o->letter == letter)
            return o;
    return NULL;
}

/* One option that starts at argv[*i]; moves *i over a separate value. */
static bool take_option(Args *args, const ArgOption *options, int argc, char **argv, int *i,
                        Error *error)
{
    const char *word = argv[*i];
    bool is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    size_t n = equals ? (size_t)(equals - word - 2) : strlen(word) - 2;
    const ArgOption *o = is_long ? by_name(options, word + 2, n) : by_letter(options, word[1]);
    if (!o)
        return error_set(error, ERROR_INPUT, "unknown option %s", word);
    const char *value = equals ? equals + 1 : !is_long && word[2] ? word + 2 : NULL;
    if (!o->placeholder && value)
        return error_set(error, ERROR_INPUT, "%s takes no value", word);
    if (o->placeholder && !value) {
        if (*i + 1 >= argc)
            return error_set(error, ERROR_INPUT, "%s wants a value: %s", word, o->placeholder);
        value = argv[++*i];
    }
    args->given[args->n_given++] = (Given){o, value};
    return true;
}

Args *args_parse(const ArgOption *options, int argc, char **argv, Error *error)
{
    Args *args = memory_new(1, sizeof *args);
    args->given = memory_new((size_t)argc + 1, sizeof *args->given);
    args->words = memory_new((size_t)argc + 1, sizeof *args->words);
    bool only_words = false;
    for (int i = 0; i < argc; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0) {
            only_words = true;
        } else if (only_words || argv[i][0] != '-' || argv[i][1] == '\0') {
            args->words[args->n_words++] = argv[i];
        } else if (!take_option(args, options, argc, argv, &i, error)) {
            args_free(args);
            return NULL;
        }
    }
    return args;
}

void args_free(Args *args)
{
    if (!args)
        return;
    free(args->given);
    free(args->words);
    free(args);
}

int args_count(const Args *args, const char *name)
{
    int n = 0;
    for (int i = 0; i < args->n_given; i++)
        n += strcmp(args->given[i].option->name, name) == 0;
    return n;
}

bool args_has(const Args *args, const char *name)
{
    return args_count(args, name) > 0;
}

const char *args_nth(const Args *args, const char *name, int i)
{
    for (int k = 0; k < args->n_given; k++)
        if (strcmp(args->given[k].option->name, name) == 0 && i-- == 0)
            return args->given[k].value;
    return NULL;
}

const char *args_get(const Args *args, const char *name)
{
    return args_nth(args, name, args_count(args, name) - 1);
}

int args_n_words(const Args *args)
{
    return args->n_words;
}

const char *args_word(const Args *args, int i)
{
    return i >= 0 && i < args->n_words ? args->words[i] : NULL;
}

bool args_number(const Args *args, const char *name, double otherwise, double least, double most,
                 double *value, Error *error)
{
    *value = otherwise;
    const char *text = args_get(args, name);
    if (!text)
        return true;
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !(*value >= least && *value <= most))
        return error_set(error, ERROR_INPUT, "--%s %s: a number from %g to %g was expected", name,
                         text, least, most);
    return true;
}

void args_print_help(const ArgOption *options)
{
    for (const ArgOption *o = options; o->name; o++) {
        char left[64];
        if (o->letter)
            snprintf(left, sizeof left, "-%c, --%s%s%s", o->letter, o->name,
                     o->placeholder ? " " : "", o->placeholder ? o->placeholder : "");
        else
            snprintf(left, sizeof left, "    --%s%s%s", o->name, o->placeholder ? " " : "",
                     o->placeholder ? o->placeholder : "");
        printf("  %-30s %s\n", left, o->help);
    }
}
