/* links.h - word alignments as files of links.
 *
 * Two forms, told apart by their bytes:
 *   Pharaoh, TALP  one line a sentence pair: "0-0 1p2 2-1", '-' sure, 'p' (or '?') possible, an
 *                  empty line without links; a sentence number and a tab may stand in front
 *   NAACL 2003     one line a link: "18 1 2 S" = sentence, source, target position (from 1),
 *                  then S or P (S when missing), perhaps a confidence behind it
 * Source comes first unless the tool wrote it otherwise (swap). Pharaoh counts from 0; TALP
 * files that were made from NAACL count from 1. Where nobody says which, a file without any
 * 0 counts from 1: the first word of a sentence is rarely without a link everywhere.
 *
 * Depends on: trace/align_score (the links themselves).
 */
#ifndef FOVEA_FORMAT_LINKS_H
#define FOVEA_FORMAT_LINKS_H
#include "base/strbuf.h"
#include "format/lines.h"
#include "trace/align_score.h"

typedef enum { LINKS_BASE_GUESS, LINKS_BASE_ZERO, LINKS_BASE_ONE } LinksBase;

typedef struct LinksOptions {
    LinksBase base;
    bool swap; /* the file has target-source */
} LinksOptions;

typedef struct LinksFile {
    AlignLinks *at;
    int32_t n;
    bool one_based; /* how it counted; what is in `at` counts from 0 */
    bool naacl;
} LinksFile;

#define LINKS_MAX_SENTENCES (1 << 22)
#define LINKS_MAX_NUMBER    (1 << 20) /* of a sentence that a line names (NAACL) */
#define LINKS_MAX_POSITION  (1 << 20)

/* True if the text begins as such a file: its first lines are nothing but links. */
bool links_recognise(const char *text, size_t n);

/* `name` is for messages. `options` may be NULL. */
bool links_parse(const char *text, size_t n, const char *name, const LinksOptions *options,
                 LinksFile *out, Error *error) FOVEA_MUST_USE;
bool links_read(const char *path, const LinksOptions *options, LinksFile *out,
                Error *error) FOVEA_MUST_USE;
void links_free(LinksFile *file);

/* "0-0 1p2 2-1" as the file has it (from 0, source first), without a line break. */
void links_add_line(const AlignLinks *links, StrBuf *out);

/* One link at the start of text[0..n): its length, or 0. Positions as they stand. */
size_t links_parse_one(const char *text, size_t n, AlignLink *link);

#endif
