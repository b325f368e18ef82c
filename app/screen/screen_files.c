/* The dialogs for files: choosing one to open, a place to save the session to. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "screen/dump.h"

#define MOST_ENTRIES 2000

typedef struct Entry {
    char *name;
    bool is_folder;
} Entry;

typedef struct Listing {
    Entry *entries;
    size_t n, capacity;
} Listing;

static int by_kind_and_name(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    if (x->is_folder != y->is_folder)
        return x->is_folder ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool is_folder(const char *folder, const char *name)
{
    struct stat status;
    char *path = file_join(folder, name);
    bool yes = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    free(path);
    return yes;
}

static Listing list_folder(const char *folder)
{
    Listing l = {0};
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir)) && l.n < MOST_ENTRIES;) {
        if (e->d_name[0] == '.' && strcmp(e->d_name, "..") != 0)
            continue;
        l.entries = memory_grow(l.entries, &l.capacity, l.n + 1, sizeof *l.entries);
        l.entries[l.n++] = (Entry){memory_copy_string(e->d_name), is_folder(folder, e->d_name)};
    }
    if (dir)
        closedir(dir);
    if (l.n > 0)
        qsort(l.entries, l.n, sizeof *l.entries, by_kind_and_name);
    return l;
}

static void free_listing(Listing *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->entries[i].name);
    free(l->entries);
}

/* "a/b" and ".." become "a"; names are appended. */
static void go_to_folder(App *app, const char *name)
{
    char *path = file_join(app->folder, name);
    char *real = realpath(path, NULL);
    free(path);
    if (!real)
        return;
    free(app->folder);
    app->folder = real;
}

static bool use_file(App *app, const char *path, Error *error)
{
    switch (app->file_use) {
    case FILE_IS_GOLD: return dump_says_gold(app, path, error);
    case FILE_IS_BESIDE: return dump_open_beside(app, path, error);
    default: return app_open(app, path, error);
    }
}

/* What was chosen: a folder is entered, a file opened or its name taken over. */
static void choose(App *app, const Entry *entry)
{
    Error error = {0};
    if (entry->is_folder) {
        go_to_folder(app, entry->name);
        return;
    }
    if (!edit_reset(app->file_name, entry->name, &error))
        app_say(app, &error);
    if (app->file_use == FILE_SAVES)
        return;
    char *path = file_join(app->folder, entry->name);
    ui_close(app->ui, "files");
    if (!use_file(app, path, &error))
        app_say(app, &error);
    free(path);
}

static void entry_list(App *app, Rect rect)
{
    Listing l = list_folder(app->folder);
    UiOption *options = memory_new(l.n + 1, sizeof *options);
    for (size_t i = 0; i < l.n; i++)
        options[i] = (UiOption){
            .label = l.entries[i].name,
            .note = l.entries[i].is_folder ? ui_word(app->ui, STRING_FOLDER) : NULL,
        };
    int chosen = -1;
    const UiControl control = {.name = "files.list"};
    if (ui_list(app->ui, rect, &control, options, (int)l.n, NULL, &chosen) && chosen >= 0)
        choose(app, &l.entries[chosen]);
    free(options);
    free_listing(&l);
}

static void save(App *app)
{
    const char *name = edit_text(app->file_name);
    if (!*name)
        return;
    StrBuf path = {0};
    bool has_ending = strcmp(file_extension(name), ".fovea") == 0;
    strbuf_addf(&path, "%s/%s%s", name[0] == '/' ? "" : app->folder, name,
                has_ending ? "" : ".fovea");
    Error error = {0};
    if (app_save_session(app, path.text, &error)) {
        ui_close(app->ui, "files");
        int left_out = document_n_unsaved(&app->doc);
        app_say_done(app, ui_word(app->ui, left_out ? STRING_SAVED_WITHOUT : STRING_SAVED),
                     path.text, left_out);
    } else {
        app_say(app, &error);
    }
    strbuf_free(&path);
}

void screen_files(App *app)
{
    Rect body;
    static const StringId titles[] = {STRING_ACTION_OPEN, STRING_ACTION_SAVE,
                                      STRING_ACTION_GOLD_FILE, STRING_ACTION_BESIDE};
    bool saving = app->file_use == FILE_SAVES;
    StringId title = titles[app->file_use];
    if (!ui_dialog_begin(app->ui, "files", ui_word(app->ui, title), 560, 480, &body))
        return;
    ui_label(app->ui, rect_cut_top(&body, 28), app->folder, theme_muted(&app->theme));
    Rect foot = rect_cut_bottom(&body, 40);
    rect_cut_top(&foot, 8);
    const UiControl act = {.name = "files.act",
                           .label = ui_word(app->ui, saving ? STRING_SAVE : STRING_OPEN)};
    float width = ui_button_width(app->ui, &act);
    bool pressed = ui_button(app->ui, rect_cut_right(&foot, width), &act, UI_PRIMARY, false);
    rect_cut_right(&foot, 8);
    Error error = {0};
    const UiControl name = {.name = "files.name", .label = ui_word(app->ui, STRING_FILE_NAME)};
    unsigned what = ui_field(app->ui, foot, &name, app->file_name, &error);
    pressed = pressed || (what & UI_FIELD_SUBMITTED);
    if (pressed && saving)
        save(app);
    else if (pressed && *edit_text(app->file_name)) {
        const char *text = edit_text(app->file_name);
        Entry entry = {memory_copy_string(text), is_folder(app->folder, text)};
        choose(app, &entry);
        free(entry.name);
    }
    entry_list(app, body);
    ui_dialog_end(app->ui);
}
