/* zip.h - the members of a zip archive (.npz, torch .pt), in place where possible.
 *
 * The central directory at the end of the file is what counts; sizes in the local headers
 * are often blank. A stored member is handed out where it lies, so an archive of gigabytes
 * opens at once; a deflated one is inflated when asked for.
 *
 * Refused: archives in several parts, encryption, methods other than stored and deflated,
 * two members of one name, members that overlap (the trick behind archives that inflate to
 * petabytes), sizes that deflate cannot reach (more than 1032 : 1), checksums that fail.
 *
 * Source: PKWARE's APPNOTE.TXT. zlib inflates. Depends on: base.
 */
#ifndef FOVEA_FORMAT_ZIP_H
#define FOVEA_FORMAT_ZIP_H
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define ZIP_MAX_MEMBERS          65536
#define ZIP_MAX_INFLATED_BYTES   ((uint64_t)1 << 31)  /* of all members together                */
#define ZIP_CHECKED_STORED_BYTES ((uint64_t)16 << 20) /* larger stored ones: checksum not read */

typedef struct Zip Zip;

typedef struct ZipMember {
    const char *name;    /* valid UTF-8 */
    uint64_t size;       /* inflated */
    uint64_t compressed; /* in the file */
    uint64_t offset;     /* of its data in the file */
    uint32_t crc;
    bool deflated;
} ZipMember;

bool zip_is(const void *bytes, size_t n); /* begins like one */

/* bytes[0..n) stay the caller's until zip_close; `name` is for messages. */
Zip *zip_open(const void *bytes, size_t n, const char *name, Error *error) FOVEA_MUST_USE;
void zip_close(Zip *zip); /* NULL is fine; frees what was inflated */

int32_t zip_count(const Zip *zip);
const ZipMember *zip_member(const Zip *zip, int32_t i); /* in the directory's order */

/* The member's bytes [member->size], valid until zip_close. Not for several threads. */
const void *zip_read(Zip *zip, int32_t i, Error *error) FOVEA_MUST_USE;

#endif
