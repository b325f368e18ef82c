/* What is accepted has questions about sentences of their own story, inside the file. */
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "format/babi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_question(const Babi *b, const BabiQuestion *q)
{
    const char *begin = b->bytes.data, *end = begin + b->bytes.size;
    FOVEA_CHECK(q->first_sentence >= 0 && q->n_sentences >= 0 &&
                    q->first_sentence + q->n_sentences <= b->n_sentences,
                "sentences of line %d", q->line);
    FOVEA_CHECK(q->answer.n > 0 && q->answer.text >= begin && q->answer.text + q->answer.n <= end,
                "answer of line %d", q->line);
    for (int i = 0; i < q->n_supports; i++)
        FOVEA_CHECK(q->supports[i] >= 0 && q->supports[i] < q->n_sentences, "support of line %d",
                    q->line);
    free(babi_story(b, q));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    Babi babi;
    Bytes bytes = {memory_copy_bytes((const char *)data, size), size};
    if (babi_parse("fuzz", bytes, &babi, &error)) {
        for (int i = 0; i < babi.n_questions; i++)
            check_question(&babi, &babi.questions[i]);
        for (int i = 1; i <= babi.n_stories; i++)
            FOVEA_CHECK(babi_find(&babi, i, 0, &error), "story %d", i);
    } else {
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
    }
    babi_free(&babi);
    return 0;
}
