/* left_out.h - every word with the weight it receives and what is lost without it: a table,
 * and the two against each other as points.
 *
 * A plain function of numbers, as multiples.h: whoever has left the words out can draw it.
 */
#ifndef FOVEA_VIEWS_LEFT_OUT_H
#define FOVEA_VIEWS_LEFT_OUT_H
#include "format/table.h"
#include "views/chart.h"

typedef struct LeftOutSpec {
    const ViewFrame *frame;     /* area, theme; hover of kind HIT_ITEM marks word `row` */
    int n;                      /* words */
    const char *const *words;   /* [n] */
    const float *weights;       /* [n] mean weight received, 0..1              */
    const float *effects;       /* [n] log probability lost without it, nats   */
    const char *const *outputs; /* [n] what is written without it; NULL: the same */
    double kendall, spearman, row_kendall; /* rank correlations; NaN: none */
} LeftOutSpec;

void left_out_draw(const LeftOutSpec *spec, Canvas *canvas);
/* HIT_ITEM with the word as its row, or nothing. */
ViewHit left_out_hit(const LeftOutSpec *spec, float x, float y);
/* A word a line, below the columns' names. */
void left_out_write(const LeftOutSpec *spec, Table *table);
float left_out_wanted_height(const LeftOutSpec *spec, float width);

#endif
