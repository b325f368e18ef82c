#include "models/reader_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "text/sentences.h"

/* ---- the family ---- */

static void answerer_free(void *network)
{
    Answerer *a = network;
    reader_free(a->net);
    vocabulary_free(a->vocabulary);
    class_names_free(a->answers);
    free(a);
}

Answerer *answerer_new(Model *model, Vocabulary *vocabulary, ClassNames *answers, Error *error)
{
    Answerer *a = memory_new(1, sizeof *a);
    *a = (Answerer){vocabulary, answers, NULL};
    ReaderShape shape;
    if (reader_shape(model->settings, vocabulary_count(vocabulary), class_names_count(answers),
                     &shape, error)) {
        a->net = reader_new(&shape, model->params);
        return a;
    }
    answerer_free(a);
    return NULL;
}

static void *answerer_open(Model *model, const json_t *metadata, Error *error)
{
    ClassNames *answers = class_names_from_json(json_object_get(metadata, "answers"), error);
    Vocabulary *vocabulary =
        answers ? vocabulary_from_json(json_object_get(metadata, "vocabulary"), "vocabulary", error)
                : NULL;
    if (vocabulary)
        return answerer_new(model, vocabulary, answers, error);
    class_names_free(answers);
    return NULL;
}

static bool answerer_describe(const Model *model, json_t *metadata, Error *error)
{
    (void)error;
    const Answerer *a = model->network;
    json_object_set_new(metadata, "answers", class_names_to_json(a->answers));
    json_object_set_new(metadata, "vocabulary", vocabulary_to_json(a->vocabulary));
    return true;
}

static const char *answerer_attention(const Model *model)
{
    return settings_text(model->settings, "attention");
}

static ModelTask answerer_task(const Model *model)
{
    (void)model;
    return TASK_ANSWER;
}

const Family family_reader = {
    .name = "reader",
    .help = "answers a question about a story: attentive, impatient, in several hops",
    .settings = reader_settings,
    .open = answerer_open,
    .close = answerer_free,
    .describe = answerer_describe,
    .attention = answerer_attention,
    .task = answerer_task,
    .begin = reader_session_begin,
};

/* ---- a person's text ---- */

static bool has_word(const char *text)
{
    size_t n = strlen(text);
    uint32_t code;
    for (size_t i = 0; i < n;) {
        i += (size_t)utf8_decode(text + i, n - i, &code);
        if (utf8_is_letter(code) || utf8_is_digit(code))
            return true;
    }
    return false;
}

/* The words of one sentence: those of the vocabulary between its ends. */
static void add_sentence(ReaderText *t, const Vocabulary *vocabulary, const char *story,
                         const Sentence *sentence, int line, size_t *capacity)
{
    size_t before = t->words.n;
    vocabulary_encode(vocabulary, story + sentence->begin, sentence->end - sentence->begin,
                      &t->words);
    if (t->words.n == before)
        return;
    for (size_t i = before; i < t->words.n; i++) {
        t->words.items[i].begin += (int32_t)sentence->begin;
        t->words.items[i].end += (int32_t)sentence->begin;
    }
    size_t room = *capacity;
    t->length = memory_grow(t->length, capacity, (size_t)t->n_sentences + 1, sizeof *t->length);
    t->line = memory_grow(t->line, &room, (size_t)t->n_sentences + 1, sizeof *t->line);
    t->length[t->n_sentences] = (int)(t->words.n - before);
    t->line[t->n_sentences++] = line;
}

static void read_story(ReaderText *t, const Vocabulary *vocabulary, const char *story)
{
    SentenceList sentences = {0};
    size_t capacity = 0;
    int line = 0;
    for (const char *at = story; at; line++) {
        const char *end = strchr(at, '\n');
        sentences.n = 0;
        sentences_split(at, end ? (size_t)(end - at) : strlen(at), 0, &sentences);
        for (size_t i = 0; i < sentences.n; i++) {
            Sentence s = sentences.items[i];
            s.begin += (size_t)(at - story);
            s.end += (size_t)(at - story);
            add_sentence(t, vocabulary, story, &s, line, &capacity);
        }
        at = end ? end + 1 : NULL;
    }
    sentence_list_free(&sentences);
}

static int *ids_of(const TokenList *tokens)
{
    int *ids = memory_new(tokens->n + 1, sizeof *ids);
    for (size_t i = 0; i < tokens->n; i++)
        ids[i] = tokens->items[i].id;
    return ids;
}

static bool check_words(const char *what, const char *text, size_t n_words, size_t most,
                        Error *error)
{
    if (!text || text[strspn(text, " \t\r\n")] == '\0')
        return error_set(error, ERROR_INPUT, "the %s is empty", what);
    if (n_words == 0 || !has_word(text))
        return error_set(error, ERROR_INPUT, "the %s has no words, only marks: \"%.40s\"", what,
                         text);
    if (n_words > most)
        return error_set(error, ERROR_LIMIT, "the %s has %zu words; the limit is %zu", what,
                         n_words, most);
    return true;
}

bool reader_text_read(const Vocabulary *vocabulary, const char *story, const char *question,
                      ReaderText *out, Error *error)
{
    *out = (ReaderText){0};
    if (story)
        read_story(out, vocabulary, story);
    if (question)
        vocabulary_encode(vocabulary, question, strlen(question), &out->question);
    if (!check_words("story", story, out->words.n, READER_MAX_WORDS, error) ||
        !check_words("question", question, out->question.n, READER_MAX_QUESTION_WORDS, error))
        return false;
    out->word_ids = ids_of(&out->words);
    out->question_ids = ids_of(&out->question);
    out->item = (ReaderItem){.n_sentences = out->n_sentences,
                             .n_words = (int)out->words.n,
                             .n_question = (int)out->question.n,
                             .length = out->length,
                             .words = out->word_ids,
                             .question = out->question_ids};
    return true;
}

void reader_text_free(ReaderText *text)
{
    token_list_free(&text->words);
    token_list_free(&text->question);
    free(text->length);
    free(text->line);
    free(text->word_ids);
    free(text->question_ids);
    *text = (ReaderText){0};
}
