/* catalogue.h - the installed models, as a list to choose from.
 *
 * Names are there at once; what the files say about themselves (title, attention, scores) is
 * read by catalogue_read, which may run in a worker.
 */
#ifndef FOVEA_SESSION_CATALOGUE_H
#define FOVEA_SESSION_CATALOGUE_H
#include "models/model.h"

typedef struct CatalogueEntry {
    char *name;       /* "en-fr-additive"                        */
    bool is_read;     /* facts are filled                        */
    ModelFacts facts; /* zero when not read or damaged           */
    char *problem;    /* why it cannot be used, or NULL          */
} CatalogueEntry;

typedef struct Catalogue {
    CatalogueEntry *entries; /* grouped by what they do, the default first */
    int n;
} Catalogue;

Catalogue *catalogue_new(void); /* names only */
void catalogue_free(Catalogue *catalogue);
void catalogue_read(Catalogue *catalogue);
int catalogue_find(const Catalogue *catalogue, const char *name); /* or -1 */

/* "Translation", ...: the group that an entry stands in; English. */
const char *catalogue_group(const CatalogueEntry *entry);

#endif
