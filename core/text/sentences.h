/* sentences.h - running text cut into sentences, with the place of each.
 *
 * A sentence ends
 *   - at the end of a line or paragraph, and at <br> and <p> of web pages;
 *   - at . ! ? ... with the quotes and brackets that close behind it, unless what follows
 *     says that it goes on (below); the next sentence may be written without a space
 *     ("good.The next") if it starts with a capital;
 *   - always at the full stops of scripts without capitals: 。 ！ ？ ． ｡ । ॥ ۔ ؟ ።;
 *   - after max_words words (of splitter.h, SPLIT_TREEBANK): the rest is a new sentence.
 *
 * A full stop ends nothing
 *   - inside 3.5, U.S., p.m., links, file names (all lower-case behind it), ".5";
 *   - after a title (Mr. Dr. Prof.), after e.g. i.e. vs. cf., after no. vol. p. before digits;
 *   - after other abbreviations (etc. Inc. Jr. U.S. p.m.) and initials (J. K. Rowling), unless
 *     a word follows that often starts a sentence ("in the U.S. The ...");
 *   - after the number or letter of a list at the start of a sentence: "1. First".
 * Behind an ordinary word it does, even before a small letter: people write like that. Dots
 * (... …) end a sentence only before a capital; ! and ? inside "What?" he said and (!) do not.
 *
 * A rule-based splitter was chosen over the sentence breaks of Unicode (UAX 29, in ICU),
 * which stop after Mr. and J., and do not stop before a small letter or a missing space.
 *
 * Invariants:
 *   1. Sentences are in order, never empty, do not overlap, start and end with a word of the
 *      splitter; what lies between them is white space and tags.
 *   2. Any bytes are accepted. Linear in n.
 *
 * Threads: pure. Depends on: base, splitter.
 */
#ifndef FOVEA_TEXT_SENTENCES_H
#define FOVEA_TEXT_SENTENCES_H
#include <stddef.h>
#include <stdint.h>

typedef struct Sentence {
    size_t begin; /* bytes of the text, end exclusive */
    size_t end;
    int n_words;
} Sentence;

/* Zero-initialised is empty; grows, and keeps its memory when cleared (n = 0). */
typedef struct SentenceList {
    Sentence *items;
    size_t n;
    size_t capacity;
} SentenceList;

/* Appends the sentences of text[0..n). max_words 0: sentences may be of any length. */
void sentences_split(const char *text, size_t n, int max_words, SentenceList *out);

void sentence_list_free(SentenceList *list);

#endif
