#include "models/caption_model.h"
Session *caption_session_begin(const Model *model, const Input *input, const RunOptions *options,
                               Error *error)
{
    (void)model;
    (void)input;
    (void)options;
    error_set(error, ERROR_UNSUPPORTED, "x");
    return NULL;
}
