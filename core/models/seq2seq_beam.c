/* The recurrent decoder as a beam search wants it: states of the live hypotheses as rows. */
#include "models/seq2seq_model.h"

typedef struct Rows {
    const Seq2SeqSearch *search;
    int n_prefix;
    Tape *tape[2]; /* that of the last step, whose states are still read, and the other */
    Seq2SeqState state;
} Rows;

static void carry_states(Rows *rows, int n, const int *from)
{
    Tape *other = rows->tape[1];
    tape_reset(other);
    rows->state.state = op_gather(other, rows->state.state, n, from);
    if (rows->state.attentional)
        rows->state.attentional = op_gather(other, rows->state.attentional, n, from);
    rows->tape[1] = rows->tape[0];
    rows->tape[0] = other;
}

static const Var *next_logits(void *context, int step, int n, const int *from, const int *last)
{
    Rows *rows = context;
    if (from)
        carry_states(rows, n, from);
    Tape *tape = rows->tape[0];
    const Seq2Seq *net = rows->search->net;
    Seq2SeqControl control = rows->search->control;
    control.step = step;
    control.owner = arena_get_zeroed(tape_arena(tape), (size_t)n, sizeof(int));
    if (rows->search->steer && step < rows->n_prefix)
        rows->search->steer(rows->search->context, step, &control);
    Var *embedded = seq2seq_embed_target(net, tape, n, last, NULL);
    Seq2SeqStep s =
        seq2seq_step(net, tape, rows->search->source, seq2seq_project_target(net, tape, embedded),
                     &rows->state, &control);
    rows->state = s.next;
    Var *readout = s.next.attentional ? s.next.attentional
                                      : seq2seq_readout(net, tape, s.output, s.context, embedded);
    return seq2seq_logits(net, tape, readout, NULL);
}

bool seq2seq_beam(const Seq2SeqSearch *search, const BeamSpec *spec, BeamResult *result,
                  Error *error)
{
    Rows rows = {
        .search = search,
        .n_prefix = spec->n_prefix,
        .tape = {tape_new_inference(search->params), tape_new_inference(search->params)},
        .state = {search->source->first_state, NULL},
    };
    const BeamDecoder decoder = {&rows, next_logits};
    bool ok = beam_search(&decoder, spec, result, error);
    tape_free(rows.tape[0]);
    tape_free(rows.tape[1]);
    return ok;
}
