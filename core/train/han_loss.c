#include "train/han_loss.h"

#include "attention/attention.h"

/* 1 / (sentences of its document) for each sentence, so that W_d is a mean; by the rows of the
 * word layout. */
static const Real *word_shares(Tape *tape, const DocumentBatch *batch)
{
    const Ragged *words = &batch->words.batch, *documents = &batch->sentences.batch;
    Real *share = tape_scratch(tape, (size_t)words->n);
    for (int d = 0; d < documents->n; d++)
        for (int t = 0; t < documents->length[d]; t++)
            share[batch->sentences.item[ragged_row(documents, d, t)]] =
                1 / (Real)documents->length[d];
    Real *weight = tape_scratch(tape, (size_t)words->rows);
    for (int t = 0; t < words->steps; t++)
        for (int i = 0; i < ragged_active(words, t); i++)
            weight[ragged_row(words, i, t)] = share[i];
    return weight;
}

/* sum_d of the entropies; NULL where nothing attends. */
static Var *entropy(Tape *tape, const HanReading *reading, const Real *weight)
{
    return reading->scores ? op_entropy(tape, reading->weights, weight, 1) : NULL;
}

static void measure(Measures *measures, const CrossEntropy *classes, Var *const entropies[2])
{
    static const char *const names[2] = {"word.entropy", "sentence.entropy"};
    double n = classes->n_counted;
    measures_add(measures, "loss", classes->sum_nll / n, n);
    measures_add(measures, "accuracy", classes->n_correct / n, n);
    for (int i = 0; i < 2; i++)
        if (entropies[i])
            measures_add(measures, names[i], (double)entropies[i]->value[0] / n, n);
}

Var *han_loss(const Han *net, Tape *tape, const DocumentBatch *batch, const HanLossSpec *spec,
              Real scale, Measures *measures)
{
    const HanDropout *dropout = &spec->dropout;
    Var *x = han_embed(net, tape, &batch->words, dropout);
    HanReading words = han_read(net, tape, HAN_WORDS, &batch->words, x, dropout, NULL);
    HanReading sentences =
        han_read(net, tape, HAN_SENTENCES, &batch->sentences, words.vectors, dropout, NULL);
    Var *logits = han_classify(net, tape, sentences.vectors, dropout);
    CrossEntropy classes =
        op_cross_entropy(tape, logits, batch->target, NULL, spec->smoothing, scale);
    Var *const entropies[2] = {entropy(tape, &words, word_shares(tape, batch)),
                               entropy(tape, &sentences, NULL)};
    measure(measures, &classes, entropies);
    Var *terms[3] = {classes.loss};
    Real weights[3] = {1};
    int n = 1;
    for (int i = 0; i < 2; i++)
        if (entropies[i]) {
            weights[n] = scale * (i == 0 ? spec->word_entropy : spec->sentence_entropy);
            terms[n++] = entropies[i];
        }
    return op_weighted_sum(tape, n, terms, weights);
}
