#include "session/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "session/paths.h"

Catalogue *catalogue_new(void)
{
    Catalogue *c = memory_new(1, sizeof *c);
    char **names = paths_list_models(&c->n);
    c->entries = memory_new((size_t)c->n, sizeof *c->entries);
    for (int i = 0; i < c->n; i++)
        c->entries[i].name = names[i];
    free(names);
    return c;
}

void catalogue_free(Catalogue *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->n; i++) {
        free(c->entries[i].name);
        free(c->entries[i].problem);
        model_facts_free(&c->entries[i].facts);
    }
    free(c->entries);
    free(c);
}

static int by_task(const void *a, const void *b)
{
    const CatalogueEntry *x = a, *y = b;
    if (x->facts.task != y->facts.task)
        return x->facts.task < y->facts.task ? -1 : 1;
    return strcmp(x->name, y->name);
}

void catalogue_read(Catalogue *c)
{
    for (int i = 0; i < c->n; i++) {
        CatalogueEntry *e = &c->entries[i];
        Error error = {0};
        char *path = paths_find_model(e->name, &error);
        e->is_read = path && model_peek(path, &e->facts, &error);
        if (!e->is_read)
            e->problem = memory_copy_string(error.message);
        free(path);
    }
    if (c->n > 1) /* the default keeps its place */
        qsort(c->entries + 1, (size_t)c->n - 1, sizeof *c->entries, by_task);
}

int catalogue_find(const Catalogue *c, const char *name)
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->entries[i].name, name) == 0)
            return i;
    return -1;
}

const char *catalogue_group(const CatalogueEntry *e)
{
    static const char *const groups[] = {"Translation", "Classification", "Language model",
                                         "Reading",     "Digits",         "Captions"};
    return e->is_read ? groups[e->facts.task] : "";
}
