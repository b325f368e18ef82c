#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/memory.h"
#include "format/export.h"
#include "format/import_arrays.h"
#include "format/import_formats.h"
#include "format/npy.h"
#include "format/zip.h"

/* ---- .npy ---- */

static bool recognise_npy(const char *data, size_t n)
{
    return npy_is(data, n);
}

static bool open_npy(ImportSet *set, Error *error)
{
    size_t n, used;
    const char *data = import_file_data(set->file, &n), *name = import_file_name(set->file);
    ImportArrays *arrays = memory_new(1, sizeof *arrays);
    set->state = arrays;
    for (size_t at = 0; at < n; at += used) {
        Array array;
        if (at > 0 && !npy_is(data + at, n - at))
            return error_set(error, ERROR_FORMAT, "%s: %zu bytes behind the array are no array",
                             name, n - at);
        if (!npy_read(data + at, n - at, name, &array, &used, error))
            return false;
        StrBuf label = {0};
        strbuf_addf(&label, at || used < n ? "arr_%d" : "array", arrays->n);
        array.name = label.text;
        bool ok = import_arrays_add(arrays, &array, error);
        strbuf_free(&label);
        if (!ok)
            return false;
    }
    return import_arrays_open(set, arrays, error);
}

const ImportFormat IMPORT_NPY = {"numpy .npy", recognise_npy, open_npy, import_arrays_trace,
                                 import_arrays_close};

/* ---- .npz ---- */

/* The name of the first member, as its local header has it. */
static Slice first_member(const char *data, size_t n)
{
    if (!zip_is(data, n) || n < 30)
        return (Slice){"", 0};
    size_t length = (unsigned char)data[26] | (size_t)(unsigned char)data[27] << 8;
    return length <= n - 30 ? (Slice){data + 30, length} : (Slice){"", 0};
}

static bool recognise_npz(const char *data, size_t n)
{
    Slice name = first_member(data, n);
    return (n >= 4 && memcmp(data, "PK\5\6", 4) == 0) ||
           (name.n > 4 && memcmp(name.text + name.n - 4, ".npy", 4) == 0);
}

static void close_zip(void *zip)
{
    zip_close(zip);
}

/* A trace of ours has everything but the numbers in a member of its own. */
static bool take_outline(ImportArrays *arrays, const char *text, size_t n, Error *error)
{
    arrays->outline = json_text_parse(text, n, EXPORT_TRACE_MEMBER, error);
    return arrays->outline != NULL;
}

/* What cannot be read is left out with its reason; it may be all there is. */
static void add_member(ImportArrays *arrays, Zip *zip, int32_t i, Error *first_fault)
{
    const ZipMember *member = zip_member(zip, i);
    Error fault = {0};
    Array array;
    size_t used;
    const void *data = zip_read(zip, i, &fault);
    if (data && strcmp(member->name, EXPORT_TRACE_MEMBER) == 0 &&
        take_outline(arrays, data, (size_t)member->size, &fault))
        return;
    if (data && npy_read(data, (size_t)member->size, member->name, &array, &used, &fault) &&
        import_arrays_add(arrays, &array, &fault))
        return;
    import_arrays_leave_out(arrays, fault.message);
    error_set(first_fault, fault.kind, "%s", fault.message);
}

static bool open_npz(ImportSet *set, Error *error)
{
    size_t n;
    const char *data = import_file_data(set->file, &n), *name = import_file_name(set->file);
    ImportArrays *arrays = memory_new(1, sizeof *arrays);
    set->state = arrays;
    Zip *zip = zip_open(data, n, name, error);
    if (!zip)
        return false;
    import_file_keep(set->file, zip, close_zip);
    Error fault = {0};
    for (int32_t i = 0; i < zip_count(zip); i++)
        add_member(arrays, zip, i, &fault);
    if (arrays->n == 0 && error_is_set(&fault))
        return error_set(error, fault.kind, "%s: %s", name, fault.message);
    return import_arrays_open(set, arrays, error);
}

const ImportFormat IMPORT_NPZ = {"numpy .npz", recognise_npz, open_npz, import_arrays_trace,
                                 import_arrays_close};
