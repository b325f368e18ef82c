/* What a session keeps of a dump beside the document: what the person said of it, the file beside
 * it, how its sentences are sorted. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/dump.h"

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, json_string(text));
}

json_t *dump_to_json(const App *app)
{
    const DumpWork *w = app->dump_work;
    json_t *o = json_object();
    set_text(o, "source", w->says.source);
    set_text(o, "target", w->says.target);
    if (w->says.source || w->says.target)
        json_object_set_new(o, "typed", json_integer(w->says.typed));
    set_text(o, "gold", w->says.gold);
    set_text(o, "beside", w->beside_path);
    if (w->sort != DUMP_IN_FILE)
        set_text(o, "sort", import_measure_name(w->sort));
    json_object_set_new(o, "falls", json_boolean(w->falls));
    return o;
}

/* ---- reading ---- */

static const char *get_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static char *copy_text(const json_t *object, const char *key)
{
    const char *text = get_text(object, key);
    return text ? memory_copy_string(text) : NULL;
}

void dump_says_read(DumpSays *says, const json_t *object, const char *session)
{
    const char *gold = get_text(object, "gold");
    json_int_t typed = json_integer_value(json_object_get(object, "typed"));
    says->source = copy_text(object, "source");
    says->target = copy_text(object, "target");
    says->typed = typed > 0 && typed < IMPORT_MAX_SENTENCES ? (int)typed : 0;
    says->gold = gold ? app_find_source(gold, session) : NULL;
}

static int find_measure(const char *name)
{
    for (int k = 0; name && k < IMPORT_N_MEASURES; k++)
        if (strcmp(import_measure_name(k), name) == 0)
            return k;
    return DUMP_IN_FILE;
}

/* The dialog shows what was typed. */
static void fill_field(Edit *edit, const char *text)
{
    Error none = {0};
    bool fits = edit_reset(edit, text ? text : "", &none);
    (void)fits; /* longer than a field holds: the dialog begins empty */
}

void dump_restore(App *app, const json_t *object, const char *session)
{
    DumpWork *w = app->dump_work;
    const char *beside = get_text(object, "beside");
    w->sort = find_measure(get_text(object, "sort"));
    w->falls = json_is_true(json_object_get(object, "falls"));
    w->listed_n = -1;
    fill_field(w->source, w->says.source);
    fill_field(w->target, w->says.target);
    if (!beside || !app->dump)
        return;
    Error error = {0};
    char *path = app_find_source(beside, session);
    if (!dump_load_beside(app, path, &error))
        app_say(app, &error);
    free(path);
}
