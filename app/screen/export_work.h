/* export_work.h - what stands behind the dialog that exports: its choices, the figure as it
 * would be written, the preview, and the writing, which the worker does.
 *
 * The preview is drawn anew only when something that it depends on has changed. A file that
 * exists is replaced only when the person has been told so and asks again; what goes wrong
 * stays in `error` for the dialog to say, and every choice stays as it was.
 */
#ifndef FOVEA_SCREEN_EXPORT_WORK_H
#define FOVEA_SCREEN_EXPORT_WORK_H
#include <jansson.h>

#include "figure/figure.h"
#include "screen/app_internal.h"

#define EXPORT_COLORMAP_BYTES 32

struct Exporting {
    Settings *settings; /* figure_settings */
    FigureFormat format;
    char colormap[EXPORT_COLORMAP_BYTES]; /* "": as on the screen */
    Edit *name;                           /* of the file */
    bool replaces;                        /* the person was told that the file exists */
    bool is_busy;                         /* the worker writes */
    Error error;                          /* of the last try */

    /* The preview: pixels, or lines of text. */
    char *key; /* what it was made from */
    uint8_t *rgba;
    int width, height;      /* of rgba */
    float paper_w, paper_h; /* logical pixels */
    int n_pages;            /* or frames */
    char *text;
    Error preview_error;
};

Exporting *exporting_new(void);
void exporting_free(Exporting *exporting); /* NULL is fine */

/* Choices that outlive the program. */
json_t *exporting_to_json(const Exporting *exporting);
void exporting_from_json(Exporting *exporting, const json_t *value); /* passes over what is odd */

void export_open(App *app); /* the dialog, with a name that fits what is shown */
void export_set_format(App *app, FigureFormat format); /* the name's ending follows */
void export_name_changed(App *app);                    /* the format follows its ending */
void export_draw_preview(App *app, Rect area);
void export_start(App *app);
/* What is seen as a table in memory, as it would be written (FIGURE_CSV or FIGURE_TSV). */
bool export_encode_table(App *app, FigureFormat format, StrBuf *out, Error *error) FOVEA_MUST_USE;

#endif
