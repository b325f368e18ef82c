/* picture_internal.h - one decoder a format; private to image. Each makes the picture with
 * picture_new, so that limits are tested in one place. */
#ifndef FOVEA_IMAGE_PICTURE_INTERNAL_H
#define FOVEA_IMAGE_PICTURE_INTERNAL_H
#include "image/picture.h"

bool picture_decode_png(Picture *picture, const uint8_t *data, size_t n, Error *error);
bool picture_decode_jpeg(Picture *picture, const uint8_t *data, size_t n, Error *error);
bool picture_decode_webp(Picture *picture, const uint8_t *data, size_t n, Error *error);

/* Orientation 1 .. 8 from the EXIF data inside a file of each kind; 1 when there is none. */
int exif_orientation_png(const uint8_t *data, size_t n);
int exif_orientation_jpeg(const uint8_t *data, size_t n);
int exif_orientation_webp(const uint8_t *data, size_t n);
/* Of a TIFF block ("II*" or "MM" header). */
int exif_orientation(const uint8_t *tiff, size_t n);

#endif
