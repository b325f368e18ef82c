/* table.h - rows of texts and numbers as lines that spreadsheets and scripts read.
 *
 * Separated by commas, lines end as RFC 4180 says (CR LF); separated by tabs, as cut and awk
 * expect (LF). A text that holds the separator, a quote, a line break or a space at its edge
 * is quoted, a quote within doubled. Numbers read back to the same bits; those that are not
 * known are "nan".
 *
 * Memory: the text grows in the caller's buffer. Depends on: base.
 */
#ifndef FOVEA_FORMAT_TABLE_H
#define FOVEA_FORMAT_TABLE_H
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

typedef struct Table {
    StrBuf *out;
    char separator; /* ',' or a tab */
    bool in_row;    /* a separator is due before the next field */
} Table;

void table_add_text(Table *table, const char *text);
void table_add_float(Table *table, float value);
void table_add_double(Table *table, double value);
void table_add_int(Table *table, int32_t value);
void table_end_row(Table *table);

#endif
