/* translation_data.h - what every translator trains on: pairs, tokenizers, batches. */
#ifndef FOVEA_TRAIN_TRANSLATION_DATA_H
#define FOVEA_TRAIN_TRANSLATION_DATA_H
#include "base/memory.h"
#include "base/settings.h"
#include "math/ragged.h"
#include "math/real.h"
#include "models/translation.h"
#include "train/pairs.h"
#include "train/task.h"

/* The settings that all translation tasks share. */
#define TRANSLATION_SETTINGS                                                                       \
    {"merges", SETTING_INT, "5000", 0, 100000, NULL, "byte-pair merges to learn"},                 \
        {"vocabulary",                                                                             \
         SETTING_CHOICE,                                                                           \
         "joint",                                                                                  \
         0,                                                                                        \
         0,                                                                                        \
         "joint|separate",                                                                         \
         "one tokenizer for both languages or two"},                                               \
        {"target-units",                                                                           \
         SETTING_CHOICE,                                                                           \
         "bpe",                                                                                    \
         0,                                                                                        \
         0,                                                                                        \
         "bpe|characters",                                                                         \
         "characters: for Chinese (with vocabulary=separate)"},                                    \
        {"tokenizer", SETTING_TEXT, "", 0, 0, NULL, "take the tokenizers of this model file"},     \
        {"max-words",                                                                              \
         SETTING_INT,                                                                              \
         "25",                                                                                     \
         0,                                                                                        \
         10000,                                                                                    \
         NULL,                                                                                     \
         "sources of more words are left out; 0: none"},                                           \
        {"batch", SETTING_INT, "64", 1, 65536, NULL, "sentence pairs in a batch"},                 \
        {"dropout", SETTING_REAL, "0.2", 0, 0.9, NULL, "probability"},                             \
    {                                                                                              \
        "smoothing", SETTING_REAL, "0.1", 0, 0.9, NULL, "of the labels"                            \
    }

typedef struct TranslationData {
    Pairs *train, *valid; /* valid may be NULL */
    BatchPlan plan;
    int batch_size;
} TranslationData;

/* Reads, tokenizes, learns tokenizers, which then belong to the caller. */
bool translation_data_open(TranslationData *data, const TaskFiles *files, const Settings *training,
                           Tokenizers *tokenizers, Error *error) FOVEA_MUST_USE;
void translation_data_free(TranslationData *data);

/* A shard of a batch, laid out for the network; everything in the arena. Rows are sorted by
 * falling source length. */
typedef struct PairBatch {
    int n;                 /* sentences                                             */
    int steps;             /* longest target                                        */
    int n_tokens_in_batch; /* target tokens of all shards, one sample   */
    Ragged sources;        /* step-major                                */
    const int *source_ids; /* [sources.rows]                            */
    const int *length;     /* [n] of the targets                        */
    const int *input_ids;  /* [steps, n]: begin mark, then the target   */
    int n_rows;            /* real target positions                     */
    const int *row;        /* [n_rows]: their place in [steps, n]       */
    const int *row_of;     /* [steps, n]: the inverse, -1 for none      */
    const int *target_ids; /* [n_rows]                                  */
} PairBatch;

/* Every sentence stands `copies` times. */
PairBatch pair_batch(Arena *arena, const Pairs *pairs, const BatchPlan *plan, int batch, int shard,
                     int n_shards, int copies);

/* The same laid out for a Transformer: sequence-major rows on both sides. */
typedef struct SequenceBatch {
    int n;
    int n_tokens_in_batch;
    Ragged sources, targets;
    const int *source_ids; /* [sources.rows]                             */
    const int *input_ids;  /* [targets.rows]: begin mark, then the target */
    const int *target_ids; /* [targets.rows]                             */
} SequenceBatch;

SequenceBatch sequence_batch(Arena *arena, const Pairs *pairs, const BatchPlan *plan, int batch,
                             int shard, int n_shards);

#endif
