/* All actions: found by name in the palette, listed with their keys on the help page. */
#include <stdio.h>
#include <string.h>

#include "ui/overlays.h"
#include "ui/panels.h"
#include "ui/ui_internal.h"

#define WIDTH       480.0f
#define TALLEST     400.0f
#define TOP         64.0f
#define PAD         8.0f
#define FIELD       36.0f
#define HELP_WIDTH  920.0f
#define HELP_HEIGHT 856.0f
#define COLUMN      270.0f
#define COLUMN_GAP  24.0f
#define KEY_ROW     24.0f

typedef struct Found {
    Action action;
    int match;
} Found;

/* By either language: a person may know the English name. */
static int match_action(Ui *ui, Action action, const char *query)
{
    if (!ui_action_words(ui, action)[0])
        return 0;
    if (!query[0])
        return 1;
    int best = ui_match(ui_action_words(ui, action), query);
    int english = ui_match(ui_text(LANGUAGE_ENGLISH, action_words(action)), query);
    int name = ui_match(action_name(action), query);
    best = english > best ? english : best;
    return name > best ? name : best;
}

/* The best first, and as in the table among equals. */
static int find_actions(Ui *ui, const char *query, Found found[ACTION_COUNT])
{
    int n = 0;
    for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
        int match = match_action(ui, (Action)i, query);
        if (match == 0 || i == ACTION_PALETTE)
            continue;
        int at = n++;
        for (; at > 0 && found[at - 1].match < match; at--)
            found[at] = found[at - 1];
        found[at] = (Found){(Action)i, match};
    }
    return n;
}

static Action palette_list(Ui *ui, Rect rect, UiMemory *memory, bool pick)
{
    const char *query = edit_text(ui->query);
    Found found[ACTION_COUNT];
    UiOption options[ACTION_COUNT];
    char keys[ACTION_COUNT][CHORD_TEXT_BYTES];
    int n = find_actions(ui, query, found);
    for (int i = 0; i < n; i++) {
        Action action = found[i].action;
        keymap_show(ui->frame.keys, action, keys[i]);
        options[i] = (UiOption){.label = ui_action_words(ui, action),
                                .note = keys[i],
                                .group = query[0] ? NULL : ui_word(ui, action_group(action)),
                                .disabled = !ui_can(ui, action)};
    }
    UiRows rows = {.id = ui_id("palette.search"),
                   .name = "palette",
                   .options = options,
                   .n = n,
                   .chosen = -1,
                   .pick = pick};
    if (memory->at < 0 || memory->at >= n)
        memory->at = 0;
    float height = ui_rows_height(ui, &rows);
    Rect content = ui_scroll_open_known(ui, ui_id("palette.rows"), rect, height);
    int chosen = ui_rows(ui, content, &rows, &memory->at);
    if (n == 0)
        ui_label(ui, rect_pad((Rect){rect.x, rect.y, rect.w, ui->frame.theme->row}, PAD, 0),
                 ui_word(ui, STRING_NOTHING_FOUND), theme_muted(ui->frame.theme));
    ui_scroll_shut(ui, height);
    return chosen >= 0 ? found[chosen].action : ACTION_NONE;
}

/* As high as what was found in the last frame. */
static Rect palette_place(Ui *ui, bool fresh)
{
    float found = ui_memory(ui, ui_id("palette.rows"))->extent;
    float wanted = fresh ? TALLEST : FIELD + 3 * PAD + fmaxf(found, ui->frame.theme->row);
    Rect window = rect_pad(ui_window(ui), 2 * PAD, 2 * PAD);
    float width = fminf(WIDTH, window.w);
    float height = fminf(fminf(wanted, TALLEST), window.h - TOP);
    return (Rect){floorf(window.x + (window.w - width) / 2), TOP, width, height};
}

/* Opened: an empty field that has the keyboard. */
static void palette_start(Ui *ui, UiMemory *memory)
{
    Error error = {0};
    if (!edit_reset(ui->query, "", &error))
        return;
    ui_memory(ui, ui_id("palette.rows"))->scroll_y = 0;
    memory->fresh = false;
    memory->at = 0;
    ui_give_focus(ui, ui_id("palette.search"), true);
}

void ui_palette(Ui *ui)
{
    UiMemory *memory = ui_memory(ui, ui_id("palette"));
    if (!memory->open)
        return;
    Rect box = palette_place(ui, memory->fresh);
    if (!ui_layer_begin(ui, memory->id, box, true))
        return;
    if (memory->fresh)
        palette_start(ui, memory);
    bool leaves = ui_layer_is_left(ui, box);
    ui_draw_float(ui, box);
    Rect inside = rect_pad(box, PAD, PAD);
    uint64_t version = edit_version(ui->query);
    UiControl field = {.name = "palette.search",
                       .label = ui_word(ui, STRING_SEARCH_COMMANDS),
                       .icon = ICON_SEARCH};
    unsigned flags = ui_field(ui, rect_cut_top(&inside, FIELD), &field, ui->query, NULL);
    if (edit_version(ui->query) != version)
        memory->at = 0;
    rect_cut_top(&inside, PAD);
    Action action = palette_list(ui, inside, memory, (flags & UI_FIELD_SUBMITTED) != 0);
    ui_layer_end(ui);
    ui_add_action(ui, action);
    if (leaves || action != ACTION_NONE)
        memory->open = false;
}

/* The help page */

static void help_row(Ui *ui, Rect *column, const char *words, const char *keys)
{
    const Theme *theme = ui->frame.theme;
    Rect row = rect_cut_top(column, KEY_ROW);
    TextStyle key = theme_number(theme);
    key.size = theme->caption_size;
    key.align = ALIGN_END;
    float width = ceilf(fonts_width(ui->frame.fonts, keys, &key));
    ui_label(ui, rect_cut_right(&row, fminf(width, row.w * 0.6f)), keys, key);
    rect_cut_right(&row, PAD);
    TextStyle style = theme_text(theme);
    style.color = theme->muted;
    ui_label(ui, row, words, style);
}

static void help_title(Ui *ui, Rect *column, const char *words)
{
    ui_label(ui, rect_cut_top(column, KEY_ROW), words, theme_heading(ui->frame.theme));
}

/* "Right" or "Ctrl+Shift+Z  Ctrl+Y" */
static void all_keys(Ui *ui, Action action, char *text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    for (int i = 0; ui->frame.keys && i < KEYMAP_CHORDS; i++) {
        char key[CHORD_TEXT_BYTES];
        chord_show(ui->frame.keys->chords[action][i], key);
        if (key[0] && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "   " : "", key);
    }
}

/* Nine views on nine digits are one line. */
static bool views_are_digits(const Ui *ui)
{
    for (int i = 0; i < 9; i++) {
        const Chord digit = {KEY_CHARACTER, (uint32_t)('1' + i), 0};
        if (!ui->frame.keys || !chord_equal(ui->frame.keys->chords[ACTION_VIEW_1 + i][0], digit))
            return false;
    }
    return true;
}

static void help_group(Ui *ui, Rect *column, StringId group)
{
    help_title(ui, column, ui_word(ui, group));
    if (group == STRING_GROUP_VIEWS && views_are_digits(ui)) {
        help_row(ui, column, ui_word(ui, STRING_KEY_VIEWS), "1 – 9");
        rect_cut_top(column, 2 * PAD);
        return;
    }
    for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
        if (action_group((Action)i) != group)
            continue;
        char keys[KEYMAP_CHORDS * CHORD_TEXT_BYTES];
        all_keys(ui, (Action)i, keys, sizeof keys);
        help_row(ui, column, ui_word(ui, action_words((Action)i)), keys);
    }
    rect_cut_top(column, 2 * PAD);
}

typedef struct FixedKey {
    StringId words;
    const char *keys;
} FixedKey;

static void help_fixed(Ui *ui, Rect *column, StringId group, const FixedKey *keys, size_t n)
{
    help_title(ui, column, ui_word(ui, group));
    for (size_t i = 0; i < n; i++)
        help_row(ui, column, ui_word(ui, keys[i].words), keys[i].keys);
    rect_cut_top(column, 2 * PAD);
}

static const FixedKey everywhere_keys[] = {{STRING_KEY_FOCUS, "Tab"},
                                           {STRING_KEY_FOCUS_BACK, "Shift+Tab"},
                                           {STRING_KEY_PRESS, "Space   Enter"},
                                           {STRING_KEY_LEAVE, "Esc"}};

static const FixedKey text_keys[] = {{STRING_KEY_WORD, "Ctrl+←   Ctrl+→"},
                                     {STRING_KEY_SELECT, "Shift+←   Shift+→"},
                                     {STRING_SELECT_ALL, "Ctrl+A"},
                                     {STRING_KEY_DELETE_WORD, "Ctrl+Backspace"},
                                     {STRING_CUT, "Ctrl+X"},
                                     {STRING_COPY, "Ctrl+C"},
                                     {STRING_PASTE, "Ctrl+V"},
                                     {STRING_KEY_SUBMIT, "Enter"}};

static void help_section(Ui *ui, Rect *column, int section)
{
    static const StringId groups[] = {STRING_GROUP_STEPS, STRING_GROUP_VIEWS,   STRING_GROUP_FIGURE,
                                      STRING_GROUP_RUN,   STRING_GROUP_CHANGES, STRING_GROUP_FILES,
                                      STRING_GROUP_WINDOW};
    enum { N_GROUPS = sizeof groups / sizeof groups[0] };
    if (section < N_GROUPS)
        help_group(ui, column, groups[section]);
    else if (section == N_GROUPS)
        help_fixed(ui, column, STRING_GROUP_TEXT, text_keys,
                   sizeof text_keys / sizeof text_keys[0]);
    else
        help_fixed(ui, column, STRING_GROUP_EVERYWHERE, everywhere_keys,
                   sizeof everywhere_keys / sizeof everywhere_keys[0]);
}

/* Three columns, or as many as there is room for; each section whole in one of them. */
static float help_columns(Ui *ui, Rect content)
{
    enum { COLUMNS = 3, SECTIONS = 5, NONE = -1 };
    static const int columns[COLUMNS][SECTIONS] = {
        {0, 1, 4, 7, 8}, {2, 3, NONE, NONE, NONE}, {5, 6, NONE, NONE, NONE}};
    int n = (int)fmaxf(1, fminf(COLUMNS, floorf((content.w + COLUMN_GAP) / (COLUMN + COLUMN_GAP))));
    float width = floorf((content.w - COLUMN_GAP * (float)(n - 1)) / (float)n);
    float bottoms[COLUMNS] = {content.y, content.y, content.y};
    float lowest = content.y;
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j < SECTIONS && columns[i][j] != NONE; j++) {
            int at = i < n ? i : n - 1;
            Rect column = {content.x + (width + COLUMN_GAP) * (float)at, bottoms[at], width, 1e5f};
            help_section(ui, &column, columns[i][j]);
            bottoms[at] = column.y;
            lowest = fmaxf(lowest, column.y);
        }
    return lowest - content.y;
}

void ui_help(Ui *ui)
{
    Rect body;
    if (!ui_dialog_begin(ui, "help", ui_word(ui, STRING_HELP_TITLE), HELP_WIDTH, HELP_HEIGHT,
                         &body))
        return;
    char key[CHORD_TEXT_BYTES];
    char hint[256];
    keymap_show(ui->frame.keys, ACTION_PALETTE, key);
    snprintf(hint, sizeof hint, ui_word(ui, STRING_HELP_HINT), key);
    ui_label(ui, rect_cut_bottom(&body, ui->frame.theme->line_height), hint,
             theme_muted(ui->frame.theme));
    rect_cut_bottom(&body, PAD);
    float width = body.w - 2 * UI_STEP;
    Rect content = ui_scroll_begin(ui, "help.keys", body);
    content.w = width;
    ui_scroll_end(ui, help_columns(ui, content));
    ui_dialog_end(ui);
}
