#include "models/class_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"

struct ClassNames {
    int n;
    char **names;
};

/* ---- order ---- */

static bool is_number(const char *text, double *value)
{
    size_t n = strlen(text);
    return n > 0 && number_parse(text, n, value) == n;
}

static int by_value(const void *a, const void *b)
{
    double x = 0, y = 0;
    is_number(*(const char *const *)a, &x);
    is_number(*(const char *const *)b, &y);
    if (x != y)
        return x < y ? -1 : 1;
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void class_names_sort(int n, const char **names)
{
    double value;
    bool numbers = true;
    for (int i = 0; i < n; i++)
        numbers = numbers && is_number(names[i], &value);
    if (n > 0)
        qsort(names, (size_t)n, sizeof *names, numbers ? by_value : by_bytes);
}

/* ---- life ---- */

static bool check(int n, const char *const *names, Error *error)
{
    if (n < 2 || n > CLASS_NAMES_MAX)
        return error_set(error, ERROR_LIMIT, "%d classes: a classifier has 2 to %d", n,
                         CLASS_NAMES_MAX);
    for (int i = 0; i < n; i++) {
        size_t bytes = strlen(names[i]);
        if (bytes == 0 || bytes > CLASS_NAMES_MAX_BYTES)
            return error_set(error, ERROR_LIMIT,
                             "class %d has a name of %zu bytes: 1 to %d are "
                             "allowed",
                             i + 1, bytes, CLASS_NAMES_MAX_BYTES);
        if (!utf8_is_valid(names[i], bytes))
            return error_set(error, ERROR_FORMAT, "the name of class %d is not valid UTF-8", i + 1);
        for (int k = 0; k < i; k++)
            if (strcmp(names[i], names[k]) == 0)
                return error_set(error, ERROR_FORMAT, "class \"%s\" stands twice", names[i]);
    }
    return true;
}

ClassNames *class_names_new(int n, const char *const *names, Error *error)
{
    if (!check(n, names, error))
        return NULL;
    ClassNames *copy = memory_new(1, sizeof *copy);
    copy->names = memory_new((size_t)n, sizeof *copy->names);
    for (; copy->n < n; copy->n++)
        copy->names[copy->n] = memory_copy_string(names[copy->n]);
    return copy;
}

void class_names_free(ClassNames *names)
{
    if (!names)
        return;
    for (int i = 0; i < names->n; i++)
        free(names->names[i]);
    free(names->names);
    free(names);
}

/* ---- reading ---- */

int class_names_count(const ClassNames *names)
{
    return names->n;
}

const char *class_names_at(const ClassNames *names, int i)
{
    return names->names[i];
}

int class_names_find(const ClassNames *names, const char *name, size_t n)
{
    int found = -1, n_found = 0;
    for (int i = 0; i < names->n && n > 0; i++) {
        if (strlen(names->names[i]) < n || memcmp(names->names[i], name, n) != 0)
            continue;
        if (names->names[i][n] == '\0')
            return i;
        found = i;
        n_found++;
    }
    return n_found == 1 ? found : -1;
}

/* ---- JSON ---- */

json_t *class_names_to_json(const ClassNames *names)
{
    json_t *list = json_array();
    for (int i = 0; i < names->n; i++)
        json_array_append_new(list, json_string(names->names[i]));
    return list;
}

ClassNames *class_names_from_json(const json_t *value, Error *error)
{
    size_t n = json_array_size(value);
    if (!json_is_array(value) || n > CLASS_NAMES_MAX) {
        error_set(error, ERROR_FORMAT, "\"classes\": a list of 2 to %d names was expected",
                  CLASS_NAMES_MAX);
        return NULL;
    }
    const char **names = memory_new(n + 1, sizeof *names);
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) {
        names[i] = json_string_value(json_array_get(value, i));
        ok = names[i] ||
             error_set(error, ERROR_FORMAT, "\"classes\": name %zu is not a text", i + 1);
    }
    ClassNames *classes = ok ? class_names_new((int)n, names, error) : NULL;
    free(names);
    return classes;
}
