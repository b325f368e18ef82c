/* Any bytes: what is encoded must come back as it was, normalised as the header says, and
 * every piece must lie where it says. */
#include <stdlib.h>
#include <string.h>

#include "text/tokenizer.h"

#include "../core/text/normalised.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Tokenizer *learn(bool fold)
{
    static const char *const lines[] = {
        "L'homme ne dort pas, n'est-ce pas ? Il dit : \u00ab oui \u00bb.",
        "The man isn't sleeping (is he?) \u6f22\u5b57 12.5",
        "The man isn't sleeping. L'homme ne dort pas."};
    TokenizerLearner *learner =
        tokenizer_learner_new(&(TokenizerSpec){.n_merges = 60, .fold = fold});
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        tokenizer_learner_add(learner, lines[i], strlen(lines[i]));
    return tokenizer_learner_finish(learner);
}

static void check_spans(const TokenList *list, size_t n)
{
    int32_t begin = 0, end = 0;
    for (size_t i = 0; i < list->n; i++) {
        const Token *token = &list->items[i];
        bool same = token->begin == begin && token->end == end;
        FOVEA_CHECK(token->end >= token->begin && (size_t)token->end <= n &&
                        (same || token->begin >= end),
                    "token %zu at [%d, %d) after [%d, %d)", i, (int)token->begin, (int)token->end,
                    (int)begin, (int)end);
        begin = token->begin;
        end = token->end;
    }
}

static void decode_list(const Tokenizer *t, const TokenList *list, unsigned options, StrBuf *out)
{
    int32_t *ids = malloc((list->n + 1) * sizeof *ids);
    TokenList spans = {0};
    FOVEA_CHECK(ids, "no memory");
    for (size_t i = 0; i < list->n; i++)
        ids[i] = list->items[i].id;
    strbuf_add(out, "");
    tokenizer_decode(t, ids, list->n, options, out, &spans);
    FOVEA_CHECK(utf8_is_valid(out->text, out->length), "decoded to bad UTF-8");
    FOVEA_CHECK(spans.n == list->n, "%zu spans for %zu pieces", spans.n, list->n);
    check_spans(&spans, out->length);
    token_list_free(&spans);
    free(ids);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Kept between inputs: learning takes much longer than any input. */
    static Tokenizer *tokenizers[2];
    const char *text = (const char *)data;
    for (int fold = 0; fold < 2; fold++) {
        if (!tokenizers[fold])
            tokenizers[fold] = learn(fold);
        const Tokenizer *t = tokenizers[fold];
        TokenList list = {0};
        StrBuf plain = {0}, french = {0}, wanted = {0};
        tokenizer_encode(t, text, size, &list);
        check_spans(&list, size);
        decode_list(t, &list, 0, &plain);
        decode_list(t, &list, TOKENIZER_FRENCH, &french);
        add_normalised(&wanted, text, size);
        FOVEA_CHECK(fold || (plain.length == wanted.length &&
                             (!plain.length || !memcmp(plain.text, wanted.text, plain.length))),
                    "\"%s\" came back as \"%s\"", wanted.text, plain.text);
        strbuf_free(&plain);
        strbuf_free(&french);
        strbuf_free(&wanted);
        token_list_free(&list);
    }
    return 0;
}
