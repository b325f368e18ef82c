#include "base/settings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct Settings {
    const Setting *table;
    size_t n;
    char **values;
};

Settings *settings_new(const Setting *table)
{
    Settings *settings = memory_new(1, sizeof *settings);
    settings->table = table;
    while (table[settings->n].name)
        settings->n++;
    settings->values = memory_new(settings->n, sizeof *settings->values);
    for (size_t i = 0; i < settings->n; i++)
        settings->values[i] = memory_copy_string(table[i].standard);
    return settings;
}

Settings *settings_copy(const Settings *settings)
{
    Settings *copy = settings_new(settings->table);
    for (size_t i = 0; i < copy->n; i++) {
        free(copy->values[i]);
        copy->values[i] = memory_copy_string(settings->values[i]);
    }
    return copy;
}

void settings_free(Settings *settings)
{
    if (!settings)
        return;
    for (size_t i = 0; i < settings->n; i++)
        free(settings->values[i]);
    free(settings->values);
    free(settings);
}

const Setting *settings_table(const Settings *settings)
{
    return settings->table;
}

static int find(const Settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->n; i++)
        if (strcmp(settings->table[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* Place of `value` among "a|b|c", or -1. */
static int find_choice(const char *choices, const char *value)
{
    size_t n = strlen(value);
    int place = 0;
    for (const char *p = choices;; place++) {
        size_t width = strcspn(p, "|");
        if (width == n && memcmp(p, value, n) == 0)
            return place;
        if (!p[width])
            return -1;
        p += width + 1;
    }
}

static bool parse_number(const char *text, double *value)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && errno == 0 && isfinite(*value);
}

static bool check_number(const Setting *s, const char *value, Error *error)
{
    double x;
    bool whole = s->type == SETTING_INT;
    if (!parse_number(value, &x) || (whole && x != floor(x)))
        return error_set(error, ERROR_INPUT, "%s=%s: %s was expected", s->name, value,
                         whole ? "a whole number" : "a number");
    if (x < s->least || x > s->most)
        return error_set(error, ERROR_INPUT, "%s=%s: outside %g to %g", s->name, value, s->least,
                         s->most);
    return true;
}

static bool check(const Setting *s, const char *value, Error *error)
{
    switch (s->type) {
    case SETTING_INT:
    case SETTING_REAL: return check_number(s, value, error);
    case SETTING_BOOL:
        if (find_choice("yes|no", value) >= 0)
            return true;
        return error_set(error, ERROR_INPUT, "%s=%s: yes or no was expected", s->name, value);
    case SETTING_CHOICE:
        if (find_choice(s->choices, value) >= 0)
            return true;
        return error_set(error, ERROR_INPUT, "%s=%s: expected one of %s", s->name, value,
                         s->choices);
    case SETTING_TEXT: break;
    }
    return true;
}

bool settings_set(Settings *settings, const char *name, const char *value, Error *error)
{
    int i = find(settings, name);
    if (i < 0) {
        StrBuf names = {0};
        for (size_t k = 0; k < settings->n; k++)
            strbuf_addf(&names, "%s%s", k ? ", " : "", settings->table[k].name);
        error_set(error, ERROR_INPUT, "\"%s\" is no setting here; there are: %s", name,
                  names.text ? names.text : "none");
        strbuf_free(&names);
        return false;
    }
    if (!check(&settings->table[i], value, error))
        return false;
    char *copy = memory_copy_string(value);
    free(settings->values[i]);
    settings->values[i] = copy;
    return true;
}

bool settings_assign(Settings *settings, const char *assignment, Error *error)
{
    const char *equals = strchr(assignment, '=');
    if (!equals)
        return error_set(error, ERROR_INPUT, "\"%s\": name=value was expected", assignment);
    char *name = memory_copy_bytes(assignment, (size_t)(equals - assignment));
    bool ok = settings_set(settings, name, equals + 1, error);
    free(name);
    return ok;
}

bool settings_has(const Settings *settings, const char *name)
{
    return find(settings, name) >= 0;
}

static const char *value_of(const Settings *settings, const char *name, const Setting **setting)
{
    int i = find(settings, name);
    FOVEA_CHECK(i >= 0, "no setting \"%s\"", name);
    *setting = &settings->table[i];
    return settings->values[i];
}

int settings_int(const Settings *settings, const char *name)
{
    const Setting *s;
    const char *value = value_of(settings, name, &s);
    FOVEA_CHECK(s->type == SETTING_INT, "%s is not a whole number", name);
    return (int)strtod(value, NULL); /* "1e3" is a whole number too */
}

double settings_real(const Settings *settings, const char *name)
{
    const Setting *s;
    const char *value = value_of(settings, name, &s);
    FOVEA_CHECK(s->type == SETTING_REAL || s->type == SETTING_INT, "%s is not a number", name);
    return strtod(value, NULL);
}

bool settings_bool(const Settings *settings, const char *name)
{
    const Setting *s;
    const char *value = value_of(settings, name, &s);
    FOVEA_CHECK(s->type == SETTING_BOOL, "%s is not yes or no", name);
    return strcmp(value, "yes") == 0;
}

int settings_choice(const Settings *settings, const char *name)
{
    const Setting *s;
    const char *value = value_of(settings, name, &s);
    FOVEA_CHECK(s->type == SETTING_CHOICE, "%s is not a choice", name);
    return find_choice(s->choices, value);
}

const char *settings_text(const Settings *settings, const char *name)
{
    const Setting *s;
    return value_of(settings, name, &s);
}

void settings_to_json(const Settings *settings, StrBuf *out)
{
    strbuf_add(out, "{");
    for (size_t i = 0; i < settings->n; i++) {
        strbuf_addf(out, "%s\"%s\": \"", i ? ", " : "", settings->table[i].name);
        strbuf_add_json(out, settings->values[i], strlen(settings->values[i]));
        strbuf_add(out, "\"");
    }
    strbuf_add(out, "}");
}

void settings_help(const Setting *table, StrBuf *out)
{
    for (const Setting *s = table; s->name; s++) {
        strbuf_addf(out, "  %-20s %-12s %s", s->name, s->standard, s->help);
        if (s->type == SETTING_CHOICE)
            strbuf_addf(out, " (%s)", s->choices);
        else if (s->type == SETTING_BOOL)
            strbuf_add(out, " (yes|no)");
        else if (s->type != SETTING_TEXT)
            strbuf_addf(out, " (%g to %g)", s->least, s->most);
        strbuf_add(out, "\n");
    }
}
