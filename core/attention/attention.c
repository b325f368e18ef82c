#include "attention/attention.h"

int attend_owner(const AttendTo *to, int q)
{
    return to->owner ? to->owner[q] : q;
}

Span attend_span(const AttendTo *to, int q)
{
    int length = to->keys->length[attend_owner(to, q)];
    if (!to->span)
        return (Span){0, length};
    Span s = to->span[q];
    s.low = s.low < 0 ? 0 : s.low;
    s.high = s.high > length ? length : s.high;
    if (s.low >= s.high)
        return (Span){0, 0};
    return s;
}

int attend_row(const AttendTo *to, int q, int j)
{
    return ragged_row(to->keys, attend_owner(to, q), j);
}

bool attend_sees(const AttendTo *to, int q, int j)
{
    return !to->keep || to->keep[attend_row(to, q, j)];
}
