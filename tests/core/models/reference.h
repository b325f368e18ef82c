/* reference.h - networks against stored PyTorch results: values in, loss, gradients and ten
 * steps of Adam compared. */
#ifndef FOVEA_TESTS_REFERENCE_H
#define FOVEA_TESTS_REFERENCE_H
#include "testing.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/optimiser.h"
#include "train/pairs.h"

/* A network under test. `loss` computes it and adds gradients into `gradient`. */
typedef struct Reference {
    ParamSet *params;
    Real *gradient;
    double (*loss)(void *context);
    void *context;
    const char *what;
} Reference;

static inline json_t *reference_load(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", FOVEA_TEST_DATA, name);
    json_error_t why;
    json_t *doc = json_load_file(path, 0, &why);
    if (!doc)
        fail_msg("%s: %s", path, why.text);
    return doc;
}

static inline void reference_set_values(ParamSet *params, const json_t *values)
{
    assert_int_equal(param_count(params), json_object_size(values));
    for (int k = 0; k < param_count(params); k++) {
        const Param *p = param_at(params, k);
        const json_t *list = json_object_get(values, p->name);
        if ((int)json_array_size(list) != p->rows * p->cols)
            fail_msg("%s: %zu numbers for [%d, %d]", p->name, json_array_size(list), p->rows,
                     p->cols);
        for (int j = 0; j < p->rows * p->cols; j++)
            param_value(params, p)[j] = (Real)json_number_value(json_array_get(list, (size_t)j));
    }
}

static inline double reference_loss(const Reference *r)
{
    memset(r->gradient, 0, param_set_size(r->params) * sizeof(Real));
    return r->loss(r->context);
}

static inline void reference_compare_gradients(const Reference *r, const json_t *gradients)
{
    for (int i = 0; i < param_count(r->params); i++) {
        const Param *p = param_at(r->params, i);
        const json_t *want = json_object_get(gradients, p->name);
        for (int j = 0; j < p->rows * p->cols; j++) {
            double w = json_number_value(json_array_get(want, (size_t)j));
            double g = (double)r->gradient[p->offset + (size_t)j];
            if (!(fabs(w - g) < 1e-10))
                fail_msg("%s: gradient of %s[%d] is %.12g, PyTorch has %.12g", r->what, p->name, j,
                         g, w);
        }
    }
}

static inline void reference_ten_steps(const Reference *r, const json_t *curve)
{
    Optimiser *optimiser = optimiser_new(r->params);
    const OptimiserGroup groups[PARAM_N_GROUPS] = {{0.01, 0}, {0.01, 0}};
    for (size_t step = 0; step < 10; step++) {
        double want = json_number_value(json_array_get(curve, step)), got = reference_loss(r);
        if (!(fabs(want - got) < 1e-8))
            fail_msg("%s: loss at step %zu is %.12g, PyTorch has %.12g", r->what, step, got, want);
        optimiser_step(optimiser, r->gradient, groups, NULL);
    }
    optimiser_free(optimiser);
}

/* ---- sentence pairs of a reference file ---- */

typedef struct ReferencePairs {
    Pair pairs[8];
    Pairs list;
    BatchPlan plan;
    int order[8], start[2];
} ReferencePairs;

static inline int *reference_ids(const json_t *list, int *n)
{
    *n = (int)json_array_size(list);
    int *ids = calloc((size_t)*n + 1, sizeof *ids);
    for (int i = 0; i < *n; i++)
        ids[i] = (int)json_integer_value(json_array_get(list, (size_t)i));
    return ids;
}

static inline void reference_plan(ReferencePairs *p, int n)
{
    for (int i = 0; i < n; i++)
        p->order[i] = i;
    p->start[1] = n;
    p->list = (Pairs){.pairs = p->pairs, .n = n};
    p->plan = (BatchPlan){p->order, p->start, 1};
}

static inline void reference_read_pairs(ReferencePairs *p, const json_t *doc)
{
    const json_t *sources = json_object_get(doc, "sources");
    const json_t *targets = json_object_get(doc, "targets");
    int n = (int)json_array_size(sources);
    for (int i = 0; i < n; i++) {
        Pair *pair = &p->pairs[i];
        pair->source = reference_ids(json_array_get(sources, (size_t)i), &pair->n_source);
        pair->target = reference_ids(json_array_get(targets, (size_t)i), &pair->n_target);
    }
    reference_plan(p, n);
}

static inline void reference_free_pairs(ReferencePairs *p)
{
    for (int i = 0; i < p->list.n; i++) {
        free((int *)p->pairs[i].source);
        free((int *)p->pairs[i].target);
    }
}

#endif
