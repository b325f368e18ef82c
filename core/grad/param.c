#include "grad/param.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define PARAM_ALIGNMENT 16 /* elements: 64 bytes of float */

struct ParamSet {
    Param **params; /* each its own allocation: handles stay valid while the list grows */
    size_t n;
    size_t capacity;
    size_t size;
    size_t elements;
    void *block; /* what the values lie in */
    Real *values;
};

ParamSet *param_set_new(void)
{
    return memory_new(1, sizeof(ParamSet));
}

void param_set_free(ParamSet *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->n; i++) {
        free((char *)set->params[i]->name);
        free(set->params[i]);
    }
    free(set->params);
    free(set->block);
    free(set);
}

Param *param_add(ParamSet *set, const char *name, int rows, int cols, Init init, double scale)
{
    FOVEA_CHECK(!set->values, "parameter %s declared after allocation", name);
    FOVEA_CHECK(rows > 0 && cols > 0, "parameter %s is [%d, %d]", name, rows, cols);
    FOVEA_CHECK(!param_find(set, name), "parameter %s declared twice", name);
    Param *param = memory_new(1, sizeof *param);
    *param = (Param){memory_copy_string(name),
                     rows,
                     cols,
                     set->size,
                     init,
                     scale,
                     PARAM_GROUP_MAIN,
                     init == INIT_GLOROT || init == INIT_ORTHOGONAL};
    set->params = memory_grow(set->params, &set->capacity, set->n + 1, sizeof *set->params);
    set->params[set->n++] = param;
    size_t n = (size_t)rows * (size_t)cols;
    set->elements += n;
    set->size += (n + PARAM_ALIGNMENT - 1) / PARAM_ALIGNMENT * PARAM_ALIGNMENT;
    return param;
}

bool param_set_allocate(ParamSet *set, Error *error)
{
    /* calloc, because large blocks come zeroed from the system without being touched: a
     * loaded model writes every page once, and large ones if its values begin and end on
     * their borders. The start is at least that of a cache line. */
    size_t bytes, border = MEMORY_ALIGNMENT;
    bool fits = memory_multiply(set->size, sizeof(Real), &bytes) && bytes < SIZE_MAX / 2;
    if (fits && bytes >= 2 * MEMORY_LARGE_PAGE_BYTES) {
        border = MEMORY_LARGE_PAGE_BYTES;
        bytes = (bytes + border - 1) / border * border;
    }
    set->block = fits ? calloc(bytes + border, 1) : NULL;
    if (!set->block)
        return error_set(error, ERROR_MEMORY, "no memory for a model of %zu parameters",
                         set->elements);
    set->values = (Real *)(((uintptr_t)set->block + border - 1) / border * border);
    memory_expect_use(set->values, bytes);
    return true;
}

static void fill_normal(Random *random, Real *w, size_t n, double scale)
{
    for (size_t i = 0; i < n; i++)
        w[i] = (Real)(scale * random_normal(random));
}

static void fill_uniform(Random *random, Real *w, size_t n, double bound)
{
    for (size_t i = 0; i < n; i++)
        w[i] = (Real)(bound * (2 * random_uniform(random) - 1));
}

/* Gram-Schmidt, twice for accuracy, on the rows of a random square block. */
static void fill_orthogonal(Random *random, Real *w, int n, double scale)
{
    size_t d = (size_t)n;
    double *q = memory_new(d * d, sizeof *q);
    for (size_t i = 0; i < d; i++) {
        double *row = q + i * d;
        for (size_t j = 0; j < d; j++)
            row[j] = random_normal(random);
        for (int pass = 0; pass < 2; pass++)
            for (size_t p = 0; p < i; p++) {
                double dot = 0;
                for (size_t j = 0; j < d; j++)
                    dot += row[j] * q[p * d + j];
                for (size_t j = 0; j < d; j++)
                    row[j] -= dot * q[p * d + j];
            }
        double norm = 0;
        for (size_t j = 0; j < d; j++)
            norm += row[j] * row[j];
        norm = sqrt(norm);
        for (size_t j = 0; j < d; j++) {
            row[j] /= norm;
            w[i * d + j] = (Real)(scale * row[j]);
        }
    }
    free(q);
}

static void initialise(const Param *p, Real *w, Random *random)
{
    size_t n = (size_t)p->rows * (size_t)p->cols;
    switch (p->init) {
    case INIT_ZERO: break;
    case INIT_ONE:
        for (size_t i = 0; i < n; i++)
            w[i] = 1;
        break;
    case INIT_CONSTANT:
        for (size_t i = 0; i < n; i++)
            w[i] = (Real)p->scale;
        break;
    case INIT_NORMAL: fill_normal(random, w, n, p->scale); break;
    case INIT_GLOROT: fill_uniform(random, w, n, p->scale * sqrt(6.0 / (p->rows + p->cols))); break;
    case INIT_ORTHOGONAL:
        FOVEA_CHECK(p->rows % p->cols == 0, "%s: [%d, %d] has no square blocks", p->name, p->rows,
                    p->cols);
        for (int block = 0; block < p->rows / p->cols; block++)
            fill_orthogonal(random, w + (size_t)block * (size_t)p->cols * (size_t)p->cols, p->cols,
                            p->scale);
        break;
    }
}

void param_set_initialise(ParamSet *set, Random *random)
{
    memset(set->values, 0, set->size * sizeof(Real));
    for (size_t i = 0; i < set->n; i++)
        initialise(set->params[i], set->values + set->params[i]->offset, random);
}

int param_count(const ParamSet *set)
{
    return (int)set->n;
}

const Param *param_at(const ParamSet *set, int i)
{
    return set->params[i];
}

const Param *param_find(const ParamSet *set, const char *name)
{
    for (size_t i = 0; i < set->n; i++)
        if (strcmp(set->params[i]->name, name) == 0)
            return set->params[i];
    return NULL;
}

size_t param_set_size(const ParamSet *set)
{
    return set->size;
}

size_t param_set_elements(const ParamSet *set)
{
    return set->elements;
}

Real *param_set_values(ParamSet *set)
{
    return set->values;
}

Real *param_value(const ParamSet *set, const Param *param)
{
    return set->values + param->offset;
}
