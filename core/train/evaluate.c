#include "train/evaluate.h"

#include <string.h>

#include "train/evaluate_tasks.h"

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
        break;
    case TASK_LANGUAGE: return evaluate_language(request, error);
    case TASK_CAPTION: return evaluate_captions(request, error);
    default: break;
    }
    error_set(error, ERROR_UNSUPPORTED, "%s: a %s model cannot be evaluated this way",
              model_name(request->model), model_task_name(model_task(request->model)));
    return NULL;
}
