/* The words of a text with their marks, and its characters: shared by learning and encoding. */
#include "base/utf8.h"
#include "text/fold.h"
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

size_t tokenizer_read(bool fold, const char *text, size_t n, uint32_t *code)
{
    return fold ? fold_read(text, n, code) : (size_t)utf8_decode(text, n, code);
}
