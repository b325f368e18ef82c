#include "text/sentences.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <utf8proc.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "text/splitter.h"

#define LONGEST_TAG 100 /* bytes of <br ...> */
#define LOOK_AHEAD  4   /* opening marks in front of a sentence's first word */

typedef enum {
    ITEM_WORD,
    ITEM_STOP,         /* .                                               */
    ITEM_DOTS,         /* ... and the like                                */
    ITEM_CALL,         /* ! ?                                             */
    ITEM_WIDE,         /* ends a sentence whatever follows                */
    ITEM_QUOTE,        /* opens or closes: " '                            */
    ITEM_OPENING,      /* ( [ “ «                                         */
    ITEM_CLOSING,      /* ) ] ” », and faces, which belong to what is said */
    ITEM_COMMA,        /* , ; : : the sentence goes on                    */
    ITEM_ABBREVIATION, /* U.S. p.m.                                   */
    ITEM_OTHER,        /* dashes, bullets, ...                            */
} ItemKind;

typedef struct Item {
    size_t begin, end;
    ItemKind kind;
    bool spaced;
    bool new_line; /* a line, paragraph or tag ended before it */
} Item;

typedef struct Document {
    const char *text;
    size_t n;
    Item *items;
    size_t n_items, capacity;
} Document;

/* ---- reading ---- */

static ItemKind mark_kind(uint32_t code)
{
    switch (code) {
    case '.': return ITEM_STOP;
    case 0x2026: return ITEM_DOTS;
    case '!':
    case '?':
    case 0x203C:
    case 0x203D:
    case 0x2047:
    case 0x2048:
    case 0x2049: return ITEM_CALL;
    case 0x0589:
    case 0x061F:
    case 0x06D4:
    case 0x0964:
    case 0x0965:
    case 0x1362:
    case 0x17D4:
    case 0x3002:
    case 0xFF01:
    case 0xFF0E:
    case 0xFF1F:
    case 0xFF61: return ITEM_WIDE;
    case '"':
    case '\'': return ITEM_QUOTE;
    case ',':
    case ';':
    case ':': return ITEM_COMMA;
    default: break;
    }
    switch (utf8proc_category((utf8proc_int32_t)code)) {
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PI: return ITEM_OPENING;
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PF: return ITEM_CLOSING;
    default: return ITEM_OTHER;
    }
}

static ItemKind kind_of(const char *text, const SplitWord *word)
{
    size_t n = word->end - word->begin;
    const char *at = text + word->begin;
    uint32_t code;
    size_t first = (size_t)utf8_decode(at, n, &code);
    if (word->kind == SPLIT_LETTERS)
        return n > 2 && at[n - 1] == '.' ? ITEM_ABBREVIATION : ITEM_WORD;
    ItemKind kind = mark_kind(code);
    if (word->kind == SPLIT_CJK)
        return kind == ITEM_OTHER ? ITEM_WORD : kind;
    if (n == first)
        return kind == ITEM_OTHER && code >= 0x2600 &&
                       utf8proc_category((utf8proc_int32_t)code) == UTF8PROC_CATEGORY_SO
                   ? ITEM_CLOSING
                   : kind;
    if (code == '.')
        return ITEM_DOTS;
    if (memcmp(at, "``", 2) == 0)
        return ITEM_OPENING;
    if (memcmp(at, "''", 2) == 0)
        return ITEM_CLOSING;
    /* A face, :-), is of several marks; a run, !!, is of one. */
    return kind == ITEM_COMMA && at[0] != at[1] ? ITEM_CLOSING : kind;
}

/* The end of a tag that breaks the line, <br ...> or <p> or </p>, or `begin`. */
static size_t line_tag_end(const char *text, size_t n, size_t begin)
{
    size_t at = begin + 1;
    if (text[begin] != '<')
        return begin;
    at += at < n && text[at] == '/';
    size_t name = at;
    while (at < n && at - name < 3 && text[at] >= 'A')
        at++;
    bool known = (at - name == 2 && strncasecmp(text + name, "br", 2) == 0) ||
                 (at - name == 1 && (text[name] | 0x20) == 'p');
    while (known && at < n && at - begin < LONGEST_TAG && text[at] != '>' && text[at] != '<')
        at++;
    return known && at < n && text[at] == '>' ? at + 1 : begin;
}

static bool has_line_end(const char *text, size_t begin, size_t end)
{
    uint32_t code;
    for (size_t i = begin; i < end;) {
        i += (size_t)utf8_decode(text + i, end - i, &code);
        if ((code >= '\n' && code <= '\r') || code == 0x85 || code == 0x2028 || code == 0x2029)
            return true;
    }
    return false;
}

static void read_items(Document *d)
{
    Splitter splitter;
    SplitWord word;
    size_t end = 0;
    bool new_line = false;
    splitter_init(&splitter, d->text, d->n, SPLIT_TREEBANK);
    while (splitter_next(&splitter, &word)) {
        new_line |= has_line_end(d->text, end, word.begin);
        size_t tag = line_tag_end(d->text, d->n, word.begin);
        if (tag > word.begin) {
            new_line = true;
            splitter.offset = end = tag;
            continue;
        }
        d->items = memory_grow(d->items, &d->capacity, d->n_items + 1, sizeof *d->items);
        d->items[d->n_items++] = (Item){.begin = word.begin,
                                        .end = word.end,
                                        .kind = kind_of(d->text, &word),
                                        .spaced = word.spaced,
                                        .new_line = new_line};
        end = word.end;
        new_line = false;
    }
}

/* ---- what stands before and behind a mark ---- */

static bool is_one_of(const Document *d, const Item *item, const char *const *list)
{
    size_t n = item->end - item->begin;
    for (; *list; list++)
        if (strlen(*list) == n && strncasecmp(*list, d->text + item->begin, n) == 0)
            return true;
    return false;
}

/* A name follows. */
static bool is_title(const Document *d, const Item *item)
{
    static const char *const titles[] = {
        "mr",  "mrs", "ms",   "dr",   "prof", "rev",  "hon",  "gen",    "sen", "rep",  "gov",
        "col", "lt",  "capt", "cpt",  "sgt",  "cmdr", "pres", "messrs", "mme", "mlle", "mm",
        "vs",  "cf",  "viz",  "e.g.", "i.e.", "p.s.", "eg",   "ie",     NULL};
    return is_one_of(d, item, titles);
}

/* A number follows. */
static bool is_counter(const Document *d, const Item *item)
{
    static const char *const counters[] = {"no",   "nos", "nr",  "vol", "vols", "p",  "pp", "fig",
                                           "figs", "ch",  "art", "sec", "op",   "pt", NULL};
    return is_one_of(d, item, counters);
}

/* Stands inside sentences as well as at their ends. */
static bool is_abbreviation(const Document *d, const Item *item)
{
    static const char *const others[] = {
        "etc",  "inc",  "ltd",  "co",  "corp", "bros",   "jr",   "sr",   "st",   "mt",   "al",
        "dept", "univ", "assn", "ave", "blvd", "approx", "jan",  "feb",  "aug",  "sept", "oct",
        "nov",  "dec",  "ph",   "esp", "misc", "dir",    "prod", "feat", "incl", "ext",  NULL};
    return item->kind == ITEM_ABBREVIATION || is_one_of(d, item, others);
}

/* Words that are seldom written with a capital but at the start of a sentence. */
static bool is_starter(const Document *d, const Item *item)
{
    static const char *const starters[] = {
        "the",      "a",         "an",      "he",         "she",     "it",    "they",   "we",
        "you",      "i",         "this",    "that",       "these",   "those", "there",  "then",
        "but",      "and",       "so",      "in",         "on",      "at",    "if",     "when",
        "while",    "where",     "his",     "her",        "their",   "my",    "our",    "its",
        "your",     "as",        "for",     "from",       "with",    "after", "before", "although",
        "though",   "however",   "what",    "who",        "why",     "how",   "also",   "not",
        "no",       "yes",       "to",      "by",         "because", "some",  "all",    "once",
        "now",      "here",      "are",     "is",         "was",     "did",   "do",     "does",
        "one",      "another",   "both",    "even",       "every",   "many",  "most",   "nobody",
        "everyone", "everybody", "nothing", "everything", "someone", "other", "others", "please",
        "let",      "have",      "has",     "would",      NULL};
    return is_one_of(d, item, starters);
}

static uint32_t first_code(const Document *d, const Item *item)
{
    uint32_t code;
    utf8_decode(d->text + item->begin, item->end - item->begin, &code);
    return code;
}

static bool is_single_letter(const Document *d, const Item *item)
{
    uint32_t code;
    size_t bytes = (size_t)utf8_decode(d->text + item->begin, item->end - item->begin, &code);
    return item->kind == ITEM_WORD && bytes == item->end - item->begin &&
           character_class(code) == CHARACTER_LETTER;
}

static bool is_number(const Document *d, const Item *item)
{
    return item->kind == ITEM_WORD && character_class(first_code(d, item)) == CHARACTER_DIGIT;
}

typedef enum { START_OTHER, START_CAPITAL, START_SMALL, START_DIGIT } StartKind;

/* How the text goes on at `next`, opening marks left aside; *word is the item looked at.
 * Letters without case count as capitals. */
static StartKind start_at(const Document *d, size_t next, size_t *word)
{
    size_t i = next;
    while (i < d->n_items && i < next + LOOK_AHEAD &&
           (d->items[i].kind == ITEM_OPENING || d->items[i].kind == ITEM_QUOTE))
        i++;
    *word = i;
    if (i >= d->n_items)
        return START_OTHER;
    uint32_t code = first_code(d, &d->items[i]);
    if (code == '\'' && d->items[i].end > d->items[i].begin + 1)
        return START_SMALL; /* 'em, 'til */
    switch (character_class(code)) {
    case CHARACTER_DIGIT: return START_DIGIT;
    case CHARACTER_CJK: return START_CAPITAL;
    case CHARACTER_LETTER:
        return utf8proc_category((utf8proc_int32_t)code) == UTF8PROC_CATEGORY_LL ? START_SMALL
                                                                                 : START_CAPITAL;
    default: return START_OTHER;
    }
}

/* ---- where a sentence ends ---- */

/* Is the item at i the number or letter of a list, "1." or "b."? */
static bool is_list_mark(const Document *d, size_t first, size_t i)
{
    return i == first + 1 &&
           (is_number(d, &d->items[first]) || is_single_letter(d, &d->items[first]));
}

/* A full stop with the next word written to it: "good.The" ends, "fovea.c" and "Ph.D" do not. */
static bool tight_stop_ends(const Document *d, size_t i, size_t next, StartKind start, size_t word)
{
    const Item *before = &d->items[i - 1];
    uint32_t code = first_code(d, &d->items[word]);
    if (character_class(code) == CHARACTER_CJK)
        return true;
    if (start != START_CAPITAL || (is_single_letter(d, &d->items[word]) && code != 'I'))
        return false;
    if (next > i + 1)
        return true;
    if (d->items[i].spaced) /* "bad .The", but not ".NET" */
        return start_at(d, next, &word) == START_CAPITAL &&
               d->items[word].end > d->items[word].begin + 1 &&
               (d->text[d->items[word].begin + 1] & 0x20);
    return !is_single_letter(d, before) && !is_title(d, before) && !is_abbreviation(d, before);
}

/* The full stop at i, i > first, or an abbreviation that ends with one. */
static bool stop_ends(const Document *d, size_t first, size_t i, size_t next)
{
    size_t word;
    StartKind start = start_at(d, next, &word);
    const Item *mark = &d->items[i];
    const Item *before = mark->kind == ITEM_ABBREVIATION ? mark : mark - 1;
    bool closed = next > i + 1;
    if (!d->items[next].spaced)
        return mark->kind == ITEM_STOP && word < d->n_items &&
               tight_stop_ends(d, i, next, start, word);
    if (mark->kind == ITEM_STOP && !closed && is_list_mark(d, first, i))
        return false;
    if (start == START_SMALL && closed)
        return false;
    if (is_title(d, before) || (start == START_DIGIT && is_counter(d, before)))
        return false;
    bool initial = is_single_letter(d, before) && first_code(d, before) != 'I' && !mark->spaced &&
                   utf8_is_upper(first_code(d, before));
    if ((initial || is_abbreviation(d, before)) && !closed)
        return start == START_CAPITAL && is_starter(d, &d->items[word]);
    return true;
}

/* ! or ? at i. */
static bool call_ends(const Document *d, size_t i, size_t next)
{
    size_t word;
    StartKind start = start_at(d, next, &word);
    bool closed = next > i + 1 && d->items[next - 1].kind != ITEM_CALL;
    if (i > 0 && d->items[i - 1].kind == ITEM_OPENING) /* (!) */
        return false;
    if (start == START_SMALL)
        return !closed;
    return d->items[next].spaced || start == START_CAPITAL;
}

static bool dots_end(const Document *d, size_t next)
{
    size_t word;
    return start_at(d, next, &word) == START_CAPITAL &&
           (d->items[next].spaced ||
            character_class(first_code(d, &d->items[word])) != CHARACTER_CJK);
}

static bool ends(const Document *d, size_t first, size_t i, size_t next, ItemKind kind)
{
    if (next >= d->n_items || kind == ITEM_WIDE)
        return true;
    const Item *after = &d->items[next];
    if (after->kind == ITEM_COMMA || (after->kind == ITEM_OTHER && !after->spaced))
        return false;
    if (after->kind == ITEM_OPENING && next + 1 < d->n_items && is_number(d, &d->items[next + 1]))
        return false; /* a year or count in brackets belongs to the title before it */
    switch (kind) {
    case ITEM_DOTS: return dots_end(d, next);
    case ITEM_CALL: return call_ends(d, i, next);
    default: return stop_ends(d, first, i, next);
    }
}

static bool is_last_or_spaced(const Document *d, size_t i)
{
    return i >= d->n_items || d->items[i].spaced || d->items[i].new_line;
}

/* Does the item at j belong to the mark before it? `quoted`: a quote is open. */
static bool belongs(const Document *d, size_t j, bool quoted)
{
    const Item *item = &d->items[j];
    if (item->new_line)
        return false;
    switch (item->kind) {
    case ITEM_STOP:
    case ITEM_DOTS:
    case ITEM_CALL:
    case ITEM_WIDE: return !item->spaced || is_last_or_spaced(d, j + 1);
    case ITEM_CLOSING: return true;
    case ITEM_QUOTE:
        return item->spaced ? quoted && is_last_or_spaced(d, j + 1)
                            : quoted || is_last_or_spaced(d, j + 1);
    default: return false;
    }
}

static ItemKind stronger(ItemKind a, ItemKind b)
{
    static const ItemKind order[] = {ITEM_WIDE, ITEM_DOTS, ITEM_CALL};
    for (size_t i = 0; i < 3; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return a;
}

static void add_sentence(const Document *d, size_t first, size_t next, int max_words,
                         SentenceList *out)
{
    size_t most = max_words > 0 ? (size_t)max_words : SIZE_MAX;
    while (first < next) {
        size_t n = next - first < most ? next - first : most;
        out->items = memory_grow(out->items, &out->capacity, out->n + 1, sizeof *out->items);
        out->items[out->n++] =
            (Sentence){d->items[first].begin, d->items[first + n - 1].end, (int)n};
        first += n;
    }
}

static bool is_mark(ItemKind kind)
{
    return kind == ITEM_STOP || kind == ITEM_DOTS || kind == ITEM_CALL || kind == ITEM_WIDE ||
           kind == ITEM_ABBREVIATION;
}

/* A mark at i and all that belongs to it; returns the item behind. */
static size_t take_mark(const Document *d, size_t i, bool *quoted, ItemKind *kind)
{
    size_t next = i + 1;
    *kind = d->items[i].kind;
    for (; next < d->n_items && belongs(d, next, *quoted); next++) {
        *quoted ^= d->items[next].kind == ITEM_QUOTE;
        if (is_mark(d->items[next].kind))
            *kind = stronger(*kind, d->items[next].kind);
    }
    return next;
}

void sentences_split(const char *text, size_t n, int max_words, SentenceList *out)
{
    Document d = {.text = text, .n = n};
    read_items(&d);
    size_t first = 0;
    bool quoted = false;
    for (size_t i = 0, next; i < d.n_items; i = next) {
        ItemKind kind = d.items[i].kind;
        next = i + 1;
        bool cut = false;
        if (is_mark(kind) && (i > first || kind != ITEM_STOP)) {
            next = take_mark(&d, i, &quoted, &kind);
            cut = ends(&d, first, i, next, kind);
        } else {
            quoted ^= kind == ITEM_QUOTE;
        }
        if (cut || next >= d.n_items || d.items[next].new_line) {
            add_sentence(&d, first, next, max_words, out);
            first = next;
            quoted = false;
        }
    }
    free(d.items);
}

void sentence_list_free(SentenceList *list)
{
    free(list->items);
    *list = (SentenceList){0};
}
