/* Which way up a photograph is: tag 0x0112 of the first directory of its EXIF block. The
 * block is a small TIFF file; where it lies differs between formats. Whatever is damaged
 * counts as "not turned". */
#include <string.h>

#include "image/picture_internal.h"

enum { TAG_ORIENTATION = 0x0112, TYPE_SHORT = 3, ENTRY_BYTES = 12 };

typedef struct Tiff {
    const uint8_t *data;
    size_t n;
    bool big_endian;
} Tiff;

/* 0 beyond the end. */
static uint32_t read16(const Tiff *t, size_t at)
{
    if (at + 2 > t->n)
        return 0;
    const uint8_t *b = t->data + at;
    return t->big_endian ? (uint32_t)b[0] << 8 | b[1] : (uint32_t)b[1] << 8 | b[0];
}

static uint32_t read32(const Tiff *t, size_t at)
{
    uint32_t first = read16(t, at), second = read16(t, at + 2);
    return t->big_endian ? first << 16 | second : second << 16 | first;
}

int exif_orientation(const uint8_t *data, size_t n)
{
    if (n < 8 || (memcmp(data, "II*\0", 4) != 0 && memcmp(data, "MM\0*", 4) != 0))
        return 1;
    Tiff tiff = {data, n, data[0] == 'M'};
    size_t directory = read32(&tiff, 4);
    uint32_t entries = directory < n ? read16(&tiff, directory) : 0;
    for (uint32_t i = 0; i < entries; i++) {
        size_t entry = directory + 2 + (size_t)i * ENTRY_BYTES;
        if (read16(&tiff, entry) != TAG_ORIENTATION || read16(&tiff, entry + 2) != TYPE_SHORT)
            continue;
        uint32_t value = read16(&tiff, entry + 8);
        return value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}

/* Segments: 0xFF, kind, length (big-endian, itself included), data; EXIF is an APP1 segment
 * that begins with "Exif\0\0" and stands before the scan. */
int exif_orientation_jpeg(const uint8_t *data, size_t n)
{
    enum { APP1 = 0xe1, START_OF_SCAN = 0xda, PREFIX = 6 };
    for (size_t at = 2; at + 4 <= n && data[at] == 0xff && data[at + 1] != START_OF_SCAN;) {
        size_t length = (size_t)data[at + 2] << 8 | data[at + 3];
        if (length < 2 || at + 2 + length > n)
            return 1;
        const uint8_t *body = data + at + 4;
        if (data[at + 1] == APP1 && length >= 2 + PREFIX && memcmp(body, "Exif\0\0", PREFIX) == 0)
            return exif_orientation(body + PREFIX, length - 2 - PREFIX);
        at += 2 + length;
    }
    return 1;
}

/* Chunks: length (big-endian), name, data, checksum. */
int exif_orientation_png(const uint8_t *data, size_t n)
{
    for (size_t at = 8; at + 12 <= n;) {
        size_t length = (size_t)data[at] << 24 | (size_t)data[at + 1] << 16 |
                        (size_t)data[at + 2] << 8 | data[at + 3];
        if (length > n - at - 12)
            return 1;
        if (memcmp(data + at + 4, "eXIf", 4) == 0)
            return exif_orientation(data + at + 8, length);
        at += 12 + length;
    }
    return 1;
}

/* Chunks of a RIFF file: name, length (little-endian), data padded to an even length. Some
 * writers put "Exif\0\0" in front here too. */
int exif_orientation_webp(const uint8_t *data, size_t n)
{
    enum { PREFIX = 6 };
    for (size_t at = 12; at + 8 <= n;) {
        size_t length = (size_t)data[at + 4] | (size_t)data[at + 5] << 8 |
                        (size_t)data[at + 6] << 16 | (size_t)data[at + 7] << 24;
        if (length > n - at - 8)
            return 1;
        const uint8_t *body = data + at + 8;
        bool has_prefix = length >= PREFIX && memcmp(body, "Exif\0\0", PREFIX) == 0;
        size_t skip = has_prefix ? PREFIX : 0;
        if (memcmp(data + at, "EXIF", 4) == 0)
            return exif_orientation(body + skip, length - skip);
        at += 8 + length + (length & 1);
    }
    return 1;
}
