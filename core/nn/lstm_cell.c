#include "nn/lstm_cell.h"

#include <stdbool.h>
#include <string.h>

#include "math/kernels.h"
#include "math/matrix.h"

void lstm_cell_forward(const LstmCell *c, const Real *xp)
{
    size_t d = (size_t)c->d;
    memcpy(c->gates, xp, (size_t)c->n * 4 * d * sizeof *c->gates);
    matrix_product_weights(c->n_previous, 4 * c->d, c->d, c->previous, 2 * c->d, c->u, 1, c->gates,
                           4 * c->d);
    for (int row = 0; row < c->n; row++) {
        Real *i = c->gates + (size_t)row * 4 * d, *f = i + d, *o = f + d, *g = o + d;
        Real *h = c->state + (size_t)row * 2 * d, *cell = h + d;
        Real *t = c->tanh_c + (size_t)row * d;
        kernels()->sigmoid(3 * d, i, i);
        kernels()->tanh(d, g, g);
        kernels()->multiply(d, i, g, cell);
        if (row < c->n_previous)
            kernels()->multiply_add(d, f, c->previous + (size_t)row * 2 * d + d, cell);
        kernels()->tanh(d, cell, t);
        kernels()->multiply(d, o, t, h);
    }
}

/* From d state [n,2d]: d gates before their functions [n,4d] (overwritten), d previous
 * [n_previous,2d] (added).   dc' = dc + dh o (1 - tanh(c)^2)
 *     di = dc' g   df = dc' c   do = dh tanh(c)   dg = dc' i   dc_previous = dc' f */
void lstm_cell_backward(const LstmCell *c, const Real *dstate, Real *dgates, Real *dprevious)
{
    size_t d = (size_t)c->d;
    for (int row = 0; row < c->n; row++) {
        const Real *i = c->gates + (size_t)row * 4 * d, *f = i + d, *o = f + d, *g = o + d;
        const Real *t = c->tanh_c + (size_t)row * d;
        const Real *dh = dstate + (size_t)row * 2 * d, *dc = dh + d;
        Real *dg = dgates + (size_t)row * 4 * d;
        bool fresh = row >= c->n_previous;
        const Real *old = c->previous + (size_t)row * 2 * d + d;
        for (size_t j = 0; j < d; j++) {
            Real dcell = dc[j] + dh[j] * o[j] * (1 - t[j] * t[j]);
            dg[j] = dcell * g[j] * i[j] * (1 - i[j]);
            dg[d + j] = fresh ? 0 : dcell * old[j] * f[j] * (1 - f[j]);
            dg[2 * d + j] = dh[j] * t[j] * o[j] * (1 - o[j]);
            dg[3 * d + j] = dcell * i[j] * (1 - g[j] * g[j]);
            if (!fresh)
                dprevious[(size_t)row * 2 * d + d + j] += dcell * f[j];
        }
    }
    matrix_product_nn(c->n_previous, c->d, 4 * c->d, dgates, 4 * c->d, c->u.value, c->d, 1,
                      dprevious, 2 * c->d);
}
