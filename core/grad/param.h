/* param.h - the parameters of a model: named matrices in one block of memory.
 *
 * Values lie one after the other in a single array, so that an optimiser, a checkpoint and
 * a copy are one loop; gradients and optimiser states are arrays of the same layout. A
 * model keeps `const Param *` handles and names them like "encoder.forward.W".
 *
 * The values exist once param_set_allocate has been called: first a model declares what it
 * needs, then memory is taken once, then values are initialised or loaded.
 *
 * A model that is only run may hold its parameters in half precision, as its file has them:
 * half of the memory to fill at the start and to read at every step. Who asks for the values of
 * one of them gets them widened (exactly), once; they are then not to be written.
 *
 * Invariants: names are unique; every matrix starts at a multiple of 16 elements; the gaps
 * stay zero. Threads: read-only use of values from any thread, widening included.
 */
#ifndef FOVEA_GRAD_PARAM_H
#define FOVEA_GRAD_PARAM_H
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/random.h"
#include "math/real.h"

typedef enum {
    INIT_ZERO,
    INIT_ONE,
    INIT_GLOROT,     /* U(-a, a), a = scale sqrt(6 / (rows + cols)) (Glorot and Bengio 2010) */
    INIT_ORTHOGONAL, /* each square block of `cols` rows orthogonal, times scale             */
    INIT_NORMAL,     /* N(0, scale^2)                                                        */
    INIT_CONSTANT,   /* every element = scale                                                */
} Init;

/* Optimiser groups: a policy has its own optimiser, apart from the rest. */
enum { PARAM_GROUP_MAIN = 0, PARAM_GROUP_POLICY = 1, PARAM_N_GROUPS = 2 };

typedef struct Param {
    const char *name;
    int rows, cols;
    size_t offset; /* in elements, within the set */
    Init init;
    double scale;
    int group;
    bool decays; /* weight decay applies (matrices, not biases or embeddings) */
    int index;   /* of param_at */
} Param;

typedef struct ParamSet ParamSet;

ParamSet *param_set_new(void);
void param_set_free(ParamSet *set); /* NULL is fine */

/* Declares a matrix; the handle lives as long as the set. Only before allocation. */
Param *param_add(ParamSet *set, const char *name, int rows, int cols, Init init, double scale);

/* false when there is not enough memory (sizes may come from a file). */
bool param_set_allocate(ParamSet *set, Error *error) FOVEA_MUST_USE;
/* The same in half precision, for param_half_storage to be filled with. */
bool param_set_allocate_halves(ParamSet *set, Error *error) FOVEA_MUST_USE;
void param_set_initialise(ParamSet *set, Random *random);

int param_count(const ParamSet *set);
const Param *param_at(const ParamSet *set, int i);
const Param *param_find(const ParamSet *set, const char *name); /* or NULL */

size_t param_set_size(const ParamSet *set);     /* elements of the block, gaps included */
size_t param_set_elements(const ParamSet *set); /* trainable numbers                    */
Real *param_set_values(
    ParamSet *set); /* the whole block; half precision, and what was widened from it, is given up */
Real *param_value(const ParamSet *set, const Param *param); /* [rows, cols] */
/* [rows, cols] in half precision, or NULL: the set holds Real numbers. */
const uint16_t *param_half(const ParamSet *set, const Param *param);
uint16_t *param_half_storage(ParamSet *set, const Param *param);

#endif
