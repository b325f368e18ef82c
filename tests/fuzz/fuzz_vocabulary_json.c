/* Whatever is read as a tokenizer or a vocabulary must encode text, and be written and read
 * again to the same JSON. */
#include <string.h>

#include "base/json_text.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char sample[] = "L'homme \u00ab ne dort pas \u00bb. abc abd 12 \u6f22 \xFF isn't";

static void use_tokenizer(const Tokenizer *t)
{
    Error error = {0};
    TokenList list = {0};
    StrBuf out = {0};
    tokenizer_encode(t, sample, sizeof sample - 1, &list);
    for (size_t i = 0; i < list.n; i++)
        tokenizer_decode(t, &list.items[i].id, 1, TOKENIZER_FRENCH, &out, NULL);
    json_t *first = tokenizer_to_json(t);
    Tokenizer *again = tokenizer_from_json(first, "again", &error);
    FOVEA_CHECK(again, "%s", error.message);
    json_t *second = tokenizer_to_json(again);
    FOVEA_CHECK(json_equal(first, second), "the tokenizer changed");
    json_decref(first);
    json_decref(second);
    tokenizer_free(again);
    token_list_free(&list);
    strbuf_free(&out);
}

static void use_vocabulary(const Vocabulary *v)
{
    Error error = {0};
    TokenList list = {0};
    vocabulary_encode(v, sample, sizeof sample - 1, &list);
    json_t *first = vocabulary_to_json(v);
    Vocabulary *again = vocabulary_from_json(first, "again", &error);
    FOVEA_CHECK(again, "%s", error.message);
    json_t *second = vocabulary_to_json(again);
    FOVEA_CHECK(json_equal(first, second), "the vocabulary changed");
    json_decref(first);
    json_decref(second);
    vocabulary_free(again);
    token_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    json_t *value = json_text_parse((const char *)data, size, "fuzz", &error);
    if (!value)
        return 0;
    Tokenizer *t = tokenizer_from_json(value, "fuzz", &error);
    FOVEA_CHECK(t || error_is_set(&error), "refused without a message");
    if (t)
        use_tokenizer(t);
    tokenizer_free(t);
    error_clear(&error);
    Vocabulary *v = vocabulary_from_json(value, "fuzz", &error);
    FOVEA_CHECK(v || error_is_set(&error), "refused without a message");
    if (v)
        use_vocabulary(v);
    vocabulary_free(v);
    json_decref(value);
    return 0;
}
