/* pairs.h - sentence pairs as token ids, and their arrangement in batches of like length. */
#ifndef FOVEA_TRAIN_PAIRS_H
#define FOVEA_TRAIN_PAIRS_H
#include "base/error.h"
#include "base/random.h"
#include "text/tokenizer.h"

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

/* An epoch: `order` lists pair numbers, batch b is order[start[b] .. start[b + 1]). */
typedef struct PairPlan {
    int *order;
    int *start;
    int n_batches;
} PairPlan;

/* Shuffles, sorts pools of many batches by length, cuts, shuffles the batches. random NULL:
 * sorted by length without shuffling (validation). Reuses the plan's memory. */
void pair_plan(PairPlan *plan, const Pairs *pairs, int batch_size, Random *random);
void pair_plan_free(PairPlan *plan);

#endif
