/* What stands in the middle of the window, whichever kind of picture it is: for the export, and
 * for the clipboard. */
#include <string.h>

#include "screen/what_if.h"

static Seen pane_seen(const App *app)
{
    switch (app->what_if->pane) {
    case PANE_LEFT_OUT: return left_out_seen(app);
    case PANE_PINNED: return pinned_seen(app);
    case PANE_FOLLOWED: return followed_seen(app);
    case PANE_NONE: break;
    }
    return (Seen){.name = app->doc.view->name};
}

Seen seen_now(const App *app)
{
    switch (lab_is_open(app)) {
    case LAB_RUNS: return lab_seen(app);
    case LAB_LENGTHS: return lengths_seen(app);
    case LAB_COST: return cost_seen(app);
    case LAB_CLOSED: break;
    }
    if (pane_is_open(app))
        return pane_seen(app);
    return (Seen){.name = app->doc.view->name};
}

void seen_release(Seen *seen)
{
    if (seen->release)
        seen->release(seen->context);
}

/* Several runs side by side are heatmaps. */
const View *seen_view(const App *app)
{
    bool pinned = pane_is_open(app) && app->what_if->pane == PANE_PINNED;
    return lab_is_open(app) == LAB_RUNS || pinned ? view_find("heatmap") : app->doc.view;
}

/* Which of several runs the cell is of. */
const Trace *seen_trace(const App *app, const ViewHit *cell)
{
    const Trace *other = NULL;
    if (!cell)
        return app->trace;
    if (lab_is_open(app) == LAB_RUNS)
        other = lab_trace(app, cell->axis);
    else if (pane_is_open(app) && app->what_if->pane == PANE_PINNED)
        other = pinned_trace(app, cell->axis);
    else if (cell->axis == 1 && strcmp(app->doc.view->name, "compare") == 0)
        other = app_other(app);
    return other ? other : app->trace;
}
