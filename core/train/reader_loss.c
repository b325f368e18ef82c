#include "train/reader_loss.h"

static void measure(Tape *tape, const ReaderExamplesBatch *batch, const ReaderRun *run,
                    const CrossEntropy *ce, Measures *measures)
{
    if (ce->n_counted > 0)
        measures_add(measures, "loss", ce->sum_nll / ce->n_counted, ce->n_counted);
    measures_add(measures, "accuracy", (double)ce->n_correct / batch->n, batch->n);
    for (int i = 0; i < batch->n; i++) {
        ReaderSupport support = reader_support(tape_arena(tape), batch->examples[i], run, i);
        if (!support.known)
            continue;
        measures_add(measures, "support", support.mass, 1);
        measures_add(measures, "top", support.top, 1);
    }
}

Var *reader_loss(const ReaderNet *net, Tape *tape, const ReaderExamplesBatch *batch,
                 const ReaderDropout *dropout, Real smoothing, Real scale, Measures *measures)
{
    ReaderRun run = reader_run(net, tape, &batch->batch, dropout);
    CrossEntropy ce = op_cross_entropy(tape, run.logits, batch->answers, NULL, smoothing, scale);
    measure(tape, batch, &run, &ce, measures);
    return ce.loss;
}
