/* pairs.h - sentence pairs as token ids, and their arrangement in batches of like length. */
#ifndef FOVEA_TRAIN_PAIRS_H
#define FOVEA_TRAIN_PAIRS_H
#include "base/error.h"
#include "text/tokenizer.h"
#include "train/batch_plan.h"

typedef struct Pair {
    const int *source; /* without end mark */
    const int *target; /* with end mark    */
    int n_source, n_target;
} Pair;

typedef struct Pairs {
    Pair *pairs;
    int n;
    int n_skipped; /* too long or empty */
    int *ids;      /* what the pairs point into */
} Pairs;

/* The lines of a file: "source TAB target". Views into `bytes`; both sides may be empty. */
typedef struct PairLine {
    const char *source, *target;
    size_t n_source, n_target;
} PairLine;

/* ERROR_FORMAT names file and line where a line has not exactly one TAB or is not UTF-8. */
bool pair_lines(const char *path, const char *data, size_t n, PairLine **lines, int *count,
                Error *error) FOVEA_MUST_USE;

/* Pairs with an empty side or more than max_words source words (parts between spaces) are
 * skipped; 0: no limit. */
Pairs *pairs_encode(const PairLine *lines, int n, const Tokenizer *source, const Tokenizer *target,
                    int max_words);
void pairs_free(Pairs *pairs); /* NULL is fine */

/* Batches of like target and source length; random NULL: for validation. */
void pair_plan(BatchPlan *plan, const Pairs *pairs, int batch_size, Random *random);

#endif
