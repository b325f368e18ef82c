/* sentence_data.h - labelled sentences as word ids, and their batches. */
#ifndef FOVEA_TRAIN_SENTENCE_DATA_H
#define FOVEA_TRAIN_SENTENCE_DATA_H
#include "math/ragged.h"
#include "text/vocabulary.h"
#include "train/labelled.h"
#include "train/pairs.h"

/* An example is a Pair: its target is the words, its source the class and, when two sentences
 * belong together, how many of the words are the first one's. Examples with a sentence without
 * words or with more than max_words (0: any) in one are skipped; an error when none is left. */
Pairs *sentences_encode(const Labelled *labelled, const char *path, const Vocabulary *vocabulary,
                        int max_words, Error *error);

/* A shard of a batch, every example `copies` times in a row; in the arena. */
typedef struct SentenceBatch {
    int n;              /* examples of this shard, copies included              */
    int n_in_batch;     /* of all shards, without copies                        */
    int n_parts;        /* sentences of an example, 1 or 2: rows.n = n n_parts  */
    Ragged rows;        /* sequence-major                                       */
    const int *ids;     /* [rows.rows]                                          */
    const int *classes; /* [n]                                                  */
} SentenceBatch;

SentenceBatch sentence_batch(Arena *arena, const Pairs *sentences, const BatchPlan *plan, int batch,
                             int shard, int n_shards, int copies);

#endif
