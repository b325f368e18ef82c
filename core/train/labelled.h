/* labelled.h - texts with a class, one a line, for training and testing classifiers.
 *
 * A line is columns between TABs: the label in one of them (the first unless told), the text
 * in another (the last unless told), and with pairs a second text in the column behind it. A
 * first line with the columns' names is left out if the spec says so. Windows line ends and a
 * byte-order mark at the start of the file are taken off; a file may be packed by gzip.
 *
 * Errors name the file and the line: too few columns, a column that is to be label and text,
 * invalid UTF-8, an empty label, a label that is not among the classes. A text may be empty.
 *
 * Memory: the items point into the file's bytes and live as long as the Labelled.
 */
#ifndef FOVEA_TRAIN_LABELLED_H
#define FOVEA_TRAIN_LABELLED_H
#include "base/file.h"
#include "base/settings.h"
#include "models/class_names.h"

typedef struct LabelledSpec {
    int column;          /* of the label, from 1; 0: 1                                       */
    int text;            /* column of the (first) text; 0: the last (of pairs: the last two) */
    bool pairs;          /* two texts a line                                                 */
    bool header;         /* the first line names the columns                                 */
    const char *end;     /* the label ends before the first of these characters; NULL: none  */
    const char *classes; /* "negative,positive": names and order; NULL or "": those found    */
} LabelledSpec;

typedef struct LabelledItem {
    int label; /* place among the classes */
    const char *text;
    size_t n;
    const char *second; /* of pairs; else NULL */
    size_t n_second;
} LabelledItem;

typedef struct Labelled {
    LabelledItem *items;
    int n;
    Bytes bytes;
} Labelled;

/* For the table of a training task, and their values as a spec. */
#define LABELLED_SETTINGS                                                                          \
    {"label-column", SETTING_INT, "1", 1, 1000, NULL, "column of the label"},                      \
        {"text-column",                                                                            \
         SETTING_INT,                                                                              \
         "0",                                                                                      \
         0,                                                                                        \
         1000,                                                                                     \
         NULL,                                                                                     \
         "column of the text, or of the first of two; 0: the last"},                               \
        {"header", SETTING_BOOL, "no", 0, 0, NULL, "the first line names the columns"},            \
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
/* pairs is left false: it is the model's. */
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
