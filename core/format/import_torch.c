/* import_torch.c - torch.save's zip archives, as far as they hold tensors and texts.
 *
 *   NAME/data.pkl   the pickle that says which tensors there are (pickle.h)
 *   NAME/data/KEY   the elements of a storage
 *
 * Tensors are views: a transposed or sliced one has strides and an offset into a storage
 * that may be larger. Names are made from where a tensor stands: "attentions.3". Strings
 * become tokens.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/import_arrays.h"
#include "format/import_formats.h"
#include "format/pickle.h"
#include "format/zip.h"

#define PICKLE_NAME "/data.pkl"

static bool recognise(const char *data, size_t n)
{
    if (!zip_is(data, n) || n < 30)
        return false;
    size_t length = (unsigned char)data[26] | (size_t)(unsigned char)data[27] << 8;
    const size_t wanted = strlen(PICKLE_NAME);
    return length <= n - 30 && length > wanted &&
           memcmp(data + 30 + length - wanted, PICKLE_NAME, wanted) == 0;
}

typedef struct Torch {
    ImportSet *set;
    ImportArrays *arrays;
    Zip *zip;
    char *folder;  /* "NAME" */
    json_t *texts; /* lists of strings by where they stand */
    int64_t n_visited;
    Error *error;
} Torch;

static int32_t find_member(const Zip *zip, const char *name)
{
    for (int32_t i = 0; i < zip_count(zip); i++)
        if (strcmp(zip_member(zip, i)->name, name) == 0)
            return i;
    return -1;
}

/* The bytes of a storage. */
static const void *find_storage(Torch *torch, const PickleValue *storage, size_t *bytes)
{
    StrBuf name = {0};
    strbuf_addf(&name, "%s/data/%s", torch->folder, storage->text);
    int32_t member = find_member(torch->zip, name.text);
    const void *data = NULL;
    if (member < 0) {
        error_set(torch->error, ERROR_FORMAT, "%s: the archive has no member \"%s\"",
                  import_file_name(torch->set->file), name.text);
    } else {
        data = zip_read(torch->zip, member, torch->error);
        *bytes = (size_t)zip_member(torch->zip, member)->size;
    }
    strbuf_free(&name);
    return data;
}

static bool add_tensor(Torch *torch, const PickleTensor *value, const char *name)
{
    Array array = {.name = name, .kind = ARRAY_NUMBERS, .type = value->storage->type};
    size_t available, bytes, reach, skip;
    const char *data = find_storage(torch, value->storage, &available);
    if (!data)
        return false;
    array.rank = value->rank;
    memcpy(array.shape, value->shape, sizeof array.shape);
    bool fits = array_set_dense(&array, false, &bytes);
    memcpy(array.stride, value->stride, sizeof array.stride);
    fits = fits && array_reach(&array, &reach) &&
           memory_multiply((size_t)value->offset, array_element_bytes(&array), &skip) &&
           (array.count == 0 || (skip <= available && reach <= available - skip));
    if (!fits)
        return error_set(torch->error, ERROR_FORMAT,
                         "%s: tensor \"%s\" reaches beyond the %zu bytes of its storage",
                         import_file_name(torch->set->file), name, available);
    array.data = data + (array.count ? skip : 0);
    return import_arrays_add(torch->arrays, &array, torch->error);
}

static bool is_text_list(const PickleValue *value)
{
    if (value->kind != PICKLE_LIST || value->n == 0)
        return false;
    for (int64_t i = 0; i < value->n; i++)
        if (value->items[i]->kind != PICKLE_TEXT)
            return false;
    return true;
}

static void add_texts(Torch *torch, const PickleValue *value, const char *name)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < value->n; i++)
        json_array_append_new(list, json_string(value->items[i]->text));
    json_object_set_new(torch->texts, name, list);
}

static bool visit(Torch *torch, const PickleValue *value, const char *name, int depth);

static bool visit_below(Torch *torch, const PickleValue *value, const char *name, const char *part,
                        int depth)
{
    StrBuf below = {0};
    strbuf_addf(&below, "%s%s%s", name, *name ? "." : "", part);
    bool ok = visit(torch, value, below.text, depth + 1);
    strbuf_free(&below);
    return ok;
}

static bool visit_items(Torch *torch, const PickleValue *value, const char *name, int depth)
{
    bool ok = true;
    int64_t step = value->kind == PICKLE_DICT ? 2 : 1;
    for (int64_t i = 0; i < value->n && ok; i += step) {
        const PickleValue *key = value->items[i];
        char part[24];
        snprintf(part, sizeof part, "%lld",
                 (long long)(step == 2 && key->kind == PICKLE_INTEGER ? key->integer : i / step));
        ok = visit_below(torch, value->items[i + step - 1], name,
                         step == 2 && key->kind == PICKLE_TEXT ? key->text : part, depth);
    }
    return ok;
}

static bool visit(Torch *torch, const PickleValue *value, const char *name, int depth)
{
    /* A value may stand in several places, even within itself. */
    if (depth > PICKLE_MAX_DEPTH || ++torch->n_visited > PICKLE_MAX_VALUES)
        return error_set(torch->error, ERROR_LIMIT, "%s: nested too deeply, or within itself",
                         import_file_name(torch->set->file));
    if (value->kind == PICKLE_TENSOR)
        return add_tensor(torch, value->tensor, *name ? name : "tensor");
    if (is_text_list(value))
        add_texts(torch, value, name);
    else if (value->kind == PICKLE_LIST || value->kind == PICKLE_DICT)
        return visit_items(torch, value, name, depth);
    return true; /* numbers and the like */
}

static bool read_pickle(Torch *torch, Arena *arena)
{
    const char *file = import_file_name(torch->set->file);
    for (int32_t i = 0; i < zip_count(torch->zip); i++) {
        const ZipMember *member = zip_member(torch->zip, i);
        size_t n = strlen(member->name), ending = strlen(PICKLE_NAME);
        if (n <= ending || strcmp(member->name + n - ending, PICKLE_NAME) != 0)
            continue;
        torch->folder = memory_copy_bytes(member->name, n - ending);
        const void *bytes = zip_read(torch->zip, i, torch->error);
        const PickleValue *value =
            bytes ? pickle_read(bytes, (size_t)member->size, file, arena, torch->error) : NULL;
        return value && visit(torch, value, "", 0);
    }
    return error_set(torch->error, ERROR_FORMAT, "%s: the archive has no data.pkl", file);
}

static void close_zip(void *zip)
{
    zip_close(zip);
}

static bool open_torch(ImportSet *set, Error *error)
{
    size_t n;
    const char *data = import_file_data(set->file, &n);
    ImportArrays *arrays = memory_new(1, sizeof *arrays);
    set->state = arrays;
    Zip *zip = zip_open(data, n, import_file_name(set->file), error);
    if (!zip)
        return false;
    import_file_keep(set->file, zip, close_zip);
    Torch torch = {
        .set = set, .arrays = arrays, .zip = zip, .texts = json_object(), .error = error};
    Arena *arena = arena_new();
    bool ok = read_pickle(&torch, arena);
    const ImportOptions *options = &set->options;
    if (ok && !options->tokens_path && !options->source_path && !options->target_path)
        import_tokens_take(&set->tokens, torch.texts);
    json_decref(torch.texts);
    free(torch.folder);
    arena_free(arena);
    return ok && import_arrays_open(set, arrays, error);
}

const ImportFormat IMPORT_TORCH = {"torch .pt", recognise, open_torch, import_arrays_trace,
                                   import_arrays_close};
