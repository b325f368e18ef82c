/* splitter.h - running text cut into words, with the place of each word.
 *
 * The words are what an alignment is drawn between and what a classifier looks up, so the
 * cuts are made where two languages correspond word by word:
 *
 *   white space     separates and belongs to no word
 *   letters, digits stay together ("B2"); so do 3.5 1,000 10:30, hyphened words, and
 *                   abbreviations of single letters (U.S. p.m.)
 *   elisions        l' d' j' m' t' s' n' c' qu' jusqu' lorsqu' puisqu' quoiqu' are words of
 *                   their own: l'|homme, so that "homme" is the same word as in "un homme";
 *                   aujourd'hui and quelqu'un stay whole (SPLIT_TRANSLATION only)
 *   contractions    English 's 'm 'd 'll 've 're and n't are words: do|n't, it|'s, so that
 *                   "n't" can meet "ne ... pas"; can't won't shan't ain't stay whole where
 *                   readers would stumble over "ca" (SPLIT_TRANSLATION), and are cut like
 *                   the rest where a treebank is the model (SPLIT_TREEBANK); there, text that
 *                   was cut already ("it 's", "-lrb-") keeps its words
 *   clitics         French -tu -vous -ce -t-il ... after a verb are words of their own:
 *                   peux|-tu, a|-t-il (SPLIT_TRANSLATION only)
 *   punctuation     apart from letters; a run of one ASCII mark is one word (... -- !!);
 *                   :-) ;) and their kind are one word
 *   emoji           one user-perceived character each
 *   Han, kana       one character each, and so full-width punctuation
 *   links           http://... https://... www. ... up to white space are one word
 *
 * Why rules of our own: the word breaks of Unicode (UAX 29, measured with ICU 72 on 4,000
 * film reviews) cut "..." in three, sci-fi in three and a link in a dozen, join "great.The"
 * across a missing space, leave don't whole, and open in 6 to 10 ms, which is half of what a
 * command may take to start; these rules do better there and run at 33 MB/s against 23.
 *
 * Invariants:
 *   1. Words are in reading order, do not overlap, are never empty and lie on character
 *      boundaries; the bytes between them are white space, nothing is lost.
 *   2. Any bytes are accepted; a byte that is not UTF-8 is punctuation.
 *
 * Memory: none; the text is borrowed. Threads: a Splitter belongs to one.
 * Depends on: base.
 */
#ifndef FOVEA_TEXT_SPLITTER_H
#define FOVEA_TEXT_SPLITTER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPLITTER_MAX_PARTS 12 /* of one word: elisions, a core, clitics, contractions */

typedef enum { SPLIT_TRANSLATION, SPLIT_TREEBANK } SplitStyle;

typedef enum {
    SPLIT_LETTERS,     /* letters and digits, and what is inside them */
    SPLIT_PUNCTUATION, /* marks, symbols, emoji, controls             */
    SPLIT_CJK,         /* one character of a script without spaces    */
} SplitKind;

typedef struct SplitWord {
    size_t begin; /* bytes of the text, end exclusive */
    size_t end;
    SplitKind kind;
    bool spaced; /* white space before it, or the start of the text     */
    bool part;   /* the rest of a word that was cut: 's, -tu, homme      */
    bool elided; /* l', qu': the word after it is written without space */
} SplitWord;

typedef struct Splitter {
    const char *text;
    size_t n;
    SplitStyle style;
    size_t offset;                   /* where reading goes on                     */
    size_t ends[SPLITTER_MAX_PARTS]; /* of the parts of a word that was cut       */
    bool elided[SPLITTER_MAX_PARTS];
    int n_parts, next_part;
} Splitter;

void splitter_init(Splitter *splitter, const char *text, size_t n, SplitStyle style);

/* The next word, or false at the end of the text. */
bool splitter_next(Splitter *splitter, SplitWord *word);

/* What a character counts as; the classes that the cuts are made from. */
typedef enum {
    CHARACTER_SPACE,
    CHARACTER_LETTER,
    CHARACTER_DIGIT,
    CHARACTER_MARK, /* combining and invisible: belongs to the character before it */
    CHARACTER_CJK,
    CHARACTER_PUNCTUATION /* everything else */
} CharacterClass;

CharacterClass character_class(uint32_t code);

#endif
