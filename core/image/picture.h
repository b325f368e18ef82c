/* picture.h - pictures from files: PNG, JPEG and WebP become straight RGBA of eight bits.
 *
 * What a file is, its first bytes say, not its name. Grey, palette, 16 bits, alpha and CMYK
 * are converted; the EXIF orientation of a photograph is applied, so (0, 0) is always the
 * top left corner of what a person sees.
 *
 * Limits: PICTURE_MAX_SIDE pixels a side and PICTURE_MAX_PIXELS in all, compared with what
 * the header claims before memory is taken. A file that ends early or contradicts itself is
 * refused with ERROR_FORMAT, never shown in part.
 *
 * Memory: a Picture owns its pixels. Depends on: libpng, libturbojpeg, libwebp.
 */
#ifndef FOVEA_IMAGE_PICTURE_H
#define FOVEA_IMAGE_PICTURE_H
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/trace.h"

#define PICTURE_MAX_SIDE       TRACE_MAX_IMAGE_SIDE
#define PICTURE_MAX_PIXELS     ((size_t)1 << 26)
#define PICTURE_MAX_FILE_BYTES ((size_t)1 << 28)

/* Zero-initialised is none. */
typedef struct Picture {
    int width, height;
    uint8_t *rgba; /* [height, width, 4], straight alpha */
} Picture;

/* "-" is standard input. */
bool picture_read(Picture *picture, const char *path, Error *error) FOVEA_MUST_USE;
bool picture_decode(Picture *picture, const void *data, size_t n, Error *error) FOVEA_MUST_USE;
void picture_free(Picture *picture);

/* Do the bytes begin like a picture of a kind that picture_decode reads? */
bool picture_is_one(const void *data, size_t n);

/* Borrowed: lives as long as the picture. */
TraceImage picture_view(const Picture *picture);

/* An empty (transparent black) picture; false with ERROR_LIMIT or ERROR_MEMORY. */
bool picture_new(Picture *picture, int width, int height, Error *error) FOVEA_MUST_USE;

/* A PNG in memory that the caller frees; NULL on failure. */
uint8_t *picture_encode_png(const TraceImage *image, size_t *n, Error *error) FOVEA_MUST_USE;

/* Writes a PNG, atomically. */
bool picture_write_png(const TraceImage *image, const char *path, Error *error) FOVEA_MUST_USE;

#endif
