#include "commands/export_pane.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "figure/figure_what_if.h"

bool export_pane_exists(const char *view)
{
    return strcmp(view, "left-out") == 0 || strcmp(view, "followed") == 0;
}

/* What the window shows instead of its view. */
static void note_pane(ExportItem *item, const char *name)
{
    json_t *session = item->made.session ? json_loads(item->made.session, 0, NULL) : NULL;
    if (!session)
        return;
    json_object_set_new(session, "screen", json_pack("{s:s}", "pane", name));
    free(item->made.session);
    item->made.session = json_dumps(session, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(session);
}

static bool make_left_out(ExportSource *source, ExportItem *item, ExportPane *pane, Error *error)
{
    LeaveOneOut result;
    if (!export_source_left_out(source, item, &result, error))
        return false;
    LeftOutPicture *picture = left_out_picture_new(&result);
    leave_one_out_free(&result);
    *pane = (ExportPane){left_out_picture_drawing(picture), left_out_picture_free, picture};
    note_pane(item, "left_out");
    return true;
}

static bool make_followed(ExportSource *source, ExportItem *item, ExportPane *pane, Error *error)
{
    const Trace *before = export_source_plain(source, item, error);
    if (!before)
        return false;
    OutcomePicture *picture = outcome_picture_new(before, item->made.trace);
    trace_release(before);
    *pane = (ExportPane){outcome_picture_drawing(picture), outcome_picture_free, picture};
    note_pane(item, "followed");
    return true;
}

bool export_pane_make(const char *view, ExportSource *source, ExportItem *item, ExportPane *pane,
                      Error *error)
{
    *pane = (ExportPane){0};
    return strcmp(view, "left-out") == 0 ? make_left_out(source, item, pane, error)
                                         : make_followed(source, item, pane, error);
}

void export_pane_free(ExportPane *pane)
{
    if (pane->release)
        pane->release(pane->context);
    *pane = (ExportPane){0};
}
