#include "train/digits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

enum { MAGIC_IMAGES = 0x803, MAGIC_LABELS = 0x801, IMAGES_HEADER = 16, LABELS_HEADER = 8 };
enum { DIGIT_PIXELS = DIGIT_SIDE * DIGIT_SIDE };

/* ---- reading ---- */

static uint32_t big_endian(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static bool check_images(const char *data, size_t n, uint32_t *count, Error *error)
{
    if (n < IMAGES_HEADER || big_endian(data) != MAGIC_IMAGES)
        return error_set(error, ERROR_FORMAT,
                         "not an IDX file of pictures (it begins with "
                         "00 00 08 03)");
    *count = big_endian(data + 4);
    uint32_t rows = big_endian(data + 8), columns = big_endian(data + 12);
    if (rows != DIGIT_SIDE || columns != DIGIT_SIDE)
        return error_set(error, ERROR_FORMAT, "pictures of %u x %u, 28 x 28 were expected", columns,
                         rows);
    if ((n - IMAGES_HEADER) / DIGIT_PIXELS != *count || (n - IMAGES_HEADER) % DIGIT_PIXELS != 0)
        return error_set(error, ERROR_FORMAT, "%u pictures are announced, %zu bytes follow", *count,
                         n - IMAGES_HEADER);
    return true;
}

static bool check_labels(const char *data, size_t n, uint32_t count, Error *error)
{
    if (n < LABELS_HEADER || big_endian(data) != MAGIC_LABELS)
        return error_set(error, ERROR_FORMAT,
                         "not an IDX file of labels (it begins with "
                         "00 00 08 01)");
    if (big_endian(data + 4) != count || n - LABELS_HEADER != count)
        return error_set(error, ERROR_FORMAT, "%u labels in %zu bytes for %u pictures",
                         big_endian(data + 4), n - LABELS_HEADER, count);
    for (uint32_t i = 0; i < count; i++)
        if ((unsigned char)data[LABELS_HEADER + i] >= RAM_N_CLASSES)
            return error_set(error, ERROR_FORMAT, "label %u is %d, 0 to 9 were expected", i + 1,
                             (unsigned char)data[LABELS_HEADER + i]);
    return true;
}

bool digits_parse(Digits *digits, const char *images, size_t n_images, const char *labels,
                  size_t n_labels, Error *error)
{
    uint32_t count = 0;
    *digits = (Digits){0};
    if (!check_images(images, n_images, &count, error) ||
        !check_labels(labels, n_labels, count, error))
        return false;
    if (count == 0)
        return error_set(error, ERROR_FORMAT, "there is no picture in it");
    digits->n = (int)count;
    digits->pixels = memory_try_new(count, DIGIT_PIXELS);
    digits->labels = memory_try_new(count, 1);
    if (!digits->pixels || !digits->labels) {
        digits_free(digits);
        return error_set(error, ERROR_MEMORY, "no memory for %u pictures", count);
    }
    memcpy(digits->pixels, images + IMAGES_HEADER, n_images - IMAGES_HEADER);
    memcpy(digits->labels, labels + LABELS_HEADER, count);
    return true;
}

/* "x/train-images-idx3-ubyte.gz" -> "x/train-labels-idx1-ubyte.gz"; NULL when it has another
 * name. */
static char *labels_path(const char *path)
{
    static const char from[] = "images-idx3", to[] = "labels-idx1";
    const char *base = file_base_name(path);
    const char *at = strstr(base, from);
    if (!at)
        return NULL;
    char *copy = memory_copy_string(path);
    memcpy(copy + (at - path), to, sizeof to - 1);
    return copy;
}

bool digits_read(Digits *digits, const char *path, Error *error)
{
    char *other = labels_path(path);
    *digits = (Digits){0};
    if (!other)
        return error_set(error, ERROR_INPUT,
                         "%s: a file of digits is called ...images-idx3..., with "
                         "...labels-idx1... beside it",
                         path);
    Bytes images = {0}, labels = {0};
    bool ok = file_read_gzip(path, DIGITS_MAX_FILE, &images, error) &&
              file_read_gzip(other, DIGITS_MAX_FILE, &labels, error);
    if (ok) {
        Error why = {0};
        ok = digits_parse(digits, images.data, images.size, labels.data, labels.size, &why) ||
             error_set(error, why.kind, "%s: %s", path, why.message);
    }
    bytes_free(&images);
    bytes_free(&labels);
    free(other);
    return ok;
}

void digits_free(Digits *digits)
{
    free(digits->pixels);
    free(digits->labels);
    *digits = (Digits){0};
}

/* ---- composing ---- */

/* Lays a piece of a digit on the picture; where both have ink the brighter one stays. */
static void lay(const unsigned char *digit, int from_x, int from_y, int piece, int to_x, int to_y,
                int side, Real *out)
{
    for (int y = 0; y < piece; y++)
        for (int x = 0; x < piece; x++) {
            Real ink = (Real)digit[(from_y + y) * DIGIT_SIDE + from_x + x] / 255;
            Real *cell = &out[(to_y + y) * side + to_x + x];
            *cell = ink > *cell ? ink : *cell;
        }
}

static int place_below(Random *random, int room)
{
    return (int)random_below(random, (uint32_t)room + 1);
}

static void add_clutter(const Digits *digits, int side, Random *random, Real *out)
{
    for (int k = 0; k < CLUTTER_PIECES; k++) {
        const unsigned char *other =
            digits->pixels + (size_t)random_below(random, (uint32_t)digits->n) * DIGIT_PIXELS;
        int from_x = place_below(random, DIGIT_SIDE - CLUTTER_SIDE);
        int from_y = place_below(random, DIGIT_SIDE - CLUTTER_SIDE);
        int to_x = place_below(random, side - CLUTTER_SIDE);
        int to_y = place_below(random, side - CLUTTER_SIDE);
        lay(other, from_x, from_y, CLUTTER_SIDE, to_x, to_y, side, out);
    }
}

static double up_to(Random *random, double most)
{
    return most * (2 * random_uniform(random) - 1);
}

/* Value at a real place by linear interpolation; 0 outside. */
static double ink_at(const unsigned char *digit, double x, double y)
{
    int left = (int)floor(x), top = (int)floor(y);
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        int px = left + k % 2, py = top + k / 2;
        double share = (1 - fabs(x - px)) * (1 - fabs(y - py));
        if (px >= 0 && px < DIGIT_SIDE && py >= 0 && py < DIGIT_SIDE)
            sum += share * digit[py * DIGIT_SIDE + px];
    }
    return sum;
}

/* Each pixel of the result is looked up at its turned, scaled, slanted and moved place. */
static void distort(const unsigned char *digit, double amount, double most_move, Random *random,
                    unsigned char *out)
{
    const double degree = 0.017453292519943295;
    double turn = up_to(random, 15 * amount * degree), slant = up_to(random, 0.15 * amount);
    double scale_x = 1 + up_to(random, 0.15 * amount), scale_y = 1 + up_to(random, 0.15 * amount);
    double move_x = up_to(random, most_move), move_y = up_to(random, most_move);
    double middle = (DIGIT_SIDE - 1) / 2.0, cosine = cos(turn), sine = sin(turn);
    for (int i = 0; i < DIGIT_PIXELS; i++) {
        double x = i % DIGIT_SIDE - middle - move_x, y = i / DIGIT_SIDE - middle - move_y;
        double tx = (cosine * x - sine * y) * scale_x;
        double ty = (sine * x + cosine * y) * scale_y;
        double ink = ink_at(digit, tx + slant * ty + middle, ty + middle);
        out[i] = (unsigned char)(ink + 0.5);
    }
}

DigitPlace digits_compose(const Digits *digits, int i, DigitCanvas canvas, int side,
                          double distortion, Random *random, Real *out)
{
    memset(out, 0, (size_t)side * (size_t)side * sizeof *out);
    const unsigned char *digit = digits->pixels + (size_t)i * DIGIT_PIXELS;
    unsigned char distorted[DIGIT_PIXELS];
    if (distortion > 0) {
        distort(digit, distortion, canvas == CANVAS_PLAIN ? 2 * distortion : 0, random, distorted);
        digit = distorted;
    }
    int x = (side - DIGIT_SIDE) / 2, y = x;
    if (canvas != CANVAS_PLAIN) {
        x = place_below(random, side - DIGIT_SIDE);
        y = place_below(random, side - DIGIT_SIDE);
    }
    if (canvas == CANVAS_CLUTTERED)
        add_clutter(digits, side, random, out);
    lay(digit, 0, 0, DIGIT_SIDE, x, y, side, out);
    return (DigitPlace){x, y};
}
