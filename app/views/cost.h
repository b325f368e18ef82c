/* cost.h - how long a sentence takes against its number of words, with every word and with the
 * selected ones: what hard attention saves (Shen et al. 2018, section 4).
 *
 * A plain function of numbers. */
#ifndef FOVEA_VIEWS_COST_H
#define FOVEA_VIEWS_COST_H
#include "views/view.h"

#define COST_MAX_POINTS 16

typedef struct CostSpec {
    const ViewFrame *frame; /* area, theme, fonts; its trace is not drawn */
    const char *title, *subtitle, *across, *up, *all, *selected;
    int n;
    const float *words, *all_ms, *selected_ms; /* [n]; NaN: not measured */
} CostSpec;

void cost_draw(const CostSpec *spec, Canvas *canvas);

#endif
