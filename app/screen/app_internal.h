/* app_internal.h - the state of the program; shared by the files of screen. */
#ifndef FOVEA_SCREEN_APP_INTERNAL_H
#define FOVEA_SCREEN_APP_INTERNAL_H
#include "figure/figure.h"
#include "format/import.h"
#include "image/picture.h"
#include "models/model.h"
#include "screen/app.h"
#include "session/catalogue.h"
#include "session/document.h"
#include "session/worker.h"
#include "ui/overlays.h"
#include "ui/panels.h"

#define INPUT_MAX_BYTES ((size_t)1 << 20)

/* What the person is dragging in the figure. */
typedef enum {
    DRAG_NONE,
    DRAG_PAN,
    DRAG_PAINT,
    DRAG_WINDOW,
    DRAG_BOX,
    DRAG_NEW, /* an object that is not in the scene yet; from here: screen_picture.c */
    DRAG_OBJECT,
    DRAG_EYE,
} DragKind;

typedef struct WhatIf WhatIf;     /* what_if.h */
typedef struct DumpWork DumpWork; /* dump.h    */

/* What a file is for that is chosen in the dialog. */
typedef enum { FILE_OPENS, FILE_SAVES, FILE_IS_GOLD, FILE_IS_BESIDE } FileUse;

typedef struct Drag {
    DragKind kind;
    float x, y;         /* of the pointer in the last frame */
    int row;            /* DRAG_PAINT: step; DRAG_OBJECT: which; DRAG_NEW: its kind */
    float off_x, off_y; /* DRAG_OBJECT: of the pointer from its middle */
    ViewHit item;       /* DRAG_PAINT: a bar that is held on to */
    int n;              /* of weights */
    float *weights;
    Rect box;
} Drag;

/* One sentence through many models, and how well they do: instead of a view. */
typedef struct Lab Lab; /* screen_lab.c */
typedef enum { LAB_CLOSED, LAB_RUNS, LAB_LENGTHS, LAB_COST } LabKind;
#define LAB_MAX 24

typedef struct Stories Stories;     /* app_story.c */
typedef struct Exporting Exporting; /* export_work.h */

struct App {
    AppSpec spec;
    Fonts *fonts;
    Ui *ui;
    Canvas *canvas;
    ViewCache *cache;
    Keymap keys;
    Theme theme;
    Language language;
    float scale;
    bool full_screen, quit;

    Document doc;
    Catalogue *catalogue;
    const Model *model;
    Worker *runs, *tasks;

    const Trace *trace;     /* of the last finished run; NULL before the first */
    const Trace *plain;     /* of the last run without changes: what they are compared with */
    uint64_t ticket, shown; /* of the newest run asked for, and of the trace */
    double run_seconds;
    bool chooses_view; /* the next trace opens in the view that suits it best */
    bool at_end;       /* the person has not stepped back: new traces show their last step */

    /* A dump of another tool, instead of a model. */
    ImportSet *dump;
    DumpWork *dump_work; /* dump.h */
    Edit *list_search;   /* among stories, or recent files */
    Stories *stories;    /* of the file in bAbI's format that was opened last; or NULL */

    Lab *lab; /* one sentence through many models */

    bool erases; /* the pen of the drawing pad */

    char *folder; /* where the file dialogs stand */
    Edit *file_name;
    FileUse file_use;
    Exporting *exporting;

    bool has_lost_work; /* an end that was not clean left a document behind */
    double next_keep;
    bool keep_is_due; /* something may have changed since it was last written */
    char *kept_window, *kept_document;

    Error status;
    bool status_is_good; /* a success to be read, not a problem */
    double status_until;

    Edit *input, *question, *target;
    uint64_t input_version, question_version, target_version;
    bool target_is_open;

    bool playing;
    double speed, next_tick;
    bool left_is_open, right_is_open;

    ViewHit hover, selected;
    json_t *restoring; /* of a session's screen what waits for the run; or NULL */
    Drag drag;
    WhatIf *what_if;
    Rect figure;        /* where the view was drawn */
    double frame_until; /* as ViewFrame.until; 0 in scripts */
    bool draws_on;      /* the view has not drawn all yet   */
};

/* ---- app.c ---- */
void app_say(App *app, const Error *error);
void app_say_done(App *app, const char *fmt, ...) FOVEA_PRINTF(2, 3);
bool app_load_model(App *app, const char *name, Error *error); /* and nothing else */
/* And runs it, on an example of its own where the text is of another kind. */
bool app_use_model(App *app, const char *name, Error *error);
void app_show(App *app, const Trace *trace); /* takes the reference */
void app_run(App *app);                      /* again, with text, model and edits as they stand */
void app_edited(App *app);                   /* edits changed: one step of undo, and run */
int app_n_steps(const App *app);
bool app_has_stages(const App *app); /* the steps are a classifier's, and the last one its class */
void app_go_to(App *app, int step);
void app_choose_view(App *app, const View *view);
void app_pin(App *app);
/* What the current run is compared with: what was pinned last, or the run before changes;
 * NULL when that is the run itself. */
const Trace *app_other(const App *app);

/* What a run reads, copied: the person goes on while a worker uses it. */
typedef struct InputCopy {
    char *text, *question;
    int *supports, n_supports;
    Picture picture; /* or none */
    TraceImage view; /* of it */
} InputCopy;
void input_copy(InputCopy *copy, const Document *doc);
RunInput input_view(InputCopy *copy); /* borrowed */
void input_free(InputCopy *copy);

/* ---- app_story.c ---- */
void app_take_example(App *app, const char *example); /* into the document */
bool app_is_example(const App *app, const char *example);
bool app_has_stories(const char *data, size_t n); /* a file in bAbI's format */
/* "3:2": question 2 of story 3. NULL: the first one, and the list of all is shown. */
bool app_open_story(App *app, const char *path, const char *number, Error *error) FOVEA_MUST_USE;
void stories_free(Stories *stories);     /* NULL is fine */
void story_button(App *app, Rect place); /* which one it is, and a way to the others */

/* ---- app_session.c: the screen in a session ---- */
bool app_save_session(App *app, const char *path, Error *error) FOVEA_MUST_USE;
char *app_session_json(App *app); /* the caller frees */
/* What a figure holds to be opened again: the run, and what is seen instead of its view. */
char *app_figure_json(const App *app);
void app_restore_place(App *app);
/* After the document was replaced, before its run: what it says about the screen. */
void app_restore_screen(App *app);
/* The run is there: the rest of it. */
void app_restore_rest(App *app);

/* ---- app_open.c ---- */
bool app_open_session(App *app, const char *path, Error *error) FOVEA_MUST_USE;
void app_set_file(App *app, const char *path); /* a figure or a dump is looked at */
char *app_whole_path(const char *path);        /* from the root; the caller frees */
/* Where a file that a session names is: where it was, or where the session is now. */
char *app_find_source(const char *file, const char *session);
void app_look_at_picture(App *app, Picture picture); /* takes it over; zero: none */
void app_fill_fields(App *app);                      /* the text fields follow the document */
bool app_reads_documents(const App *app); /* the model's input is a text of many sentences */
bool app_reads_lines(const App *app);     /* a document, or a story */

/* ---- app_state.c ---- */
void app_restore(App *app); /* choices of the last time; offers work that was lost */
void app_keep(App *app);    /* called every frame; writes when something changed and time passed */
void app_forget(App *app);  /* a clean end: nothing to recover */
void app_recover(App *app); /* opens what the last time left behind */

/* ---- actions ---- */
void app_do(App *app, Action action);
void app_find_unavailable(const App *app, bool unavailable[ACTION_COUNT]);
/* What the keys of views stand for, by this trace. */
void app_find_meanings(const App *app, const char *meanings[ACTION_COUNT]);

/* ---- the parts of the screen; each draws in its place and answers ---- */
void screen_top(App *app, Rect place);
void screen_paper(App *app, Rect *window); /* a document's field, above the figure */
void screen_left(App *app, Rect panel);
void screen_right(App *app, Rect panel);
void screen_bottom(App *app, Rect place);
void screen_figure(App *app, Rect place);
void screen_files(App *app);   /* the dialog that opens or saves a file */
void screen_stories(App *app); /* the list of a file's stories          */
void screen_export(App *app);  /* the dialog that exports               */

/* A row of a panel with the control that suits the setting; it is called PREFIX.name. */
void screen_option(App *app, Rect row, const char *prefix, Settings *options, const Setting *s);

/* ---- the lab: one sentence through all models of a kind ---- */
Lab *lab_new(void (*wake)(void *context), void *context);
void lab_free(Lab *lab);
bool lab_is_offered(const App *app); /* there are several */
/* Without the models that are no score functions. */
bool lab_only_scores(const App *app);
void lab_set_only_scores(App *app, bool only);
LabKind lab_is_open(const App *app);
void lab_open(App *app, LabKind open);
/* Their names, of the catalogue; returns how many. */
size_t lab_kind_length(const char *name); /* of what the kind's names share: "en-fr-" */
int lab_find_kind(const App *app, const char *names[LAB_MAX]);
int lab_poll(App *app); /* takes results, follows the text; how many were taken */
void screen_lab(App *app, Rect place);
void screen_lab_options(App *app, Rect row);
bool lengths_is_offered(const App *app); /* BLEU by source length */
bool cost_is_offered(const App *app);    /* time by length, all words and selected ones */

/* What is seen instead of a view, as a figure; it holds what it draws, for another thread. */
typedef struct Seen {
    FigureDrawing drawing; /* draw NULL: a view is seen     */
    /* What the pointer is on; NULL: nothing answers, or not in this way. */
    bool (*hit)(const void *context, const ViewFrame *frame, float x, float y, ViewHit *hit);
    const char *name; /* "lab", "left_out", ...; of the view */
    uint64_t version; /* another one: it has changed   */
    void (*release)(void *context);
    void *context;
} Seen;

Seen lab_seen(const App *app);
const Trace *lab_trace(const App *app, int i); /* NULL: there is no such run */
Seen lengths_seen(const App *app);
Seen cost_seen(const App *app);

/* ---- screen_seen.c ---- */
Seen seen_now(const App *app);
void seen_release(Seen *seen);
const View *seen_view(const App *app); /* whose options it has */
/* The run that a cell is of, where several are seen; without a cell the current one. */
const Trace *seen_trace(const App *app, const ViewHit *cell);

/* ---- screen_picture.c: objects of a scene are moved, the eye is turned ---- */
/* What a press on the figure begins; DRAG_NONE: it is none of this. */
DragKind picture_press(App *app, const ViewHit *hit);
void picture_drag(App *app, const ViewHit *hit);
void picture_release(App *app, const ViewHit *hit);
void picture_rows(App *app, Rect *panel); /* its controls, for image models */
void picture_draw_carried(App *app);      /* what is on its way into a scene, at the pointer */
/* The text becomes what is looked at, instead of a picture from a file. */
void picture_look_at(App *app, const char *text);
/* A scene in words is laid out by the seed: before that changes, it gets fixed places. */
void picture_fix(App *app);
void pad_rows(App *app, Rect *panel); /* screen_pad.c: digits are drawn */

/* A frame of the current view. */
ViewFrame app_view_frame(App *app, Rect area);

#endif
