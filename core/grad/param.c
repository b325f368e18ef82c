#include "grad/param.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/memory.h"

#define PARAM_ALIGNMENT 16 /* elements: 64 bytes of float */

/* Numbers in half precision, and those that somebody has wanted as values. */
typedef struct Halves {
    MemoryBlock block;
    uint16_t *bits; /* laid out as the values */
    pthread_mutex_t lock;
    Real *_Atomic *widened; /* by index of the parameter; NULL until wanted, set under the lock */
} Halves;

struct ParamSet {
    Param **params; /* each its own allocation: handles stay valid while the list grows */
    size_t n;
    size_t capacity;
    size_t size;
    size_t elements;
    MemoryBlock block; /* what the values lie in */
    Real *values;
    Halves *halves; /* instead of values, or NULL */
};

ParamSet *param_set_new(void)
{
    return memory_new(1, sizeof(ParamSet));
}

static void drop_halves(ParamSet *set)
{
    if (!set->halves)
        return;
    for (size_t i = 0; i < set->n; i++)
        free(set->halves->widened[i]);
    pthread_mutex_destroy(&set->halves->lock);
    free((void *)set->halves->widened);
    memory_block_free(&set->halves->block);
    free(set->halves);
    set->halves = NULL;
}

void param_set_free(ParamSet *set)
{
    if (!set)
        return;
    drop_halves(set);
    for (size_t i = 0; i < set->n; i++) {
        free((char *)set->params[i]->name);
        free(set->params[i]);
    }
    free(set->params);
    memory_block_free(&set->block);
    free(set);
}

Param *param_add(ParamSet *set, const char *name, int rows, int cols, Init init, double scale)
{
    FOVEA_CHECK(!set->values && !set->halves, "parameter %s declared after allocation", name);
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
                     init == INIT_GLOROT || init == INIT_ORTHOGONAL,
                     (int)set->n};
    set->params = memory_grow(set->params, &set->capacity, set->n + 1, sizeof *set->params);
    set->params[set->n++] = param;
    size_t n = (size_t)rows * (size_t)cols;
    set->elements += n;
    set->size += (n + PARAM_ALIGNMENT - 1) / PARAM_ALIGNMENT * PARAM_ALIGNMENT;
    return param;
}

static bool take_block(const ParamSet *set, size_t element_bytes, MemoryBlock *block, Error *error)
{
    return memory_block_get(block, set->size, element_bytes) ||
           error_set(error, ERROR_MEMORY, "no memory for a model of %zu parameters", set->elements);
}

bool param_set_allocate(ParamSet *set, Error *error)
{
    if (!take_block(set, sizeof(Real), &set->block, error))
        return false;
    set->values = set->block.start;
    return true;
}

bool param_set_allocate_halves(ParamSet *set, Error *error)
{
    MemoryBlock block;
    if (!take_block(set, sizeof(uint16_t), &block, error))
        return false;
    set->halves = memory_new(1, sizeof *set->halves);
    set->halves->block = block;
    set->halves->bits = block.start;
    set->halves->widened = memory_new(set->n, sizeof *set->halves->widened);
    pthread_mutex_init(&set->halves->lock, NULL);
    return true;
}

static void widen(const Halves *halves, const Param *param, Real *out)
{
    size_t n = (size_t)param->rows * (size_t)param->cols;
    const uint16_t *bits = halves->bits + param->offset;
#ifdef FOVEA_DOUBLE
    for (size_t i = 0; i < n; i++)
        out[i] = (Real)half_f16_to_f32(bits[i]);
#else
    half_read_f16(bits, n, out);
#endif
}

static Real *widened(Halves *halves, const Param *param)
{
    Real *_Atomic *place = &halves->widened[param->index];
    Real *values = atomic_load_explicit(place, memory_order_acquire);
    if (values)
        return values;
    pthread_mutex_lock(&halves->lock);
    values = atomic_load_explicit(place, memory_order_relaxed);
    if (!values) {
        values = memory_new((size_t)param->rows * (size_t)param->cols, sizeof *values);
        widen(halves, param, values);
        atomic_store_explicit(place, values, memory_order_release);
    }
    pthread_mutex_unlock(&halves->lock);
    return values;
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
    if (!set->halves)
        return set->values;
    Error error = {0};
    bool ok = param_set_allocate(set, &error);
    FOVEA_CHECK(ok, "%s", error.message);
    for (size_t i = 0; i < set->n; i++)
        widen(set->halves, set->params[i], set->values + set->params[i]->offset);
    drop_halves(set);
    return set->values;
}

Real *param_value(const ParamSet *set, const Param *param)
{
    return set->halves ? widened(set->halves, param) : set->values + param->offset;
}

const uint16_t *param_half(const ParamSet *set, const Param *param)
{
    return set->halves ? set->halves->bits + param->offset : NULL;
}

uint16_t *param_half_storage(ParamSet *set, const Param *param)
{
    FOVEA_CHECK(set->halves, "%s: not in half precision", param->name);
    return set->halves->bits + param->offset;
}
