/* measure.h - numbers about attention: how sharp, how far, which pattern.
 *
 * What the Heads view sorts by, the inspector shows for a row, and a search filters on. A
 * row's weights are taken as a distribution: they are divided by their sum first, so a merged
 * or masked row is measured fairly; the sum itself is reported beside it. A row with NaN, an
 * infinity or a negative value gives NaN; a row of zeros (everything masked) has entropy 0
 * and no argmax, and means over rows pass over both kinds.
 *
 * Units: entropies in nats, distances in positions. Depends on: grid.
 */
#ifndef FOVEA_TRACE_MEASURE_H
#define FOVEA_TRACE_MEASURE_H
#include "trace/grid.h"

typedef struct MeasureRow {
    double sum;
    double entropy;   /* -sum p log p */
    double effective; /* exp(entropy): how many columns share the weight */
    double special;   /* mass on columns flagged special or padding */
    double distance;  /* mean |column - row|; columns scaled to the rows' range if not square */
    int32_t argmax;   /* the first of equal ones; -1 when there is none */
    float max;
} MeasureRow;

MeasureRow measure_row(const Grid *grid, int32_t row);

/* The k largest finite values of a row, by falling value (of equal ones the first column):
 * fills out[k] and returns how many there are. */
int32_t measure_top(const Grid *grid, int32_t row, int32_t k, int32_t *out);

/* Means over the rows of a whole matrix. The patterns are those that heads are known by
 * (Clark et al. 2019, section 3; Voita et al. 2019, section 5): the mass on the token itself,
 * the one before, the one after, the first, special tokens, other pieces of the same word. */
typedef struct MeasureHead {
    double entropy, effective, distance;
    double self;      /* NaN unless square, as the three below */
    double previous;  /* over rows that have a previous token  */
    double next;      /* over rows that have a next token      */
    double same_word; /* over rows whose word has other pieces; NaN when there is none */
    double first, special;
    double diagonal; /* correlation of row and column position under the weights: 1 when
                        attention runs along the diagonal, 0 when it does not follow */
} MeasureHead;

MeasureHead measure_head(const Grid *grid);

/* ---- by name, for tables, sorting and search ---- */

#define MEASURE_N_HEAD 10

const char *measure_head_name(int i); /* "entropy", "effective", ... in the order above */
double measure_head_value(const MeasureHead *head, int i);

#endif
