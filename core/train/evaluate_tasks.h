/* evaluate_tasks.h - one function a kind of task; private to evaluate*.c. */
#ifndef FOVEA_TRAIN_EVALUATE_TASKS_H
#define FOVEA_TRAIN_EVALUATE_TASKS_H
#include "base/settings.h"
#include "train/evaluate.h"
#include "train/pairs.h"

json_t *evaluate_translation(const EvaluateRequest *request, Error *error);
json_t *evaluate_language(const EvaluateRequest *request, Error *error);
json_t *evaluate_sentences(const EvaluateRequest *request, Error *error);
json_t *evaluate_documents(const EvaluateRequest *request, Error *error);
json_t *evaluate_alignments(const EvaluateRequest *request, Error *error);
json_t *evaluate_digits(const EvaluateRequest *request, Error *error);
json_t *evaluate_readers(const EvaluateRequest *request, Error *error);
json_t *evaluate_captions(const EvaluateRequest *request, Error *error);

/* Adds "by_length" and "padded" of evaluate.h, as far as they were asked for; on the calling
 * thread. */
bool evaluate_sentence_lengths(const EvaluateRequest *request, const Pairs *sentences,
                               json_t *scores, Error *error) FOVEA_MUST_USE;

/* Adds "ms", "all.ms" and "cost" of evaluate.h; on the calling thread. */
void evaluate_sentence_cost(const Model *model, const Pairs *sentences, json_t *scores);

/* How the training data wrote its labels is how held-out data do: LABELLED_SETTINGS. NULL: the
 * model's note about it is damaged. */
Settings *evaluate_label_settings(const Model *model, Error *error);

#endif
