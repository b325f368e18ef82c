/* Pictures of any bytes: refused with a message, or every pixel can be read. */
#include <stdlib.h>

#include "image/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    Picture picture;
    if (!picture_decode(&picture, data, size, &error)) {
        FOVEA_CHECK(error_is_set(&error) && !picture.rgba, "refused without a message");
        return 0;
    }
    unsigned char last = 0;
    for (size_t i = 0; i < 4 * (size_t)picture.width * (size_t)picture.height; i++)
        last ^= picture.rgba[i];
    FOVEA_CHECK(picture.width > 0 && picture.height > 0, "%d", last);
    picture_free(&picture);
    return 0;
}
