/* document.h - what a .fovea file holds: a model, an input, what was changed, and how it is
 * looked at. Opening one reproduces the screen.
 *
 *   {"fovea_session": 1, "model": "en-fr-additive", "text": "...", "question": "...",
 *    "file": "dump.npz", "sentence": 3, "flipped": false, "picture": "PNG in base64",
 *    "edits": {...}, "view": "heatmap", "step": 4,
 *    "views": {"heatmap": {"options": {"numbers": "yes"}, "camera": [1, 0, 0], "at": [0, -1]}},
 *    "screen": {...}, "pins": [{"fovea": 1, ...}]}
 *
 * A document looks at a run of a model, or at a sentence of a file that another tool wrote
 * ("file"); never both. Pinned runs are whole traces (trace_json.h): they come back as they
 * were, whatever became of the models that made them. "screen" is what the window shows beside
 * all this, in its own words (screen/app_session.c).
 *
 * Undo covers the edits (run_edits.h), not the text, which its field undoes by itself.
 *
 * Invariants: strings are never NULL; `view` names a view; every view has options.
 * Memory: a Document owns everything in it. Threads: one.
 */
#ifndef FOVEA_SESSION_DOCUMENT_H
#define FOVEA_SESSION_DOCUMENT_H
#include <jansson.h>

#include "base/settings.h"
#include "image/picture.h"
#include "models/run_edits.h"
#include "views/view.h"

#define DOCUMENT_VERSION   1
#define DOCUMENT_MAX_BYTES ((size_t)256 << 20)
#define DOCUMENT_MAX_UNDO  200
#define DOCUMENT_MAX_PINS  48
/* Of a pinned run: larger ones stay pinned, but are in no file. */
#define DOCUMENT_MAX_PIN_NUMBERS ((int64_t)1 << 20)

typedef struct DocumentView {
    Settings *options;
    ViewCamera camera;
    int32_t at[TRACE_MAX_RANK]; /* item of each leading axis; GRID_ALL: all of them */
} DocumentView;

typedef struct DocumentPin {
    const Trace *trace;
    char *json; /* NULL: too large for a file */
} DocumentPin;

typedef struct Document {
    char *model; /* name or path; "" when a file is looked at */
    char *text;
    char *question;
    int *supports; /* [n_supports] lines of the text known to hold the answer */
    int n_supports;
    char *file; /* "" when a model runs */
    int sentence;
    bool flipped;      /* the file's last two axes, against what was assumed */
    Picture picture;   /* what an image model looks at, if it came from a file; or none */
    char *picture_png; /* the same as PNG in base64, or NULL */
    int n_pictures;    /* that were set so far: tells one from the next */
    RunEdits *edits;
    const View *view;
    DocumentView *views; /* in the order of view_at */
    int n_views;
    int step; /* 0-based; past the end means the last */
    DocumentPin pins[DOCUMENT_MAX_PINS];
    int n_pins;
    json_t *screen; /* an object, or NULL: nothing is known */

    /* Undo: copies of the edits; states[now] is `edits` as it stands. */
    RunEdits **states;
    int n_states, now;
} Document;

void document_init(Document *document);
void document_deinit(Document *document);

void document_set_model(Document *document, const char *model);
/* Edits of single steps make no sense for another text and are dropped; true if so. */
bool document_set_text(Document *document, const char *text);
void document_set_question(Document *document, const char *question);
/* Forgotten with the next change of text or question. */
void document_set_supports(Document *document, int n, const int *supports);
void document_set_file(Document *document, const char *path, int sentence);

/* Takes the pixels over; a zero Picture: none. */
void document_set_picture(Document *document, Picture picture);

/* Keeps a reference; of more than DOCUMENT_MAX_PINS the oldest goes. */
void document_pin(Document *document, const Trace *trace);
void document_unpin(Document *document, int pin);
void document_unpin_all(Document *document);
/* Moves those of `from`, which has none then, into `document`, which has none. */
void document_take_pins(Document *document, Document *from);
/* A pinned run that equals `trace` becomes it, so that the two count as one. */
void document_recognise(Document *document, const Trace *trace);
/* How many pinned runs are too large for a file. */
int document_n_unsaved(const Document *document);

/* State of a view; of the current one. */
DocumentView *document_view(Document *document, const View *view);

/* Call after changing `edits`: one step of undo. */
void document_commit(Document *document);
bool document_can_undo(const Document *document);
bool document_can_redo(const Document *document);
void document_undo(Document *document);
void document_redo(Document *document);
void document_clear_edits(Document *document);

/* The JSON text; the caller frees. */
char *document_to_json(const Document *document);
/* Without pinned runs and screen: what a figure carries. */
char *document_run_to_json(const Document *document);
/* Replaces the document; on failure it is unchanged. Unknown views and options are passed
 * over (they belong to another version); a damaged file is refused. */
bool document_from_json(Document *document, const char *text, size_t n,
                        Error *error) FOVEA_MUST_USE;

bool document_save(const Document *document, const char *path, Error *error) FOVEA_MUST_USE;
bool document_open(Document *document, const char *path, Error *error) FOVEA_MUST_USE;

#endif
