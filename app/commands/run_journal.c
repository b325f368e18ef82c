#include "commands/run_journal.h"

#include <errno.h>
#include <inttypes.h>
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
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
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

static char *heading(const JournalHead *h)
{
    json_t *o =
        json_pack("{s:i, s:s, s:s, s:s, s:s, s:I, s:I, s:I}", "fovea_journal", 1, "what", h->what,
                  "model", h->model, "title", h->title, "input", h->input, "first",
                  (json_int_t)h->first, "end", (json_int_t)h->end, "of", (json_int_t)h->n_lines);
    char *text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    return text;
}

/* Walks over the whole lines of the journal; returns how many bytes are good. Its end may be
 * half a line: that is where a kill came. */
static size_t read_entries(const Bytes *bytes, JournalTake take, void *context)
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

static bool go_on(Journal *j, const char *first, const JournalSpec *spec, Error *error)
{
    Bytes bytes;
    if (!file_read(j->path, FILE_MAX_READ_BYTES, &bytes, error))
        return false;
    size_t n = strlen(first);
    bool same = bytes.size > n && memcmp(bytes.data, first, n) == 0 && bytes.data[n] == '\n';
    size_t good = same ? read_entries(&bytes, spec->take, spec->context) : 0;
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

static char *path_of(const char *output)
{
    StrBuf path = {0};
    strbuf_addf(&path, "%s.journal", output);
    return strbuf_take(&path);
}

bool journal_open(Journal *journal, const JournalSpec *spec, Error *error)
{
    *journal = (Journal){memory_copy_string(spec->output), path_of(spec->output), NULL};
    char *first = heading(&spec->head);
    bool ok = spec->resume && file_exists(journal->path) ? go_on(journal, first, spec, error)
                                                         : begin(journal, first, error);
    free(first);
    if (!ok)
        journal_close(journal);
    return ok;
}

/* ---- the journals of shards ---- */

static bool read_head(const json_t *o, JournalHead *h)
{
    *h = (JournalHead){
        .what = json_string_value(json_object_get(o, "what")),
        .model = json_string_value(json_object_get(o, "model")),
        .title = json_string_value(json_object_get(o, "title")),
        .input = json_string_value(json_object_get(o, "input")),
        .first = json_integer_value(json_object_get(o, "first")),
        .end = json_integer_value(json_object_get(o, "end")),
        .n_lines = json_integer_value(json_object_get(o, "of")),
    };
    return json_integer_value(json_object_get(o, "fovea_journal")) == 1 && h->what && h->model &&
           h->title && h->input && h->first >= 0 && h->first <= h->end && h->end <= h->n_lines;
}

/* Entries must be those of the lines that the first one announces, each once, in order. */
typedef struct Check {
    int64_t next;
    bool in_order;
} Check;

static void check_order(void *context, const JournalEntry *entry)
{
    Check *check = context;
    check->in_order = check->in_order && entry->line == ++check->next;
}

bool journal_read(const char *output, JournalPart *part, Error *error)
{
    *part = (JournalPart){.path = path_of(output)};
    if (!file_exists(part->path))
        return error_set(error, ERROR_IO,
                         "%s is not there: the journal of a part that was made with --shard and "
                         "-o %s was expected",
                         part->path, output);
    if (!file_read(part->path, FILE_MAX_READ_BYTES, &part->bytes, error))
        return false;
    const char *end = memchr(part->bytes.data, '\n', part->bytes.size);
    json_error_t why;
    if (end)
        part->first_line = json_loadb(part->bytes.data, (size_t)(end - part->bytes.data), 0, &why);
    if (!read_head(part->first_line, &part->head))
        return error_set(error, ERROR_FORMAT, "%s is no journal of a part", part->path);
    Check check = {part->head.first, true};
    read_entries(&part->bytes, check_order, &check);
    return (check.in_order && check.next == part->head.end) ||
           error_set(error, ERROR_INPUT,
                     "%s ends at line %" PRId64 " of %" PRId64 ": run that part again, with "
                     "--resume",
                     part->path, check.next, part->head.end);
}

void journal_walk(const JournalPart *part, JournalTake take, void *context)
{
    read_entries(&part->bytes, take, context);
}

void journal_part_free(JournalPart *part)
{
    free(part->path);
    bytes_free(&part->bytes);
    json_decref(part->first_line);
    *part = (JournalPart){0};
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

bool journal_finish(Journal *journal, bool stays, Error *error)
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
    if (ok && !stays)
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
