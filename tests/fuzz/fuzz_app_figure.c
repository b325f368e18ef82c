/* Any bytes as a figure: refused with a message, or a run that can be drawn. */
#include <stddef.h>
#include <stdint.h>

#include "figure/figure_origin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FigureOrigin origin;
    Error error = {0};
    if (!figure_origin_read_memory((const char *)data, size, "input", &origin, &error)) {
        FOVEA_CHECK(error_is_set(&error), "refused without a word");
        return 0;
    }
    FOVEA_CHECK(origin.trace && origin.view && origin.options && origin.settings, "half a figure");
    figure_origin_free(&origin);
    return 0;
}
