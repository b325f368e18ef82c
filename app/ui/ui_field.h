/* ui_field.h - inside of a text field: ui_field.c (place, pointer, drawing) and
 * ui_field_keys.c (what keys do). */
#ifndef FOVEA_UI_UI_FIELD_H
#define FOVEA_UI_UI_FIELD_H
#include "ui/ui_internal.h"

typedef struct Field {
    Ui *ui;
    UiId id;
    Edit *edit;
    UiMemory *memory;
    TextStyle style;
    Rect inside; /* of the frame: where text is seen          */
    float line;  /* height                                    */
    bool several;
    unsigned flags; /* UI_FIELD_...                              */
    Error *error;   /* never NULL                                */
} Field;

/* The text as it is seen now, broken to lines: field->memory->lines. */
EditShown field_lines(Field *field);
/* Keys and typed text of this batch. */
void field_keys(Field *field);
void field_paste(Field *field, ClipKind kind);
void field_changed(Field *field, bool accepted);

#endif
