/* documents.h - labelled documents as word ids in sentences, and their arrangement in batches
 * of like length. */
#ifndef FOVEA_TRAIN_DOCUMENTS_H
#define FOVEA_TRAIN_DOCUMENTS_H
#include "base/memory.h"
#include "models/han_model.h"
#include "train/batch_plan.h"
#include "train/labelled.h"

typedef struct Document {
    int label;
    int n_sentences, n_words; /* 0 where a text has no word                  */
    const int *length;        /* [n_sentences] words of each, at least 1     */
    const int *ids;           /* [n_words] of all sentences after each other */
} Document;

typedef struct Documents {
    Document *items;
    int n;
    int *numbers; /* what the documents point into */
} Documents;

/* Every text is a document, also one without a word. */
Documents documents_encode(const Labelled *labelled, const HanClassifier *classifier);
void documents_free(Documents *documents);

/* Batches of like numbers of words; see batch_plan.h. */
void document_plan(BatchPlan *plan, const Documents *documents, const BatchPlanSpec *spec,
                   Random *random);

/* Documents laid out for the network; everything in the arena. */
typedef struct DocumentBatch {
    int n;
    HanLayout words;     /* of all sentences           */
    HanLayout sentences; /* of the documents           */
    const int *target;   /* [n] in the layout's order  */
} DocumentBatch;

/* unknown > 0: the share of words that are read as the unknown word (training only). */
DocumentBatch document_batch(Arena *arena, const Documents *documents, int n, const int *order,
                             double unknown, Random *random);

#endif
