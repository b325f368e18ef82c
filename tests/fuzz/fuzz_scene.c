/* What a person writes about a picture: scenes, strokes, digits' files. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/drawing.h"
#include "image/scene.h"
#include "train/digits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_scene(const char *text)
{
    Error error = {0};
    Scene scene;
    SceneSpec spec;
    if (!scene_parse(text, 1, &scene, &error)) {
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
        return;
    }
    FOVEA_CHECK(scene.n >= 1 && scene.n <= SCENE_MAX_OBJECTS, "%d objects", scene.n);
    StrBuf out = {0};
    if (scene_describe(&scene, &spec))
        scene_write(&spec, &out);
    strbuf_free(&out);
}

static void read_strokes(const char *text)
{
    enum { SIDE = 16 };
    Error error = {0};
    float canvas[SIDE * SIDE] = {0};
    if (!drawing_render(text, canvas, SIDE, 2, &error))
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
    for (int i = 0; i < SIDE * SIDE; i++)
        FOVEA_CHECK(canvas[i] >= 0 && canvas[i] <= 1, "ink %g", (double)canvas[i]);
}

static void read_digits(const char *data, size_t n)
{
    Error error = {0};
    Digits digits;
    size_t half = n / 2;
    if (digits_parse(&digits, data, half, data + half, n - half, &error))
        digits_free(&digits);
    else
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = memory_copy_bytes((const char *)data, size);
    read_scene(text);
    read_strokes(text);
    read_digits(text, size);
    free(text);
    return 0;
}
