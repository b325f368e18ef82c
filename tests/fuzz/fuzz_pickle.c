/* The machine must stop, with a value or a message. */
#include "format/pickle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    Arena *arena = arena_new();
    const PickleValue *value = pickle_read(data, size, "fuzz", arena, &error);
    FOVEA_CHECK(value || error_is_set(&error), "refused without a message");
    arena_free(arena);
    return 0;
}
