#include "format/babi.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/utf8.h"

/* A file while it is read. */
typedef struct Reader {
    const char *name;
    Babi *out;
    Error *error;
    int64_t line;
    const char *line_start;
    size_t sentences, questions, stories, supports, numbers; /* capacities */
    int story_sentence; /* first sentence of the story                      */
    int story_question; /* first question of the story                      */
    int last;           /* number of the line before, 0 at a story's start  */
    int *sentence_of;   /* [last + 1] sentence of the story, -1: a question */
    int n_supports;
} Reader;

static FOVEA_PRINTF(3, 4) bool refuse(Reader *r, const char *at, const char *fmt, ...)
{
    Error why = {0};
    va_list args;
    va_start(args, fmt);
    error_set_va(&why, ERROR_FORMAT, fmt, args);
    va_end(args);
    return error_set(r->error, ERROR_FORMAT, "%s, line %lld, column %lld: %s", r->name,
                     (long long)r->line, (long long)(at - r->line_start) + 1, why.message);
}

/* ---- stories ---- */

static void end_story(Reader *r)
{
    Babi *b = r->out;
    if (b->n_questions > r->story_question) {
        b->stories = memory_grow(b->stories, &r->stories, (size_t)b->n_stories + 2, sizeof(int));
        b->stories[b->n_stories++] = r->story_question;
        b->stories[b->n_stories] = b->n_questions;
    }
    r->story_sentence = b->n_sentences;
    r->story_question = b->n_questions;
    r->last = 0;
}

static bool take_number(Reader *r, Slice *rest)
{
    int32_t number;
    size_t n = number_parse_index(rest->text, rest->n, &number);
    if (n == 0)
        return refuse(r, rest->text, "a line begins with its number and a space");
    if (number == 1)
        end_story(r);
    if (number != r->last + 1)
        return refuse(r, rest->text, "line number %d; %d, or 1 for a new story, was expected",
                      (int)number, r->last + 1);
    r->last = number;
    r->sentence_of =
        memory_grow(r->sentence_of, &r->numbers, (size_t)number + 1, sizeof *r->sentence_of);
    r->sentence_of[number] = -1;
    rest->text += n;
    rest->n -= n;
    if (rest->n == 0 || rest->text[0] != ' ')
        return refuse(r, rest->text, "a space was expected behind the line's number");
    rest->text++;
    rest->n--;
    return true;
}

/* ---- sentences and questions ---- */

static bool take_supports(Reader *r, Slice rest, BabiQuestion *q)
{
    Babi *b = r->out;
    Slice word;
    int first = r->n_supports;
    while (slice_next_word(&rest, &word)) {
        int32_t number;
        if (number_parse_index(word.text, word.n, &number) != word.n)
            return refuse(r, word.text, "the number of a supporting sentence was expected");
        if (number < 1 || number >= r->last || r->sentence_of[number] < 0)
            return refuse(r, word.text, "no earlier sentence of the story has this number");
        b->supports =
            memory_grow(b->supports, &r->supports, (size_t)r->n_supports + 1, sizeof(int));
        b->supports[r->n_supports++] = r->sentence_of[number];
    }
    q->n_supports = r->n_supports - first;
    return true;
}

static Slice until_tab(Slice *rest)
{
    const char *tab = memchr(rest->text, '\t', rest->n);
    Slice field = {rest->text, tab ? (size_t)(tab - rest->text) : rest->n};
    size_t used = field.n + (tab != NULL);
    *rest = (Slice){rest->text + used, rest->n - used};
    return slice_trim(field);
}

static bool take_question(Reader *r, Slice rest)
{
    Babi *b = r->out;
    BabiQuestion q = {.line = (int)r->line,
                      .first_sentence = r->story_sentence,
                      .n_sentences = b->n_sentences - r->story_sentence};
    const char *at = rest.text;
    q.question = until_tab(&rest);
    if (q.question.n == 0)
        return refuse(r, at, "the question is empty");
    at = rest.text;
    q.answer = until_tab(&rest);
    if (q.answer.n == 0)
        return refuse(r, at, "the answer is empty");
    if (memchr(rest.text, '\t', rest.n))
        return refuse(r, memchr(rest.text, '\t', rest.n), "one TAB too many");
    if (!take_supports(r, rest, &q))
        return false;
    b->questions =
        memory_grow(b->questions, &r->questions, (size_t)b->n_questions + 1, sizeof *b->questions);
    b->questions[b->n_questions++] = q;
    return true;
}

static bool take_sentence(Reader *r, Slice rest)
{
    Babi *b = r->out;
    const char *at = rest.text;
    rest = slice_trim(rest);
    if (rest.n == 0)
        return refuse(r, at, "the sentence is empty");
    b->sentences =
        memory_grow(b->sentences, &r->sentences, (size_t)b->n_sentences + 1, sizeof *b->sentences);
    r->sentence_of[r->last] = b->n_sentences - r->story_sentence;
    b->sentences[b->n_sentences++] = rest;
    return true;
}

static bool take_line(Reader *r, Slice line)
{
    size_t valid = utf8_valid_prefix(line.text, line.n);
    if (valid < line.n || memchr(line.text, '\0', line.n))
        return refuse(r, valid < line.n ? line.text + valid : memchr(line.text, '\0', line.n),
                      "not UTF-8 text");
    if (!take_number(r, &line))
        return false;
    return memchr(line.text, '\t', line.n) ? take_question(r, line) : take_sentence(r, line);
}

/* Supports were appended while the array moved: only now can questions point into it. */
static void point_at_supports(Babi *b)
{
    int at = 0;
    for (int i = 0; b->supports && i < b->n_questions; i++) {
        b->questions[i].supports = b->supports + at;
        at += b->questions[i].n_supports;
    }
}

bool babi_parse(const char *name, Bytes bytes, Babi *out, Error *error)
{
    *out = (Babi){.bytes = bytes};
    Reader r = {.name = name, .out = out, .error = error};
    Lines lines = lines_begin(bytes.data, bytes.size);
    Slice line;
    bool ok = true;
    while (ok && lines_next(&lines, &line)) {
        r.line = lines.number;
        r.line_start = line.text;
        ok = slice_is_blank(line) || take_line(&r, line);
    }
    end_story(&r);
    free(r.sentence_of);
    point_at_supports(out);
    if (ok && out->n_questions == 0)
        ok = error_set(error, ERROR_FORMAT, "%s: there is no question in it", name);
    return ok;
}

bool babi_read(const char *path, Babi *out, Error *error)
{
    Bytes bytes;
    *out = (Babi){0};
    return file_read(path, BABI_MAX_BYTES, &bytes, error) && babi_parse(path, bytes, out, error);
}

void babi_free(Babi *babi)
{
    free(babi->sentences);
    free(babi->questions);
    free(babi->stories);
    free(babi->supports);
    bytes_free(&babi->bytes);
    *babi = (Babi){0};
}

/* ---- use ---- */

char *babi_story(const Babi *babi, const BabiQuestion *question)
{
    StrBuf text = {0};
    for (int i = 0; i < question->n_sentences; i++) {
        Slice s = babi->sentences[question->first_sentence + i];
        if (i > 0)
            strbuf_add_char(&text, '\n');
        strbuf_add_bytes(&text, s.text, s.n);
    }
    return strbuf_take(&text);
}

bool babi_read_number(const char *text, int *story, int *question, Error *error)
{
    int32_t number[2] = {0, 0};
    size_t n = number_parse_index(text, strlen(text), &number[0]), k = 0;
    if (n > 0 && text[n] == ':')
        k = number_parse_index(text + n + 1, strlen(text + n + 1), &number[1]);
    bool is_whole = n > 0 && text[n + (k ? k + 1 : 0)] == '\0' && number[0] >= 1;
    if (!is_whole || (k > 0 && number[1] < 1))
        return error_set(error, ERROR_INPUT,
                         "\"%s\": the number of a story, N or N:K with its question, was expected",
                         text);
    *story = number[0];
    *question = number[1];
    return true;
}

const BabiQuestion *babi_find(const Babi *babi, int story, int question, Error *error)
{
    if (story < 1 || story > babi->n_stories) {
        error_set(error, ERROR_INPUT, "story %d: there are %d", story, babi->n_stories);
        return NULL;
    }
    int first = babi->stories[story - 1], n = babi->stories[story] - first;
    if (question >= 0 && question <= n)
        return &babi->questions[first + (question == 0 ? n : question) - 1];
    error_set(error, ERROR_INPUT, "question %d: story %d has %d", question, story, n);
    return NULL;
}
