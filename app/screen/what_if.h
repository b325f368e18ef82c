/* what_if.h - the parts of the screen where a person changes something and sees what follows:
 *
 *   screen_change.c    the pointer in the figure: painting, locking, hiding, choosing
 *   screen_followed.c  the changed output against the original, token by token
 *   screen_compare.c   which run stands beside this one, distances, the pinned row
 *   screen_left_out.c  every word left out in turn: weight against effect
 *   screen_seen.c      what of all this is in front: for the export and the clipboard
 *   screen_keys.c      keys that the person chooses; files of the last time
 *   screen_copy.c      the figure and its numbers on the clipboard
 *
 * All of it works on the document's edits (run_edits.h) and on traces; what it must remember
 * between frames is here.
 */
#ifndef FOVEA_SCREEN_WHAT_IF_H
#define FOVEA_SCREEN_WHAT_IF_H
#include "figure/figure_what_if.h"
#include "screen/app_internal.h"

#define RECENT_MAX 12

/* What stands in the figure's place instead of a view. */
typedef enum { PANE_NONE, PANE_LEFT_OUT, PANE_PINNED, PANE_FOLLOWED } Pane;

struct WhatIf {
    Worker *worker; /* runs beside the figure's own */
    Pane pane;

    /* Weights of one step that painting leaves alone. */
    int lock_step, n_locked;
    bool *locked; /* [n_locked] by source item */
    ViewHit menu; /* where the menu was asked for */

    /* The run that this one is compared with, when another model makes it. */
    char *versus_model; /* NULL: none chosen */
    char *versus_asked; /* what was asked for last */
    const Trace *versus;
    char *plain_asked;
    int chosen_pin; /* or COMPARE_PIN_... */

    LeaveOneOut left_out; /* n_words 0: none */
    uint64_t left_out_version;
    char *left_out_asked;
    char *left_out_problem;
    bool left_out_is_done;

    Action waiting; /* for a key; ACTION_NONE */
    char *recent[RECENT_MAX];
    int n_recent;
    bool recent_is_new; /* its list has just been opened */
};

/* Which pinned run stands beside this one. */
enum { COMPARE_PIN_NEWEST = -1, COMPARE_PIN_NONE = -2 };

WhatIf *what_if_new(const AppSpec *spec);
void what_if_free(WhatIf *what_if);
/* Another document: nothing of the last one is compared, locked or worked out. */
void what_if_reset(App *app);
/* Every frame: takes results, asks for what is missing. Returns how many were taken. */
int what_if_poll(App *app);
/* For scripts: waits for what was asked for. */
void what_if_settle(App *app);

/* ---- screen_change.c ---- */
bool change_can_paint(const App *app, const ViewHit *hit);
void change_begin_painting(App *app, const ViewHit *hit);
/* Up, or away from the text, makes a word heavier; the others give or take their share. */
void change_paint(App *app, const ViewHit *hit, float dx, float dy);
/* A click that changes the run; false: it only selects. */
bool change_click(App *app, const ViewHit *hit);
/* In the words of the list of changes. */
void change_describe(const App *app, RunEdit edit, StrBuf *out);
void change_open_menu(App *app, const ViewHit *hit);
void change_menu(App *app); /* called every frame */
ViewLocks change_locks(const App *app);

/* ---- screen_followed.c ---- */
/* Is there a run that this one is to be seen against? */
bool followed_is_offered(const App *app);
void screen_followed(App *app, Rect *rest, Rect panel); /* in the inspector */
void screen_followed_pane(App *app, Rect place);        /* instead of a view */
Seen followed_seen(const App *app);

/* ---- screen_compare.c ---- */
const Trace *compare_partner(const App *app);
void screen_compare_options(App *app, Rect *panel);
void screen_distances(App *app, Rect *rest, Rect panel);
void screen_pinned(App *app, Rect place);
Seen pinned_seen(const App *app);
const Trace *pinned_trace(const App *app, int i); /* of the row; NULL: there is no such run */
void compare_poll(App *app);

/* ---- screen_left_out.c ---- */
bool left_out_is_offered(const App *app);
void left_out_poll(App *app);
void screen_left_out(App *app, Rect place);
Seen left_out_seen(const App *app);

/* ---- panes, in the list of views ---- */
bool pane_is_open(const App *app);
void pane_open(App *app, Pane pane);
void pane_list(App *app, Rect *panel);
void screen_pane(App *app, Rect place);

/* ---- screen_copy.c ---- */
void copy_figure(App *app);
/* A cell, a row or all of the matrix as the heatmap shows it, separated by tabs, with its words
 * at the side and on top. */
bool copy_has_numbers(const App *app);
bool copy_has_cell(const App *app);
void copy_numbers(App *app, Action what);

/* ---- screen_keys.c ---- */
void keys_take(App *app, Input *input); /* before the frame: a key that is waited for */
void screen_keys(App *app);             /* the dialogs */
void recent_add(App *app, const char *path);
void recent_restore(App *app);

#endif
