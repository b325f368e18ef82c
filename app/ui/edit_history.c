/* Undo: a stack of steps whose texts lie in one buffer. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "ui/edit_internal.h"

void history_clear(EditHistory *history)
{
    history->n_steps = history->n_done = 0;
    history->done_size = 0;
    history->closed = true;
    strbuf_clear(&history->bytes);
}

void history_free(EditHistory *history)
{
    free(history->steps);
    strbuf_free(&history->bytes);
}

static size_t step_size(const EditStep *step)
{
    return step->removed + step->inserted;
}

static void forget_undone(EditHistory *history)
{
    history->n_steps = history->n_done;
    history->bytes.length = history->done_size;
    if (history->bytes.text)
        history->bytes.text[history->bytes.length] = '\0';
}

/* Forgets the oldest steps until at most half of the limit is used; the last one stays. */
static void forget_oldest(EditHistory *history)
{
    size_t n = 0;
    size_t size = 0;
    while (n + 1 < history->n_done && history->done_size - size > EDIT_HISTORY_BYTES / 2)
        size += step_size(&history->steps[n++]);
    memmove(history->steps, history->steps + n, (history->n_steps - n) * sizeof *history->steps);
    memmove(history->bytes.text, history->bytes.text + size, history->bytes.length - size + 1);
    history->bytes.length -= size;
    history->done_size -= size;
    history->n_steps -= n;
    history->n_done -= n;
}

/* Typing goes by words: a step ends with the spaces behind a word. */
static bool begins_a_word(const EditHistory *history, const char *inserted)
{
    uint32_t first;
    utf8_decode(inserted, strlen(inserted), &first);
    char last = history->bytes.text[history->done_size - 1];
    return (last == ' ' || last == '\n') && !utf8_is_space(first);
}

static bool joins(const EditHistory *history, const EditStep *last, const EditStep *step,
                  const char *inserted)
{
    if (history->closed || last->kind != step->kind)
        return false;
    switch (step->kind) {
    case STEP_TYPING:
        return step->removed == 0 && step->offset == last->offset + last->inserted &&
               !begins_a_word(history, inserted);
    case STEP_ERASING: return step->offset + step->removed == last->offset;
    case STEP_DELETING: return step->offset == last->offset;
    case STEP_ALONE: break;
    }
    return false;
}

static void join(EditHistory *history, EditStep *last, const EditStep *step, const char *removed,
                 const char *inserted)
{
    StrBuf *bytes = &history->bytes;
    if (step->kind == STEP_TYPING) {
        strbuf_add_bytes(bytes, inserted, step->inserted);
        last->inserted += step->inserted;
    } else {
        strbuf_add_bytes(bytes, removed, step->removed);
        if (step->kind == STEP_ERASING) {
            /* What stood to the left comes first. */
            char *start = bytes->text + bytes->length - step->removed - last->removed;
            memmove(start + step->removed, start, last->removed);
            memcpy(start, removed, step->removed);
            last->offset = step->offset;
        }
        last->removed += step->removed;
    }
    history->done_size = bytes->length;
}

void history_add(EditHistory *history, EditStep step, const char *removed, const char *inserted)
{
    forget_undone(history);
    EditStep *last = history->n_done > 0 ? &history->steps[history->n_done - 1] : NULL;
    if (last && joins(history, last, &step, inserted)) {
        join(history, last, &step, removed, inserted);
    } else {
        history->steps = memory_grow(history->steps, &history->capacity, history->n_steps + 1,
                                     sizeof *history->steps);
        history->steps[history->n_steps++] = step;
        history->n_done = history->n_steps;
        strbuf_add_bytes(&history->bytes, removed, step.removed);
        strbuf_add_bytes(&history->bytes, inserted, step.inserted);
        history->done_size = history->bytes.length;
    }
    history->closed = false;
    if (history->done_size > EDIT_HISTORY_BYTES)
        forget_oldest(history);
}

const EditStep *history_back(EditHistory *history, const char **removed, const char **inserted)
{
    history->closed = true;
    if (history->n_done == 0)
        return NULL;
    const EditStep *step = &history->steps[--history->n_done];
    history->done_size -= step_size(step);
    *removed = history->bytes.text + history->done_size;
    *inserted = *removed + step->removed;
    return step;
}

const EditStep *history_forward(EditHistory *history, const char **removed, const char **inserted)
{
    history->closed = true;
    if (history->n_done == history->n_steps)
        return NULL;
    const EditStep *step = &history->steps[history->n_done++];
    *removed = history->bytes.text + history->done_size;
    *inserted = *removed + step->removed;
    history->done_size += step_size(step);
    return step;
}
