/* lengths.h - how well models translate short and long sentences, as a line each:
 * what a fixed context forgets (Bahdanau et al. 2015, figure 2).
 *
 * A plain function of numbers. */
#ifndef FOVEA_VIEWS_LENGTHS_H
#define FOVEA_VIEWS_LENGTHS_H
#include "views/view.h"

#define LENGTHS_MAX_BINS   12
#define LENGTHS_MAX_MODELS 16

typedef struct LengthsModel {
    const char *name;
    bool is_fixed;                 /* without attention: drawn apart */
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
/* The point nearest to (x, y): model, bin and score. false: none. */
bool lengths_hit(const LengthsSpec *spec, float x, float y, ViewHit *hit);
float lengths_wanted_height(const LengthsSpec *spec, float width);

#endif
