/* The words of a text with their marks, and its characters: shared by learning and encoding. */
#include <utf8proc.h>

#include "base/utf8.h"
#include "text/french.h"
#include "text/tokenizer_data.h"

#define LEFT_QUOTE 0x00AB

/* Reads one word ahead and decides whether it is written to the word before it. */
static void read_ahead(WordWalk *walk, const SplitWord *before)
{
    Splitter *splitter = &walk->splitter;
    walk->has_next = splitter_next(splitter, &walk->next);
    if (!walk->has_next)
        return;
    walk->next_glued = !walk->next.spaced;
    if (!before)
        return;
    uint32_t code;
    utf8_decode(splitter->text + before->begin, before->end - before->begin, &code);
    if (code == LEFT_QUOTE || (walk->next.kind == SPLIT_PUNCTUATION &&
                               french_mark_at(splitter->text, splitter->n, walk->next.begin)))
        walk->next_glued = true;
}

void word_walk_begin(WordWalk *walk, const char *text, size_t n)
{
    *walk = (WordWalk){0};
    splitter_init(&walk->splitter, text, n, SPLIT_TRANSLATION);
    read_ahead(walk, NULL);
}

static uint32_t mark_of(const SplitWord *word, bool first, bool glued, bool bound)
{
    if (word->kind == SPLIT_CJK)
        return first || glued ? 0 : MARK_SPACED;
    return first || !glued || bound ? MARK_SPACED : MARK_GLUED;
}

bool word_walk_next(WordWalk *walk, MarkedWord *word)
{
    if (!walk->has_next)
        return false;
    SplitWord now = walk->next;
    word->begin = now.begin;
    word->end = now.end;
    word->mark = mark_of(&now, !walk->any, walk->next_glued, walk->bound);
    walk->any = true;
    read_ahead(walk, &now);
    word->binds = walk->has_next && walk->next_glued && walk->next.kind == SPLIT_LETTERS &&
                  (now.kind == SPLIT_PUNCTUATION || now.elided);
    walk->bound = word->binds;
    return true;
}

bool tokenizer_is_mark(uint32_t code)
{
    return code == MARK_SPACED || code == MARK_GLUED || code == MARK_BINDS;
}

static uint32_t straight_quote(uint32_t code)
{
    switch (code) {
    case 0x2018:
    case 0x2019:
    case 0x02BC: return '\'';
    case 0x201C:
    case 0x201D:
    case 0x201E: return '"';
    default: return code;
    }
}

/* Joins the combining marks that follow, as far as there is one character for both. */
static size_t compose(const char *text, size_t n, size_t used, uint32_t *code)
{
    while (used < n && (unsigned char)text[used] >= 0x80) {
        uint32_t mark;
        size_t bytes = (size_t)utf8_decode(text + used, n - used, &mark);
        utf8proc_int32_t both[2] = {(utf8proc_int32_t)*code, (utf8proc_int32_t)mark};
        if (character_class(mark) != CHARACTER_MARK ||
            utf8proc_normalize_utf32(both, 2, UTF8PROC_STABLE | UTF8PROC_COMPOSE) != 1)
            return used;
        *code = (uint32_t)both[0];
        used += bytes;
    }
    return used;
}

size_t tokenizer_read(bool fold, const char *text, size_t n, uint32_t *code)
{
    size_t used = (size_t)utf8_decode(text, n, code);
    if (!fold)
        return used;
    *code = straight_quote(*code);
    return compose(text, n, used, code);
}
