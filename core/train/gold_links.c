#include "train/gold_links.h"

#include <ctype.h>
#include <string.h>

#define GOLD_MAX_POSITION 100000

static bool take_number(const char **p, const char *end, int *value)
{
    const char *start = *p;
    *value = 0;
    while (*p < end && isdigit((unsigned char)**p) && *value <= GOLD_MAX_POSITION)
        *value = *value * 10 + (*(*p)++ - '0');
    return *p > start && *value <= GOLD_MAX_POSITION;
}

static bool take_link(const char **p, const char *end, int first, AlignLink *link)
{
    int source, target;
    if (!take_number(p, end, &source) || *p >= end)
        return false;
    char mark = *(*p)++;
    if (mark != '-' && mark != 'p' && mark != '?')
        return false;
    if (!take_number(p, end, &target))
        return false;
    *link = (AlignLink){source - first, target - first, mark != '-'};
    return link->source >= 0 && link->target >= 0;
}

bool gold_links_parse(const char *line, size_t n, int first, AlignLinks *links, Error *error)
{
    const char *p = line, *end = line + n;
    for (;;) {
        while (p < end && isspace((unsigned char)*p))
            p++;
        if (p >= end)
            return true;
        const char *start = p;
        AlignLink link;
        if (!take_link(&p, end, first, &link) || (p < end && !isspace((unsigned char)*p)))
            return error_set(error, ERROR_FORMAT,
                             "column %d: a link like 3-4 or 3p4, counted from %d, was expected",
                             (int)(start - line) + 1, first);
        align_links_add(links, link);
    }
}
