#include "commands/run_story.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"

/* A question of one's own has no known support. */
static bool take_numbered(const StorySpec *spec, Story *out, Error *error)
{
    int story = 0, number = 0;
    if (!babi_read_number(spec->number, &story, &number, error) ||
        !babi_read(spec->path, &out->babi, error))
        return false;
    const BabiQuestion *q = babi_find(&out->babi, story, number, error);
    if (!q) {
        error_prefix(error, "%s", spec->path);
        return false;
    }
    out->text = babi_story(&out->babi, q);
    if (!spec->question) {
        out->question = memory_copy_bytes(q->question.text, q->question.n);
        out->input.n_supports = q->n_supports;
        out->input.supports = q->supports;
    }
    return true;
}

static bool take_file(const StorySpec *spec, Story *out, Error *error)
{
    Bytes bytes;
    if (!file_read(spec->path, RUN_MAX_INPUT_BYTES, &bytes, error))
        return false;
    bool ok = utf8_is_valid(bytes.data, bytes.size) && !memchr(bytes.data, '\0', bytes.size);
    if (ok)
        out->text = memory_copy_bytes(bytes.data, bytes.size);
    bytes_free(&bytes);
    return ok || error_set(error, ERROR_INPUT, "%s: a story in UTF-8 was expected", spec->path);
}

bool story_read(const StorySpec *spec, Story *out, Error *error)
{
    *out = (Story){.text = NULL};
    if (!spec->text == !spec->path)
        return error_set(error, ERROR_INPUT, "a story was expected: -t TEXT or a file");
    if (spec->number && !spec->path)
        return error_set(error, ERROR_INPUT, "--number wants a file in bAbI's format");
    if (!spec->number && !spec->question)
        return error_set(error, ERROR_INPUT,
                         "a question was expected: --question TEXT, or --number N of a file in "
                         "bAbI's format");
    bool ok = true;
    if (spec->number)
        ok = take_numbered(spec, out, error);
    else if (spec->path)
        ok = take_file(spec, out, error);
    else
        out->text = memory_copy_string(spec->text);
    if (ok && spec->question)
        out->question = memory_copy_string(spec->question);
    out->input.text = out->text;
    out->input.question = out->question;
    return ok;
}

void story_deinit(Story *story)
{
    babi_free(&story->babi);
    free(story->text);
    free(story->question);
    *story = (Story){.text = NULL};
}
