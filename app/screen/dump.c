#include "screen/dump.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "screen/what_if.h"

/* ---- opening ---- */

void dump_close(App *app)
{
    import_close(app->dump);
    app->dump = NULL;
    app->doc.flipped = false;
    dump_says_free(&app->dump_work->says);
    dump_close_beside(app->dump_work);
    dump_forget(app);
}

bool dump_open(App *app, const char *path, Error *error)
{
    ImportSet *set = import_open(path, NULL, error);
    if (!set)
        return false;
    dump_close(app);
    app->dump = set;
    model_release(app->model);
    app->model = NULL;
    document_clear_edits(&app->doc);
    app_set_file(app, path);
    app->dump_work->sort = DUMP_IN_FILE;
    dump_show(app, 0, false);
    if (app->trace)
        app->doc.view = view_first(app->trace);
    return true;
}

/* The file again, with what the person says of it now; what they said before stays when it
 * cannot be. Takes `says`. */
static bool reopen(App *app, DumpSays *says, Error *error)
{
    const ImportOptions options = dump_options(says);
    ImportSet *set = import_open(app->doc.file, &options, error);
    if (!set) {
        dump_says_free(says);
        return false;
    }
    import_close(app->dump);
    app->dump = set;
    dump_says_free(&app->dump_work->says);
    app->dump_work->says = *says;
    dump_forget(app);
    return true;
}

/* ---- which sentence ---- */

static bool turn(App *app, bool flipped, Error *error)
{
    DumpSays says = {0};
    dump_says_copy(&says, &app->dump_work->says);
    says.swap = flipped;
    if (!reopen(app, &says, error))
        return false;
    app->doc.flipped = flipped;
    return true;
}

void dump_show(App *app, int sentence, bool flipped)
{
    Error error = {0};
    if (!app->dump)
        return;
    bool turns = flipped != app->doc.flipped && app->trace;
    const Trace *trace = NULL;
    if (!turns || turn(app, flipped, &error))
        trace = import_trace(app->dump, sentence, &error);
    if (!trace) {
        app_say(app, &error);
        return;
    }
    app->doc.sentence = sentence;
    app->at_end = true;
    app_show(app, trace);
}

/* ---- what the person adds ---- */

static bool say(App *app, DumpSays *says, Error *error)
{
    if (!reopen(app, says, error))
        return false;
    dump_show(app, app->doc.sentence, app->doc.flipped);
    return true;
}

bool dump_says_tokens(App *app, const char *source, const char *target, Error *error)
{
    DumpSays says = {0};
    dump_says_copy(&says, &app->dump_work->says);
    free(says.source);
    free(says.target);
    says.source = *source ? memory_copy_string(source) : NULL;
    says.target = *target ? memory_copy_string(target) : NULL;
    says.typed = app->doc.sentence;
    return say(app, &says, error);
}

bool dump_says_gold(App *app, const char *path, Error *error)
{
    DumpSays says = {0};
    dump_says_copy(&says, &app->dump_work->says);
    free(says.gold);
    says.gold = app_whole_path(path);
    if (!say(app, &says, error))
        return false;
    const View *heatmap = view_find("heatmap");
    Settings *options = document_view(&app->doc, heatmap)->options;
    if (!settings_set(options, "gold", "yes", error))
        return false;
    app_choose_view(app, heatmap);
    return true;
}

/* ---- the file beside ---- */

bool dump_load_beside(App *app, const char *path, Error *error)
{
    DumpWork *w = app->dump_work;
    if (!app->dump)
        return error_set(error, ERROR_INPUT, "%s: open the file that it is compared with first",
                         path);
    ImportSet *set = import_open(path, NULL, error);
    if (!set)
        return false;
    dump_close_beside(w);
    w->beside = set;
    w->beside_path = app_whole_path(path);
    return true;
}

bool dump_open_beside(App *app, const char *path, Error *error)
{
    if (!dump_load_beside(app, path, error))
        return false;
    app_choose_view(app, view_find("compare"));
    return true;
}

/* Of a label "source | target" the source. */
static size_t source_length(const char *label)
{
    const char *bar = strstr(label, " | ");
    return bar ? (size_t)(bar - label) : strlen(label);
}

static bool is_same_source(const char *a, const char *b)
{
    size_t n = source_length(a);
    return n == source_length(b) && memcmp(a, b, n) == 0;
}

/* The sentence of the other file that has the same source: the same place if it does, else the
 * first that does, else the same place all the same. */
static int find_partner(const App *app)
{
    ImportSet *beside = app->dump_work->beside;
    const char *label = import_label(app->dump, app->doc.sentence);
    int n = import_count(beside), same = app->doc.sentence < n ? app->doc.sentence : n - 1;
    if (is_same_source(label, import_label(beside, same)))
        return same;
    for (int i = 0; i < n; i++)
        if (is_same_source(label, import_label(beside, i)))
            return i;
    return same;
}

const Trace *dump_partner(App *app)
{
    DumpWork *w = app->dump_work;
    if (!w->beside || !app->trace || w->beside_of == trace_id(app->trace))
        return w->beside_trace;
    Error error = {0};
    trace_release(w->beside_trace);
    w->beside_of = trace_id(app->trace);
    w->beside_trace = import_trace(w->beside, find_partner(app), &error);
    if (!w->beside_trace)
        app_say(app, &error);
    return w->beside_trace;
}

static bool is_links(const char *format)
{
    return format && strcmp(format, "word alignments") == 0;
}

bool dump_takes_dropped(App *app, const char *path)
{
    FileMap map;
    Error error = {0};
    if (!app->dump || !file_map(path, &map, &error))
        return false;
    enum { HEAD = 1 << 16 };
    const char *format =
        map.size ? import_recognise(map.data, map.size < HEAD ? map.size : HEAD) : NULL;
    file_unmap(&map);
    bool links = is_links(format) && !is_links(import_format(app->dump));
    bool compares = format && strcmp(app->doc.view->name, "compare") == 0;
    if (!links && !compares)
        return false;
    bool ok = links ? dump_says_gold(app, path, &error) : dump_open_beside(app, path, &error);
    if (!ok)
        app_say(app, &error);
    return true;
}

/* ---- files that shrink ---- */

static bool drop(const Trace **trace)
{
    if (!*trace || trace_intact(*trace))
        return false;
    trace_release(*trace);
    *trace = NULL;
    return true;
}

void dump_check_files(App *app)
{
    bool gone = drop(&app->trace);
    drop(&app->plain);
    gone = drop(&app->dump_work->beside_trace) || gone;
    for (int i = app->doc.n_pins - 1; i >= 0; i--)
        if (!trace_intact(app->doc.pins[i].trace)) {
            document_unpin(&app->doc, i);
            gone = true;
        }
    if (!gone)
        return;
    Error error = {0};
    app->hover = app->selected = (ViewHit){0};
    error_set(&error, ERROR_IO, "%s: the file became shorter while it was open; open it again",
              *app->doc.file ? app->doc.file : "a file that was opened");
    app_report(app, &error);
}
