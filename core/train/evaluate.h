/* evaluate.h - a model on held-out data, as figures by name.
 *
 * translation     "bleu" and "chrf" (with a beam "beam5.bleu", ...), "entropy" of the weights,
 *                 and by source length
 * alignments      "aer", "precision", "recall" of the largest weights against hand-made links
 * captions        "exact" sentences and "words" in place in %, ".new" for combinations that
 *                 training never had; "pointing": words whose object holds over half of their
 *                 attention ("largest": the largest weight; "mass": all of it on average;
 *                 "even": what even attention would give). No data: scenes are composed.
 * digits          "error" of one sampled run, "error.mean_path", "error.ten_paths" averaged, in %
 * sentences       "accuracy" and "nll"; with a selection (of the words above one half):
 *                 "share.head", "share.dependent", "share.pairs" (of all), "share.kept" (either),
 *                 "drawn.*" drawn instead, "all.accuracy" with every word, "shuffled.accuracy"
 *                 with the selection moved to other words of the sentence; "alone.accuracy" of
 *                 a sentence made of the kept words and "random.accuracy" of as many others.
 *                 With `times` also "ms" of processor time for a sentence alone, deciding
 *                 included, "all.ms" with every word, and "cost", a list of the same for 16 to
 *                 512 words of the data in a row: words, all_ms, selected_ms, share_pairs.
 *                 With `by_length` also "by_length", a list by number of words: examples, words
 *                 (mean), accuracy; "pool.effective" and "pool.largest", exp of the entropy and the
 *                 largest of the weights that pool the sentence (of every feature by itself), and
 *                 "words.effective" and "words.largest" of those by which words read each other;
 *                 "kept.own", the share of words that are head or dependent, and "all.*", the
 *                 same with every word. With `padding` also "padded", the same with that text
 *                 before and behind each sentence until it has 50, 100 and 200 words: "pool.own"
 *                 and "words.own" are the weight on the sentence's own words (of what these read),
 *                 "even" is their number by all words, "kept.padding" as "kept.own"
 * documents       "accuracy", "nll", "calibration" (expected error of the confidence, 15 bins),
 *                 "confusion" (true class, then how many were given which); per sentence "words"
 *                 and "words.effective" (exp of the entropy), per document "sentences" and
 *                 "sentences.effective"; "lift.top" and "lift.bottom", the ten words (of 50 and
 *                 more occurrences) that receive the most and the least beside an even share;
 *                 over the first 200 documents "tau.words", "tau.sentences", "tau.gradient":
 *                 Kendall's tau of weights and what leaving out (the gradient) changes
 * answers         "accuracy" in %; of the attention, on the mean of all looks: "support", its share
 *                 on the sentences that hold the answer, "even", what even weights would put
 *                 there, and "top", how often the sentence with the largest share is one of
 *                 them; of a folder also "solved", the tasks with 95 % right, and "tasks", the
 *                 same figures by task ({"qa1": {...}})
 * language        "perplexity" of a token, "word_perplexity", "accuracy" of the likeliest token;
 *                 "entropy" and "distance" of the weights
 */
#ifndef FOVEA_TRAIN_EVALUATE_H
#define FOVEA_TRAIN_EVALUATE_H
#include <jansson.h>

#include "models/model.h"
#include "trace/align_score.h"

typedef struct EvaluateRequest {
    const Model *model;
    const char *data; /* NULL: captions */
    int beam;         /* translation; 0 or 1: greedy  */
    int limit;        /* examples; 0: all             */
    int threads;      /* does not change the figures  */
    bool by_length;
    bool times;          /* sentences: how long they take, too */
    const char *padding; /* sentences: a text to be put around each; NULL: none */
    const char *output;  /* what was produced, one example a line; NULL */
    /* Gold links for word alignment: `data` then holds "source ||| target" lines. NULL. */
    const char *alignments;
    const StopFlag *stop;
} EvaluateRequest;

/* The caller's reference; NULL on failure. */
json_t *evaluate_model(const EvaluateRequest *request, Error *error);

/* One sentence pair: "source ||| target", and its links. */
typedef struct AlignedPair {
    const char *text;
    size_t n_text;
    const char *links;
    size_t n_links;
    int first; /* what the links call the first word: 0 or 1 */
} AlignedPair;

/* Writes the target by force and adds the links of the largest weights to the score. */
bool evaluate_aligned_pair(const Model *model, const AlignedPair *pair, AlignScore *score,
                           Error *error) FOVEA_MUST_USE;
/* What a whole file of links calls the first word: one that counts from 1 never says 0. */
int evaluate_first_word(const char *links, size_t n);

#endif
