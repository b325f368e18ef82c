/* export_source.h - what `fovea export` draws: the inputs of a model, the sentences of dumps, the
 * runs inside figures, one after the other.
 *
 * Threads: one. Depends on: args, figure, models, format.
 */
#ifndef FOVEA_COMMANDS_EXPORT_SOURCE_H
#define FOVEA_COMMANDS_EXPORT_SOURCE_H
#include <stdio.h>

#include "commands/args.h"
#include "figure/figure_origin.h"
#include "models/leave_one_out.h"

typedef struct ExportSource ExportSource;

/* `each`: every line of a text and every sentence of a dump is an item of its own; otherwise
 * every file is one. Reads the options -m, -t, --sentence and those of a run. */
ExportSource *export_source_open(const Args *args, bool each, Error *error) FOVEA_MUST_USE;
void export_source_close(ExportSource *source); /* NULL is fine */

typedef struct ExportItem {
    FigureOrigin made;  /* the run; of a figure also how it was looked at */
    const char *file;   /* where it came from, borrowed; "" for a text of the command line */
    int32_t n_siblings; /* sentences of that file that were passed over: it was not `each` */
} ExportItem;

/* true with the next item, which the caller frees with export_item_free; false at the end, or
 * with an error that concerns this item only: the next call goes on behind it. */
bool export_source_next(ExportSource *source, ExportItem *item, Error *error) FOVEA_MUST_USE;
void export_item_free(ExportItem *item);

/* A second run to compare with: a model for the same input, or a file. One reference. */
const Trace *export_source_other(ExportSource *source, const char *name,
                                 Error *error) FOVEA_MUST_USE;

/* The item's run without anything that was changed; every word of it left out in turn.
 * ERROR_INPUT for what no model ran, or where nothing was changed. One reference. */
const Trace *export_source_plain(ExportSource *source, const ExportItem *item,
                                 Error *error) FOVEA_MUST_USE;
bool export_source_left_out(ExportSource *source, const ExportItem *item, LeaveOneOut *out,
                            Error *error) FOVEA_MUST_USE;

/* All sentences of one dump as JSON, one a line; false without an error when the source is
 * anything else, or one sentence was asked for. */
bool export_source_is_whole_dump(const ExportSource *source);
bool export_source_write_lines(ExportSource *source, FILE *out, Error *error) FOVEA_MUST_USE;

#endif
