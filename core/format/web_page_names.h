/* web_page_names.h - what the names in a web page mean; private to web_page.c.
 *
 * Names are given in small letters, but those of characters. Threads: pure functions. */
#ifndef FOVEA_FORMAT_WEB_PAGE_NAMES_H
#define FOVEA_FORMAT_WEB_PAGE_NAMES_H
#include <stdbool.h>
#include <stdint.h>

#define WEB_PAGE_MAX_HIDDEN 32

/* How far an element stands from what is beside it. */
typedef enum { WEB_PAGE_INLINE, WEB_PAGE_CELL, WEB_PAGE_LINE, WEB_PAGE_PARAGRAPH } WebPageRoom;

WebPageRoom web_page_room(const char *element);

/* Number below WEB_PAGE_MAX_HIDDEN of an element that is not read with all that is in it, or -1.
 * Code is in no language of people; the others are what stands around the text. */
int web_page_hidden(const char *element);
bool web_page_is_code(int hidden);

/* The character that "eacute" means, of the names that HTML 4 had and apos; 0: none of these. */
uint32_t web_page_reference(const char *name);

#endif
