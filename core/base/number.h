/* number.h - numbers as text, the same whatever the locale says.
 *
 * Files hold "0.5" with a point. printf and strtod follow LC_NUMERIC, which a toolkit may
 * change behind our back, so everything that writes or reads numbers of a file comes here.
 * What is written reads back to the same bits: nine significant digits for a float,
 * seventeen for a double, six when six already suffice (0.1, not 0.100000001).
 * Not-a-number is written "nan", the infinities "inf" and "-inf", without quotes.
 */
#ifndef FOVEA_BASE_NUMBER_H
#define FOVEA_BASE_NUMBER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

#define NUMBER_MAX_CHARS 32 /* room that the format functions need, with the zero */

/* Returns the number of characters. */
int number_format_float(float value, char out[NUMBER_MAX_CHARS]);
int number_format_double(double value, char out[NUMBER_MAX_CHARS]);
void strbuf_add_float(StrBuf *buffer, float value);
void strbuf_add_double(StrBuf *buffer, double value);

/* The longest decimal number at the start of text[0..n): returns its length, 0 when there is
 * none. Accepts what C writes: "-1.5e-3", ".5", "2.", "nan", "-nan", "inf", "Infinity" in
 * any case; no hexadecimal, no white space in front, at most 512 characters. Values beyond
 * the range of a double become infinity or zero. */
size_t number_parse(const char *text, size_t n, double *value);

/* The same for integers without a sign; 0 when there is none or it is above INT32_MAX. */
size_t number_parse_index(const char *text, size_t n, int32_t *value);

#endif
