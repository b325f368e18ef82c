#include "models/seq2seq_model.h"

#include <stdlib.h>

#include "base/memory.h"

static void translator_free(void *network)
{
    Translator *t = network;
    seq2seq_free(t->net);
    tokenizers_free(&t->tokenizers);
    free(t);
}

Translator *translator_new(Model *model, Tokenizers tokenizers, Error *error)
{
    Translator *t = memory_new(1, sizeof *t);
    t->tokenizers = tokenizers;
    Seq2SeqShape shape;
    if (seq2seq_shape(model->settings, tokenizer_n_pieces(tokenizers.source),
                      tokenizer_n_pieces(tokenizers.target), &shape, error)) {
        t->net = seq2seq_new(&shape, model->params);
        return t;
    }
    translator_free(t);
    return NULL;
}

static void *translator_open(Model *model, const json_t *metadata, Error *error)
{
    Tokenizers tokenizers;
    if (!tokenizers_read(&tokenizers, metadata, error))
        return NULL;
    return translator_new(model, tokenizers, error);
}

static bool translator_describe(const Model *model, json_t *metadata, Error *error)
{
    (void)error;
    const Translator *t = model->network;
    tokenizers_write(&t->tokenizers, metadata);
    return true;
}

static const char *translator_attention(const Model *model)
{
    const char *align = settings_text(model->settings, "align");
    bool global = settings_choice(model->settings, "align") == ALIGNMENT_GLOBAL;
    return global ? settings_text(model->settings, "attention") : align;
}

static ModelTask translator_task(const Model *model)
{
    (void)model;
    return TASK_TRANSLATE;
}

const Family family_seq2seq = {
    .name = "seq2seq",
    .help = "recurrent encoder-decoder with or without attention",
    .settings = seq2seq_settings,
    .open = translator_open,
    .close = translator_free,
    .describe = translator_describe,
    .attention = translator_attention,
    .task = translator_task,
    .begin = seq2seq_session_begin,
};
