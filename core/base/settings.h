/* settings.h - named, typed values with defaults, ranges and help: key=value.
 *
 * A module declares a table of Setting; a Settings holds one value for each. The same table
 * serves `--set key=value`, the help page, a model file's metadata and a checkpoint.
 *
 * Invariants: every value is inside its declared range or one of its choices. The table must
 * outlive the Settings.
 */
#ifndef FOVEA_BASE_SETTINGS_H
#define FOVEA_BASE_SETTINGS_H
#include <stddef.h>

#include "base/error.h"
#include "base/strbuf.h"

typedef enum { SETTING_INT, SETTING_REAL, SETTING_BOOL, SETTING_CHOICE, SETTING_TEXT } SettingType;

typedef struct Setting {
    const char *name; /* "hidden"; NULL ends a table                                   */
    SettingType type;
    const char *standard; /* the default, written as a person would                  */
    double least, most;   /* INT and REAL                                            */
    const char *choices;  /* CHOICE: "gru|lstm"                                      */
    const char *help;     /* one line                                                */
} Setting;

typedef struct Settings Settings;

Settings *settings_new(const Setting *table);
Settings *settings_copy(const Settings *settings);
void settings_free(Settings *settings); /* NULL is fine */
const Setting *settings_table(const Settings *settings);

/* false with a message that names what would be right. */
bool settings_set(Settings *settings, const char *name, const char *value,
                  Error *error) FOVEA_MUST_USE;
/* "name=value" */
bool settings_assign(Settings *settings, const char *assignment, Error *error) FOVEA_MUST_USE;
bool settings_has(const Settings *settings, const char *name);

/* Of a declared name and matching type; anything else is a bug. */
int settings_int(const Settings *settings, const char *name);
double settings_real(const Settings *settings, const char *name);
bool settings_bool(const Settings *settings, const char *name);
int settings_choice(const Settings *settings, const char *name); /* its place in `choices` */
/* Any type, as text; borrowed. */
const char *settings_text(const Settings *settings, const char *name);

/* {"name": "value", ...}, all of them, as one JSON object of strings. */
void settings_to_json(const Settings *settings, StrBuf *out);

/* A help page: name, default, range or choices, what it does. */
void settings_help(const Setting *table, StrBuf *out);

#endif
