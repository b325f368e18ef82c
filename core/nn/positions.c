#include "nn/positions.h"

#include <math.h>
#include <string.h>

void position_encode(int position, int d, Real *out)
{
    for (int i = 0; i < d; i++) {
        double angle = position / pow(10000, (double)(i / 2 * 2) / d);
        out[i] = (Real)(i % 2 == 0 ? sin(angle) : cos(angle));
    }
}

Var *position_rows(Tape *tape, const Ragged *rows, int first, int d)
{
    Var *y = tape_new_var(tape, rows->rows, d, false);
    size_t width = (size_t)d;
    Real *table = tape_scratch(tape, (size_t)rows->steps * width);
    for (int t = 0; t < rows->steps; t++)
        position_encode(first + t, d, table + (size_t)t * width);
    for (int i = 0; i < rows->n; i++)
        for (int t = 0; t < rows->length[i]; t++)
            memcpy(var_row(y, ragged_row(rows, i, t)), table + (size_t)t * width,
                   width * sizeof *table);
    return y;
}
