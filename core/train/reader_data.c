#include "train/reader_data.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/strmap.h"

/* ---- files ---- */

static char *task_name(const char *path)
{
    const char *name = file_base_name(path);
    return memory_copy_bytes(name, strcspn(name, "_."));
}

static bool add_task(ReaderTasks *tasks, const char *path, Error *error)
{
    tasks->items = memory_resize(tasks->items, (size_t)tasks->n + 1, sizeof *tasks->items);
    ReaderTask *task = &tasks->items[tasks->n++];
    *task = (ReaderTask){.name = task_name(path)};
    return babi_read(path, &task->babi, error);
}

static bool ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), k = strlen(ending);
    return n >= k && strcmp(name + n - k, ending) == 0;
}

/* The first number in a name, or -1. */
static int number_in(const char *name)
{
    int32_t number = -1;
    name += strcspn(name, "0123456789");
    return number_parse_index(name, strlen(name), &number) ? number : -1;
}

static int by_number_then_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    int i = number_in(*x), j = number_in(*y);
    return i != j ? (i > j) - (i < j) : strcmp(*x, *y);
}

static char **list_folder(const char *path, const char *ending, size_t *n, Error *error)
{
    DIR *folder = opendir(path);
    char **names = NULL;
    *n = 0;
    for (struct dirent *e = folder ? readdir(folder) : NULL; e; e = readdir(folder))
        if (ends_with(e->d_name, ending)) {
            names = memory_resize(names, *n + 1, sizeof *names);
            names[(*n)++] = memory_copy_string(e->d_name);
        }
    if (folder)
        closedir(folder);
    if (*n == 0)
        error_set(error, ERROR_IO, "%s: there is no file \"*%s\" in this folder", path, ending);
    else
        qsort(names, *n, sizeof *names, by_number_then_name);
    return names;
}

bool reader_tasks_read(const char *path, const char *ending, ReaderTasks *out, Error *error)
{
    *out = (ReaderTasks){0};
    struct stat what;
    if (stat(path, &what) != 0 || !S_ISDIR(what.st_mode))
        return add_task(out, path, error);
    size_t n;
    char **names = list_folder(path, ending, &n, error);
    bool ok = n > 0;
    for (size_t i = 0; i < n; i++) {
        char *file = file_join(path, names[i]);
        ok = ok && add_task(out, file, error);
        free(file);
        free(names[i]);
    }
    free(names);
    return ok;
}

void reader_tasks_free(ReaderTasks *tasks)
{
    for (int i = 0; i < tasks->n; i++) {
        babi_free(&tasks->items[i].babi);
        free(tasks->items[i].name);
    }
    free(tasks->items);
    *tasks = (ReaderTasks){0};
}

/* ---- words and answers ---- */

Vocabulary *reader_learn_words(const ReaderTasks *tasks)
{
    const VocabularySpec spec = {.min_count = 1};
    VocabularyLearner *learner = vocabulary_learner_new(&spec);
    for (int i = 0; i < tasks->n; i++) {
        const Babi *b = &tasks->items[i].babi;
        for (int k = 0; k < b->n_sentences; k++)
            vocabulary_learner_add(learner, b->sentences[k].text, b->sentences[k].n);
        for (int k = 0; k < b->n_questions; k++)
            vocabulary_learner_add(learner, b->questions[k].question.text,
                                   b->questions[k].question.n);
    }
    return vocabulary_learner_finish(learner);
}

ClassNames *reader_learn_answers(const ReaderTasks *tasks, Error *error)
{
    StrMap *found = strmap_new();
    for (int i = 0; i < tasks->n; i++)
        for (int k = 0; k < tasks->items[i].babi.n_questions; k++) {
            Slice answer = tasks->items[i].babi.questions[k].answer;
            strmap_put(found, answer.text, answer.n, 0);
        }
    int n = strmap_count(found);
    const char **names = memory_new((size_t)n + 1, sizeof *names);
    for (int i = 0; i < n; i++) {
        size_t bytes;
        int value;
        names[i] = strmap_key(found, i, &bytes, &value);
    }
    class_names_sort(n, names);
    ClassNames *answers = class_names_new(n, names, error);
    free(names);
    strmap_free(found);
    return answers;
}

/* ---- examples ---- */

/* The exact answer only: class_names_find takes the start of a name for it, too. */
static int find_answer(const ClassNames *answers, Slice answer)
{
    int i = class_names_find(answers, answer.text, answer.n);
    return i >= 0 && slice_equals(answer, class_names_at(answers, i)) ? i : -1;
}

static int *copy_ids(Arena *arena, const int *ids, int n)
{
    int *copy = arena_get(arena, (size_t)n + 1, sizeof *copy);
    memcpy(copy, ids, (size_t)n * sizeof *ids);
    return copy;
}

/* Keeps the last sentences of a story: how many are left out. */
static int cut_story(ReaderItem *item, int last_sentences)
{
    int cut = last_sentences > 0 && item->n_sentences > last_sentences
                  ? item->n_sentences - last_sentences
                  : 0;
    for (int i = 0; i < cut; i++) {
        item->words += item->length[i];
        item->n_words -= item->length[i];
    }
    item->length += cut;
    item->n_sentences -= cut;
    return cut;
}

static void take_example(ReaderExamples *out, const ReaderText *text, const BabiQuestion *question,
                         const ReaderEncoding *how, int task, int answer)
{
    ReaderItem item = text->item;
    int cut = cut_story(&item, how->last_sentences);
    unsigned char *support = arena_get_zeroed(out->arena, (size_t)item.n_sentences, 1);
    for (int i = 0; i < item.n_sentences; i++)
        for (int k = 0; k < question->n_supports; k++)
            support[i] |= text->line[cut + i] == question->supports[k];
    item.length = copy_ids(out->arena, item.length, item.n_sentences);
    item.words = copy_ids(out->arena, item.words, item.n_words);
    item.question = copy_ids(out->arena, item.question, item.n_question);
    out->items[out->n++] = (ReaderExample){task, answer, item, support};
}

static bool encode_question(ReaderExamples *out, const Answerer *answerer, const ReaderTask *task,
                            const BabiQuestion *question, const ReaderEncoding *how, int number,
                            Error *error)
{
    Error why = {0};
    ReaderText text;
    char *story = babi_story(&task->babi, question);
    char *asked = memory_copy_bytes(question->question.text, question->question.n);
    bool ok = reader_text_read(answerer->vocabulary, story, asked, &text, &why);
    if (ok)
        take_example(out, &text, question, how, number,
                     find_answer(answerer->answers, question->answer));
    else
        error_set(error, why.kind, "%s, the question in line %d: %s", task->name, question->line,
                  why.message);
    reader_text_free(&text);
    free(story);
    free(asked);
    return ok;
}

bool reader_encode(const ReaderTasks *tasks, const Answerer *answerer, const ReaderEncoding *how,
                   ReaderExamples *out, Error *error)
{
    size_t most = 0;
    for (int i = 0; i < tasks->n; i++)
        most += (size_t)tasks->items[i].babi.n_questions;
    *out =
        (ReaderExamples){.items = memory_new(most + 1, sizeof *out->items), .arena = arena_new()};
    for (int i = 0; i < tasks->n; i++) {
        const Babi *b = &tasks->items[i].babi;
        int from = (int)(how->from * b->n_questions), to = (int)(how->to * b->n_questions);
        for (int k = from; k < to; k++)
            if (!encode_question(out, answerer, &tasks->items[i], &b->questions[k], how, i, error))
                return false;
    }
    return true;
}

void reader_examples_free(ReaderExamples *examples)
{
    free(examples->items);
    arena_free(examples->arena);
    *examples = (ReaderExamples){0};
}

/* ---- batches ---- */

void reader_plan(BatchPlan *plan, const ReaderExamples *examples, int batch_size, Random *random)
{
    int *length = memory_new((size_t)examples->n + 1, sizeof *length);
    for (int i = 0; i < examples->n; i++)
        length[i] = examples->items[i].item.n_words;
    const BatchPlanSpec spec = {.size = batch_size};
    batch_plan(plan, examples->n, length, &spec, random);
    free(length);
}

static void forget_words(const ReaderBatch *batch, double share, Random *random)
{
    for (int i = 0; share > 0 && i < batch->words.rows; i++)
        if (random_uniform(random) < share)
            ((int *)batch->word_ids)[i] = VOCABULARY_UNKNOWN;
}

ReaderExamplesBatch reader_examples_batch(Arena *arena, const ReaderExamples *examples,
                                          const BatchPlan *plan, int batch, int shard, int n_shards,
                                          double unknown, Random *random)
{
    int begin = plan->start[batch], size = plan->start[batch + 1] - begin;
    int from = begin + (int)((long)size * shard / n_shards);
    int to = begin + (int)((long)size * (shard + 1) / n_shards);
    ReaderExamplesBatch b = {.n = to - from, .n_in_batch = size};
    const ReaderItem **items = arena_get(arena, (size_t)b.n + 1, sizeof *items);
    int *answers = arena_get(arena, (size_t)b.n + 1, sizeof *answers);
    b.examples = arena_get(arena, (size_t)b.n + 1, sizeof *b.examples);
    for (int i = 0; i < b.n; i++) {
        const ReaderExample *example = &examples->items[plan->order[from + i]];
        b.examples[i] = example;
        items[i] = &example->item;
        answers[i] = example->answer;
    }
    b.answers = answers;
    b.batch = reader_batch(arena, b.n, items);
    forget_words(&b.batch, unknown, random);
    return b;
}

/* ---- support ---- */

ReaderSupport reader_support(Arena *arena, const ReaderExample *example, const ReaderRun *run,
                             int i)
{
    const ReaderItem *item = &example->item;
    const Ragged *items = run->reading.items;
    bool over_sentences = items->length[i] == item->n_sentences;
    ReaderSupport support = {false, 0, 0, false};
    double *mass = arena_get_zeroed(arena, (size_t)item->n_sentences, sizeof *mass);
    int top = 0;
    for (int k = 0, at = 0; k < item->n_sentences; k++) {
        int n = over_sentences ? 1 : item->length[k];
        for (int j = 0; j < n; j++, at++)
            for (int l = 0; l < run->n_looks; l++)
                mass[k] += (double)var_row(run->look[l].weights, i)[at] / run->n_looks;
        top = mass[k] > mass[top] ? k : top;
        if (!example->support[k])
            continue;
        support.known = true;
        support.mass += mass[k];
        support.even += (double)n / items->length[i];
    }
    support.top = example->support[top];
    return support;
}
