/* utf8.h - reading text that may be anything.
 *
 * Decoding is strict (no overlong forms, no surrogates, nothing above U+10FFFF). A bad
 * byte never stops a caller: it decodes as U+FFFD of length one, so that every input
 * can be walked to its end. Character properties come from utf8proc.
 *
 * Threads: all functions are pure.
 */
#ifndef FOVEA_BASE_UTF8_H
#define FOVEA_BASE_UTF8_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xFFFDu

/* Decodes the character at text[0..n), n >= 1, into *code; returns its bytes (1..4). A byte
 * that starts no valid character gives UTF8_REPLACEMENT and 1. */
int utf8_decode(const char *text, size_t n, uint32_t *code);

/* Writes `code` to out[4]; returns the bytes (1..4). Invalid codes write U+FFFD. */
int utf8_encode(uint32_t code, char out[4]);

bool utf8_is_valid(const char *text, size_t n);

/* Offset of the first byte that breaks the encoding, or n. */
size_t utf8_valid_prefix(const char *text, size_t n);

/* Number of characters (bad bytes count one each). */
size_t utf8_length(const char *text, size_t n);

/* Start of the previous/next user-perceived character (grapheme cluster, UAX 29) from
 * `offset`, for moving a cursor. */
size_t utf8_next_grapheme(const char *text, size_t n, size_t offset);
size_t utf8_previous_grapheme(const char *text, size_t n, size_t offset);

/* Copies text into out[size] (size >= 1, always terminated): bad bytes become U+FFFD,
 * control characters a space, and a cut never splits a character. Returns bytes written. */
size_t utf8_clean(const char *text, size_t n, char *out, size_t size);

bool utf8_is_space(uint32_t code);   /* white space of any kind, U+00A0 and U+3000 too */
bool utf8_is_control(uint32_t code); /* C0, C1, and the invisible format characters     */
bool utf8_is_letter(uint32_t code);  /* letters and combining marks                     */
bool utf8_is_digit(uint32_t code);   /* decimal digits of any script                    */
bool utf8_is_punctuation(uint32_t code);
bool utf8_is_upper(uint32_t code);
bool utf8_is_cjk(uint32_t code); /* scripts written without spaces: Han, kana, ...      */
uint32_t utf8_lower(uint32_t code);

#endif
