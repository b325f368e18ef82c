/* views.h - the table of views, in the order in which they are offered. A new view is a file,
 * a line here and a test row. */
#ifndef FOVEA_VIEWS_VIEWS_H
#define FOVEA_VIEWS_VIEWS_H
#include "views/view.h"

#define VIEWS(X)                                                                                   \
    X(heatmap)                                                                                     \
    X(links)                                                                                       \
    X(pipeline)                                                                                    \
    X(text)                                                                                        \
    X(heads)                                                                                       \
    X(selection)                                                                                   \
    X(image)                                                                                       \
    X(beam)                                                                                        \
    X(compare)                                                                                     \
    X(training)                                                                                    \
    X(variance)

#define VIEW_DECLARE(name) extern const View view_##name;
VIEWS(VIEW_DECLARE)
#undef VIEW_DECLARE

#endif
