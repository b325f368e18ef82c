/* Every tensor of whatever opens must be readable to its last byte. */
#include <stdlib.h>

#include "format/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    SafeTensors *file = safetensors_open_memory(data, size, "fuzz", &error);
    if (!file) {
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
        return 0;
    }
    for (int32_t i = 0; i < safetensors_count(file); i++) {
        const SafeTensor *tensor = safetensors_at(file, i);
        FOVEA_CHECK(safetensors_find(file, tensor->name) == tensor, "%s is lost", tensor->name);
        float *out = malloc((size_t)tensor->count * sizeof *out + 1);
        bool ok = safetensors_read(file, tensor, out, &error);
        FOVEA_CHECK(ok, "%s", error.message);
        free(out);
    }
    for (int32_t i = 0; i < safetensors_n_metadata(file); i++)
        FOVEA_CHECK(safetensors_metadata_at(file, i, NULL), "metadata %d is lost", i);
    safetensors_close(file);
    return 0;
}
