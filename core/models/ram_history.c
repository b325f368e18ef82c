/* How noisy the policy's gradient was while the model was trained, out of the history that its
 * file keeps. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "models/ram_model.h"

enum { MOST_EPOCHS = 10000, LABEL_BYTES = 12 };

static const char *const names[] = {"variance.none", "variance.moving", "variance.learned"};

static float measured(const json_t *history, int epoch, const char *name)
{
    const json_t *valid = json_object_get(json_array_get(history, (size_t)epoch), "valid");
    const json_t *value = json_object_get(valid, name);
    return json_is_number(value) ? (float)json_number_value(value) : NAN;
}

static int32_t add_epochs(TraceBuilder *b, int n)
{
    char(*text)[LABEL_BYTES] = memory_new((size_t)n, sizeof *text);
    const char **labels = memory_new((size_t)n, sizeof *labels);
    for (int i = 0; i < n; i++) {
        snprintf(text[i], LABEL_BYTES, "%d", i + 1);
        labels[i] = text[i];
    }
    TraceAxis axis = {.name = "epoch", .kind = TRACE_AXIS_INDEX, .len = n, .parent_axis = -1};
    axis.labels = labels;
    int32_t epoch = trace_add_axis(b, &axis);
    free(labels);
    free(text);
    return epoch;
}

void ram_add_history(const Model *model, TraceBuilder *b)
{
    json_t *provenance = model->provenance ? json_loads(model->provenance, 0, NULL) : NULL;
    const json_t *history = json_object_get(provenance, "history");
    int n = (int)json_array_size(history);
    if (n > 0 && n <= MOST_EPOCHS && !isnan((double)measured(history, n - 1, names[0]))) {
        int32_t epoch = add_epochs(b, n);
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            float *values = trace_new_tensor(b, names[k], TRACE_SCALAR, 1, &epoch);
            for (int i = 0; values && i < n; i++)
                values[i] = measured(history, i, names[k]);
        }
    }
    json_decref(provenance);
}
