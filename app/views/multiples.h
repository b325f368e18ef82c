/* multiples.h - many runs as small heatmaps of one scale: the score functions on one sentence,
 * one sentence by several models, a filmstrip of steps.
 *
 * A plain function of a list of frames: whoever has the traces can draw them.
 */
#ifndef FOVEA_VIEWS_MULTIPLES_H
#define FOVEA_VIEWS_MULTIPLES_H
#include "format/table.h"
#include "views/view.h"

#define MULTIPLES_MAX 64

typedef struct MultiplesSpec {
    const ViewFrame *frame;       /* area, theme, options of the heatmap; its trace is not drawn */
    const Trace *const *traces;   /* [n] */
    const char *const *titles;    /* [n] */
    const char *const *asides;    /* [n], muted at the end of a title's line; NULL: none */
    const char *const *notes;     /* [n], a muted line under each title; NULL: none */
    const char *title, *subtitle; /* of the whole; NULL: none */
    int n;                        /* at most MULTIPLES_MAX */
} MultiplesSpec;

void multiples_draw(const MultiplesSpec *spec, Canvas *canvas);
/* The picture at (x, y), or -1; fills the cell under the pointer (its axis is the picture's
 * number), or what stands above it. */
int multiples_hit(const MultiplesSpec *spec, float x, float y, ViewHit *hit);
/* A cell a line: the picture's title, row, column, value. */
void multiples_write(const MultiplesSpec *spec, Table *table);
float multiples_wanted_height(const MultiplesSpec *spec, float width);

#endif
