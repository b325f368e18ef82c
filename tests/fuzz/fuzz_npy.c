/* Every element of whatever is read must be readable. */
#include <stdlib.h>

#include "format/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    Array array;
    size_t used;
    if (!npy_read(data, size, "fuzz", &array, &used, &error)) {
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
        return 0;
    }
    FOVEA_CHECK(used <= size, "%zu of %zu bytes", used, size);
    for (int64_t i = 0; i < array.count; i++) {
        if (array.kind == ARRAY_NUMBERS)
            array_number(&array, i);
        else
            free(array_text(&array, i));
    }
    return 0;
}
