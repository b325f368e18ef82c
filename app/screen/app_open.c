/* Opening what the person brings: told from its bytes, never from its name. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "figure/figure_origin.h"
#include "format/safetensors.h"
#include "format/sniff.h"
#include "format/web_page.h"
#include "screen/dump.h"
#include "screen/what_if.h"

#define SNIFF_BYTES ((size_t)1 << 16)

/* A field starts anew: its history belongs to the text before. */
static void fill_field(Edit *edit, uint64_t *version, const char *text)
{
    Error refused = {0};
    if (!edit_reset(edit, text, &refused) && !edit_reset(edit, "", &refused))
        return;
    *version = edit_version(edit);
}

bool app_reads_documents(const App *app)
{
    return app->model && strcmp(model_family(app->model), "han") == 0;
}

bool app_reads_lines(const App *app)
{
    return app_reads_documents(app) || (app->model && model_task(app->model) == TASK_ANSWER);
}

/* A document keeps its paragraphs, a story its lines. */
static void fit_input(App *app)
{
    EditMode mode = app_reads_lines(app) ? EDIT_LINES : EDIT_ONE_LINE;
    if (edit_mode(app->input) == mode)
        return;
    edit_free(app->input);
    app->input = edit_new(mode, INPUT_MAX_BYTES);
}

void app_fill_fields(App *app)
{
    fit_input(app);
    const char *force = run_edits_options(app->doc.edits)->force;
    fill_field(app->input, &app->input_version, app->doc.text);
    fill_field(app->question, &app->question_version, app->doc.question);
    fill_field(app->target, &app->target_version, force ? force : "");
    app->target_is_open = force != NULL;
}

/* ---- kinds ---- */

/* The document becomes what is on the screen; its run is still to come. */
static void take_document(App *app, Document *doc)
{
    document_deinit(&app->doc);
    app->doc = *doc;
    app_fill_fields(app);
    app->at_end = app->chooses_view = false;
}

void app_look_at_picture(App *app, Picture picture)
{
    document_set_picture(&app->doc, picture);
    trace_release(app->plain);
    app->plain = NULL;
}

/* ---- sessions ---- */

char *app_find_source(const char *file, const char *session)
{
    const char *slash = strrchr(session, '/');
    char *folder = memory_copy_bytes(session, slash ? (size_t)(slash - session) : 0);
    char *beside = file_join(slash ? folder : ".", file_base_name(file));
    free(folder);
    if (!file_exists(file) && file_exists(beside))
        return beside;
    free(beside);
    return memory_copy_string(file);
}

/* The sentence of another tool's file that a document looks at. */
static const Trace *read_sentence(const Document *doc, const DumpSays *says, ImportSet **set,
                                  Error *error)
{
    const ImportOptions options = dump_options(says);
    *set = import_open(doc->file, &options, error);
    return *set ? import_trace(*set, doc->sentence, error) : NULL;
}

/* The run in a figure that was opened without its model, or a sentence of a dump. */
static const Trace *read_source(const Document *doc, const DumpSays *says, ImportSet **set,
                                Error *error)
{
    FileMap map;
    if (!file_map(doc->file, &map, error))
        return NULL;
    bool is_figure = figure_origin_recognise(map.data ? map.data : "", map.size);
    FigureOrigin origin;
    const Trace *trace = NULL;
    if (!is_figure)
        trace = read_sentence(doc, says, set, error);
    else if (figure_origin_read_memory(map.data, map.size, doc->file, &origin, error)) {
        trace = trace_retain(origin.trace);
        figure_origin_free(&origin);
    }
    file_unmap(&map);
    return trace;
}

/* Takes the document, also on failure, which changes nothing else. */
static bool look_at_file(App *app, Document *doc, const char *session, Error *error)
{
    ImportSet *set = NULL;
    DumpSays says = {.swap = doc->flipped};
    char *path = app_find_source(doc->file, session);
    document_set_file(doc, path, doc->sentence);
    free(path);
    dump_says_read(&says, json_object_get(doc->screen, "dump"), session);
    const Trace *trace = read_source(doc, &says, &set, error);
    if (!trace) {
        import_close(set);
        dump_says_free(&says);
        document_deinit(doc);
        return false;
    }
    dump_close(app);
    model_release(app->model);
    app->dump = set;
    app->dump_work->says = says;
    app->model = NULL;
    take_document(app, doc);
    app_restore_screen(app);
    app_show(app, trace);
    dump_restore(app, json_object_get(app->doc.screen, "dump"), session);
    return true;
}

bool app_open_session(App *app, const char *path, Error *error)
{
    Document doc;
    document_init(&doc);
    if (!document_open(&doc, path, error)) {
        document_deinit(&doc);
        return false;
    }
    bool ok = true;
    if (*doc.file)
        ok = look_at_file(app, &doc, path, error);
    else if ((ok = app_load_model(app, doc.model, error))) {
        take_document(app, &doc);
        app_restore_screen(app);
        app_run(app);
    } else {
        document_deinit(&doc);
    }
    if (!ok)
        error_prefix(error, "%s", path);
    return ok;
}

/* ---- figures ---- */

char *app_whole_path(const char *path)
{
    char *whole = realpath(path, NULL);
    return whole ? whole : memory_copy_string(path);
}

/* By its whole path: a session that names it may be opened from anywhere. */
void app_set_file(App *app, const char *path)
{
    char *whole = app_whole_path(path);
    document_set_file(&app->doc, whole, 0);
    free(whole);
}

/* The run itself, where what made it is not at hand. */
static void show_run(App *app, const FigureOrigin *origin, const char *path)
{
    model_release(app->model);
    app->model = NULL;
    dump_close(app);
    document_clear_edits(&app->doc);
    app_set_file(app, path);
    app->doc.step = origin->step;
    app->at_end = false;
    app_show(app, trace_retain(origin->trace));
}

static void look_as(App *app, const FigureOrigin *origin)
{
    app->doc.view = origin->view;
    app->chooses_view = false;
    app->doc.step = origin->step;
    app->at_end = origin->step >= trace_n_steps(origin->trace);
    DocumentView *state = document_view(&app->doc, origin->view);
    settings_free(state->options);
    state->options = settings_copy(origin->options);
    memcpy(state->at, origin->at, sizeof state->at);
    ViewFrame frame = app_view_frame(app, app->figure);
    frame.trace = origin->trace;
    ViewPort port = origin->view->port ? origin->view->port(&frame) : (ViewPort){0};
    const FigureCamera *c = &origin->camera;
    state->camera = (ViewCamera){c->zoom, c->left * port.width, c->top * port.height};
    if (!origin->other)
        return;
    const Trace *now = app->trace;
    app->trace = origin->other;
    app_pin(app);
    app->trace = now;
    error_clear(&app->status); /* nobody asked for it */
}

/* A figure of ours: the run that drew it, live if its model is there, and how it was looked
 * at. */
static bool open_figure(App *app, const FigureOrigin *origin, const char *path)
{
    Error passed_over = {0};
    Document doc;
    document_init(&doc);
    bool has_session =
        origin->session &&
        document_from_json(&doc, origin->session, strlen(origin->session), &passed_over) &&
        *doc.model;
    if (has_session && app_load_model(app, doc.model, &passed_over)) {
        if (doc.n_pins == 0)
            document_take_pins(&doc, &app->doc);
        take_document(app, &doc);
        app_restore_place(app);
        app_run(app);
    } else {
        document_deinit(&doc);
        show_run(app, origin, path);
    }
    look_as(app, origin);
    return true;
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

static bool draws_from(const CatalogueEntry *e)
{
    return e->facts.task == TASK_DIGIT || e->facts.task == TASK_CAPTION;
}

static bool weighs_documents(const CatalogueEntry *e)
{
    return strcmp(e->facts.family, "han") == 0;
}

/* The first installed model that fits, if the one at hand does not. */
static bool use_fitting(App *app, bool (*is_at_hand)(const App *),
                        bool (*fits)(const CatalogueEntry *), Error *error)
{
    if (!is_at_hand(app)) { /* what they are is perhaps still being read */
        worker_wait(app->tasks);
        worker_poll(app->tasks);
    }
    for (int i = 0; i < app->catalogue->n && !is_at_hand(app); i++) {
        const CatalogueEntry *e = &app->catalogue->entries[i];
        if (e->is_read && fits(e) && !app_use_model(app, e->name, error))
            return false;
    }
    return true;
}

/* A picture goes to the image model at hand, else to the first one installed. */
static bool open_picture(App *app, const char *path, Error *error)
{
    Picture picture = {0};
    if (!picture_read(&picture, path, error) ||
        !use_fitting(app, looks_at_pictures, draws_from, error))
        return false;
    if (!looks_at_pictures(app)) {
        picture_free(&picture);
        return error_set(error, ERROR_UNSUPPORTED,
                         "%s: a picture, and no installed model looks at pictures", path);
    }
    app_look_at_picture(app, picture);
    app->at_end = true;
    app_run(app);
    return true;
}

static bool open_text(App *app, const char *path, const char *data, size_t n, Error *error)
{
    if (!app->model && !app_open_default(app, error))
        return false;
    size_t skip = n >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (n > skip && (data[n - 1] == '\n' || data[n - 1] == '\r'))
        n--; /* the end of the last line is none of the text's */
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

/* What is read on a page, in a model of documents where there is one. */
static bool open_page(App *app, const char *path, const char *data, size_t n, Error *error)
{
    StrBuf text = {0};
    bool ok = web_page_read(path, data, n, &text, error) &&
              use_fitting(app, app_reads_documents, weighs_documents, error) &&
              open_text(app, path, text.text, text.length, error);
    strbuf_free(&text);
    if (ok)
        app_say_done(app, "%s: %s", file_base_name(path), ui_word(app->ui, STRING_PAGE_OPENED));
    return ok;
}

/* ---- which kind ---- */

/* A page under the name of a data file is what a failed download leaves behind. */
static bool is_page(const char *path, const char *data, size_t n)
{
    static const char *const names[] = {"", ".html", ".htm", ".xhtml", ".txt", ".md"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(file_extension(path), names[i]) == 0)
            return web_page_recognise(data, n);
    return false;
}

static bool is_text(const char *path, const char *data, size_t n, Error *error)
{
    static const char expected[] = "a model, a session, attention of another tool, a picture or a "
                                   "text was expected";
    size_t good = utf8_valid_prefix(data, n);
    const char *zero = memchr(data, '\0', good);
    if (n > INPUT_MAX_BYTES)
        return error_set(error, ERROR_LIMIT, "%s: %zu bytes; a text may have %zu", path, n,
                         INPUT_MAX_BYTES);
    if (zero)
        return error_set(error, ERROR_FORMAT, "%s: nothing that Fovea reads: byte %zu is a NUL; %s",
                         path, (size_t)(zero - data) + 1, expected);
    return good == n ||
           error_set(error, ERROR_FORMAT, "%s: nothing that Fovea reads: byte %zu is not UTF-8; %s",
                     path, good + 1, expected);
}

static bool open_by_bytes(App *app, const char *path, const char *data, size_t n, Error *error)
{
    size_t head = n < SNIFF_BYTES ? n : SNIFF_BYTES;
    if (figure_origin_recognise(data, n)) {
        FigureOrigin origin;
        if (figure_origin_read_memory(data, n, path, &origin, error)) {
            bool ok = open_figure(app, &origin, path);
            figure_origin_free(&origin);
            return ok;
        }
        if (error->kind != ERROR_FORMAT || !picture_is_one(data, n))
            return false;
        error_clear(error); /* a picture of anything: for the models that look at pictures */
    }
    if (is_page(path, data, n))
        return open_page(app, path, data, n, error);
    if (sniff_impostor(data, head, path, error))
        return false;
    if (picture_is_one(data, n))
        return open_picture(app, path, error);
    if (n > 9 && is_model(path)) {
        char *whole = app_whole_path(path);
        bool ok = app_use_model(app, whole, error);
        free(whole);
        return ok;
    }
    if (app_has_stories(data, n))
        return app_open_story(app, path, NULL, error);
    if (import_recognise(data, head))
        return dump_open(app, path, error);
    if (sniff_foreign(data, head, path, error))
        return false;
    return is_text(path, data, n, error) && open_text(app, path, data, n, error);
}

static bool open_file(App *app, const char *path, Error *error)
{
    if (strcmp(file_extension(path), ".fovea") == 0)
        return app_open_session(app, path, error);
    if (!file_exists(path) && catalogue_find(app->catalogue, path) >= 0)
        return app_use_model(app, path, error);
    const char *number = file_exists(path) ? NULL : strrchr(path, '#');
    if (number) { /* "tasks.txt#3:2": story 3, its question 2 */
        char *file = memory_copy_bytes(path, (size_t)(number - path));
        bool ok = app_open_story(app, file, number + 1, error);
        free(file);
        return ok;
    }
    FileMap map;
    if (!file_map(path, &map, error))
        return false;
    bool ok = open_by_bytes(app, path, map.data ? map.data : "", map.size, error);
    file_unmap(&map);
    return ok;
}

bool app_open(App *app, const char *path, Error *error)
{
    bool ok = open_file(app, path, error);
    if (ok && file_exists(path))
        recent_add(app, path);
    return ok;
}
