/* leave_one_out.h - what a run would lose without each of its words.
 *
 * A weight says where the model looks, not what depends on it (Jain and Wallace 2019; Serrano
 * and Smith 2019). So each word of the source is hidden from attention in turn, and the run
 * is made twice more: once forced to write what it wrote before, which gives the effect of
 * the word on every token, and once free, which gives what it would write now.
 *
 *   effect of word j on token t = log p(y_t | x) - log p(y_t | x without j)      nats
 *
 * For a classifier or a reader there is one row: the log probability of the verdict. Positive:
 * the word speaks for what was written. The rank correlation of weights and effects is how far
 * attention, here, tells what matters.
 *
 * What is left out is what attention has weights for: words of a source, of a document (its weight
 * is p_sentence p_word), of a story, or the story's sentences where those are remembered whole; in
 * a language model, words already read, which every later one is told without. A word is all
 * its pieces (TRACE_TOKEN_CONTINUES); special tokens are not hidden.
 *
 * Threads: words are worked on by `n_threads`; results do not depend on how many.
 */
#ifndef FOVEA_MODELS_LEAVE_ONE_OUT_H
#define FOVEA_MODELS_LEAVE_ONE_OUT_H
#include "base/memory.h"
#include "models/model.h"

#define LEAVE_ONE_OUT_MAX_WORDS 2000

typedef struct LeftOut {
    const char *word;
    int32_t first, count; /* its items of the source axis                     */
    float weight;         /* all it received: mean over the rows              */
    float effect;         /* sum over the rows, nats                          */
    const char *output;   /* what the model writes without it, or its verdict */
    bool changes_output;
} LeftOut;

typedef struct LeaveOneOut {
    int32_t n_words, n_rows;
    LeftOut *words;
    float *weights, *effects; /* [n_rows, n_words] */
    const char **rows;        /* [n_rows] the tokens, or the verdict */
    double kendall, spearman; /* of the words' weight and effect; NaN when they are constant */
    double row_kendall;       /* mean over the rows that have one                            */
    Arena *arena;             /* words, rows and outputs */
} LeaveOneOut;

typedef struct LeaveOneOutSpec {
    const Model *model;
    const RunInput *input;
    const RunOptions *options;
    int n_interventions;
    const Intervention *interventions;
    int n_threads; /* 0: 1 */
} LeaveOneOutSpec;

/* Does a run of this trace's model attend to words? */
bool leave_one_out_is_possible(const Trace *trace);

/* ERROR_UNSUPPORTED for a model that does not attend to words, ERROR_LIMIT for a text of too
 * many of them. */
bool leave_one_out(const LeaveOneOutSpec *spec, LeaveOneOut *out, Error *error) FOVEA_MUST_USE;
void leave_one_out_free(LeaveOneOut *result);

#endif
