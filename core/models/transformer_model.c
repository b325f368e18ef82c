#include "models/transformer_model.h"

#include <stdlib.h>

#include "base/memory.h"

static void translator_free(void *network)
{
    TransformerTranslator *t = network;
    transformer_free(t->net);
    tokenizers_free(&t->tokenizers);
    free(t);
}

TransformerTranslator *transformer_translator_new(Model *model, Tokenizers tokenizers, Error *error)
{
    TransformerTranslator *t = memory_new(1, sizeof *t);
    t->tokenizers = tokenizers;
    TransformerShape shape;
    bool ok = tokenizers.source == tokenizers.target ||
              error_set(error, ERROR_INPUT, "a transformer wants vocabulary=joint");
    ok = ok &&
         transformer_shape(model->settings, tokenizer_n_pieces(tokenizers.source), &shape, error);
    if (ok) {
        t->net = transformer_new(&shape, model->params);
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
    return transformer_translator_new(model, tokenizers, error);
}

static bool translator_describe(const Model *model, json_t *metadata, Error *error)
{
    (void)error;
    const TransformerTranslator *t = model->network;
    tokenizers_write(&t->tokenizers, metadata);
    return true;
}

static const char *translator_attention(const Model *model)
{
    (void)model;
    return "multi-head";
}

static ModelTask translator_task(const Model *model)
{
    (void)model;
    return TASK_TRANSLATE;
}

const Family family_transformer = {
    .name = "transformer",
    .help = "Transformer encoder-decoder with multi-head attention",
    .settings = transformer_settings,
    .open = translator_open,
    .close = translator_free,
    .describe = translator_describe,
    .attention = translator_attention,
    .task = translator_task,
    .begin = transformer_session_begin,
};
