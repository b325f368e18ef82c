#include "train/labelled.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strmap.h"
#include "base/utf8.h"

LabelledSpec labelled_spec(const Settings *settings)
{
    return (LabelledSpec){
        .column = settings_int(settings, "label-column"),
        .text = settings_int(settings, "text-column"),
        .header = settings_bool(settings, "header"),
        .end = settings_text(settings, "label-end"),
        .classes = settings_text(settings, "classes"),
    };
}

/* ---- lines ---- */

/* A label and its texts, all within one line. */
typedef struct Line {
    const char *label, *text, *second;
    size_t n_label, n_text, n_second;
} Line;

static int count_columns(const char *line, size_t n)
{
    int columns = 1;
    for (const char *tab = line; (tab = memchr(tab, '\t', n - (size_t)(tab - line))); tab++)
        columns++;
    return columns;
}

/* Column k, from 1, which must be there. */
static const char *find_column(const char *line, size_t n, int k, size_t *length)
{
    const char *start = line, *end = line + n, *tab = NULL;
    for (; k > 1; k--)
        start = (const char *)memchr(start, '\t', (size_t)(end - start)) + 1;
    tab = memchr(start, '\t', (size_t)(end - start));
    *length = (size_t)((tab ? tab : end) - start);
    return start;
}

/* NULL, or what is wrong. */
static const char *split_line(const char *line, size_t n, const LabelledSpec *spec, Line *out)
{
    if (!utf8_is_valid(line, n))
        return "not valid UTF-8";
    int n_columns = count_columns(line, n), n_texts = spec->pairs ? 2 : 1;
    int label = spec->column > 0 ? spec->column : 1;
    int text = spec->text > 0 ? spec->text : n_columns - n_texts + 1;
    if (label > n_columns || text + n_texts - 1 > n_columns ||
        (label >= text && label < text + n_texts))
        return spec->pairs ? "a label and two texts with TABs between them were expected"
                           : "a label and a text with a TAB between them were expected";
    *out = (Line){0};
    out->label = find_column(line, n, label, &out->n_label);
    out->text = find_column(line, n, text, &out->n_text);
    if (spec->pairs)
        out->second = find_column(line, n, text + 1, &out->n_second);
    for (size_t i = 0; spec->end && i < out->n_label; i++)
        if (strchr(spec->end, out->label[i]))
            out->n_label = i;
    return out->n_label == 0 ? "the label is empty" : NULL;
}

static bool read_lines(const char *path, const Bytes *bytes, const LabelledSpec *spec, Line **lines,
                       int *count, Error *error)
{
    size_t capacity = 0, at = 0;
    bool names = spec->header;
    if (bytes->size >= 3 && memcmp(bytes->data, "\xEF\xBB\xBF", 3) == 0)
        at = 3;
    while (at < bytes->size) {
        const char *line = bytes->data + at, *newline = memchr(line, '\n', bytes->size - at);
        size_t n = newline ? (size_t)(newline - line) : bytes->size - at;
        at += n + 1;
        if (n > 0 && line[n - 1] == '\r')
            n--;
        if (names) {
            names = false;
            continue;
        }
        *lines = memory_grow(*lines, &capacity, (size_t)*count + 1, sizeof **lines);
        const char *why = split_line(line, n, spec, &(*lines)[*count]);
        if (why)
            return error_set(error, ERROR_FORMAT, "%s, line %d: %s", path,
                             *count + 1 + spec->header, why);
        ++*count;
    }
    return *count > 0 || error_set(error, ERROR_FORMAT, "%s: there is nothing in it", path);
}

/* ---- classes ---- */

static ClassNames *given_classes(const char *list, Error *error)
{
    size_t capacity = 0;
    int n = 0;
    const char **names = NULL;
    char *copy = memory_copy_string(list);
    for (char *name = copy; name;) {
        char *comma = strchr(name, ',');
        if (comma)
            *comma = '\0';
        names = memory_grow(names, &capacity, (size_t)n + 1, sizeof *names);
        names[n++] = name;
        name = comma ? comma + 1 : NULL;
    }
    ClassNames *classes = class_names_new(n, names, error);
    free(names);
    free(copy);
    return classes;
}

static ClassNames *found_classes(const Line *lines, int count, Error *error)
{
    StrMap *map = strmap_new();
    for (int i = 0; i < count && strmap_count(map) <= CLASS_NAMES_MAX; i++)
        strmap_put(map, lines[i].label, lines[i].n_label, i);
    int n = strmap_count(map);
    const char **names = memory_new((size_t)n + 1, sizeof *names);
    for (int i = 0; i < n; i++)
        names[i] = strmap_key(map, i, NULL, NULL);
    class_names_sort(n, names);
    ClassNames *classes = class_names_new(n, names, error);
    free(names);
    strmap_free(map);
    return classes;
}

static bool choose_classes(const char *path, const LabelledSpec *spec, const Line *lines, int count,
                           ClassNames **classes, Error *error)
{
    if (*classes)
        return true;
    bool given = spec->classes && *spec->classes;
    Error why = {0};
    *classes = given ? given_classes(spec->classes, &why) : found_classes(lines, count, &why);
    return *classes || error_set(error, why.kind, "%s: %s", path, why.message);
}

static bool label_items(const char *path, const LabelledSpec *spec, const ClassNames *classes,
                        const Line *lines, int count, Labelled *out, Error *error)
{
    out->items = memory_new((size_t)count, sizeof *out->items);
    for (out->n = 0; out->n < count; out->n++) {
        const Line *line = &lines[out->n];
        int label = class_names_find(classes, line->label, line->n_label);
        if (label < 0) {
            char name[64];
            utf8_clean(line->label, line->n_label, name, sizeof name);
            return error_set(error, ERROR_FORMAT,
                             "%s, line %d: label \"%s\" is none of the %d classes (%s, ...)", path,
                             out->n + 1 + spec->header, name, class_names_count(classes),
                             class_names_at(classes, 0));
        }
        out->items[out->n] =
            (LabelledItem){label, line->text, line->n_text, line->second, line->n_second};
    }
    return true;
}

/* ---- whole files ---- */

bool labelled_parse(const char *name, Bytes bytes, const LabelledSpec *spec, ClassNames **classes,
                    Labelled *out, Error *error)
{
    *out = (Labelled){.bytes = bytes};
    Line *lines = NULL;
    int count = 0;
    bool ok = read_lines(name, &out->bytes, spec, &lines, &count, error) &&
              choose_classes(name, spec, lines, count, classes, error) &&
              label_items(name, spec, *classes, lines, count, out, error);
    free(lines);
    if (!ok)
        labelled_free(out);
    return ok;
}

bool labelled_read(const char *path, const LabelledSpec *spec, ClassNames **classes, Labelled *out,
                   Error *error)
{
    Bytes bytes;
    *out = (Labelled){0};
    return file_read_gzip(path, FILE_MAX_READ_BYTES, &bytes, error) &&
           labelled_parse(path, bytes, spec, classes, out, error);
}

void labelled_free(Labelled *labelled)
{
    free(labelled->items);
    bytes_free(&labelled->bytes);
    *labelled = (Labelled){0};
}
