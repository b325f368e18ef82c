#include "models/han_model.h"

#include <stdlib.h>
#include <string.h>

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
    static const char *const names[] = {"hierarchical", "words only", "mean", "max",
                                        "sentences only"};
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

/* The words of one sentence; spans become places of the whole text. */
static int read_sentence(const HanClassifier *classifier, const char *text, Sentence s,
                         TokenList *out)
{
    size_t first = out->n;
    vocabulary_encode(classifier->vocabulary, text + s.begin, s.end - s.begin, out);
    for (size_t k = first; k < out->n; k++) {
        out->items[k].begin += (int32_t)s.begin;
        out->items[k].end += (int32_t)s.begin;
    }
    return (int)(out->n - first);
}

void han_text_read(const HanClassifier *classifier, const char *text, size_t n, HanText *out)
{
    size_t skipped = n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0, kept = 0;
    out->sentences.n = 0;
    token_list_clear(&out->words);
    sentences_split(text + skipped, n - skipped, classifier->max_words, &out->sentences);
    for (size_t i = 0; i < out->sentences.n; i++) {
        Sentence s = out->sentences.items[i];
        s.begin += skipped;
        s.end += skipped;
        s.n_words = read_sentence(classifier, text, s, &out->words);
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
