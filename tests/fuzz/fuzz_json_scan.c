/* What is walked without building values is what jansson makes of the same bytes; what jansson
 * refuses is never accepted. */
#include "base/json_scan.h"
#include "text/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare_tokenizers(const char *text, size_t size, const json_t *value)
{
    json_t *string = json_stringn(text, size);
    if (!string)
        return; /* not UTF-8: no JSON either */
    Error first = {0}, second = {0};
    Tokenizer *walked = tokenizer_from_json(string, "x", &first);
    Tokenizer *built = json_is_string(value) ? NULL : tokenizer_from_json(value, "x", &second);
    FOVEA_CHECK(!walked || built, "a tokenizer of what is none");
    FOVEA_CHECK(walked || !value || json_is_string(value) || !built, "refused: %s", first.message);
    if (walked) {
        json_t *a = tokenizer_to_json(walked), *b = tokenizer_to_json(built);
        FOVEA_CHECK(json_equal(a, b), "two tokenizers of one text");
        json_decref(a);
        json_decref(b);
    }
    tokenizer_free(walked);
    tokenizer_free(built);
    json_decref(string);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    json_t *walked = json_scan_object(text, size, NULL);
    json_t *value = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    FOVEA_CHECK(!walked || value, "accepted what is no JSON");
    FOVEA_CHECK(!walked || json_equal(walked, value), "walked to another value");
    compare_tokenizers(text, size, value);
    json_decref(walked);
    json_decref(value);
    return 0;
}
