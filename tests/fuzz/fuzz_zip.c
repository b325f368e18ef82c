/* Every byte of every member must be readable. */
#include <stdlib.h>

#include "format/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    Zip *zip = zip_open(data, size, "fuzz", &error);
    if (!zip) {
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
        return 0;
    }
    unsigned sum = 0;
    for (int32_t i = 0; i < zip_count(zip); i++) {
        Error fault = {0};
        const unsigned char *bytes = zip_read(zip, i, &fault);
        FOVEA_CHECK(bytes || error_is_set(&fault), "refused without a message");
        for (uint64_t k = 0; bytes && k < zip_member(zip, i)->size; k++)
            sum += bytes[k];
    }
    zip_close(zip);
    return sum == 0xFFFFFFFFu; /* so that the reading is not optimised away */
}
