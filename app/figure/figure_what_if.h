/* figure_what_if.h - what a person asked "what if" about, as drawings: every word left out, what
 * followed from the changes. The window and `fovea export` draw them by the same functions.
 *
 * Memory: a LeftOutPicture copies what it shows; an OutcomePicture keeps its two traces. Both
 * belong to whoever made them; a FigureDrawing of one borrows it.
 */
#ifndef FOVEA_FIGURE_FIGURE_WHAT_IF_H
#define FOVEA_FIGURE_FIGURE_WHAT_IF_H
#include "figure/figure.h"
#include "models/leave_one_out.h"
#include "views/left_out.h"
#include "views/outcome.h"

typedef struct LeftOutPicture LeftOutPicture;

LeftOutPicture *left_out_picture_new(const LeaveOneOut *result);
void left_out_picture_free(void *picture); /* NULL is fine */
LeftOutSpec left_out_picture_spec(const LeftOutPicture *picture, const ViewFrame *frame);
FigureDrawing left_out_picture_drawing(const LeftOutPicture *picture);

typedef struct OutcomePicture OutcomePicture;

OutcomePicture *outcome_picture_new(const Trace *before, const Trace *after);
void outcome_picture_free(void *picture); /* NULL is fine */
FigureDrawing outcome_picture_drawing(const OutcomePicture *picture);

#endif
