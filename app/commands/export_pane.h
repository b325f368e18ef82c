/* export_pane.h - pictures of a run that are no view of it: --view left-out, --view followed. */
#ifndef FOVEA_COMMANDS_EXPORT_PANE_H
#define FOVEA_COMMANDS_EXPORT_PANE_H
#include "commands/export_source.h"

typedef struct ExportPane {
    FigureDrawing drawing; /* draw NULL: there is none */
    void (*release)(void *context);
    void *context;
} ExportPane;

bool export_pane_exists(const char *view);
/* What the item's run is shown as; ERROR_INPUT when this run cannot be. The figure opens again
 * with the same picture. */
bool export_pane_make(const char *view, ExportSource *source, ExportItem *item, ExportPane *pane,
                      Error *error) FOVEA_MUST_USE;
void export_pane_free(ExportPane *pane);

#endif
