/* Learning the merges: pair counts that follow every merge, and a heap over them. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "text/tokenizer_data.h"

#define NO_LETTER 0xFFFFu /* stands for a mark in the text itself; no character is it */

struct TokenizerLearner {
    TokenizerSpec spec;
    StrMap *words; /* word with its marks -> how often */
    StrBuf buffer;
};

TokenizerLearner *tokenizer_learner_new(const TokenizerSpec *spec)
{
    FOVEA_CHECK(spec->n_merges >= 0 && spec->n_merges <= TOKENIZER_MAX_PIECES / 2, "%d merges",
                spec->n_merges);
    TokenizerLearner *learner = memory_new(1, sizeof *learner);
    learner->spec = *spec;
    learner->words = strmap_new();
    return learner;
}

static void add_code(StrBuf *buffer, uint32_t code)
{
    char bytes[4];
    strbuf_add_bytes(buffer, bytes, (size_t)utf8_encode(code, bytes));
}

void tokenizer_learner_add(TokenizerLearner *learner, const char *text, size_t n)
{
    WordWalk walk;
    MarkedWord word;
    StrBuf *buffer = &learner->buffer;
    word_walk_begin(&walk, text, n);
    while (word_walk_next(&walk, &word)) {
        strbuf_clear(buffer);
        if (word.mark)
            add_code(buffer, word.mark);
        for (size_t offset = word.begin; offset < word.end;) {
            uint32_t code;
            offset += tokenizer_read(learner->spec.fold, text + offset, word.end - offset, &code);
            add_code(buffer, tokenizer_is_mark(code) ? NO_LETTER : code);
        }
        if (word.binds)
            add_code(buffer, MARK_BINDS);
        int count = strmap_get(learner->words, buffer->text, buffer->length);
        count = count < 0 ? 1 : count < INT_MAX ? count + 1 : count;
        strmap_put(learner->words, buffer->text, buffer->length, count);
    }
}

/* ---- the characters ---- */

typedef struct Letter {
    uint32_t code;
    int64_t count;
} Letter;

static int by_count(const void *a, const void *b)
{
    const Letter *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code;
}

/* Controls stay in bytes: a vocabulary must be text that can be shown. */
static bool may_be_letter(uint32_t code)
{
    return code >= 0x20 && (code < 0x7F || code >= 0xA0) && code != NO_LETTER &&
           !tokenizer_is_mark(code);
}

static void count_letters(const StrMap *words, StrMap *index, Letter **letters, size_t *capacity)
{
    for (int i = 0; i < strmap_count(words); i++) {
        size_t n;
        int count;
        const char *word = strmap_key(words, i, &n, &count);
        for (size_t offset = 0; offset < n;) {
            uint32_t code;
            size_t bytes = (size_t)utf8_decode(word + offset, n - offset, &code);
            int at = strmap_get(index, word + offset, bytes);
            if (at < 0 && may_be_letter(code)) {
                at = strmap_count(index);
                strmap_put(index, word + offset, bytes, at);
                *letters = memory_grow(*letters, capacity, (size_t)at + 1, sizeof **letters);
                (*letters)[at] = (Letter){.code = code};
            }
            if (at >= 0)
                (*letters)[at].count += count;
            offset += bytes;
        }
    }
}

static void add_letter(Tokenizer *t, uint32_t code)
{
    char bytes[4];
    int n = utf8_encode(code, bytes);
    if (strmap_get(t->ids, bytes, (size_t)n) < 0)
        tokenizer_add_piece(t, bytes, (size_t)n);
}

/* The marks, what is on every keyboard, the frequent characters. */
static void add_letters(Tokenizer *t, const TokenizerLearner *learner)
{
    StrMap *index = strmap_new();
    Letter *letters = NULL;
    size_t capacity = 0;
    count_letters(learner->words, index, &letters, &capacity);
    size_t n = (size_t)strmap_count(index);
    if (n)
        qsort(letters, n, sizeof *letters, by_count);
    add_letter(t, MARK_SPACED);
    add_letter(t, MARK_GLUED);
    add_letter(t, MARK_BINDS);
    for (uint32_t code = '!'; code <= '~'; code++)
        add_letter(t, code);
    for (size_t i = 0; i < n && t->n_pieces < TOKENIZER_MAX_PIECES / 2; i++)
        if (letters[i].count >= learner->spec.min_letter_count)
            add_letter(t, letters[i].code);
    t->n_letters = t->n_pieces - FIRST_LETTER;
    free(letters);
    strmap_free(index);
}

/* ---- pairs ---- */

typedef struct LearnWord {
    int32_t *symbols; /* ids; -1 is a character without a piece, which nothing joins */
    int32_t n;
    int64_t count;
} LearnWord;

typedef struct PairCount {
    int32_t left, right;
    int64_t count;
    int32_t *words; /* where it was seen; may no longer be there */
    size_t n_words, capacity;
    bool raised; /* is in `raised` of the table */
} PairCount;

typedef struct HeapItem {
    int64_t count; /* when it was put in; the pair's own may be smaller by now */
    int32_t left, right;
    int32_t pair;
} HeapItem;

typedef struct Learning {
    Tokenizer *tokenizer;
    LearnWord *words;
    int32_t n_words;
    PairCount *pairs;
    size_t n_pairs, pair_capacity;
    Pairs index;
    HeapItem *heap;
    size_t n_heap, heap_capacity;
    int32_t *raised;
    size_t n_raised, raised_capacity;
} Learning;

static bool is_before(const HeapItem *a, const HeapItem *b)
{
    if (a->count != b->count)
        return a->count > b->count;
    return a->left != b->left ? a->left < b->left : a->right < b->right;
}

static void heap_push(Learning *l, int32_t pair)
{
    const PairCount *p = &l->pairs[pair];
    HeapItem item = {p->count, p->left, p->right, pair};
    l->heap = memory_grow(l->heap, &l->heap_capacity, l->n_heap + 1, sizeof *l->heap);
    size_t at = l->n_heap++;
    for (; at > 0 && is_before(&item, &l->heap[(at - 1) / 2]); at = (at - 1) / 2)
        l->heap[at] = l->heap[(at - 1) / 2];
    l->heap[at] = item;
}

static HeapItem heap_pop(Learning *l)
{
    HeapItem top = l->heap[0];
    HeapItem last = l->heap[--l->n_heap];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < l->n_heap; at = child) {
        if (child + 1 < l->n_heap && is_before(&l->heap[child + 1], &l->heap[child]))
            child++;
        if (!is_before(&l->heap[child], &last))
            break;
        l->heap[at] = l->heap[child];
    }
    l->heap[at] = last;
    return top;
}

static bool has_digit(const Piece *piece)
{
    for (int32_t i = 0; i < piece->text_bytes; i++) {
        char c = piece->raw[piece->text + i];
        if (c >= '0' && c <= '9')
            return true;
    }
    return false;
}

/* Digits join nothing but marks: a number is copied digit by digit. And no piece may come to
 * look like a special one, "<s>". */
static bool may_join(const Learning *l, int32_t left, int32_t right)
{
    if (left < 0 || right < 0)
        return false;
    const Piece *a = &l->tokenizer->pieces[left], *b = &l->tokenizer->pieces[right];
    if (!a->text_bytes || !b->text_bytes)
        return true;
    return !has_digit(a) && !has_digit(b) && a->raw[0] != '<';
}

static int32_t find_pair(Learning *l, int32_t left, int32_t right)
{
    int32_t pair = pairs_get(&l->index, left, right);
    if (pair >= 0)
        return pair;
    pair = (int32_t)l->n_pairs;
    l->pairs = memory_grow(l->pairs, &l->pair_capacity, l->n_pairs + 1, sizeof *l->pairs);
    l->pairs[l->n_pairs++] = (PairCount){.left = left, .right = right};
    pairs_add(&l->index, left, right, pair);
    return pair;
}

static void raise(Learning *l, int32_t pair, int32_t word)
{
    PairCount *p = &l->pairs[pair];
    p->count += l->words[word].count;
    if (!p->n_words || p->words[p->n_words - 1] != word) {
        p->words = memory_grow(p->words, &p->capacity, p->n_words + 1, sizeof *p->words);
        p->words[p->n_words++] = word;
    }
    if (p->raised)
        return;
    p->raised = true;
    l->raised = memory_grow(l->raised, &l->raised_capacity, l->n_raised + 1, sizeof *l->raised);
    l->raised[l->n_raised++] = pair;
}

/* Adds the word's pairs to the counts, or takes them away. */
static void count_word(Learning *l, int32_t word, bool add)
{
    const LearnWord *w = &l->words[word];
    for (int32_t i = 0; i + 1 < w->n; i++) {
        if (!may_join(l, w->symbols[i], w->symbols[i + 1]))
            continue;
        int32_t pair = find_pair(l, w->symbols[i], w->symbols[i + 1]);
        if (add)
            raise(l, pair, word);
        else
            l->pairs[pair].count -= w->count;
    }
}

static void push_raised(Learning *l)
{
    for (size_t i = 0; i < l->n_raised; i++) {
        l->pairs[l->raised[i]].raised = false;
        heap_push(l, l->raised[i]);
    }
    l->n_raised = 0;
}

static bool holds(const LearnWord *w, int32_t left, int32_t right)
{
    for (int32_t i = 0; i + 1 < w->n; i++)
        if (w->symbols[i] == left && w->symbols[i + 1] == right)
            return true;
    return false;
}

static void replace(LearnWord *w, int32_t left, int32_t right, int32_t result)
{
    int32_t n = 0;
    for (int32_t i = 0; i < w->n; i++) {
        bool here = i + 1 < w->n && w->symbols[i] == left && w->symbols[i + 1] == right;
        w->symbols[n++] = here ? result : w->symbols[i];
        i += here;
    }
    w->n = n;
}

static void merge(Learning *l, int32_t pair)
{
    int32_t left = l->pairs[pair].left, right = l->pairs[pair].right;
    int32_t result = tokenizer_add_merge(l->tokenizer, left, right);
    /* The list may grow while it is read, but only by words that were read already. */
    size_t n_words = l->pairs[pair].n_words;
    for (size_t i = 0; i < n_words; i++) {
        int32_t word = l->pairs[pair].words[i];
        if (!holds(&l->words[word], left, right))
            continue;
        count_word(l, word, false);
        replace(&l->words[word], left, right, result);
        count_word(l, word, true);
    }
    push_raised(l);
}

static void learn_merges(Learning *l, const TokenizerSpec *spec)
{
    for (int32_t word = 0; word < l->n_words; word++)
        count_word(l, word, true);
    push_raised(l);
    while (l->tokenizer->n_merges < spec->n_merges && l->n_heap) {
        HeapItem top = heap_pop(l);
        int64_t count = l->pairs[top.pair].count;
        if (count < spec->min_pair_count)
            continue;
        if (count != top.count)
            heap_push(l, top.pair);
        else
            merge(l, top.pair);
    }
}

/* ---- the learner ---- */

static LearnWord read_word(const Tokenizer *t, const char *text, size_t n, int count)
{
    LearnWord word = {.symbols = memory_new(n, sizeof *word.symbols), .count = count};
    for (size_t offset = 0; offset < n;) {
        uint32_t code;
        size_t bytes = (size_t)utf8_decode(text + offset, n - offset, &code);
        word.symbols[word.n++] = code ? strmap_get(t->ids, text + offset, bytes) : -1;
        offset += bytes;
    }
    /* Encoding cuts such a word anyway; it has nothing to teach. */
    if (word.n > MAX_SYMBOLS)
        word.n = 0;
    return word;
}

static void learning_deinit(Learning *l)
{
    for (int32_t i = 0; i < l->n_words; i++)
        free(l->words[i].symbols);
    for (size_t i = 0; i < l->n_pairs; i++)
        free(l->pairs[i].words);
    free(l->words);
    free(l->pairs);
    pairs_deinit(&l->index);
    free(l->heap);
    free(l->raised);
}

Tokenizer *tokenizer_learner_finish(TokenizerLearner *learner)
{
    TokenizerSpec spec = learner->spec;
    if (spec.min_pair_count < 1)
        spec.min_pair_count = 2;
    Tokenizer *t = tokenizer_new(spec.fold);
    add_letters(t, learner);
    Learning l = {.tokenizer = t, .n_words = strmap_count(learner->words)};
    l.words = memory_new((size_t)l.n_words, sizeof *l.words);
    for (int32_t i = 0; i < l.n_words; i++) {
        size_t n;
        int count;
        const char *text = strmap_key(learner->words, i, &n, &count);
        l.words[i] = read_word(t, text, n, count);
    }
    learn_merges(&l, &spec);
    learning_deinit(&l);
    strmap_free(learner->words);
    strbuf_free(&learner->buffer);
    free(learner);
    tokenizer_prepare(t);
    return t;
}
