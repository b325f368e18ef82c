/* digits.h - handwritten digits in IDX files, and pictures composed from them.
 *
 * IDX (LeCun): big-endian 0x00000803, n, 28, 28 and the pixels; 0x00000801, n and the
 * labels. Gzip is read too. The labels lie beside the pictures, in a file whose name has
 * "labels-idx1" where theirs has "images-idx3".
 *
 * Pictures (Mnih et al. 2014, 4.1):
 *   plain       the digit in the middle
 *   translated  the digit anywhere on the picture, every place equally likely
 *   cluttered   the same, and four 8 x 8 pieces cut from other digits anywhere
 * They are composed when they are needed, from a random stream: nothing is stored.
 */
#ifndef FOVEA_TRAIN_DIGITS_H
#define FOVEA_TRAIN_DIGITS_H
#include "base/random.h"
#include "models/ram.h"

#define DIGIT_SIDE      28
#define DIGITS_MAX_FILE ((size_t)1 << 30)
#define CLUTTER_PIECES  4
#define CLUTTER_SIDE    8

typedef struct Digits {
    int n;
    unsigned char *pixels; /* [n, 28, 28] */
    unsigned char *labels; /* [n] 0 .. 9  */
} Digits;

/* false with a message that names the file. */
bool digits_read(Digits *digits, const char *path, Error *error) FOVEA_MUST_USE;
/* From the content of the two files; names are for messages. */
bool digits_parse(Digits *digits, const char *images, size_t n_images, const char *labels,
                  size_t n_labels, Error *error) FOVEA_MUST_USE;
void digits_free(Digits *digits);

/* Where a digit's square of 28 x 28 begins on the picture, pixels from the left and the top. */
typedef struct DigitPlace {
    int x, y;
} DigitPlace;

/* out [side, side], values 0 .. 1. Digit i of `digits`; pieces come from any of them. With
 * distortion a > 0 the digit is first turned by up to 15 a degrees, scaled and slanted by up
 * to 15 a percent and, on the plain canvas, moved by up to 2 a pixels: for training only. */
DigitPlace digits_compose(const Digits *digits, int i, DigitCanvas canvas, int side,
                          double distortion, Random *random, Real *out);

#endif
