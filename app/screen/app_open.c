/* Opening what the person brings: told from its bytes, never from its name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "format/safetensors.h"
#include "format/sniff.h"
#include "screen/app_internal.h"

#define SNIFF_BYTES ((size_t)1 << 16)

/* A field starts anew: its history belongs to the text before. */
static void fill_field(Edit *edit, uint64_t *version, const char *text)
{
    Error refused = {0};
    if (!edit_reset(edit, text, &refused) && !edit_reset(edit, "", &refused))
        return;
    *version = edit_version(edit);
}

void app_fill_fields(App *app)
{
    const char *force = run_edits_options(app->doc.edits)->force;
    fill_field(app->input, &app->input_version, app->doc.text);
    fill_field(app->question, &app->question_version, app->doc.question);
    fill_field(app->target, &app->target_version, force ? force : "");
    app->target_is_open = force != NULL;
}

/* ---- kinds ---- */

static bool open_session(App *app, const char *path, Error *error)
{
    if (!document_open(&app->doc, path, error))
        return false;
    app_fill_fields(app);
    app->at_end = false;
    int step = app->doc.step;
    if (*app->doc.file) {
        char *file = memory_copy_string(app->doc.file);
        int sentence = app->doc.sentence;
        bool ok = app_open(app, file, error);
        free(file);
        if (ok)
            app_show_sentence(app, sentence, false);
        return ok;
    }
    char *model = memory_copy_string(app->doc.model);
    bool ok = app_load_model(app, model, error);
    free(model);
    app->doc.step = step;
    if (ok)
        app_run(app);
    return ok;
}

static bool is_model(const char *path)
{
    Error none = {0};
    SafeTensors *file = safetensors_open(path, &none);
    bool found = file && safetensors_metadata(file, "fovea") != NULL;
    safetensors_close(file);
    return found;
}

static bool looks_at_pictures(const App *app)
{
    return app->model &&
           (model_task(app->model) == TASK_DIGIT || model_task(app->model) == TASK_CAPTION);
}

/* A picture goes to the image model at hand, else to the first one installed. */
static bool open_picture(App *app, const char *path, Error *error)
{
    Picture picture = {0};
    if (!picture_read(&picture, path, error))
        return false;
    for (int i = 0; i < app->catalogue->n && !looks_at_pictures(app); i++) {
        const CatalogueEntry *e = &app->catalogue->entries[i];
        bool fits = e->is_read && (e->facts.task == TASK_DIGIT || e->facts.task == TASK_CAPTION);
        if (fits && !app_use_model(app, e->name, error))
            return false;
    }
    if (!looks_at_pictures(app)) {
        picture_free(&picture);
        return error_set(error, ERROR_UNSUPPORTED,
                         "%s: a picture, and no installed model looks at pictures", path);
    }
    picture_free(&app->picture);
    app->picture = picture;
    app->at_end = true;
    app_run(app);
    return true;
}

static bool open_text(App *app, const char *path, const char *data, size_t n, Error *error)
{
    if (!app->model && !app_open_default(app, error))
        return false;
    size_t skip = n >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    char *text = memory_copy_bytes(data + skip, n - skip);
    bool ok = edit_reset(app->input, text, error);
    free(text);
    if (!ok) {
        error_prefix(error, "%s", path);
        return false;
    }
    app->input_version = edit_version(app->input);
    document_set_text(&app->doc, edit_text(app->input));
    app->at_end = true;
    app_run(app);
    return true;
}

static bool open_dump(App *app, const char *path, Error *error)
{
    ImportSet *set = import_open(path, NULL, error);
    if (!set)
        return false;
    import_close(app->dump);
    app->dump = set;
    model_release(app->model);
    app->model = NULL;
    document_clear_edits(&app->doc);
    document_set_file(&app->doc, path, 0);
    app->dump_is_flipped = false;
    app_show_sentence(app, 0, false);
    if (app->trace)
        app->doc.view = view_first(app->trace);
    return true;
}

/* The names of the tensor's axes, the last two exchanged: what an importer is told. */
static void flipped_axes(const Trace *trace, StrBuf *out)
{
    const TraceTensor *t = trace_n_tensors(trace) > 0 ? trace_tensor(trace, 0) : NULL;
    for (int32_t i = 0; t && i < t->rank; i++) {
        int32_t k = i == t->rank - 2 ? t->rank - 1 : i == t->rank - 1 ? t->rank - 2 : i;
        strbuf_addf(out, "%s%s", i ? "," : "", trace_axis(trace, t->axis[k])->name);
    }
}

void app_show_sentence(App *app, int sentence, bool flipped)
{
    if (!app->dump)
        return;
    Error error = {0};
    StrBuf axes = {0};
    if (flipped != app->dump_is_flipped && app->trace) {
        flipped_axes(app->trace, &axes);
        const ImportOptions options = {.axes = flipped ? axes.text : NULL};
        ImportSet *set = import_open(app->doc.file, &options, &error);
        if (set) {
            import_close(app->dump);
            app->dump = set;
            app->dump_is_flipped = flipped;
        }
        strbuf_free(&axes);
    }
    const Trace *trace = import_trace(app->dump, sentence, &error);
    if (!trace) {
        app_say(app, &error);
        return;
    }
    app->doc.sentence = sentence;
    app->at_end = true;
    app_show(app, trace);
}

/* ---- which kind ---- */

static bool open_by_bytes(App *app, const char *path, const char *data, size_t n, Error *error)
{
    size_t head = n < SNIFF_BYTES ? n : SNIFF_BYTES;
    if (sniff_impostor(data, head, path, error))
        return false;
    if (picture_is_one(data, n))
        return open_picture(app, path, error);
    if (n > 9 && is_model(path))
        return app_use_model(app, path, error);
    if (import_recognise(data, head))
        return open_dump(app, path, error);
    if (sniff_foreign(data, head, path, error))
        return false;
    if (n <= INPUT_MAX_BYTES && utf8_is_valid(data, n))
        return open_text(app, path, data, n, error);
    return error_set(error, ERROR_FORMAT,
                     "%s: nothing that Fovea reads: a model, a session, attention of another "
                     "tool, a picture or a text was expected",
                     path);
}

bool app_open(App *app, const char *path, Error *error)
{
    if (strcmp(file_extension(path), ".fovea") == 0)
        return open_session(app, path, error);
    if (!file_exists(path) && catalogue_find(app->catalogue, path) >= 0)
        return app_use_model(app, path, error);
    FileMap map;
    if (!file_map(path, &map, error))
        return false;
    bool ok = open_by_bytes(app, path, map.data ? map.data : "", map.size, error);
    file_unmap(&map);
    return ok;
}
