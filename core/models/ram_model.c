#include "models/ram_model.h"

Ram *ram_model_new(Model *model, Error *error)
{
    RamShape shape;
    if (!ram_shape(model->settings, &shape, error))
        return NULL;
    return ram_new(&shape, model->params);
}

static void *ram_open(Model *model, const json_t *metadata, Error *error)
{
    (void)metadata;
    return ram_model_new(model, error);
}

static void ram_close(void *network)
{
    ram_free(network);
}

static bool ram_describe(const Model *model, json_t *metadata, Error *error)
{
    (void)model;
    (void)metadata;
    (void)error;
    return true;
}

static const char *ram_attention(const Model *model)
{
    static const char *const names[] = {"glimpse", "random glimpse", "fixed glimpse"};
    return names[ram_get_shape(model->network)->looking];
}

static ModelTask ram_task_kind(const Model *model)
{
    (void)model;
    return TASK_DIGIT;
}

const Family family_ram = {
    .name = "ram",
    .help = "recurrent model of visual attention: digits through a few glimpses",
    .settings = ram_settings,
    .open = ram_open,
    .close = ram_close,
    .describe = ram_describe,
    .attention = ram_attention,
    .task = ram_task_kind,
    .begin = ram_session_begin,
};
