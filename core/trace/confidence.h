/* confidence.h - how much a sentence's attention looks like a translation that went well.
 *
 * A translator that is lost attends to everything a little, or to the same word again and
 * again. Rikters, Fishel and Bojar (2017, "Visualizing Neural Machine Translation Attention and
 * Confidence", section 4) put three penalties, each zero at best and negative, into one number.
 * With a[i][j] the weight that output token i gives to input token j, I output and J input
 * tokens:
 *
 *   coverage deviation   CDP   = -1/J sum_j log(1 + |1 - sum_i a[i][j]|^k)
 *   absent-minded output APout =  1/I sum_i sum_j p log p,  p = a[i][j] / its row's sum
 *   absent-minded input  APin  =  1/J sum_j sum_i q log q,  q = a[i][j] / its column's sum
 *   confidence           exp(-0.05 (CDP + APout + APin)^2), in 0..1
 *
 * The paper prints k = 2; their program, SoftAlignments, computes with k = 6, and so does this,
 * so that its numbers and ours agree. What the program lays on top for sentences that were
 * copied from the input depends on the letters, not on the attention, and is left out.
 *
 * All tokens count, the end mark too, except padding. A row or column of zeros has no spread
 * and adds nothing to AP. A matrix with NaN, an infinity or a negative weight gives NaN.
 *
 * Depends on: grid.
 */
#ifndef FOVEA_TRACE_CONFIDENCE_H
#define FOVEA_TRACE_CONFIDENCE_H
#include "trace/grid.h"

#define CONFIDENCE_COVERAGE_POWER 6

typedef struct Confidence {
    double coverage_deviation, absent_out, absent_in;
    double confidence;
} Confidence;

/* Rows are output tokens, columns input tokens. */
Confidence confidence_of_grid(const Grid *grid);

#endif
