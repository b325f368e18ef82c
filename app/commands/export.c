/* export.c - runs, dumps and figures that were opened, as pictures or as numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "commands/commands.h"
#include "commands/export_pane.h"
#include "commands/export_source.h"
#include "format/export.h"
#include "format/links.h"
#include "trace/grid.h"

static const ArgOption options[] = {
    {"output", 'o', "OUT", "the file: its ending is the format; - is standard output"},
    {"format", 0, "NAME", "png, svg, pdf, gif, csv, tsv, npz, safetensors, json or pharaoh"},
    {"replace", 'f', NULL, "files that exist"},
    {"model", 'm', "MODEL", "an installed model or a file"},
    {"text", 't', "TEXT", "its input"},
    {"question", 0, "TEXT", "of a reader"},
    {"force", 0, "TEXT", "a target to write instead of the model's own"},
    {"beam", 0, "K", "beam search of this width"},
    {"length-penalty", 0, "ALPHA", "((5 + n) / 6)^alpha; 0 divides by the length"},
    {"temperature", 0, "T", "of the softmax over scores"},
    {"window", 0, "D", "of local attention"},
    {"sample", 0, NULL, "draw hard choices instead of taking the largest"},
    {"seed", 0, "N", "of the draws"},
    {"intervene", 0, "FILE", "changes of the run, in JSON"},
    {"sentence", 0, "K", "of a dump with several (default: 1)"},
    {"axes", 0, "LIST", "of a dump, outermost first: layer,head,target,source"},
    {"swap", 0, NULL, "rows and columns of a dump the other way than they would be taken"},
    {"count-from", 0, "0|1", "where links of a dump, and gold links, begin to count"},
    {"tokens", 0, "FILE", "of a dump that has none: a list in JSON, or one sentence a line"},
    {"source", 0, "FILE", "the same for the source's tokens alone"},
    {"target", 0, "FILE", "and the target's"},
    {"gold", 0, "LINKS", "gold links of a dump, one line a sentence"},
    {"against", 0, "OTHER", "a second dump, or a model for the same input: view compare"},
    {"view", 0, "NAME",
     "which picture; without it the one that suits the run; left-out: without each word in turn; "
     "followed: what the changes did"},
    {"step", 0, "K", "the current step, from 1; without it the finished run"},
    {"at", 0, "LIST", "item of each leading axis, from 1: 5,8 is layer 5, head 8; all reduces"},
    {"set", 0, "KEY=VALUE", "an option of the view or a setting of the figure"},
    {"width", 0, "LENGTH", "of the figure: 160mm (default), 8.4cm, 3.3in, 240pt, 1600px"},
    {"height", 0, "LENGTH", "default: what the view needs"},
    {"font", 0, "PT", "of the words (default: 8)"},
    {"dpi", 0, "N", "of pixels (default: 300, animations 120)"},
    {"scale", 0, "N", "the same as --dpi, in 96ths"},
    {"page", 0, "LENGTH", "height of the pages of a long document in a PDF"},
    {"theme", 0, "NAME", "light or dark"},
    {"background", 0, "NAME", "plain, screen or transparent"},
    {"colormap", 0, "NAME", "auto, blues, viridis, cividis, magma, grey or diverging"},
    {"language", 0, "NAME", "english or chinese"},
    {"title", 0, "TEXT", "instead of the view's own; none: no title"},
    {"caption", 0, NULL, "a line with model, input and step"},
    {"strip", 0, NULL, "all steps side by side"},
    {0},
};

typedef struct Export {
    const Args *args;
    const char *path;
    FigureFormat format;
    ExportSource *source;
    ExportItem item;
    ExportPane pane; /* instead of a view */
    int number;      /* of the item, from 1 */
    Fonts *fonts;
    Error error;
} Export;

/* ---- what is drawn ---- */

static bool refuse_view(const char *name, Error *error)
{
    StrBuf list = {0};
    for (int i = 0; view_at(i); i++)
        strbuf_addf(&list, "%s, ", view_at(i)->name);
    strbuf_add(&list, "left-out or followed");
    error_set(error, ERROR_INPUT, "there is no view \"%s\": expected %s", name, list.text);
    strbuf_free(&list);
    return false;
}

static bool choose_view(Export *x)
{
    FigureOrigin *made = &x->item.made;
    const char *name = args_get(x->args, "view");
    if (!name && args_has(x->args, "against"))
        name = "compare";
    if (!name && made->view) /* a figure was opened */
        return true;
    bool is_pane = name && export_pane_exists(name);
    if (is_pane && !export_pane_make(name, x->source, &x->item, &x->pane, &x->error))
        return false;
    const View *view = name && !is_pane ? view_find(name) : view_first(made->trace);
    if (!view)
        return refuse_view(name, &x->error);
    if (view != made->view) {
        settings_free(made->options);
        made->options = settings_new(view->options);
    }
    made->view = view;
    return true;
}

static bool choose_other(Export *x)
{
    const char *other = args_get(x->args, "against");
    if (!other)
        return true;
    trace_release(x->item.made.other);
    x->item.made.other = export_source_other(x->source, other, &x->error);
    return x->item.made.other != NULL;
}

static bool choose_step(Export *x)
{
    int32_t n = trace_n_steps(x->item.made.trace);
    double value;
    if (!args_has(x->args, "step"))
        return true;
    if (n == 0)
        return error_set(&x->error, ERROR_INPUT, "--step: this run has no steps");
    if (!args_number(x->args, "step", 1, 1, n, &value, &x->error))
        return false;
    x->item.made.step = (int32_t)value - 1;
    return true;
}

/* "5,8", "all,3": from 1. */
static bool choose_items(Export *x)
{
    const char *list = args_get(x->args, "at"), *p = list;
    for (int i = 0; p && *p; i++) {
        int32_t item = 0;
        size_t n = strncmp(p, "all", 3) == 0 ? 3 : number_parse_index(p, strlen(p), &item);
        bool fits = i < TRACE_MAX_RANK && n > 0 && (!p[n] || p[n] == ',');
        if (!fits || item > TRACE_MAX_LEN || (item == 0 && p[0] != 'a'))
            return error_set(&x->error, ERROR_INPUT,
                             "--at %s: up to %d numbers from 1 or \"all\", separated by commas, "
                             "were expected",
                             list, TRACE_MAX_RANK);
        x->item.made.at[i] = item == 0 ? GRID_ALL : item - 1;
        p += p[n] ? n + 1 : n;
    }
    return true;
}

/* ---- settings ---- */

/* The view's option of this name, else the figure's setting. */
static bool set_one(Export *x, const char *name, const char *value)
{
    FigureOrigin *made = &x->item.made;
    if (settings_has(made->options, name))
        return settings_set(made->options, name, value, &x->error);
    if (settings_has(made->settings, name))
        return settings_set(made->settings, name, value, &x->error);
    return error_set(&x->error, ERROR_INPUT,
                     "neither the view %s nor a figure has a setting \"%s\"; fovea export --help "
                     "lists them",
                     made->view->name, name);
}

static bool set_assignment(Export *x, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    if (!equals)
        return error_set(&x->error, ERROR_INPUT, "--set %s: KEY=VALUE was expected", assignment);
    char *name = memory_copy_bytes(assignment, (size_t)(equals - assignment));
    bool ok = set_one(x, name, equals + 1);
    free(name);
    return ok;
}

/* Pixels are those of the picture, so they follow its resolution. */
static double pixel_mm(const Export *x)
{
    bool is_raster = x->format == FIGURE_PNG || x->format == FIGURE_GIF;
    const Figure figure = {.settings = x->item.made.settings};
    double scale = is_raster ? (double)figure_scale(&figure, x->format) : 1;
    return 25.4 / 96 / scale;
}

static bool set_length(Export *x, const char *name)
{
    const struct {
        const char *unit;
        double mm;
    } units[] = {{"", 1},      {"mm", 1},           {"cm", 10},
                 {"in", 25.4}, {"pt", 25.4 / 72.0}, {"px", pixel_mm(x)}};
    const char *text = args_get(x->args, name);
    double value;
    size_t n = text ? number_parse(text, strlen(text), &value) : 0;
    if (!text)
        return true;
    for (size_t i = 0; n > 0 && i < sizeof units / sizeof units[0]; i++)
        if (strcmp(text + n, units[i].unit) == 0) {
            StrBuf mm = {0};
            strbuf_add_double(&mm, value * units[i].mm);
            bool ok = settings_set(x->item.made.settings, name, mm.text, &x->error);
            strbuf_free(&mm);
            return ok;
        }
    return error_set(&x->error, ERROR_INPUT,
                     "--%s %s: a length was expected, as 160mm, 8.4cm, 3.3in, 240pt or 1600px",
                     name, text);
}

static bool set_scale(Export *x)
{
    double scale;
    if (!args_number(x->args, "scale", 0, 0.05, 25, &scale, &x->error))
        return false;
    if (scale == 0)
        return true;
    StrBuf dpi = {0};
    strbuf_add_double(&dpi, scale * 96);
    bool ok = set_one(x, "dpi", dpi.text);
    strbuf_free(&dpi);
    return ok;
}

static bool apply_settings(Export *x)
{
    static const char *const names[] = {"font",     "dpi",      "theme", "background",
                                        "colormap", "language", "title"};
    static const char *const lengths[] = {"width", "height", "page"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = args_get(x->args, names[i]);
        if (value && !set_one(x, names[i], value))
            return false;
    }
    if (!set_scale(x))
        return false;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        if (!set_length(x, lengths[i]))
            return false;
    if (args_has(x->args, "strip") && !set_one(x, "steps", "strip"))
        return false;
    if (args_has(x->args, "caption") && !set_one(x, "caption", "yes"))
        return false;
    for (int i = 0; i < args_count(x->args, "set"); i++)
        if (!set_assignment(x, args_nth(x->args, "set", i)))
            return false;
    return true;
}

/* ---- the file ---- */

static bool write_stream(Export *x, const Figure *figure)
{
    StrBuf out = {0};
    bool ok = figure_encode(figure, x->fonts, x->format, &out, &x->error);
    if (ok && out.length > 0 && fwrite(out.text, 1, out.length, stdout) != out.length)
        ok = error_set(&x->error, ERROR_IO, "standard output cannot be written");
    strbuf_free(&out);
    return ok;
}

static bool write_figure(Export *x, const char *path)
{
    const FigureOrigin *made = &x->item.made;
    Figure figure = {
        .trace = made->trace,
        .other = made->other,
        .view = made->view,
        .options = made->options,
        .settings = made->settings,
        .step = made->step,
        .camera = made->camera,
        .session = made->session,
        .drawing = x->pane.drawing.draw ? &x->pane.drawing : NULL,
    };
    memcpy(figure.at, made->at, sizeof figure.at);
    if (strcmp(path, "-") == 0)
        return write_stream(x, &figure);
    return figure_write(&figure, x->fonts, x->format, path, args_has(x->args, "replace"),
                        &x->error);
}

/* "a/{name}-{n}.png" with the item's number and the name of its file. */
static char *place_of(const Export *x)
{
    StrBuf path = {0};
    const char *base = file_base_name(x->item.file);
    int length = (int)(strlen(base) - strlen(file_extension(base)));
    for (const char *p = x->path; *p;) {
        if (strncmp(p, "{n}", 3) == 0) {
            strbuf_addf(&path, "%d", x->number);
            p += 3;
        } else if (strncmp(p, "{name}", 6) == 0) {
            strbuf_addf(&path, "%.*s", length, base);
            p += 6;
        } else {
            strbuf_add_char(&path, *p++);
        }
    }
    return strbuf_take(&path);
}

/* A refusal should not cost a run: what exists is seen before the work where it can be. */
static bool is_free(const char *path, const Args *args, Error *error)
{
    if (strcmp(path, "-") == 0 || args_has(args, "replace") || !file_exists(path))
        return true;
    return error_set(error, ERROR_IO, "%s exists already; --replace replaces it", path);
}

static bool export_item(Export *x)
{
    if (!x->item.made.settings)
        x->item.made.settings = settings_new(figure_settings);
    char *path = place_of(x);
    x->pane = (ExportPane){0};
    bool ok = is_free(path, x->args, &x->error) && choose_other(x) && choose_view(x) &&
              choose_step(x) && choose_items(x) && apply_settings(x) && write_figure(x, path);
    if (ok && x->item.n_siblings > 0)
        fprintf(stderr,
                "fovea: %s holds %d sentences and the first was taken; --sentence K takes "
                "another, {n} in the name of the output all of them\n",
                x->item.file, (int)x->item.n_siblings + 1);
    export_pane_free(&x->pane);
    free(path);
    return ok;
}

/* Every item; what is wrong with one is reported and the rest is done. */
static bool export_all(Export *x)
{
    int failed = 0;
    for (x->number = 1;; x->number++) {
        error_clear(&x->error);
        bool taken = export_source_next(x->source, &x->item, &x->error);
        if (!taken && !error_is_set(&x->error))
            break;
        bool ok = taken && export_item(x);
        export_item_free(&x->item);
        if (taken && !ok && x->error.kind == ERROR_INPUT && x->number == 1)
            return false; /* the words were wrong, for every item */
        if (!ok) {
            fprintf(stderr, "fovea: %s\n", x->error.message);
            failed++;
        }
    }
    return failed == 0 || error_set(&x->error, ERROR_IO, "%d of %d failed", failed, x->number - 1);
}

static bool export_one(Export *x)
{
    x->number = 1;
    bool ok = export_source_next(x->source, &x->item, &x->error) && export_item(x);
    export_item_free(&x->item);
    return ok;
}

/* All sentences of a dump, one a line, as every reader of such files takes them. */
static bool export_lines(Export *x)
{
    if (strcmp(x->path, "-") == 0)
        return export_source_write_lines(x->source, stdout, &x->error);
    FileWriter writer;
    if (!file_begin_write(x->path, &writer, &x->error))
        return false;
    if (export_source_write_lines(x->source, writer.stream, &x->error))
        return file_end_write(&writer, &x->error);
    file_cancel_write(&writer);
    return false;
}

/* ---- links ---- */

static bool wants_links(const Export *x)
{
    const char *format = args_get(x->args, "format"), *path = args_get(x->args, "output");
    return (format && strcmp(format, "pharaoh") == 0) ||
           (!format && path && strcmp(file_extension(path), ".pharaoh") == 0);
}

/* One line a sentence, of whatever the source gives. */
static bool write_links(Export *x, FILE *out)
{
    bool ok = true;
    while (ok && export_source_next(x->source, &x->item, &x->error)) {
        AlignLinks links = {0};
        StrBuf line = {0};
        ok = export_trace_links(x->item.made.trace, &links, &x->error);
        links_add_line(&links, &line);
        strbuf_add_char(&line, '\n');
        if (ok && fwrite(line.text, 1, line.length, out) != line.length)
            ok = error_set(&x->error, ERROR_IO, "%s: not all of it could be written", x->path);
        strbuf_free(&line);
        align_links_free(&links);
        export_item_free(&x->item);
    }
    return ok && !error_is_set(&x->error);
}

static bool export_links_file(Export *x)
{
    FileWriter writer;
    if (strcmp(x->path, "-") == 0)
        return write_links(x, stdout);
    if (!is_free(x->path, x->args, &x->error) || !file_begin_write(x->path, &writer, &x->error))
        return false;
    if (write_links(x, writer.stream))
        return file_end_write(&writer, &x->error);
    file_cancel_write(&writer);
    return false;
}

/* ---- the command ---- */

static bool choose_format(Export *x)
{
    x->path = args_get(x->args, "output");
    const char *format = args_get(x->args, "format");
    if (!x->path)
        return error_set(&x->error, ERROR_INPUT, "export wants -o OUT");
    return figure_format_find(format ? format : x->path, &x->format, &x->error);
}

static bool run_links(Export *x)
{
    x->path = args_get(x->args, "output");
    if (!x->path)
        return error_set(&x->error, ERROR_INPUT, "export wants -o OUT");
    x->source = export_source_open(x->args, true, &x->error);
    return x->source && export_links_file(x);
}

static bool run_export(Export *x)
{
    if (wants_links(x))
        return run_links(x);
    if (!choose_format(x))
        return false;
    bool each = strstr(x->path, "{n}") != NULL, named = strstr(x->path, "{name}") != NULL;
    if (!each && !named && args_n_words(x->args) > 1)
        return error_set(&x->error, ERROR_INPUT,
                         "%d files and one output: put {n} or {name} into its name",
                         args_n_words(x->args));
    if (!each && !named && !is_free(x->path, x->args, &x->error))
        return false;
    x->source = export_source_open(x->args, each, &x->error);
    x->fonts = x->source ? fonts_new(&x->error) : NULL;
    if (!x->fonts)
        return false;
    if (each || named)
        return export_all(x);
    if (x->format == FIGURE_JSON && export_source_is_whole_dump(x->source))
        return export_lines(x);
    return export_one(x);
}

static int export_command(const Args *args)
{
    Export x = {.args = args};
    bool ok = run_export(&x);
    export_source_close(x.source);
    fonts_free(x.fonts);
    return ok ? EXIT_DONE : command_fail(&x.error);
}

static void print_settings(void)
{
    StrBuf text = {0};
    strbuf_add(&text,
               "\nFILE is a dump of another tool, a trace, or a figure that Fovea drew; with a "
               "model, its\ninput: a text or a picture. {n} in OUT makes one file of every "
               "sentence of a dump or line\nof a text, {name} one of every FILE; they stand "
               "for its number and its name. Pharaoh links go into one file, a line a sentence.\n"
               "\nSettings of a figure (--set KEY=VALUE):\n");
    settings_help(figure_settings, &text);
    for (int i = 0; view_at(i); i++) {
        strbuf_addf(&text, "\nOptions of --view %s:\n", view_at(i)->name);
        settings_help(view_at(i)->options, &text);
    }
    fputs(text.text, stdout);
    strbuf_free(&text);
}

const Command command_export = {
    "export",
    "(-m MODEL -t TEXT | FILE...) -o OUT.{png,svg,pdf,gif,csv,tsv,npz,json,pharaoh} ...",
    "draw a run into a file, or write its numbers",
    options,
    export_command,
    print_settings,
};
