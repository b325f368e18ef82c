/* bleu.h - corpus BLEU of translations against one reference each.
 *
 * Papineni, Roukos, Ward, Zhu 2002; the numbers are those of sacreBLEU (Post 2018, arXiv
 * 1804.08771) with its defaults, so that they can be compared with published ones:
 *   p_n   = matched n-grams / n-grams of the hypotheses, n = 1..4, summed over the corpus,
 *           matches clipped by the reference sentence by sentence;
 *           the k-th order without a match counts 1 / (2^k total)  ("exp" smoothing)
 *   BP    = 1 if the hypotheses are at least as long as the references, else e^(1 - r/h)
 *   BLEU  = 100 BP (p_1 p_2 p_3 p_4)^(1/4); 0 when nothing matches, or when no hypothesis
 *           has four words
 * Words come from the tokenisation that WMT has used since mteval-v13a, applied to the text
 * as people read it; Chinese is scored by character.
 *
 * Memory: a Bleu is plain sums. Threads: one at a time. Depends on: base.
 */
#ifndef FOVEA_TEXT_BLEU_H
#define FOVEA_TEXT_BLEU_H
#include <stdint.h>

#include "base/strbuf.h"

#define BLEU_ORDER 4

typedef enum {
    BLEU_13A,     /* "13a": punctuation apart from words, but for . and , inside numbers */
    BLEU_CHINESE, /* "zh": the same, and every Chinese character apart                   */
    BLEU_CHARS,   /* "char": every character apart                                       */
} BleuTokens;

/* Zero-initialise, choose `tokens`, add sentence by sentence, ask for the score. */
typedef struct Bleu {
    BleuTokens tokens;
    int64_t hypothesis_length, reference_length; /* words */
    int64_t match[BLEU_ORDER], total[BLEU_ORDER];
} Bleu;

typedef struct BleuScore {
    double score; /* 0..100 */
    double precision[BLEU_ORDER];
    double brevity_penalty;
} BleuScore;

void bleu_add(Bleu *bleu, const char *hypothesis, const char *reference);
BleuScore bleu_score(const Bleu *bleu);

/* "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp": how the number was made. */
const char *bleu_signature(BleuTokens tokens);

/* Appends the words of a text, one space between. */
void bleu_tokenize(BleuTokens tokens, const char *text, StrBuf *out);

#endif
