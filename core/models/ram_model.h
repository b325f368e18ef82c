/* ram_model.h - the attention model of digits in its family; private to models and train. */
#ifndef FOVEA_MODELS_RAM_MODEL_H
#define FOVEA_MODELS_RAM_MODEL_H
#include "models/family.h"
#include "models/ram.h"

/* Declares the network in model->params, by model->settings. */
Ram *ram_model_new(Model *model, Error *error);

Session *ram_session_begin(const Model *model, const RunInput *input, const RunOptions *options,
                           Error *error);

/* "variance.none", "variance.moving", "variance.learned" over an axis "epoch", when the file
 * keeps the history of a learned policy (train/ram_loss.h). */
void ram_add_history(const Model *model, TraceBuilder *builder);

#endif
