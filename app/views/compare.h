/* compare.h - the numbers behind the Compare view, for tables. */
#ifndef FOVEA_VIEWS_COMPARE_H
#define FOVEA_VIEWS_COMPARE_H
#include "views/values.h"

/* Both runs' values, shaped as the frame's options say: first what the frame's trace is compared
 * with, second its own; and second minus first, with the second's labels. false when the two
 * have not the same shape. Borrowed from the frame's cache. */
typedef struct ComparedValues {
    const Values *first, *second, *difference;
} ComparedValues;

bool compare_values(const ViewFrame *frame, ComparedValues *out);

#endif
