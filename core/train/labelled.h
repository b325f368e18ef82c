/* labelled.h - texts with a class, one a line, for training and testing classifiers.
 *
 * A line is columns between TABs: the label in one of them (the first unless told), the text
 * in the last. Windows line ends and a byte-order mark at the start of the file are taken off;
 * a file may be packed by gzip.
 *
 * Errors name the file and the line: fewer than two columns, invalid UTF-8, an empty label,
 * a label that is not among the classes. A text may be empty.
 *
 * Memory: the items point into the file's bytes and live as long as the Labelled.
 */
#ifndef FOVEA_TRAIN_LABELLED_H
#define FOVEA_TRAIN_LABELLED_H
#include "base/file.h"
#include "base/settings.h"
#include "models/class_names.h"

typedef struct LabelledSpec {
    int column;          /* of the label, from 1; 0: 1                                      */
    const char *end;     /* the label ends before the first of these characters; NULL: none  */
    const char *classes; /* "negative,positive": names and order; NULL or "": those found    */
} LabelledSpec;

typedef struct LabelledItem {
    int label; /* place among the classes */
    const char *text;
    size_t n;
} LabelledItem;

typedef struct Labelled {
    LabelledItem *items;
    int n;
    Bytes bytes;
} Labelled;

/* For the table of a training task, and their values as a spec. */
#define LABELLED_SETTINGS                                                                          \
    {                                                                                              \
        "label-column",                                                                            \
        SETTING_INT,                                                                               \
        "1",                                                                                       \
        1,                                                                                         \
        1000,                                                                                      \
        NULL,                                                                                      \
        "column of the label; the text is the last"},                                              \
        {"label-end",                                                                              \
         SETTING_TEXT,                                                                             \
         "",                                                                                       \
         0,                                                                                        \
         0,                                                                                        \
         NULL,                                                                                     \
         "a label ends before the first of these characters (\":\" for COARSE:fine)"},             \
    {                                                                                              \
        "classes", SETTING_TEXT, "", 0, 0, NULL,                                                   \
            "names in order, between commas; a label may be the start of one; none: those found"   \
    }
LabelledSpec labelled_spec(const Settings *settings);

/* *classes NULL: it is made from spec->classes or the labels that are found, and belongs to the
 * caller, also after a failure. */
bool labelled_read(const char *path, const LabelledSpec *spec, ClassNames **classes, Labelled *out,
                   Error *error) FOVEA_MUST_USE;
/* The same from memory, which is taken over; `name` is the file for messages. */
bool labelled_parse(const char *name, Bytes bytes, const LabelledSpec *spec, ClassNames **classes,
                    Labelled *out, Error *error) FOVEA_MUST_USE;
void labelled_free(Labelled *labelled);

#endif
