#include "format/table.h"

#include <string.h>

#include "base/number.h"

static void begin_field(Table *t)
{
    if (t->in_row)
        strbuf_add_char(t->out, t->separator);
    t->in_row = true;
}

static bool must_be_quoted(const char *text, char separator)
{
    const char special[] = {separator, '"', '\n', '\r', '\0'};
    size_t n = strlen(text);
    bool has_edge = n > 0 && (text[0] == ' ' || text[n - 1] == ' ');
    return has_edge || text[strcspn(text, special)];
}

void table_add_text(Table *t, const char *text)
{
    begin_field(t);
    if (!must_be_quoted(text, t->separator)) {
        strbuf_add(t->out, text);
        return;
    }
    strbuf_add_char(t->out, '"');
    for (const char *p = text; *p; p++) {
        if (*p == '"')
            strbuf_add_char(t->out, '"');
        strbuf_add_char(t->out, *p);
    }
    strbuf_add_char(t->out, '"');
}

void table_add_float(Table *t, float value)
{
    begin_field(t);
    strbuf_add_float(t->out, value);
}

void table_add_double(Table *t, double value)
{
    begin_field(t);
    strbuf_add_double(t->out, value);
}

void table_add_int(Table *t, int32_t value)
{
    begin_field(t);
    strbuf_addf(t->out, "%d", (int)value);
}

void table_end_row(Table *t)
{
    strbuf_add(t->out, t->separator == ',' ? "\r\n" : "\n");
    t->in_row = false;
}
