#include "train/evaluate.h"

#include <string.h>

#include "train/evaluate_tasks.h"
#include "train/labelled.h"

Settings *evaluate_label_settings(const Model *model, Error *error)
{
    static const Setting labels[] = {LABELLED_SETTINGS, {0}};
    static const char *const names[] = {"label-column", "text-column", "header", "label-end"};
    Settings *settings = settings_new(labels);
    json_t *provenance = json_loads(model_provenance(model), 0, NULL);
    const json_t *training = json_object_get(provenance, "training");
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof names / sizeof names[0]; i++) {
        const char *value = json_string_value(json_object_get(training, names[i]));
        ok = !value || settings_set(settings, names[i], value, error);
    }
    json_decref(provenance);
    if (ok)
        return settings;
    settings_free(settings);
    return NULL;
}

json_t *evaluate_model(const EvaluateRequest *request, Error *error)
{
    switch (model_task(request->model)) {
    case TASK_TRANSLATE:
        return request->alignments ? evaluate_alignments(request, error)
                                   : evaluate_translation(request, error);
    case TASK_DIGIT: return evaluate_digits(request, error);
    case TASK_CLASSIFY:
        if (strcmp(model_family(request->model), "sentence") == 0)
            return evaluate_sentences(request, error);
        if (strcmp(model_family(request->model), "han") == 0)
            return evaluate_documents(request, error);
        break;
    case TASK_LANGUAGE: return evaluate_language(request, error);
    case TASK_ANSWER: return evaluate_readers(request, error);
    case TASK_CAPTION: return evaluate_captions(request, error);
    default: break;
    }
    error_set(error, ERROR_UNSUPPORTED, "%s: a %s model cannot be evaluated this way",
              model_name(request->model), model_task_name(model_task(request->model)));
    return NULL;
}
