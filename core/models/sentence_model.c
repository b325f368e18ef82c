#include "models/sentence_model.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static void classifier_free(void *network)
{
    SentenceClassifier *c = network;
    sentence_free(c->net);
    vocabulary_free(c->vocabulary);
    class_names_free(c->classes);
    free(c);
}

SentenceClassifier *sentence_classifier_new(Model *model, Vocabulary *vocabulary,
                                            ClassNames *classes, Error *error)
{
    SentenceClassifier *c = memory_new(1, sizeof *c);
    *c = (SentenceClassifier){vocabulary, classes, NULL};
    SentenceShape shape;
    if (sentence_shape(model->settings, vocabulary_count(vocabulary), class_names_count(classes),
                       &shape, error)) {
        c->net = sentence_new(&shape, model->params);
        return c;
    }
    classifier_free(c);
    return NULL;
}

static void *classifier_open(Model *model, const json_t *metadata, Error *error)
{
    ClassNames *classes = class_names_from_json(json_object_get(metadata, "classes"), error);
    Vocabulary *vocabulary =
        classes ? vocabulary_from_json(json_object_get(metadata, "vocabulary"), "vocabulary", error)
                : NULL;
    if (vocabulary)
        return sentence_classifier_new(model, vocabulary, classes, error);
    class_names_free(classes);
    return NULL;
}

static bool classifier_describe(const Model *model, json_t *metadata, Error *error)
{
    (void)error;
    const SentenceClassifier *c = model->network;
    json_object_set_new(metadata, "classes", class_names_to_json(c->classes));
    json_object_set_new(metadata, "vocabulary", vocabulary_to_json(c->vocabulary));
    return true;
}

Selection sentence_draw(Arena *arena, const Var *logits, Random *random)
{
    Selection selection = {{NULL}};
    for (int k = 0; k < logits->cols; k++) {
        unsigned char *z = arena_get(arena, (size_t)logits->rows + 1, 1);
        for (int i = 0; i < logits->rows; i++) {
            double a = (double)var_row(logits, i)[k];
            z[i] = random ? random_uniform(random) < 1 / (1 + exp(-a)) : a > 0;
        }
        selection.picked[k] = z;
    }
    return selection;
}

static const char *classifier_attention(const Model *model)
{
    return settings_text(model->settings, "attention");
}

static ModelTask classifier_task(const Model *model)
{
    (void)model;
    return TASK_CLASSIFY;
}

const Family family_sentence = {
    .name = "sentence",
    .help = "sentence classifier: attention of words to words, with or without selection",
    .settings = sentence_settings,
    .open = classifier_open,
    .close = classifier_free,
    .describe = classifier_describe,
    .attention = classifier_attention,
    .task = classifier_task,
    .begin = sentence_session_begin,
};
