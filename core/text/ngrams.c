#include "text/ngrams.h"

#include "base/strmap.h"

int64_t ngrams_total(size_t n, size_t order)
{
    return n < order ? 0 : (int64_t)(n - order + 1);
}

int64_t ngrams_common(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, size_t order)
{
    if (n_a < order || n_b < order)
        return 0;
    size_t bytes = order * sizeof *a;
    StrMap *left = strmap_new(); /* n-gram of b -> how many of them are not matched yet */
    for (size_t i = 0; i + order <= n_b; i++) {
        int count = strmap_get(left, (const char *)(b + i), bytes);
        strmap_put(left, (const char *)(b + i), bytes, count < 0 ? 1 : count + 1);
    }
    int64_t common = 0;
    for (size_t i = 0; i + order <= n_a; i++) {
        int count = strmap_get(left, (const char *)(a + i), bytes);
        if (count <= 0)
            continue;
        strmap_put(left, (const char *)(a + i), bytes, count - 1);
        common++;
    }
    strmap_free(left);
    return common;
}
