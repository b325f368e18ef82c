#include "models/seq2seq_saliency.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/thread.h"

/* Decodes steps 0 .. last of the written target and returns the loss of the last. */
static Var *loss_of_step(const SaliencyInput *in, Tape *tape, const Seq2SeqSource *source, int last)
{
    const Seq2Seq *net = in->translator->net;
    Seq2SeqState state = {source->first_state, NULL};
    const Seq2SeqControl control = {.temperature = 1};
    for (int t = 0;; t++) {
        Seq2SeqControl here = control;
        here.step = t;
        const int begin = TOKENIZER_BEGIN;
        const int *before = t == 0 ? &begin : &in->target[t - 1];
        Var *embedded = seq2seq_embed_target(net, tape, 1, before, NULL);
        Var *projected = seq2seq_project_target(net, tape, embedded);
        Seq2SeqStep step = seq2seq_step(net, tape, source, projected, &state, &here);
        state = step.next;
        if (t < last)
            continue;
        Var *readout = step.next.attentional
                           ? step.next.attentional
                           : seq2seq_readout(net, tape, step.output, step.context, embedded);
        Var *logits = seq2seq_logits(net, tape, readout, NULL);
        return op_cross_entropy(tape, logits, &in->target[last], NULL, 0, 1).loss;
    }
}

/* Norms of the rows of the embeddings' gradient, as shares of their sum. */
static void shares(const Var *embedded, float *out)
{
    double sum = 0;
    for (int j = 0; j < embedded->rows; j++) {
        double square = 0;
        const Real *g = embedded->grad + (size_t)j * (size_t)embedded->cols;
        for (int k = 0; embedded->grad && k < embedded->cols; k++)
            square += (double)g[k] * (double)g[k];
        out[j] = (float)sqrt(square);
        sum += (double)out[j];
    }
    for (int j = 0; sum > 0 && j < embedded->rows; j++)
        out[j] /= (float)sum;
}

bool seq2seq_saliency(const SaliencyInput *in, float *out, Error *error)
{
    Real *unused = memory_new(param_set_size(in->params), sizeof *unused);
    Tape *tape = tape_new(in->params, unused);
    bool ok = true;
    for (int t = 0; t < in->n_target && ok; t++) {
        tape_reset(tape);
        Ragged batch = ragged_new(tape_arena(tape), RAGGED_STEP_MAJOR, 1, &in->n_source);
        Seq2SeqSource source = seq2seq_encode(in->translator->net, tape, &batch, in->source, NULL);
        tape_backward(tape, loss_of_step(in, tape, &source, t));
        shares(source.embedded, out + (size_t)t * (size_t)in->n_source);
        if (stop_requested(in->stop))
            ok = error_set(error, ERROR_CANCELLED, "stopped");
    }
    tape_free(tape);
    free(unused);
    return ok;
}
