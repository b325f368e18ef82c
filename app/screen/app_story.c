/* Stories with a question: a model's examples and files in bAbI's format. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/babi.h"
#include "screen/app_internal.h"

static bool reads_stories(const App *app)
{
    return app->model && model_task(app->model) == TASK_ANSWER;
}

/* The last line of a reader's example is its question. */
void app_take_example(App *app, const char *example)
{
    const char *last = reads_stories(app) ? strrchr(example, '\n') : NULL;
    char *text = memory_copy_bytes(example, last ? (size_t)(last - example) : strlen(example));
    document_set_text(&app->doc, text);
    document_set_question(&app->doc, last ? last + 1 : "");
    free(text);
}

bool app_is_example(const App *app, const char *example)
{
    size_t n = strlen(app->doc.text);
    if (!reads_stories(app))
        return strcmp(example, app->doc.text) == 0;
    return strncmp(example, app->doc.text, n) == 0 && example[n] == '\n' &&
           strcmp(example + n + 1, app->doc.question) == 0;
}

/* It begins with line 1, and a question mark stands before the first TAB. */
bool app_has_stories(const char *data, size_t n)
{
    size_t skip = n >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const char *tab = memchr(data, '\t', n);
    while (tab && tab > data + 1 && tab[-1] == ' ')
        tab--;
    return tab && n >= skip + 2 && memcmp(data + skip, "1 ", 2) == 0 && tab[-1] == '?';
}

/* A story goes to the reader at hand, else to the first one installed. */
static bool use_reader(App *app, const char *path, Error *error)
{
    for (int i = 0; i < app->catalogue->n && !reads_stories(app); i++) {
        const CatalogueEntry *e = &app->catalogue->entries[i];
        if (e->is_read && e->facts.task == TASK_ANSWER && !app_use_model(app, e->name, error))
            return false;
    }
    return reads_stories(app) ||
           error_set(error, ERROR_UNSUPPORTED,
                     "%s: stories with questions, and no installed model answers them", path);
}

static void take_question(App *app, const Babi *babi, const BabiQuestion *q)
{
    char *text = babi_story(babi, q);
    char *question = memory_copy_bytes(q->question.text, q->question.n);
    document_set_text(&app->doc, text);
    document_set_question(&app->doc, question);
    document_set_supports(&app->doc, q->n_supports, q->supports);
    free(text);
    free(question);
    app->at_end = true;
    app_fill_fields(app);
    app_run(app);
}

bool app_open_story(App *app, const char *path, const char *number, Error *error)
{
    Babi babi;
    int story = 1, question = 1;
    const BabiQuestion *q = NULL;
    if (babi_read(path, &babi, error) &&
        (!number || babi_read_number(number, &story, &question, error)))
        q = babi_find(&babi, story, question, error);
    bool ok = q && use_reader(app, path, error);
    if (ok)
        take_question(app, &babi, q);
    babi_free(&babi);
    return ok;
}
