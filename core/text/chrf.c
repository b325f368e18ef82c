#include "text/chrf.h"

#include <string.h>

#include "text/codes.h"
#include "text/ngrams.h"

#define BETA 2.0

static Codes read_without_blanks(const char *text)
{
    Codes all = {0}, codes = {0};
    codes_add_text(&all, text, strlen(text));
    for (size_t i = 0; i < all.n; i++)
        if (!code_is_blank(all.items[i]))
            codes_add(&codes, all.items[i]);
    codes_free(&all);
    return codes;
}

void chrf_add(Chrf *chrf, const char *hypothesis, const char *reference)
{
    Codes h = read_without_blanks(hypothesis);
    Codes r = read_without_blanks(reference);
    for (size_t i = 0; i < CHRF_ORDER; i++) {
        int64_t wanted = ngrams_total(r.n, i + 1);
        chrf->reference[i] += wanted;
        chrf->hypothesis[i] += wanted ? ngrams_total(h.n, i + 1) : 0;
        chrf->match[i] += ngrams_common(h.items, h.n, r.items, r.n, i + 1);
    }
    codes_free(&h);
    codes_free(&r);
}

double chrf_score(const Chrf *chrf)
{
    double precision = 0.0, recall = 0.0;
    int orders = 0;
    for (int i = 0; i < CHRF_ORDER; i++) {
        if (!chrf->hypothesis[i] || !chrf->reference[i])
            continue;
        precision += (double)chrf->match[i] / (double)chrf->hypothesis[i];
        recall += (double)chrf->match[i] / (double)chrf->reference[i];
        orders++;
    }
    if (precision + recall == 0.0)
        return 0.0;
    precision /= orders;
    recall /= orders;
    return 100.0 * (1.0 + BETA * BETA) * precision * recall / (BETA * BETA * precision + recall);
}

const char *chrf_signature(void)
{
    return "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no";
}
