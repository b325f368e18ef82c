#include "models/seq2seq_model.h"

#include <stdlib.h>

#include "base/memory.h"

Translator *translator_new(Model *model, Tokenizer *source, Tokenizer *target, Error *error)
{
    Translator *t = memory_new(1, sizeof *t);
    t->source = source;
    t->target = target;
    Seq2SeqShape shape;
    if (seq2seq_shape(model->settings, tokenizer_n_pieces(source), tokenizer_n_pieces(target),
                      &shape, error)) {
        t->net = seq2seq_new(&shape, model->params);
        return t;
    }
    model->family->close(t);
    return NULL;
}

static void translator_free(void *network)
{
    Translator *t = network;
    seq2seq_free(t->net);
    if (t->target != t->source)
        tokenizer_free(t->target);
    tokenizer_free(t->source);
    free(t);
}

static void *translator_open(Model *model, const json_t *metadata, Error *error)
{
    Tokenizer *source = tokenizer_from_json(json_object_get(metadata, "source_tokenizer"),
                                            "source_tokenizer", error);
    if (!source)
        return NULL;
    const json_t *second = json_object_get(metadata, "target_tokenizer");
    Tokenizer *target = second ? tokenizer_from_json(second, "target_tokenizer", error) : source;
    if (!target) {
        tokenizer_free(source);
        return NULL;
    }
    return translator_new(model, source, target, error);
}

static bool translator_describe(const Model *model, json_t *metadata, Error *error)
{
    (void)error;
    const Translator *t = model->network;
    json_object_set_new(metadata, "source_tokenizer", tokenizer_to_json(t->source));
    if (t->target != t->source)
        json_object_set_new(metadata, "target_tokenizer", tokenizer_to_json(t->target));
    return true;
}

unsigned translator_typography(const Model *model)
{
    return settings_choice(model->settings, "typography") == 1 ? TOKENIZER_FRENCH : 0;
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
