#include "text/bleu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strmap.h"
#include "base/utf8.h"
#include "text/codes.h"
#include "text/ngrams.h"

/* ---- the tokenisation of mteval-v13a ---- */

static void replace(StrBuf *text, const char *from, const char *to)
{
    StrBuf out = {0};
    const char *at = text->text;
    for (const char *hit; (hit = strstr(at, from)); at = hit + strlen(from)) {
        strbuf_add_bytes(&out, at, (size_t)(hit - at));
        strbuf_add(&out, to);
    }
    strbuf_add(&out, at);
    strbuf_free(text);
    *text = out;
}

/* The part that knows no language: marks of the old corpora, line ends, entities. */
static void clean(StrBuf *text)
{
    static const char *const rules[][2] = {
        {"<skipped>", ""}, {"-\n", ""},   {"\n", " "},   {"&quot;", "\""},
        {"&amp;", "&"},    {"&lt;", "<"}, {"&gt;", ">"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        replace(text, rules[i][0], rules[i][1]);
}

static bool is_digit(uint32_t code)
{
    return code >= '0' && code <= '9';
}

/* ASCII punctuation but for apostrophe, comma, hyphen and full stop. */
static bool stands_alone(uint32_t code)
{
    return (code >= ' ' && code <= '&') || (code >= '(' && code <= '+') || code == '/' ||
           (code >= ':' && code <= '@') || (code >= '[' && code <= '`') ||
           (code >= '{' && code <= '~');
}

static bool is_point(uint32_t code)
{
    return code == '.' || code == ',';
}

static Codes set_apart(const Codes *in, bool (*which)(uint32_t code))
{
    Codes out = {0};
    for (size_t i = 0; i < in->n; i++) {
        bool apart = which(in->items[i]);
        if (apart)
            codes_add(&out, ' ');
        codes_add(&out, in->items[i]);
        if (apart)
            codes_add(&out, ' ');
    }
    return out;
}

/* Three more rules look at two neighbours each: . and , not after a digit, not before one, and
 * a hyphen after a digit. A pair that was rewritten is not looked at again by the same rule,
 * as in the script's regular expressions. */
typedef bool PairRule(uint32_t first, uint32_t second);

static bool point_after_no_digit(uint32_t first, uint32_t second)
{
    return !is_digit(first) && is_point(second);
}

static bool point_before_no_digit(uint32_t first, uint32_t second)
{
    return is_point(first) && !is_digit(second);
}

static bool hyphen_after_digit(uint32_t first, uint32_t second)
{
    return is_digit(first) && second == '-';
}

/* Pairs that match become "a b" with a space before or behind. */
static Codes separate_pairs(const Codes *in, PairRule *rule, bool before)
{
    Codes out = {0};
    for (size_t i = 0; i < in->n; i++) {
        if (i + 1 >= in->n || !rule(in->items[i], in->items[i + 1])) {
            codes_add(&out, in->items[i]);
            continue;
        }
        if (before)
            codes_add(&out, ' ');
        codes_add(&out, in->items[i++]);
        codes_add(&out, ' ');
        codes_add(&out, in->items[i]);
        if (!before)
            codes_add(&out, ' ');
    }
    return out;
}

static void take(Codes *codes, Codes next)
{
    codes_free(codes);
    *codes = next;
}

static void separate(Codes *codes)
{
    take(codes, set_apart(codes, stands_alone));
    take(codes, separate_pairs(codes, point_after_no_digit, false));
    take(codes, separate_pairs(codes, point_before_no_digit, true));
    take(codes, separate_pairs(codes, hyphen_after_digit, false));
}

/* What counts as a Chinese character. The script compares strings where it means code points
 * above U+FFFF: its extension B and the compatibility supplement come out as U+2001..U+2A6D
 * (curved quotes, dashes, arrows) and U+2F81..U+2FA1. Kept, because the score is only
 * comparable if it is the same. */
static bool is_chinese(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        {0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3000, 0x303F},
        {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0x31C0, 0x31EF}, {0x3200, 0x33FF}, {0x3400, 0x4DB5},
        {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F},
        {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

static bool every_code(uint32_t code)
{
    (void)code;
    return true;
}

/* Bytes of the text without the blanks at its end. */
static size_t trimmed_length(const char *text)
{
    size_t length = 0;
    for (size_t n = strlen(text), i = 0; i < n;) {
        uint32_t code;
        i += (size_t)utf8_decode(text + i, n - i, &code);
        if (!code_is_blank(code))
            length = i;
    }
    return length;
}

/* The text's characters with blanks between the words. */
static Codes read_words(BleuTokens tokens, const char *text)
{
    Codes codes = {0};
    StrBuf cleaned = {0};
    strbuf_add_bytes(&cleaned, text, trimmed_length(text));
    if (tokens == BLEU_13A) {
        clean(&cleaned);
        codes_add(&codes, ' ');
    }
    codes_add_text(&codes, cleaned.text, cleaned.length);
    if (tokens == BLEU_13A)
        codes_add(&codes, ' ');
    else
        take(&codes, set_apart(&codes, tokens == BLEU_CHARS ? every_code : is_chinese));
    if (tokens != BLEU_CHARS)
        separate(&codes);
    strbuf_free(&cleaned);
    return codes;
}

void bleu_tokenize(BleuTokens tokens, const char *text, StrBuf *out)
{
    Codes codes = read_words(tokens, text);
    bool blank = false, any = false;
    strbuf_add(out, "");
    for (size_t i = 0; i < codes.n; i++) {
        if (code_is_blank(codes.items[i])) {
            blank = any;
            continue;
        }
        if (blank)
            strbuf_add_char(out, ' ');
        char bytes[4];
        strbuf_add_bytes(out, bytes, (size_t)utf8_encode(codes.items[i], bytes));
        blank = false;
        any = true;
    }
    codes_free(&codes);
}

/* ---- counting ---- */

/* The words as numbers, equal where the words are. */
static Codes number_words(BleuTokens tokens, const char *text, StrMap *numbers)
{
    StrBuf words = {0};
    Codes out = {0};
    bleu_tokenize(tokens, text, &words);
    for (const char *at = words.text; *at;) {
        size_t n = strcspn(at, " ");
        int number = strmap_get(numbers, at, n);
        if (number < 0)
            number = *strmap_put(numbers, at, n, strmap_count(numbers));
        codes_add(&out, (uint32_t)number);
        at += n + (at[n] == ' ');
    }
    strbuf_free(&words);
    return out;
}

void bleu_add(Bleu *bleu, const char *hypothesis, const char *reference)
{
    StrMap *numbers = strmap_new();
    Codes h = number_words(bleu->tokens, hypothesis, numbers);
    Codes r = number_words(bleu->tokens, reference, numbers);
    bleu->hypothesis_length += (int64_t)h.n;
    bleu->reference_length += (int64_t)r.n;
    for (size_t i = 0; i < BLEU_ORDER; i++) {
        bleu->total[i] += ngrams_total(h.n, i + 1);
        bleu->match[i] += ngrams_common(h.items, h.n, r.items, r.n, i + 1);
    }
    codes_free(&h);
    codes_free(&r);
    strmap_free(numbers);
}

static double brevity_penalty(const Bleu *bleu)
{
    if (bleu->hypothesis_length >= bleu->reference_length)
        return 1.0;
    if (bleu->hypothesis_length == 0)
        return 0.0;
    return exp(1.0 - (double)bleu->reference_length / (double)bleu->hypothesis_length);
}

BleuScore bleu_score(const Bleu *bleu)
{
    BleuScore score = {.brevity_penalty = brevity_penalty(bleu)};
    if (!bleu->match[0])
        return score;
    double smoothing = 1.0, sum = 0.0;
    for (int i = 0; i < BLEU_ORDER; i++) {
        if (!bleu->total[i])
            return score;
        double matched = (double)bleu->match[i];
        if (!bleu->match[i])
            matched = 1.0 / (smoothing *= 2.0);
        score.precision[i] = 100.0 * matched / (double)bleu->total[i];
        sum += log(score.precision[i]);
    }
    score.score = score.brevity_penalty * exp(sum / BLEU_ORDER);
    return score;
}

const char *bleu_signature(BleuTokens tokens)
{
    switch (tokens) {
    case BLEU_CHINESE: return "nrefs:1|case:mixed|eff:no|tok:zh|smooth:exp";
    case BLEU_CHARS: return "nrefs:1|case:mixed|eff:no|tok:char|smooth:exp";
    default: return "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp";
    }
}
