/* reader_data.h - bAbI tasks as ids: stories with a question, batches of them, and where the
 * attention on them lies. */
#ifndef FOVEA_TRAIN_READER_DATA_H
#define FOVEA_TRAIN_READER_DATA_H
#include "format/babi.h"
#include "models/reader_model.h"
#include "train/batch_plan.h"

/* ---- files ---- */

/* One task: a file. */
typedef struct ReaderTask {
    char *name; /* of the file up to the first "_" or ".": "qa1" */
    Babi babi;
} ReaderTask;

typedef struct ReaderTasks {
    ReaderTask *items;
    int n;
} ReaderTasks;

/* A file, or all files of a folder whose names end with `ending` ("_train.txt"), qa2 before
 * qa10. ERROR_IO when there is none. Free it also after a failure. */
bool reader_tasks_read(const char *path, const char *ending, ReaderTasks *out,
                       Error *error) FOVEA_MUST_USE;
void reader_tasks_free(ReaderTasks *tasks);

/* Every word of the stories and questions, and every answer. */
Vocabulary *reader_learn_words(const ReaderTasks *tasks);
ClassNames *reader_learn_answers(const ReaderTasks *tasks, Error *error);

/* ---- examples ---- */

typedef struct ReaderExample {
    int task;
    int answer; /* -1: none of the model's */
    ReaderItem item;
    const unsigned char *support; /* [item.n_sentences] */
} ReaderExample;

typedef struct ReaderExamples {
    ReaderExample *items;
    int n;
    Arena *arena; /* what they point into */
} ReaderExamples;

typedef struct ReaderEncoding {
    int last_sentences; /* of a story; earlier ones are left out; 0: all      */
    double from, to;    /* this part of each task's questions, 0 to 1         */
} ReaderEncoding;

bool reader_encode(const ReaderTasks *tasks, const Answerer *answerer, const ReaderEncoding *how,
                   ReaderExamples *out, Error *error) FOVEA_MUST_USE;
void reader_examples_free(ReaderExamples *examples);

/* Batches of stories of like length. */
void reader_plan(BatchPlan *plan, const ReaderExamples *examples, int batch_size, Random *random);

typedef struct ReaderExamplesBatch {
    int n, n_in_batch;
    const ReaderExample **examples; /* [n] */
    const int *answers;             /* [n] */
    ReaderBatch batch;
} ReaderExamplesBatch;

/* unknown > 0: the share of words read as unknown (training only). */
ReaderExamplesBatch reader_examples_batch(Arena *arena, const ReaderExamples *examples,
                                          const BatchPlan *plan, int batch, int shard, int n_shards,
                                          double unknown, Random *random);

/* ---- attention on what supports the answer ---- */

typedef struct ReaderSupport {
    bool known;  /* the data name a sentence                             */
    double mass; /* of the weights on supporting sentences                */
    double even; /* what even weights over the items would put there       */
    bool top;    /* the sentence with the largest weight is one of them    */
} ReaderSupport;

/* Of story i of a batch; the weights are the mean of all looks. */
ReaderSupport reader_support(Arena *arena, const ReaderExample *example, const ReaderRun *run,
                             int i);

#endif
