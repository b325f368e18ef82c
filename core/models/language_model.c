#include "models/language_model.h"

#include <stdlib.h>

#include "base/memory.h"

LanguageModel *language_model_new(Model *model, Tokenizer *tokenizer)
{
    LanguageModel *l = memory_new(1, sizeof *l);
    LanguageShape shape = language_shape(model->settings, tokenizer_n_pieces(tokenizer));
    l->tokenizer = tokenizer;
    l->net = language_new(&shape, model->params);
    return l;
}

static void language_model_free(void *network)
{
    LanguageModel *l = network;
    language_free(l->net);
    tokenizer_free(l->tokenizer);
    free(l);
}

static void *language_model_open(Model *model, const json_t *metadata, Error *error)
{
    Tokenizer *tokenizer =
        tokenizer_from_json(json_object_get(metadata, "tokenizer"), "tokenizer", error);
    return tokenizer ? language_model_new(model, tokenizer) : NULL;
}

static bool language_model_describe(const Model *model, json_t *metadata, Error *error)
{
    (void)error;
    const LanguageModel *l = model->network;
    json_object_set_new(metadata, "tokenizer", tokenizer_to_json(l->tokenizer));
    return true;
}

static const char *language_model_attention(const Model *model)
{
    return settings_text(model->settings, "attention");
}

static ModelTask language_model_task(const Model *model)
{
    (void)model;
    return TASK_LANGUAGE;
}

const Family family_lstmn = {
    .name = "lstmn",
    .help = "language model whose words attend to the words before them",
    .settings = language_settings,
    .open = language_model_open,
    .close = language_model_free,
    .describe = language_model_describe,
    .attention = language_model_attention,
    .task = language_model_task,
    .begin = language_session_begin,
};
