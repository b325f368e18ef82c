#include <string.h>

#include "train/task.h"

extern const TrainTask task_sentence;
extern const TrainTask task_lstmn;
extern const TrainTask task_seq2seq;
extern const TrainTask task_transformer;
extern const TrainTask task_ram;
extern const TrainTask task_reader;
extern const TrainTask task_caption;
extern const TrainTask task_han;

static const TrainTask *const tasks[] = {
    &task_seq2seq,  &task_transformer, &task_ram, &task_caption,
    &task_sentence, &task_lstmn,       &task_han, &task_reader,
};

const TrainTask *task_at(int i)
{
    return i >= 0 && (size_t)i < sizeof tasks / sizeof tasks[0] ? tasks[i] : NULL;
}

const TrainTask *task_find(const char *family)
{
    for (int i = 0; task_at(i); i++)
        if (strcmp(task_at(i)->family, family) == 0)
            return task_at(i);
    return NULL;
}
