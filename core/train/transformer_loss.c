#include "train/transformer_loss.h"

Var *transformer_loss(const Transformer *net, Tape *tape, const SequenceBatch *batch,
                      const TransformerDropout *dropout, Real smoothing, Real scale,
                      Measures *measures)
{
    const TransformerSource source = {&batch->sources, batch->source_ids, NULL};
    Var *encoded = transformer_encode(net, tape, &source, dropout, NULL);
    TransformerMemory *memory = arena_get(tape_arena(tape), 1, sizeof *memory);
    *memory = transformer_memory(net, tape, &batch->sources, encoded);
    Var *decoded = transformer_decode(net, tape, memory, &batch->targets, batch->input_ids, dropout,
                                      NULL, NULL);
    Var *logits = transformer_logits(net, tape, decoded);
    CrossEntropy ce = op_cross_entropy(tape, logits, batch->target_ids, NULL, smoothing, scale);
    measures_add(measures, "loss", ce.sum_nll / ce.n_counted, ce.n_counted);
    measures_add(measures, "accuracy", (double)ce.n_correct / ce.n_counted, ce.n_counted);
    return ce.loss;
}
