#include <string.h>

#include "models/reader.h"

/* Lays the stories' numbers after each other. */
static void copy_ids(const ReaderItem *const *items, int n, int *words, int *question, int *length)
{
    for (int i = 0; i < n; i++) {
        const ReaderItem *item = items[i];
        memcpy(words, item->words, (size_t)item->n_words * sizeof *words);
        memcpy(question, item->question, (size_t)item->n_question * sizeof *question);
        memcpy(length, item->length, (size_t)item->n_sentences * sizeof *length);
        words += item->n_words;
        question += item->n_question;
        length += item->n_sentences;
    }
}

ReaderBatch reader_batch(Arena *arena, int n, const ReaderItem *const *items)
{
    size_t room = (size_t)n + 1;
    int *sentences = arena_get(arena, room, sizeof *sentences);
    int *document = arena_get(arena, room, sizeof *document);
    int *asked = arena_get(arena, room, sizeof *asked);
    int n_sentences = 0, n_words = 0, n_asked = 0;
    for (int i = 0; i < n; i++) {
        n_sentences += sentences[i] = items[i]->n_sentences;
        n_words += document[i] = items[i]->n_words;
        n_asked += asked[i] = items[i]->n_question;
    }
    int *length = arena_get(arena, (size_t)n_sentences + 1, sizeof *length);
    int *words = arena_get(arena, (size_t)n_words + 1, sizeof *words);
    int *question = arena_get(arena, (size_t)n_asked + 1, sizeof *question);
    copy_ids(items, n, words, question, length);
    return (ReaderBatch){
        .words = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, n_sentences, length),
        .sentences = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, n, sentences),
        .document = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, n, document),
        .question = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, n, asked),
        .word_ids = words,
        .question_ids = question,
    };
}
