/* sentence_data.h - labelled sentences as word ids, and their batches. */
#ifndef FOVEA_TRAIN_SENTENCE_DATA_H
#define FOVEA_TRAIN_SENTENCE_DATA_H
#include "math/ragged.h"
#include "text/vocabulary.h"
#include "train/labelled.h"
#include "train/pairs.h"

/* A sentence is a Pair: its target is the words, its source the one class. Sentences without
 * a word or of more than max_words (0: any) are skipped; an error when none is left. */
Pairs *sentences_encode(const Labelled *labelled, const char *path, const Vocabulary *vocabulary,
                        int max_words, Error *error);

/* A shard of a batch, every sentence `copies` times in a row; in the arena. */
typedef struct SentenceBatch {
    int n;              /* sentences of this shard, copies included */
    int n_in_batch;     /* of all shards, without copies            */
    Ragged rows;        /* sequence-major                           */
    const int *ids;     /* [rows.rows]                              */
    const int *classes; /* [n]                                  */
} SentenceBatch;

SentenceBatch sentence_batch(Arena *arena, const Pairs *sentences, const BatchPlan *plan, int batch,
                             int shard, int n_shards, int copies);

#endif
