/* gold_links.h - hand-made word alignments in their usual notation.
 *
 * One sentence a line: "i-j" a sure link, "ipj" or "i?j" a possible one, i in the source, j
 * in the target; the first word is 0 or 1, as told. An empty line has no links.
 */
#ifndef FOVEA_TRAIN_GOLD_LINKS_H
#define FOVEA_TRAIN_GOLD_LINKS_H
#include "base/error.h"
#include "trace/align_score.h"

/* Appends the links of one line of n bytes. The message names what is wrong. */
bool gold_links_parse(const char *line, size_t n, int first, AlignLinks *links,
                      Error *error) FOVEA_MUST_USE;

#endif
