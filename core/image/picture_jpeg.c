/* JPEG through TurboJPEG, which reports errors by returning. */
#include <stdlib.h>
#include <turbojpeg.h>

#include "base/library.h"
#include "image/picture_internal.h"

/* Four inks, stored inverted as Adobe's programs do, to light. */
static void from_inks(uint8_t *pixel)
{
    for (int c = 0; c < 3; c++)
        pixel[c] = (uint8_t)(pixel[c] * pixel[3] / 255);
    pixel[3] = 255;
}

typedef struct Jpeg {
    __typeof__(tjInitDecompress) *begin;
    __typeof__(tjDecompressHeader3) *read_header;
    __typeof__(tjDecompress2) *decompress;
    __typeof__(tjGetErrorStr2) *why;
    __typeof__(tjDestroy) *end;
} Jpeg;

static bool load_jpeg(Jpeg *jpeg, Error *error)
{
    const LibraryFunction functions[] = {{"tjInitDecompress", &jpeg->begin},
                                         {"tjDecompressHeader3", &jpeg->read_header},
                                         {"tjDecompress2", &jpeg->decompress},
                                         {"tjGetErrorStr2", &jpeg->why},
                                         {"tjDestroy", &jpeg->end}};
    return library_load("libturbojpeg.so.0", "libturbojpeg0", 5, functions, error);
}

static bool decode(const Jpeg *jpeg, tjhandle handle, Picture *picture, const uint8_t *data,
                   size_t n, Error *error)
{
    int width, height, sampling, colours;
    if (jpeg->read_header(handle, data, n, &width, &height, &sampling, &colours) != 0)
        return error_set(error, ERROR_FORMAT, "damaged JPEG: %s", jpeg->why(handle));
    if (!picture_new(picture, width, height, error))
        return false;
    bool has_inks = colours == TJCS_CMYK || colours == TJCS_YCCK;
    /* A warning means data that end early or are wrong: half a picture is not shown. A bound
     * on the scans keeps a small hostile file from taking minutes. */
    if (jpeg->decompress(handle, data, n, picture->rgba, width, 0, height,
                         has_inks ? TJPF_CMYK : TJPF_RGBA, TJFLAG_LIMITSCANS) != 0)
        return error_set(error, ERROR_FORMAT, "damaged JPEG: %s", jpeg->why(handle));
    for (size_t i = 0; has_inks && i < (size_t)width * (size_t)height; i++)
        from_inks(picture->rgba + 4 * i);
    return true;
}

bool picture_decode_jpeg(Picture *picture, const uint8_t *data, size_t n, Error *error)
{
    Jpeg jpeg;
    if (!load_jpeg(&jpeg, error))
        return false;
    tjhandle handle = jpeg.begin();
    if (!handle)
        return error_set(error, ERROR_MEMORY, "no memory for a JPEG decoder");
    bool ok = decode(&jpeg, handle, picture, data, n, error);
    jpeg.end(handle);
    return ok;
}
