/* sentence_sessions.h - sentence classifiers of a few units with random weights that know eight
 * words, and their runs, for tests. */
#ifndef FOVEA_TESTS_SENTENCE_SESSIONS_H
#define FOVEA_TESTS_SENTENCE_SESSIONS_H
#include "sessions.h"

#include "models/sentence_model.h"

static inline Model *new_model(const char *const *settings)
{
    Error error = {0};
    static const char *const names[] = {"negative", "positive", "neutral"};
    Model *model =
        model_new(family_find("sentence"), settings_new(family_find("sentence")->settings));
    static const char *const small[] = {"embedding=6", "hidden=8", "selector-hidden=4",
                                        "selector-bias=0", NULL};
    for (int i = 0; small[i]; i++)
        assert_ok(settings_assign(model->settings, small[i], &error));
    for (int i = 0; settings[i]; i++)
        assert_ok(settings_assign(model->settings, settings[i], &error));
    const VocabularySpec spec = {0};
    VocabularyLearner *learner = vocabulary_learner_new(&spec);
    static const char known[] = "a slow start , but a strong end";
    vocabulary_learner_add(learner, known, strlen(known));
    ClassNames *classes = class_names_new(3, names, &error);
    model->network =
        sentence_classifier_new(model, vocabulary_learner_finish(learner), classes, &error);
    assert_non_null(model->network);
    assert_ok(param_set_allocate(model->params, &error));
    fill_params(model->params, 4, 0.6);
    return model;
}

static inline Model *resan(void)
{
    static const char *const settings[] = {"attention=resan", NULL};
    return new_model(settings);
}

static inline const Trace *run(const Model *model, const char *text, const RunOptions *options)
{
    Error error = {0};
    const RunInput input = {.text = text};
    const Trace *trace = model_run(model, &input, options, 0, NULL, &error);
    if (!trace)
        fail_msg("%s", error.message);
    return trace;
}

#endif
