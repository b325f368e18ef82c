/* JPEG through TurboJPEG, which reports errors by returning. */
#include <stdlib.h>
#include <turbojpeg.h>

#include "base/memory.h"
#include "image/picture_internal.h"

/* Four inks, stored inverted as Adobe's programs do, to light. */
static void from_inks(uint8_t *pixel)
{
    for (int c = 0; c < 3; c++)
        pixel[c] = (uint8_t)(pixel[c] * pixel[3] / 255);
    pixel[3] = 255;
}

static bool decode(tjhandle handle, Picture *picture, const uint8_t *data, size_t n, Error *error)
{
    int width, height, sampling, colours;
    if (tjDecompressHeader3(handle, data, n, &width, &height, &sampling, &colours) != 0)
        return error_set(error, ERROR_FORMAT, "damaged JPEG: %s", tjGetErrorStr2(handle));
    if (!picture_new(picture, width, height, error))
        return false;
    bool has_inks = colours == TJCS_CMYK || colours == TJCS_YCCK;
    /* A warning means data that end early or are wrong: half a picture is not shown. A bound
     * on the scans keeps a small hostile file from taking minutes. */
    if (tjDecompress2(handle, data, n, picture->rgba, width, 0, height,
                      has_inks ? TJPF_CMYK : TJPF_RGBA, TJFLAG_LIMITSCANS) != 0)
        return error_set(error, ERROR_FORMAT, "damaged JPEG: %s", tjGetErrorStr2(handle));
    for (size_t i = 0; has_inks && i < (size_t)width * (size_t)height; i++)
        from_inks(picture->rgba + 4 * i);
    return true;
}

bool picture_decode_jpeg(Picture *picture, const uint8_t *data, size_t n, Error *error)
{
    tjhandle handle = tjInitDecompress();
    if (!handle)
        return error_set(error, ERROR_MEMORY, "no memory for a JPEG decoder");
    bool ok = decode(handle, picture, data, n, error);
    tjDestroy(handle);
    return ok;
}
