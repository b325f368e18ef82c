#include "attention/multi_head.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/kernels.h"
#include "math/matrix.h"

typedef struct Heads {
    MultiHeadSpec spec;
    Var *y, *q, *k, *v;
    Real *weights; /* [H, rows of q, S] */
    Real scale;    /* 1 / (sqrt(dk) temperature) */
} Heads;

/* One head of one sequence: where its matrices begin. */
typedef struct Block {
    int n, m;          /* queries and keys      */
    int dk, dv;        /* columns               */
    size_t q, k, v, y; /* offsets of elements   */
    size_t weights;
    size_t first_key; /* row */
} Block;

static Block block_of(const Heads *s, int i, int head)
{
    const Ragged *queries = s->spec.queries, *keys = s->spec.keys;
    int other = s->spec.owner ? s->spec.owner[i] : i;
    Block b = {
        .n = queries->length[i],
        .m = keys->length[other],
        .dk = s->q->cols / s->spec.heads,
        .dv = s->v->cols / s->spec.heads,
        .first_key = (size_t)keys->start[other],
    };
    size_t row = (size_t)queries->start[i], h = (size_t)head;
    b.q = row * (size_t)s->q->cols + h * (size_t)b.dk;
    b.k = b.first_key * (size_t)s->k->cols + h * (size_t)b.dk;
    b.v = b.first_key * (size_t)s->v->cols + h * (size_t)b.dv;
    b.y = row * (size_t)s->y->cols + h * (size_t)b.dv;
    b.weights = (h * (size_t)s->q->rows + row) * (size_t)keys->steps;
    return b;
}

int multi_head_reach(const MultiHeadSpec *spec, int i, int t)
{
    int m = spec->keys->length[spec->owner ? spec->owner[i] : i];
    if (!spec->causal)
        return m;
    int reach = t + 1 + m - spec->queries->length[i];
    return reach < 0 ? 0 : reach;
}

/* ---- backward ---- */

/* With dA = dO V^T and dS = A o (dA - sum of the row of dA o A) / sqrt(dk):
 *     dQ += dS K   dK += dS^T Q   dV += A^T dO.  Hidden keys have A = 0. */
static void block_backward(const Heads *s, const Block *b, Real *ds, Real *dq, Real *dk, Real *dv)
{
    int steps = s->spec.keys->steps, wide = s->y->cols;
    const Real *a = s->weights + b->weights, *dy = s->y->grad + b->y;
    if (dv)
        matrix_product_tn(b->m, b->dv, b->n, a, steps, dy, wide, 1, dv + b->v, wide);
    if (!dq && !dk)
        return;
    matrix_product_nt(b->n, b->m, b->dv, dy, wide, s->v->value + b->v, wide, 0, ds, b->m);
    for (int t = 0; t < b->n; t++) {
        const Real *row = a + (size_t)t * (size_t)steps;
        Real *out = ds + (size_t)t * (size_t)b->m;
        Real mean = kernels()->dot((size_t)b->m, row, out);
        for (int j = 0; j < b->m; j++)
            out[j] = row[j] * (out[j] - mean) * s->scale;
    }
    wide = s->q->cols;
    if (dq)
        matrix_product_nn(b->n, b->dk, b->m, ds, b->m, s->k->value + b->k, wide, 1, dq + b->q,
                          wide);
    if (dk)
        matrix_product_tn(b->m, b->dk, b->n, ds, b->m, s->q->value + b->q, wide, 1, dk + b->k,
                          wide);
}

static void multi_head_backward(Tape *tape, void *saved)
{
    const Heads *s = saved;
    Real *dq = tape_grad(tape, s->q), *dk = tape_grad(tape, s->k), *dv = tape_grad(tape, s->v);
    Real *ds = tape_scratch(tape, (size_t)s->spec.queries->steps * (size_t)s->spec.keys->steps);
    for (int i = 0; i < s->spec.queries->n; i++)
        for (int head = 0; head < s->spec.heads; head++) {
            Block b = block_of(s, i, head);
            block_backward(s, &b, ds, dq, dk, dv);
        }
}

/* ---- forward ---- */

/* Scores become weights in place: softmax(scale x) over the visible ones of the first `reach`;
 * the others become 0. */
static void align_row(const Heads *s, const Block *b, int reach, Real *row, Real *scores)
{
    const Real hidden = -(Real)INFINITY;
    const unsigned char *keep = s->spec.keep ? s->spec.keep + b->first_key : NULL;
    for (int j = 0; j < reach; j++)
        row[j] = keep && !keep[j] ? hidden : row[j] * s->scale;
    for (int j = 0; scores && j < reach; j++)
        scores[j] = keep && !keep[j] ? (Real)NAN : row[j];
    size_t n = (size_t)reach;
    Real max = reach > 0 ? kernels()->max(n, row) : hidden;
    if (max == hidden)
        n = 0;
    Real sum = n > 0 ? kernels()->exp_sum(n, row, max, row) : 1;
    for (size_t j = 0; j < n; j++)
        row[j] /= sum;
    memset(row + n, 0, ((size_t)s->spec.keys->steps - n) * sizeof *row);
}

static void block_forward(Heads *s, const Block *b, int sequence, Real *scores)
{
    int steps = s->spec.keys->steps;
    Real *a = s->weights + b->weights;
    matrix_product_nt(b->n, b->m, b->dk, s->q->value + b->q, s->q->cols, s->k->value + b->k,
                      s->k->cols, 0, a, steps);
    for (int t = 0; t < b->n; t++) {
        size_t at = (size_t)t * (size_t)steps;
        align_row(s, b, multi_head_reach(&s->spec, sequence, t), a + at,
                  scores ? scores + b->weights + at : NULL);
        const Real *given = s->spec.replaced ? s->spec.replaced + b->weights + at : NULL;
        if (given && steps > 0 && given[0] == given[0])
            memcpy(a + at, given, (size_t)steps * sizeof *a);
    }
    matrix_product_nn(b->n, b->dv, b->m, a, steps, s->v->value + b->v, s->v->cols, 0,
                      s->y->value + b->y, s->y->cols);
}

static void check_shapes(const Tape *tape, const Var *q, const Var *k, const Var *v,
                         const MultiHeadSpec *spec)
{
    const Ragged *queries = spec->queries, *keys = spec->keys;
    FOVEA_CHECK(queries->order == RAGGED_SEQUENCE_MAJOR && keys->order == RAGGED_SEQUENCE_MAJOR,
                "op_multi_head: rows must be sequence-major");
    FOVEA_CHECK(spec->owner || queries->n == keys->n, "op_multi_head: %d sequences ask, %d answer",
                queries->n, keys->n);
    FOVEA_CHECK(spec->heads > 0 && q->cols % spec->heads == 0 && v->cols % spec->heads == 0,
                "op_multi_head: %d heads of %d and %d columns", spec->heads, q->cols, v->cols);
    FOVEA_CHECK(!spec->replaced || !tape_is_recording(tape),
                "op_multi_head: replaced weights are for inference");
    tape_check_shape("op_multi_head queries", q, queries->rows, -1);
    tape_check_shape("op_multi_head keys", k, keys->rows, q->cols);
    tape_check_shape("op_multi_head values", v, keys->rows, -1);
}

/* Query rows between sequences (gaps) are never computed: they must not be garbage. */
static Real *new_rows(Tape *tape, const Heads *s, Real fill)
{
    size_t n = (size_t)s->spec.heads * (size_t)s->q->rows * (size_t)s->spec.keys->steps;
    Real *rows = tape_scratch(tape, n);
    for (size_t i = 0; i < n; i++)
        rows[i] = fill;
    return rows;
}

MultiHead op_multi_head(Tape *tape, Var *q, Var *k, Var *v, const MultiHeadSpec *spec)
{
    check_shapes(tape, q, k, v, spec);
    Var *y = tape_new_var(tape, q->rows, v->cols, q->wants_grad || k->wants_grad || v->wants_grad);
    memset(y->value, 0, var_size(y) * sizeof *y->value);
    Heads s = {.spec = *spec, .y = y, .q = q, .k = k, .v = v};
    double temperature = spec->temperature > 0 ? (double)spec->temperature : 1;
    s.scale = (Real)(1 / (sqrt((double)(q->cols / spec->heads)) * temperature));
    s.weights = new_rows(tape, &s, 0);
    Real *scores = spec->wants_scores ? new_rows(tape, &s, (Real)NAN) : NULL;
    for (int i = 0; i < spec->queries->n; i++)
        for (int head = 0; head < spec->heads; head++) {
            Block b = block_of(&s, i, head);
            block_forward(&s, &b, i, scores);
        }
    Heads *saved = tape_record(tape, y, multi_head_backward, sizeof *saved);
    if (saved)
        *saved = s;
    return (MultiHead){y, s.weights, scores};
}
