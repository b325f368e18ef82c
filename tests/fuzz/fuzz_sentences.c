/* Any bytes: sentences are in order, of whole words, no longer than asked for, also when one
 * stands alone; and the scores accept the text. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/bleu.h"
#include "text/chrf.h"
#include "text/sentences.h"
#include "text/splitter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_WORDS 5

static int count_words(const char *text, size_t n)
{
    Splitter splitter;
    SplitWord word;
    int words = 0;
    splitter_init(&splitter, text, n, SPLIT_TREEBANK);
    while (splitter_next(&splitter, &word))
        words++;
    return words;
}

static void check_scores(const char *data, size_t size)
{
    char *text = memory_copy_bytes(data, size);
    for (BleuTokens tokens = BLEU_13A; tokens <= BLEU_CHARS; tokens++) {
        Bleu bleu = {.tokens = tokens};
        bleu_add(&bleu, text, text);
        FOVEA_CHECK(bleu.match[0] == bleu.total[0], "a text does not match itself");
    }
    Chrf chrf = {0};
    chrf_add(&chrf, text, text);
    FOVEA_CHECK(chrf.match[0] == chrf.reference[0], "a text does not match itself");
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    SentenceList list = {0};
    sentences_split(text, size, MAX_WORDS, &list);
    size_t at = 0;
    for (size_t i = 0; i < list.n; i++) {
        const Sentence *s = &list.items[i];
        FOVEA_CHECK(s->begin >= at && s->end > s->begin && s->end <= size, "sentence %zu", i);
        int alone = count_words(text + s->begin, s->end - s->begin);
        FOVEA_CHECK(s->n_words >= 1 && s->n_words <= MAX_WORDS && alone <= MAX_WORDS,
                    "sentence %zu has %d words, %d alone", i, s->n_words, alone);
        at = s->end;
    }
    sentence_list_free(&list);
    check_scores(text, size);
    return 0;
}
