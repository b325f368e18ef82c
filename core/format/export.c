#include "format/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/npy.h"
#include "format/safetensors.h"
#include "format/table.h"
#include "trace/trace_json.h"

/* ---- tensors as dense little-endian elements ---- */

typedef struct Dense {
    const void *data;
    void *owned; /* NULL when the tensor lies dense already */
    int64_t shape[TRACE_MAX_RANK];
} Dense;

static bool is_dense(const Trace *trace, const TraceTensor *tensor)
{
    int64_t stride = 1;
    if (tensor->parts || (tensor->big_endian && trace_type_bytes(tensor->type) > 1))
        return false;
    for (int32_t i = tensor->rank; i-- > 0;) {
        if (tensor->stride[i] != stride)
            return false;
        stride *= trace_tensor_len(trace, tensor, i);
    }
    return true;
}

static char *copy_row(const TraceMatrix *matrix, int32_t row, size_t size, char *out)
{
    for (int32_t col = 0; col < matrix->cols; col++, out += size) {
        int64_t offset = row * matrix->row_stride + col * matrix->col_stride;
        const char *element = (const char *)matrix->data + offset * (int64_t)size;
        for (size_t k = 0; k < size; k++)
            out[k] = element[matrix->big_endian ? size - 1 - k : k];
    }
    return out;
}

static void copy_all(const Trace *trace, const TraceTensor *tensor, char *out)
{
    int32_t at[TRACE_MAX_RANK] = {0}, leading = tensor->rank > 2 ? tensor->rank - 2 : 0, i;
    size_t size = trace_type_bytes(tensor->type);
    do {
        TraceMatrix matrix = trace_matrix(trace, tensor, at);
        for (int32_t row = 0; row < matrix.rows; row++)
            out = copy_row(&matrix, row, size, out);
        for (i = leading; i-- > 0;) {
            if (++at[i] < trace_tensor_len(trace, tensor, i))
                break;
            at[i] = 0;
        }
    } while (i >= 0);
}

static bool make_dense(const Trace *trace, const TraceTensor *tensor, Dense *dense, Error *error)
{
    size_t bytes = (size_t)trace_tensor_count(trace, tensor) * trace_type_bytes(tensor->type);
    *dense = (Dense){.data = tensor->data};
    for (int32_t i = 0; i < tensor->rank; i++)
        dense->shape[i] = trace_tensor_len(trace, tensor, i);
    if (bytes == 0 || is_dense(trace, tensor))
        return true;
    dense->owned = memory_try_new(bytes, 1);
    dense->data = dense->owned;
    if (!dense->owned)
        return error_set(error, ERROR_MEMORY, "no memory for the %zu bytes of tensor \"%s\"", bytes,
                         tensor->name);
    copy_all(trace, tensor, dense->owned);
    return true;
}

static Dense *make_all_dense(const Trace *trace, Error *error)
{
    int32_t n = trace_n_tensors(trace);
    Dense *dense = memory_new((size_t)n, sizeof *dense);
    for (int32_t i = 0; i < n; i++)
        if (!make_dense(trace, trace_tensor(trace, i), &dense[i], error))
            break;
    return dense;
}

static void free_dense(Dense *dense, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        free(dense[i].owned);
    free(dense);
}

/* ---- traces ---- */

bool export_trace_json(const Trace *trace, const char *path, Error *error)
{
    StrBuf text = {0};
    bool ok = trace_json_write(trace, &text, error);
    strbuf_add_char(&text, '\n');
    ok = ok && file_write(path, text.text, text.length, error);
    strbuf_free(&text);
    return ok;
}

static bool has_tokens(const Trace *trace, const TraceAxis *axis)
{
    return axis->labels && axis->kind == TRACE_AXIS_TOKEN && !trace_find(trace, axis->name);
}

/* BF16 and F8 as floats, which `dense` owns from then on. */
static bool widen(Dense *dense, const Trace *trace, const TraceTensor *tensor, Error *error)
{
    int64_t n = trace_tensor_count(trace, tensor);
    float *wide = memory_try_new((size_t)n, sizeof *wide);
    if (!wide)
        return error_set(error, ERROR_MEMORY, "no memory to widen tensor \"%s\"", tensor->name);
    size_t size = trace_type_bytes(tensor->type);
    for (int64_t i = 0; i < n; i++)
        wide[i] =
            (float)trace_element(tensor->type, false, (const char *)dense->data + (size_t)i * size);
    free(dense->owned);
    dense->data = dense->owned = wide;
    return true;
}

static bool numpy_lacks(TraceType type)
{
    return type == TRACE_BF16 || type == TRACE_F8_E4M3 || type == TRACE_F8_E5M2;
}

bool export_trace_npz(const Trace *trace, const char *path, Error *error)
{
    Error fault = {0};
    StrBuf outline = {0};
    int32_t n = trace_n_tensors(trace);
    Dense *dense = make_all_dense(trace, &fault);
    NpzWriter *writer = npz_writer_new();
    for (int32_t i = 0; i < n && !error_is_set(&fault); i++) {
        const TraceTensor *tensor = trace_tensor(trace, i);
        TraceType type = numpy_lacks(tensor->type) ? TRACE_F32 : tensor->type;
        if (type == tensor->type || widen(&dense[i], trace, tensor, &fault))
            npz_writer_add_raw(writer, tensor->name, type, tensor->rank, dense[i].shape,
                               dense[i].data);
    }
    for (int32_t i = 0; i < trace_n_axes(trace); i++) {
        const TraceAxis *axis = trace_axis(trace, i);
        if (has_tokens(trace, axis))
            npz_writer_add_texts(writer, axis->name, axis->len, axis->labels);
    }
    bool ok = !error_is_set(&fault) && trace_json_write_outline(trace, &outline, &fault);
    if (ok) {
        npz_writer_add_file(writer, EXPORT_TRACE_MEMBER, outline.text);
        ok = npz_writer_finish(writer, path, &fault);
    } else {
        npz_writer_free(writer);
    }
    free_dense(dense, n);
    strbuf_free(&outline);
    return ok || error_set(error, fault.kind, "%s", fault.message);
}

static void add_tokens(SafeTensorsWriter *writer, const TraceAxis *axis)
{
    StrBuf list = {0};
    strbuf_add_char(&list, '[');
    for (int32_t i = 0; i < axis->len; i++) {
        strbuf_add(&list, i ? ",\"" : "\"");
        strbuf_add_json(&list, axis->labels[i], strlen(axis->labels[i]));
        strbuf_add_char(&list, '"');
    }
    strbuf_add_char(&list, ']');
    if (strcmp(axis->name, EXPORT_TRACE_KEY) != 0)
        safetensors_writer_metadata(writer, axis->name, list.text);
    strbuf_free(&list);
}

bool export_trace_safetensors(const Trace *trace, const char *path, Error *error)
{
    Error fault = {0};
    StrBuf outline = {0};
    int32_t n = trace_n_tensors(trace);
    Dense *dense = make_all_dense(trace, &fault);
    SafeTensorsWriter *writer = safetensors_writer_new();
    for (int32_t i = 0; i < n && !error_is_set(&fault); i++) {
        const TraceTensor *tensor = trace_tensor(trace, i);
        safetensors_writer_add_raw(writer, tensor->name, tensor->type, tensor->rank, dense[i].shape,
                                   dense[i].data);
    }
    for (int32_t i = 0; i < trace_n_axes(trace); i++)
        if (has_tokens(trace, trace_axis(trace, i)))
            add_tokens(writer, trace_axis(trace, i));
    bool ok = !error_is_set(&fault) && trace_json_write_outline(trace, &outline, &fault);
    if (ok) {
        safetensors_writer_metadata(writer, EXPORT_TRACE_KEY, outline.text);
        ok = safetensors_writer_finish(writer, path, &fault);
    } else {
        safetensors_writer_free(writer);
    }
    free_dense(dense, n);
    strbuf_free(&outline);
    return ok || error_set(error, fault.kind, "%s", fault.message);
}

/* ---- matrices ---- */

void export_grid_table(const Grid *grid, char separator, StrBuf *out)
{
    Table table = {.out = out, .separator = separator};
    table_add_text(&table, "");
    for (int32_t j = 0; j < grid->cols; j++)
        table_add_text(&table, grid->col[j].label);
    table_end_row(&table);
    for (int32_t i = 0; i < grid->rows; i++) {
        table_add_text(&table, grid->row[i].label);
        for (int32_t j = 0; j < grid->cols; j++)
            table_add_float(&table, grid_get(grid, i, j));
        table_end_row(&table);
    }
}

bool export_grid_csv(const Grid *grid, char separator, const char *path, Error *error)
{
    StrBuf text = {0};
    export_grid_table(grid, separator, &text);
    bool ok = file_write(path, text.text, text.length, error);
    strbuf_free(&text);
    return ok;
}

bool export_grid_npy(const Grid *grid, const char *path, Error *error)
{
    const int64_t shape[] = {grid->rows, grid->cols};
    return npy_write(path, 2, shape, grid->data, error);
}

/* ---- links ---- */

bool export_links(const AlignLinks *sentences, int32_t n, const char *path, Error *error)
{
    StrBuf text = {0};
    strbuf_add(&text, "");
    for (int32_t i = 0; i < n; i++) {
        links_add_line(&sentences[i], &text);
        strbuf_add_char(&text, '\n');
    }
    bool ok = file_write(path, text.text, text.length, error);
    strbuf_free(&text);
    return ok;
}

static void take_links(const Trace *trace, const TraceTensor *tensor, AlignLinks *links)
{
    TraceMatrix m = trace_matrix(trace, tensor, NULL);
    for (int32_t i = 0; i < m.rows; i++)
        for (int32_t j = 0; j < m.cols; j++) {
            float value = trace_matrix_get(&m, i, j);
            if (value > 0)
                align_links_add(links, (AlignLink){j, i, value < 1});
        }
}

/* Weights between two different axes. */
static const TraceTensor *find_weights(const Trace *trace)
{
    for (int32_t i = 0; i < trace_n_tensors(trace); i++) {
        const TraceTensor *t = trace_tensor(trace, i);
        if (t->role == TRACE_WEIGHTS && t->rank >= 2 &&
            t->axis[t->rank - 1] != t->axis[t->rank - 2])
            return t;
    }
    return NULL;
}

bool export_trace_links(const Trace *trace, AlignLinks *links, Error *error)
{
    static const int32_t ALL[TRACE_MAX_RANK] = {GRID_ALL, GRID_ALL, GRID_ALL,
                                                GRID_ALL, GRID_ALL, GRID_ALL};
    const TraceTensor *known = trace_find(trace, "alignment.links");
    if (known && known->rank == 2) {
        take_links(trace, known, links);
        return true;
    }
    const TraceTensor *weights = find_weights(trace);
    Grid grid;
    if (!weights)
        return error_set(error, ERROR_INPUT,
                         "no weights between a source and a target, so there are no links");
    if (!grid_init_reduced(&grid, trace, weights, ALL, GRID_MEAN, error))
        return false;
    align_from_grid(&grid, 0, links);
    grid_deinit(&grid);
    return true;
}
