#include "train/translation_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "models/family.h"

/* ---- tokenizers ---- */

static Tokenizer *copy_tokenizer(const Tokenizer *tokenizer, Error *error)
{
    json_t *value = tokenizer_to_json(tokenizer);
    Tokenizer *copy = tokenizer_from_json(value, "tokenizer", error);
    json_decref(value);
    return copy;
}

static bool borrow_tokenizers(const char *path, Tokenizers *tokenizers, Error *error)
{
    Model *model = model_load(path, error);
    if (!model)
        return false;
    bool ok = model_task(model) == TASK_TRANSLATE ||
              error_set(error, ERROR_INPUT, "%s: not a translation model", path);
    if (ok) {
        const Tokenizers *theirs = model->network;
        bool joint = theirs->target == theirs->source;
        tokenizers->source = copy_tokenizer(theirs->source, error);
        tokenizers->target = joint ? tokenizers->source : copy_tokenizer(theirs->target, error);
        ok = tokenizers->source && tokenizers->target;
    }
    model_release(model);
    return ok;
}

static Tokenizer *learn(const PairLine *lines, int n, bool sources, bool targets, int n_merges)
{
    const TokenizerSpec spec = {.n_merges = n_merges, .fold = true};
    TokenizerLearner *learner = tokenizer_learner_new(&spec);
    for (int i = 0; i < n; i++) {
        if (sources)
            tokenizer_learner_add(learner, lines[i].source, lines[i].n_source);
        if (targets)
            tokenizer_learner_add(learner, lines[i].target, lines[i].n_target);
    }
    return tokenizer_learner_finish(learner);
}

static void learn_tokenizers(const PairLine *lines, int n, const Settings *training,
                             Tokenizers *tokenizers)
{
    int merges = settings_int(training, "merges");
    bool characters = settings_choice(training, "target-units") == 1;
    bool joint = settings_choice(training, "vocabulary") == 0;
    tokenizers->source = learn(lines, n, true, joint, joint && characters ? 0 : merges);
    tokenizers->target =
        joint ? tokenizers->source : learn(lines, n, false, true, characters ? 0 : merges);
}

/* ---- opening ---- */

static bool read_lines(const char *path, Bytes *bytes, PairLine **lines, int *n, Error *error)
{
    if (!file_read_gzip(path, FILE_MAX_READ_BYTES, bytes, error))
        return false;
    if (pair_lines(path, bytes->data, bytes->size, lines, n, error))
        return true;
    bytes_free(bytes);
    return false;
}

static bool encode_valid(TranslationData *data, const char *path, const Tokenizers *tokenizers,
                         Error *error)
{
    Bytes bytes;
    PairLine *lines;
    int n;
    if (!read_lines(path, &bytes, &lines, &n, error))
        return false;
    data->valid = pairs_encode(lines, n, tokenizers->source, tokenizers->target, 0);
    free(lines);
    bytes_free(&bytes);
    return data->valid->n > 0 ||
           error_set(error, ERROR_FORMAT, "%s: no usable sentence pairs", path);
}

static bool encode_train(TranslationData *data, const char *path, const PairLine *lines, int n,
                         const Tokenizers *tokenizers, int max_words, Error *error)
{
    data->train = pairs_encode(lines, n, tokenizers->source, tokenizers->target, max_words);
    return data->train->n > 0 ||
           error_set(error, ERROR_FORMAT, "%s: no usable sentence pairs", path);
}

bool translation_data_open(TranslationData *data, const TaskFiles *files, const Settings *training,
                           Tokenizers *tokenizers, Error *error)
{
    Bytes bytes;
    PairLine *lines;
    int n;
    *tokenizers = (Tokenizers){0};
    if (!read_lines(files->data, &bytes, &lines, &n, error))
        return false;
    data->batch_size = settings_int(training, "batch");
    const char *model = settings_text(training, "tokenizer");
    bool ok = true;
    if (*model)
        ok = borrow_tokenizers(model, tokenizers, error);
    else
        learn_tokenizers(lines, n, training, tokenizers);
    ok = ok && encode_train(data, files->data, lines, n, tokenizers,
                            settings_int(training, "max-words"), error);
    ok = ok && (!files->valid || encode_valid(data, files->valid, tokenizers, error));
    if (!ok)
        tokenizers_free(tokenizers);
    free(lines);
    bytes_free(&bytes);
    return ok;
}

void translation_data_free(TranslationData *data)
{
    pairs_free(data->train);
    pairs_free(data->valid);
    batch_plan_free(&data->plan);
}

/* ---- batches ---- */

/* Pair numbers of the shard, by falling source length. */
static const Pair **choose(Arena *arena, const Pairs *pairs, const int *order, int n, int copies)
{
    int total = n * copies;
    int *length = arena_get(arena, (size_t)total + 1, sizeof *length);
    int *rank = arena_get(arena, (size_t)total + 1, sizeof *rank);
    for (int i = 0; i < total; i++)
        length[i] = pairs->pairs[order[i / copies]].n_source;
    ragged_sort(total, length, rank);
    const Pair **chosen = arena_get(arena, (size_t)total + 1, sizeof *chosen);
    for (int i = 0; i < total; i++)
        chosen[i] = &pairs->pairs[order[rank[i] / copies]];
    return chosen;
}

static void lay_out_sources(Arena *arena, PairBatch *batch, const Pair *const *pairs)
{
    int *length = arena_get(arena, (size_t)batch->n + 1, sizeof *length);
    for (int i = 0; i < batch->n; i++)
        length[i] = pairs[i]->n_source;
    batch->sources = ragged_new(arena, RAGGED_STEP_MAJOR, batch->n, length);
    int *ids = arena_get(arena, (size_t)batch->sources.rows + 1, sizeof *ids);
    for (int i = 0; i < batch->n; i++)
        for (int t = 0; t < length[i]; t++)
            ids[ragged_row(&batch->sources, i, t)] = pairs[i]->source[t];
    batch->source_ids = ids;
}

static void lay_out_targets(Arena *arena, PairBatch *batch, const Pair *const *pairs)
{
    int *length = arena_get(arena, (size_t)batch->n + 1, sizeof *length);
    for (int i = 0; i < batch->n; i++) {
        length[i] = pairs[i]->n_target;
        batch->steps = length[i] > batch->steps ? length[i] : batch->steps;
        batch->n_rows += length[i];
    }
    size_t cells = (size_t)batch->steps * (size_t)batch->n + 1;
    int *input = arena_get(arena, cells, sizeof *input);
    int *row_of = arena_get(arena, cells, sizeof *row_of);
    int *row = arena_get(arena, (size_t)batch->n_rows + 1, sizeof *row);
    int *target = arena_get(arena, (size_t)batch->n_rows + 1, sizeof *target);
    int used = 0;
    for (int t = 0; t < batch->steps; t++)
        for (int i = 0; i < batch->n; i++) {
            int cell = t * batch->n + i;
            bool real = t < length[i];
            input[cell] = t == 0 ? TOKENIZER_BEGIN : real ? pairs[i]->target[t - 1] : TOKENIZER_END;
            row_of[cell] = real ? used : -1;
            if (!real)
                continue;
            row[used] = cell;
            target[used++] = pairs[i]->target[t];
        }
    batch->length = length;
    batch->input_ids = input;
    batch->row_of = row_of;
    batch->row = row;
    batch->target_ids = target;
}

/* Which of a batch's pairs a shard has: order[from .. to). */
static void shard_range(const BatchPlan *plan, int batch, int shard, int n_shards, int *from,
                        int *to)
{
    int begin = plan->start[batch], size = plan->start[batch + 1] - begin;
    *from = begin + (int)((long)size * shard / n_shards);
    *to = begin + (int)((long)size * (shard + 1) / n_shards);
}

static int tokens_in_batch(const Pairs *pairs, const BatchPlan *plan, int batch)
{
    int n = 0;
    for (int i = plan->start[batch]; i < plan->start[batch + 1]; i++)
        n += pairs->pairs[plan->order[i]].n_target;
    return n;
}

PairBatch pair_batch(Arena *arena, const Pairs *pairs, const BatchPlan *plan, int batch, int shard,
                     int n_shards, int copies)
{
    int from, to;
    shard_range(plan, batch, shard, n_shards, &from, &to);
    PairBatch b = {.n = (to - from) * copies,
                   .n_tokens_in_batch = tokens_in_batch(pairs, plan, batch)};
    if (b.n == 0)
        return b;
    const Pair **chosen = choose(arena, pairs, plan->order + from, to - from, copies);
    lay_out_sources(arena, &b, chosen);
    lay_out_targets(arena, &b, chosen);
    return b;
}

/* Lengths of one side as a sequence-major batch, and its ids in order. */
static Ragged lay_out_side(Arena *arena, const Pairs *pairs, const int *order, int n, bool target,
                           int **ids)
{
    int *length = arena_get(arena, (size_t)n + 1, sizeof *length);
    for (int i = 0; i < n; i++)
        length[i] = target ? pairs->pairs[order[i]].n_target : pairs->pairs[order[i]].n_source;
    Ragged rows = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, n, length);
    *ids = arena_get(arena, (size_t)rows.rows + 1, sizeof **ids);
    for (int i = 0; i < n; i++) {
        const Pair *p = &pairs->pairs[order[i]];
        memcpy(*ids + rows.start[i], target ? p->target : p->source,
               (size_t)length[i] * sizeof **ids);
    }
    return rows;
}

SequenceBatch sequence_batch(Arena *arena, const Pairs *pairs, const BatchPlan *plan, int batch,
                             int shard, int n_shards)
{
    int from, to, *source, *target;
    shard_range(plan, batch, shard, n_shards, &from, &to);
    const int *order = plan->order + from;
    SequenceBatch b = {.n = to - from, .n_tokens_in_batch = tokens_in_batch(pairs, plan, batch)};
    b.sources = lay_out_side(arena, pairs, order, b.n, false, &source);
    b.targets = lay_out_side(arena, pairs, order, b.n, true, &target);
    int *input = arena_get(arena, (size_t)b.targets.rows + 1, sizeof *input);
    for (int i = 0; i < b.n; i++)
        for (int t = 0; t < b.targets.length[i]; t++) {
            int row = b.targets.start[i] + t;
            input[row] = t == 0 ? TOKENIZER_BEGIN : target[row - 1];
        }
    b.source_ids = source;
    b.target_ids = target;
    b.input_ids = input;
    return b;
}
