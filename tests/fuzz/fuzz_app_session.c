/* A session that is accepted is written and read back as the same session. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "session/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_views(const Document *d)
{
    for (int i = 0; i < d->n_views; i++) {
        const ViewCamera *c = &d->views[i].camera;
        FOVEA_CHECK(isfinite(c->zoom) && isfinite(c->x) && isfinite(c->y), "camera of view %d", i);
        for (int k = 0; k < TRACE_MAX_RANK; k++)
            FOVEA_CHECK(d->views[i].at[k] >= -1, "item %d", d->views[i].at[k]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    Document first, second;
    document_init(&first);
    document_init(&second);
    if (document_from_json(&first, (const char *)data, size, &error)) {
        check_views(&first);
        char *text = document_to_json(&first);
        FOVEA_CHECK(text, "an accepted session cannot be written");
        bool again = document_from_json(&second, text, strlen(text), &error);
        FOVEA_CHECK(again, "%s", error.message);
        char *copy = document_to_json(&second);
        FOVEA_CHECK(strcmp(text, copy) == 0, "written, read and written, it differs");
        free(text);
        free(copy);
    } else {
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
    }
    document_deinit(&first);
    document_deinit(&second);
    return 0;
}
