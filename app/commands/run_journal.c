#include "commands/run_journal.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/strbuf.h"

#define N_NUMBERS 9

/* ---- one entry ---- */

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static char *entry_to_json(const JournalEntry *e)
{
    const CorpusLine *n = &e->numbers;
    json_t *o = json_pack("{s:I}", "line", (json_int_t)e->line);
    if (e->error)
        json_object_set_new(o, "error", json_string(e->error));
    json_object_set_new(o, "text", json_string(e->text));
    if (e->is_blank)
        json_object_set_new(o, "blank", json_true());
    if (!e->error && !e->is_blank) {
        json_object_set_new(
            o, "numbers",
            json_pack("[i, i, o, o, o, I, I, I, I]", (int)n->n_source, (int)n->n_target,
                      real_or_null(n->entropy), real_or_null(n->coverage), real_or_null(n->score),
                      (json_int_t)n->align.n_predicted, (json_int_t)n->align.n_sure,
                      (json_int_t)n->align.n_hit_sure, (json_int_t)n->align.n_hit_possible));
        json_object_set_new(o, "label", json_string(n->label));
    }
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(o);
    return text;
}

static double real_at(const json_t *list, size_t i)
{
    const json_t *value = json_array_get(list, i);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static int64_t whole_at(const json_t *list, size_t i)
{
    return json_integer_value(json_array_get(list, i));
}

/* false when it is none; strings are borrowed from `o`. */
static bool entry_from_json(const json_t *o, JournalEntry *e)
{
    const json_t *numbers = json_object_get(o, "numbers");
    const char *label = json_string_value(json_object_get(o, "label"));
    *e = (JournalEntry){
        .line = json_integer_value(json_object_get(o, "line")),
        .text = json_string_value(json_object_get(o, "text")),
        .error = json_string_value(json_object_get(o, "error")),
        .is_blank = json_is_true(json_object_get(o, "blank")),
    };
    if (e->line < 1 || !e->text)
        return false;
    if (e->error || e->is_blank)
        return true;
    e->numbers = (CorpusLine){
        .n_source = (int32_t)whole_at(numbers, 0),
        .n_target = (int32_t)whole_at(numbers, 1),
        .entropy = real_at(numbers, 2),
        .coverage = real_at(numbers, 3),
        .score = real_at(numbers, 4),
        .align = {whole_at(numbers, 5), whole_at(numbers, 6), whole_at(numbers, 7),
                  whole_at(numbers, 8)},
    };
    snprintf(e->numbers.label, sizeof e->numbers.label, "%s", label ? label : "");
    return json_array_size(numbers) == N_NUMBERS && label;
}

/* ---- reading what is there ---- */

typedef void (*Take)(void *context, const JournalEntry *entry);

static char *heading(const char *what)
{
    json_t *o = json_pack("{s:i, s:s}", "fovea_journal", 1, "what", what);
    char *text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    return text;
}

/* Walks over the whole lines of the journal; returns how many bytes are good. Its end may be
 * half a line: that is where a kill came. */
static size_t read_entries(const Bytes *bytes, Take take, void *context)
{
    size_t at = 0;
    for (bool first = true; at < bytes->size; first = false) {
        const char *line = bytes->data + at;
        const char *end = memchr(line, '\n', bytes->size - at);
        if (!end)
            return at;
        size_t n = (size_t)(end - line) + 1;
        if (!first) {
            json_error_t why;
            json_t *o = json_loadb(line, n, 0, &why);
            JournalEntry entry;
            bool good = o && entry_from_json(o, &entry);
            if (good)
                take(context, &entry);
            json_decref(o);
            if (!good)
                return at;
        }
        at += n;
    }
    return at;
}

static bool go_on(Journal *j, const char *first, Take take, void *context, Error *error)
{
    Bytes bytes;
    if (!file_read(j->path, FILE_MAX_READ_BYTES, &bytes, error))
        return false;
    size_t n = strlen(first);
    bool same = bytes.size > n && memcmp(bytes.data, first, n) == 0 && bytes.data[n] == '\n';
    size_t good = same ? read_entries(&bytes, take, context) : 0;
    bytes_free(&bytes);
    if (!same)
        return error_set(error, ERROR_INPUT,
                         "%s is the journal of another run (model, input or options differ): "
                         "remove it, or run without --resume",
                         j->path);
    if (truncate(j->path, (off_t)good) != 0)
        return error_set(error, ERROR_IO, "%s: %s", j->path, strerror(errno));
    j->stream = fopen(j->path, "ab");
    return j->stream || error_set(error, ERROR_IO, "%s: %s", j->path, strerror(errno));
}

static bool begin(Journal *j, const char *first, Error *error)
{
    j->stream = fopen(j->path, "wb");
    if (!j->stream || fprintf(j->stream, "%s\n", first) < 0)
        return error_set(error, ERROR_IO, "%s: %s", j->path, strerror(errno));
    return true;
}

bool journal_open(Journal *journal, const char *output, const char *what, bool resume, Take take,
                  void *context, Error *error)
{
    StrBuf path = {0};
    strbuf_addf(&path, "%s.journal", output);
    *journal = (Journal){memory_copy_string(output), strbuf_take(&path), NULL};
    char *first = heading(what);
    bool ok = resume && file_exists(journal->path) ? go_on(journal, first, take, context, error)
                                                   : begin(journal, first, error);
    free(first);
    if (!ok)
        journal_close(journal);
    return ok;
}

/* ---- writing ---- */

bool journal_add(Journal *journal, const JournalEntry *entry, Error *error)
{
    char *text = entry_to_json(entry);
    bool ok = fprintf(journal->stream, "%s\n", text) > 0 && fflush(journal->stream) == 0;
    free(text);
    return ok || error_set(error, ERROR_IO, "%s: %s", journal->path, strerror(errno));
}

static void write_text(void *context, const JournalEntry *entry)
{
    FileWriter *writer = context;
    fputs(entry->text, writer->stream);
    fputc('\n', writer->stream);
}

bool journal_finish(Journal *journal, Error *error)
{
    Bytes bytes;
    FileWriter writer;
    if (!file_read(journal->path, FILE_MAX_READ_BYTES, &bytes, error))
        return false;
    bool ok = file_begin_write(journal->output, &writer, error);
    if (ok) {
        read_entries(&bytes, write_text, &writer);
        ok = file_end_write(&writer, error);
    }
    bytes_free(&bytes);
    if (ok)
        unlink(journal->path);
    return ok;
}

void journal_close(Journal *journal)
{
    if (journal->stream)
        fclose(journal->stream);
    free(journal->output);
    free(journal->path);
    *journal = (Journal){0};
}
