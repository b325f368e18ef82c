/* import_text.h - alignments that stand in one line of text, as several tools print them. */
#ifndef FOVEA_FORMAT_IMPORT_TEXT_H
#define FOVEA_FORMAT_IMPORT_TEXT_H
#include "format/import_set.h"

/* "0-0 1p2": cells of one for sure links, of a half for possible ones, in a matrix as large
 * as the words or, without words, the links say. */
bool import_text_links(TraceBuilder *builder, const AlignLinks *links, ImportMatrix *matrix,
                       Error *error) FOVEA_MUST_USE;

/* One line's alignment of any kind: links, lists "0.9,0.1 0.2,0.8" (a row each), or the
 * largest source position for every row "0 2 2". Fills rows, cols, data and role. */
bool import_text_alignment(TraceBuilder *builder, Slice text, const LinksOptions *options,
                           ImportMatrix *matrix, Error *error) FOVEA_MUST_USE;

#endif
