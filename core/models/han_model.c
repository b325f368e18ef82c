#include "models/han_model.h"

#include <stdlib.h>

#include "base/memory.h"

static void classifier_free(void *network)
{
    HanClassifier *c = network;
    han_free(c->net);
    vocabulary_free(c->vocabulary);
    class_names_free(c->classes);
    free(c);
}

HanClassifier *han_classifier_new(Model *model, Vocabulary *vocabulary, ClassNames *classes)
{
    HanClassifier *c = memory_new(1, sizeof *c);
    HanShape shape =
        han_shape(model->settings, vocabulary_count(vocabulary), class_names_count(classes));
    *c = (HanClassifier){vocabulary, classes, han_new(&shape, model->params),
                         settings_int(model->settings, "max-words")};
    return c;
}

static void *classifier_open(Model *model, const json_t *metadata, Error *error)
{
    ClassNames *classes = class_names_from_json(json_object_get(metadata, "classes"), error);
    Vocabulary *vocabulary =
        classes ? vocabulary_from_json(json_object_get(metadata, "vocabulary"), "vocabulary", error)
                : NULL;
    if (vocabulary)
        return han_classifier_new(model, vocabulary, classes);
    class_names_free(classes);
    return NULL;
}

static bool classifier_describe(const Model *model, json_t *metadata, Error *error)
{
    (void)error;
    const HanClassifier *c = model->network;
    json_object_set_new(metadata, "classes", class_names_to_json(c->classes));
    json_object_set_new(metadata, "vocabulary", vocabulary_to_json(c->vocabulary));
    return true;
}

static const char *classifier_attention(const Model *model)
{
    static const char *const names[] = {"hierarchical", "words only", "mean", "max"};
    return names[settings_choice(model->settings, "pooling")];
}

static ModelTask classifier_task(const Model *model)
{
    (void)model;
    return TASK_CLASSIFY;
}

const Family family_han = {
    .name = "han",
    .help = "document classifier: attention over words, then over sentences",
    .settings = han_settings,
    .open = classifier_open,
    .close = classifier_free,
    .describe = classifier_describe,
    .attention = classifier_attention,
    .task = classifier_task,
    .begin = han_session_begin,
};

/* ---- text ---- */

void han_text_read(const HanClassifier *classifier, const char *text, size_t n, HanText *out)
{
    out->sentences.n = 0;
    token_list_clear(&out->words);
    sentences_split(text, n, classifier->max_words, &out->sentences);
    size_t kept = 0;
    for (size_t i = 0; i < out->sentences.n; i++) {
        Sentence s = out->sentences.items[i];
        size_t first = out->words.n;
        vocabulary_encode(classifier->vocabulary, text + s.begin, s.end - s.begin, &out->words);
        for (size_t k = first; k < out->words.n; k++) {
            out->words.items[k].begin += (int32_t)s.begin;
            out->words.items[k].end += (int32_t)s.begin;
        }
        s.n_words = (int)(out->words.n - first);
        if (s.n_words > 0)
            out->sentences.items[kept++] = s;
    }
    out->sentences.n = kept;
}

void han_text_free(HanText *text)
{
    sentence_list_free(&text->sentences);
    token_list_free(&text->words);
    *text = (HanText){0};
}
