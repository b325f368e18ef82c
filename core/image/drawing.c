#include "image/drawing.h"

#include <string.h>

#include "base/number.h"
#include "image/digit.h"

static const char *skip_spaces(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

bool drawing_is_one(const char *text)
{
    const char *p = skip_spaces(text);
    return *p && strspn(p, "0123456789.,/ \t\r\n-") == strlen(p) && strchr(p, ',');
}

/* One of the two numbers of a point, up to `end`. */
static bool read_part(const char *begin, const char *end, float *value)
{
    double number;
    size_t n = (size_t)(end - begin);
    if (n == 0 || number_parse(begin, n, &number) != n || !(number >= -100 && number <= 200))
        return false;
    *value = (float)number;
    return true;
}

static bool read_point(const char **at, float *x, float *y, Error *error)
{
    const char *p = *at;
    size_t n = strcspn(p, " \t\r\n/");
    const char *comma = memchr(p, ',', n);
    if (comma && read_part(p, comma, x) && read_part(comma + 1, p + n, y)) {
        *at = p + n;
        return true;
    }
    return error_set(error, ERROR_INPUT,
                     "\"%.*s\" is not a point: x,y in hundredths of the sides was expected",
                     (int)(n < 40 ? n : 40), p);
}

bool drawing_render(const char *text, float *canvas, int side, float pen_width, Error *error)
{
    float last_x = 0, last_y = 0, scale = (float)side / 100;
    bool goes_on = false;
    int n_points = 0;
    for (const char *p = skip_spaces(text); *p; p = skip_spaces(p)) {
        if (*p == '/') {
            goes_on = false;
            p++;
            continue;
        }
        float x = 0, y = 0;
        if (!read_point(&p, &x, &y, error))
            return false;
        if (++n_points > DRAWING_MAX_POINTS)
            return error_set(error, ERROR_LIMIT, "more than %d points", DRAWING_MAX_POINTS);
        x *= scale;
        y *= scale;
        canvas_draw_stroke(canvas, side, side, goes_on ? last_x : x, goes_on ? last_y : y, x, y,
                           pen_width);
        last_x = x;
        last_y = y;
        goes_on = true;
    }
    return n_points > 0 || error_set(error, ERROR_INPUT, "there is no stroke in the drawing");
}
