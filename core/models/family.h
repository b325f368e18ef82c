/* family.h - what a kind of model must provide; private to core/models and core/train.
 *
 * Adding a family is one line in families.c, one pair of files here and, when it can be
 * trained, one in core/train.
 */
#ifndef FOVEA_MODELS_FAMILY_H
#define FOVEA_MODELS_FAMILY_H
#include <jansson.h>

#include "base/settings.h"
#include "grad/param.h"
#include "models/model.h"

typedef struct Family {
    const char *name;        /* "seq2seq" */
    const char *help;        /* one line  */
    const Setting *settings; /* of the network; stored in the model file */

    /* Reads the family's own part of the metadata (vocabularies, ...) and declares the
     * parameters in model->params. The result is model->network. Tokenizers may be there as
     * JSON text in a string: tokenizer_from_json reads both. */
    void *(*open)(Model *model, const json_t *metadata, Error *error);
    void (*close)(void *network);
    /* Writes that part: the inverse of open. */
    bool (*describe)(const Model *model, json_t *metadata, Error *error);

    const char *(*attention)(const Model *model);
    ModelTask (*task)(const Model *model);
    Session *(*begin)(const Model *model, const RunInput *input, const RunOptions *options,
                      Error *error);
} Family;

/* NULL when there is no such family. */
const Family *family_find(const char *name);
const Family *family_at(int i); /* NULL past the end */

struct Model {
    atomic_int references;
    const Family *family;
    Settings *settings;
    ParamSet *params;
    void *network;
    char *name;
    char *title;
    char *provenance; /* JSON texts */
    char *scores;
    char **examples;
    size_t n_examples;
    long bytes;
};

/* For training: a model without values yet. Takes over `settings`. */
Model *model_new(const Family *family, Settings *settings);

/* Weights as F16 or F32. Writes atomically. */
bool model_save(const Model *model, const char *path, bool half, Error *error) FOVEA_MUST_USE;

typedef struct SessionType {
    bool (*step)(Session *session, const StepChoice *choice, Error *error);
    void (*rewind)(Session *session, int step);
    const Trace *(*trace)(Session *session, Error *error);
    void (*free)(Session *session); /* its own members; not the Session's */
} SessionType;

/* First member of every session. */
struct Session {
    const SessionType *type;
    const Model *model;
    int n_steps;
    bool is_done;
};

#endif
