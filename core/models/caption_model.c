#include "models/caption_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/resample.h"
#include "image/scene.h"

enum { MOST_WORDS = 100000 };

static void add_word(Describer *d, const char *word)
{
    d->words = memory_resize(d->words, (size_t)d->n_words + 1, sizeof *d->words);
    d->words[d->n_words++] = memory_copy_string(word);
}

void describer_free(Describer *d)
{
    if (!d)
        return;
    for (int i = 0; i < d->n_words; i++)
        free(d->words[i]);
    free(d->words);
    caption_free(d->net);
    free(d);
}

static Describer *with_network(Describer *d, Model *model, Error *error)
{
    CaptionShape shape;
    if (caption_shape(model->settings, d->n_words, &shape, error)) {
        d->net = caption_new(&shape, model->params);
        return d;
    }
    describer_free(d);
    return NULL;
}

Describer *describer_new(Model *model, Error *error)
{
    Describer *d = memory_new(1, sizeof *d);
    char word[SCENE_WORD_BYTES];
    add_word(d, "</s>");
    for (int i = 0; scene_word_copy(i, word); i++)
        add_word(d, word);
    return with_network(d, model, error);
}

int describer_find(const Describer *d, const char *word, size_t n)
{
    for (int i = 0; i < d->n_words; i++)
        if (strlen(d->words[i]) == n && memcmp(d->words[i], word, n) == 0)
            return i;
    return -1;
}

int describer_encode(const Describer *d, const char *sentence, int *ids, Error *error)
{
    int count = 0;
    for (const char *p = sentence + strspn(sentence, " "); *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        int id = describer_find(d, p, n);
        if (id < 0) {
            error_set(error, ERROR_INPUT, "\"%.*s\" is not a word that this model can write",
                      (int)(n < 80 ? n : 80), p);
            return -1;
        }
        if (count == CAPTION_MAX_WORDS - 1) {
            error_set(error, ERROR_LIMIT, "a sentence has at most %d words", CAPTION_MAX_WORDS - 1);
            return -1;
        }
        ids[count++] = id;
        p += n;
    }
    ids[count++] = CAPTION_END;
    return count;
}

/* The whole picture, in the middle of a white square. */
void describer_prepare(const CaptionShape *shape, const TraceImage *image, float *rgb)
{
    size_t pixels = (size_t)image->width * (size_t)image->height;
    float *source = memory_new(pixels * 3, sizeof *source);
    picture_to_rgb(image, source);
    double extent = fmax(image->width, image->height);
    const ResamplePart part = {(image->width - extent) / 2, (image->height - extent) / 2, extent,
                               extent};
    plane_resample(source, image->width, image->height, 3, &part, 1, rgb, shape->side, shape->side);
    free(source);
}

/* ---- family ---- */

static void *describer_open(Model *model, const json_t *metadata, Error *error)
{
    const json_t *list = json_object_get(metadata, "words");
    size_t n = json_array_size(list);
    if (n < 2 || n > MOST_WORDS) {
        error_set(error, ERROR_FORMAT, "\"words\": a list of 2 to %d words was expected",
                  MOST_WORDS);
        return NULL;
    }
    Describer *d = memory_new(1, sizeof *d);
    for (size_t i = 0; i < n; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (!word || !*word || strpbrk(word, " \t\r\n") ||
            describer_find(d, word, strlen(word)) >= 0) {
            error_set(error, ERROR_FORMAT, "word %zu is no word, or is there twice", i + 1);
            describer_free(d);
            return NULL;
        }
        add_word(d, word);
    }
    return with_network(d, model, error);
}

static void describer_close(void *network)
{
    describer_free(network);
}

static bool describer_describe(const Model *model, json_t *metadata, Error *error)
{
    (void)error;
    const Describer *d = model->network;
    json_t *list = json_array();
    for (int i = 0; i < d->n_words; i++)
        json_array_append_new(list, json_string(d->words[i]));
    json_object_set_new(metadata, "words", list);
    return true;
}

static const char *describer_attention(const Model *model)
{
    return settings_text(model->settings, "attention");
}

static ModelTask describer_task(const Model *model)
{
    (void)model;
    return TASK_CAPTION;
}

const Family family_caption = {
    .name = "caption",
    .help = "show, attend and tell: sentences about pictures, with soft or hard attention",
    .settings = caption_settings,
    .open = describer_open,
    .close = describer_close,
    .describe = describer_describe,
    .attention = describer_attention,
    .task = describer_task,
    .begin = caption_session_begin,
};
