#include "train/language_loss.h"

#include <math.h>

static void add_attention(const LanguageBatch *batch, const Real *weights, Measures *measures)
{
    double entropy = 0, distance = 0, n = 0;
    for (int t = 2; t < batch->rows.steps; t++)
        for (int i = 0; i < ragged_active(&batch->rows, t); i++) {
            const Real *row =
                weights + (size_t)ragged_row(&batch->rows, i, t) * (size_t)batch->rows.steps;
            for (int k = 0; k < t; k++) {
                double a = (double)row[k];
                entropy -= a > 0 ? a * log(a) : 0;
                distance += a * (t - k);
            }
            n++;
        }
    if (n == 0)
        return;
    measures_add(measures, "entropy", entropy / n, n);
    measures_add(measures, "distance", distance / n, n);
}

Var *language_loss(const LanguageNet *net, Tape *tape, const LanguageBatch *batch, Real dropout,
                   Random *random, Real scale, Measures *measures)
{
    const Real *weights;
    Var *x = language_embed(net, tape, batch->rows.rows, batch->input_ids, dropout, random);
    Var *h = language_read(net, tape, x, &batch->rows, &weights);
    Var *logits = language_logits(net, tape, h, dropout, random);
    CrossEntropy ce = op_cross_entropy(tape, logits, batch->target_ids, NULL, 0, scale);
    measures_add(measures, "loss", ce.sum_nll / ce.n_counted, ce.n_counted);
    measures_add(measures, "accuracy", (double)ce.n_correct / ce.n_counted, ce.n_counted);
    if (weights)
        add_attention(batch, weights, measures);
    return ce.loss;
}
