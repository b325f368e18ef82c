/* lengths.h - how well models translate short and long sentences, as bars beside each other:
 * what a fixed context forgets (Bahdanau et al. 2015, figure 2).
 *
 * A plain function of numbers. */
#ifndef FOVEA_VIEWS_LENGTHS_H
#define FOVEA_VIEWS_LENGTHS_H
#include "views/view.h"

#define LENGTHS_MAX_BINS   12
#define LENGTHS_MAX_MODELS 8

typedef struct LengthsModel {
    const char *name;
    float score[LENGTHS_MAX_BINS]; /* NaN: not measured */
} LengthsModel;

typedef struct LengthsSpec {
    const ViewFrame *frame; /* area, theme, fonts; its trace is not drawn */
    const char *title, *subtitle, *across;
    const char *const *bins; /* [n_bins] */
    const LengthsModel *models;
    int n_bins, n_models;
} LengthsSpec;

void lengths_draw(const LengthsSpec *spec, Canvas *canvas);

#endif
