/* Stories with a question: a model's examples, and files in bAbI's format with the list of what
 * is in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "format/babi.h"
#include "screen/app_internal.h"

#define LABEL_BYTES 96

/* A file, one row of the list a question. */
struct Stories {
    Babi babi;
    char (*labels)[LABEL_BYTES]; /* [babi.n_questions] "3:2  Mary moved to the ..." */
    char **questions;            /* [babi.n_questions]                             */
    int loaded;                  /* the question taken last                        */
    char *text;                  /* its story as it was loaded                     */
};

static bool reads_stories(const App *app)
{
    return app->model && model_task(app->model) == TASK_ANSWER;
}

/* ---- examples ---- */

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

/* ---- a file ---- */

void stories_free(Stories *stories)
{
    for (int i = 0; stories && i < stories->babi.n_questions; i++)
        free(stories->questions[i]);
    if (!stories)
        return;
    babi_free(&stories->babi);
    free(stories->labels);
    free(stories->questions);
    free(stories->text);
    free(stories);
}

/* The first words of the story; a character stays whole. */
static void label_question(const Stories *s, int story, int k, int i)
{
    const BabiQuestion *q = &s->babi.questions[i];
    char *text = babi_story(&s->babi, q);
    for (char *p = text; *p; p++)
        *p = *p == '\n' ? ' ' : *p;
    int used = snprintf(s->labels[i], LABEL_BYTES, "%d:%d  ", story + 1, k);
    size_t room = LABEL_BYTES - 4 - (size_t)used, n = strlen(text);
    bool cut = n > room;
    n = cut ? utf8_valid_prefix(text, room) : n;
    snprintf(s->labels[i] + used, LABEL_BYTES - (size_t)used, "%.*s%s", (int)n, text,
             cut ? "\u2026" : "");
    free(text);
}

/* Takes over what was read. */
static Stories *stories_new(const Babi *babi)
{
    Stories *s = memory_new(1, sizeof *s);
    s->babi = *babi;
    size_t n = (size_t)babi->n_questions;
    s->labels = memory_new(n + 1, sizeof *s->labels);
    s->questions = memory_new(n + 1, sizeof *s->questions);
    for (int story = 0; story < babi->n_stories; story++)
        for (int i = babi->stories[story]; i < babi->stories[story + 1]; i++) {
            Slice asked = babi->questions[i].question;
            label_question(s, story, i - babi->stories[story] + 1, i);
            s->questions[i] = memory_copy_bytes(asked.text, asked.n);
        }
    return s;
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

static void take_question(App *app, int i)
{
    Stories *s = app->stories;
    const BabiQuestion *q = &s->babi.questions[i];
    free(s->text);
    s->text = babi_story(&s->babi, q);
    s->loaded = i;
    document_set_text(&app->doc, s->text);
    document_set_question(&app->doc, s->questions[i]);
    document_set_supports(&app->doc, q->n_supports, q->supports);
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
    if (!q || !use_reader(app, path, error)) {
        if (number && error->kind == ERROR_INPUT)
            error_prefix(error, "%s", path);
        babi_free(&babi);
        return false;
    }
    int i = (int)(q - babi.questions);
    stories_free(app->stories);
    app->stories = stories_new(&babi);
    take_question(app, i);
    if (!number)
        ui_open(app->ui, "stories");
    return true;
}

/* ---- the list ---- */

/* The question that is on the screen as the file has it, or -1. */
static int question_at_hand(const App *app)
{
    const Stories *s = app->stories;
    return strcmp(app->doc.text, s->text) == 0 &&
                   strcmp(app->doc.question, s->questions[s->loaded]) == 0
               ? s->loaded
               : -1;
}

void story_button(App *app, Rect place)
{
    if (!app->stories || !reads_stories(app))
        return;
    int i = question_at_hand(app), story = 0;
    const Babi *b = &app->stories->babi;
    char label[64];
    while (i >= 0 && b->stories[story + 1] <= i)
        story++;
    if (i >= 0)
        snprintf(label, sizeof label, ui_word(app->ui, STRING_STORY_OF), story + 1, b->n_stories,
                 i - b->stories[story] + 1);
    else
        snprintf(label, sizeof label, "%s", ui_word(app->ui, STRING_STORIES));
    const UiControl control = {.name = "story", .label = label};
    if (ui_button(app->ui, place, &control, UI_FRAMED, false))
        ui_open(app->ui, "stories");
}

void screen_stories(App *app)
{
    Rect body;
    if (!app->stories ||
        !ui_dialog_begin(app->ui, "stories", ui_word(app->ui, STRING_STORIES), 760, 560, &body))
        return;
    const Stories *s = app->stories;
    int n = s->babi.n_questions, chosen = question_at_hand(app);
    UiOption *options = memory_new((size_t)n + 1, sizeof *options);
    for (int i = 0; i < n; i++)
        options[i] = (UiOption){.label = s->labels[i], .note = s->questions[i]};
    const UiControl control = {.name = "stories.list"};
    if (ui_list(app->ui, body, &control, options, n, app->list_search, &chosen) && chosen >= 0) {
        ui_close(app->ui, "stories");
        take_question(app, chosen);
    }
    free(options);
    ui_dialog_end(app->ui);
}
