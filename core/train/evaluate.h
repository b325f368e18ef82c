/* evaluate.h - a model on held-out data, as figures. */
#ifndef FOVEA_TRAIN_EVALUATE_H
#define FOVEA_TRAIN_EVALUATE_H
#include <jansson.h>

#include "models/model.h"

typedef struct EvaluateRequest {
    const Model *model;
    const char *data;
    int beam;    /* translation; 1: greedy      */
    int limit;   /* 0: everything               */
    int threads; /* does not change the figures */
    bool by_length;
    const char *output; /* what was produced, one example a line; NULL */
} EvaluateRequest;

/* Figures by name: translation "bleu", "chrf" ("beam5.bleu" with a beam), "examples", ...;
 * classification "accuracy", ... The caller's reference; NULL on failure. */
json_t *evaluate_model(const EvaluateRequest *request, Error *error);

#endif
