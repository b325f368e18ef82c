/* checkpoint.h - a training run on disk: OUT.checkpoint, a safetensors file with the arrays
 * and, in its metadata, the counters as JSON. Written atomically. */
#ifndef FOVEA_TRAIN_CHECKPOINT_H
#define FOVEA_TRAIN_CHECKPOINT_H
#include "train/loop_state.h"

bool checkpoint_write(const Loop *loop, Error *error) FOVEA_MUST_USE;
/* ERROR_INPUT when the checkpoint belongs to other settings or data. */
bool checkpoint_read(Loop *loop, Error *error) FOVEA_MUST_USE;
bool checkpoint_exists(const char *output);
void checkpoint_remove(const char *output);

#endif
