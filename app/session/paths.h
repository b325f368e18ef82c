/* paths.h - where models and examples are: FOVEA_ASSETS, beside the program, or the source
 * tree that it was built from. */
#ifndef FOVEA_SESSION_PATHS_H
#define FOVEA_SESSION_PATHS_H
#include "base/error.h"

/* "<assets>/models"; the caller frees; never NULL. */
char *paths_models(void);

/* The file of a model given as a path or as an installed name ("en-fr-additive"); the caller
 * frees; NULL with a message that lists what is installed. */
char *paths_find_model(const char *name, Error *error) FOVEA_MUST_USE;

/* Names of the installed models, sorted; the caller frees each and the list. */
char **paths_list_models(int *n);

/* Where the window keeps its state: $XDG_STATE_HOME/fovea, else ~/.local/state/fovea; NULL when
 * there is no home. The caller frees. */
char *paths_state(void);

/* The program `name` beside this one ("fovea-window"); the caller frees. */
char *paths_beside(const char *name);

#endif
