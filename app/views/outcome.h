/* outcome.h - what followed from a change: the output before and after, token by token, with the
 * probability of each in both runs; of a classifier, its classes.
 *
 * A plain function of two traces. What a person gave or changed at a step bears a dot.
 */
#ifndef FOVEA_VIEWS_OUTCOME_H
#define FOVEA_VIEWS_OUTCOME_H
#include "format/table.h"
#include "views/view.h"

typedef struct OutcomeSpec {
    const ViewFrame *frame; /* area, theme; hover of kind HIT_ITEM marks row `row` */
    const Trace *before, *after;
} OutcomeSpec;

void outcome_draw(const OutcomeSpec *spec, Canvas *canvas);
/* HIT_ITEM: row `row` of the table, step `col` of `after` (-1: it has none); or nothing. */
ViewHit outcome_hit(const OutcomeSpec *spec, float x, float y);
float outcome_wanted_height(const OutcomeSpec *spec, float width);
/* A row a line, below their names; numbers that do not exist are "nan". */
void outcome_write(const OutcomeSpec *spec, Table *table);

#endif
