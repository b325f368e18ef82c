/* Web pages: what of them is text. */
#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "format/web_page.h"

static void reads_as(const char *page, const char *text)
{
    Error error = {0};
    StrBuf out = {0};
    assert_ok(web_page_read("page.html", page, strlen(page), &out, &error));
    assert_string_equal(out.text, text);
    strbuf_free(&out);
}

static void pages_are_told_from_their_beginning(void **state)
{
    (void)state;
    static const char *const pages[] = {
        "<!DOCTYPE html><p>a",
        "<!doctype HTML>",
        "<html>",
        " \r\n<HTML lang=en>",
        "\xEF\xBB\xBF<!doctype html>",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE html>",
        "<!-- saved from url=(0014)about:internet -->\n<html>",
    };
    static const char *const others[] = {
        "",
        "<",
        "<p>a",
        "a <html>",
        "<?xml version=\"1.0\"?><svg>",
        "<!--",
        "<?xml <html>",
        "<!doctype svg>",
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        assert_true(web_page_recognise(pages[i], strlen(pages[i])));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(web_page_recognise(others[i], strlen(others[i])));
}

static void tags_go_and_words_stay(void **state)
{
    (void)state;
    reads_as("<html><body>A <b>fine</b> fi<i>lm</i>.</body></html>", "A fine film.");
    reads_as("<html>one<br>two<br/>three", "one\ntwo\nthree");
    reads_as("<html><p>One.</p>\n\n<p>Two.\n and   more\t</p>", "One.\n\nTwo. and more");
    reads_as("<html><ul><li>a</li><li>b</li></ul>c", "a\nb\n\nc");
    reads_as("<html><table><tr><td>a<td>b<tr><td>c</table>", "a b\nc");
    reads_as("<html><pre>a\nb   c</pre>d\ne", "a\nb c\n\nd e");
    reads_as("<html>3 < 4 and 5 > 4, <3", "3 < 4 and 5 > 4, <3");
    reads_as("<html><a title=\"a > b\" href='x>y'>link</a> don't \"go\"", "link don't \"go\"");
    reads_as("<html>a<!-- <p>hidden</p> -->b<!x>c<?php d ?>e", "abce");
    reads_as("<html>cut <b", "cut");
    reads_as("<html>cut <a href=\"never closed", "cut");
    reads_as("<html>soft\xC2\xADhyphen and\xC2\xA0space", "softhyphen and space");
}

static void scripts_styles_and_menus_are_not_read(void **state)
{
    (void)state;
    reads_as("<html><head><title>T</title><style>p {}</style></head><body>"
             "<script>if (a < b) document.write('<p>no</p>')</script>A film.</body>",
             "A film.");
    reads_as("<html><nav><a>Home</a> <a>More</a></nav>A film.<footer>Terms</footer>", "A film.");
    reads_as("<html><SCRIPT>x</Script >A film.", "A film.");
    reads_as("<html>A film.<script>never closed <p>b", "A film.");
    reads_as("<html><nav>A film that never closed its menu.", "A film that never closed its menu.");
}

static void a_page_that_marks_its_own_part_is_read_there(void **state)
{
    (void)state;
    reads_as("<html><div>Cookies?</div><main><h1>Review</h1><p>Lovely.</p></main><p>Ads</p>",
             "Review\n\nLovely.");
    reads_as("<html>x<article>One.</article>y<article>Two.</article>z", "One.\n\nTwo.");
    reads_as("<html><main></main><p>All the same.</p>", "All the same.");
}

static void references_become_characters(void **state)
{
    (void)state;
    reads_as("<html>caf&eacute; &amp; &lt;b&gt; &quot;x&quot; it&apos;s",
             "caf\xC3\xA9 & <b> \"x\" it's");
    reads_as("<html>&#233;&#xE9;&#XE9; &#8212; &hellip;", "\xC3\xA9\xC3\xA9\xC3\xA9 \xE2\x80\x94 "
                                                          "\xE2\x80\xA6");
    reads_as("<html>don&#146;t", "don\xE2\x80\x99t");
    reads_as("<html>a&nbsp;b AT&T &unknown; &; &#; &#x; 5 &amp 6",
             "a b AT&T &unknown; &; &#; &#x; 5 & 6");
    reads_as("<html>&#0;&#xD800;&#x110000;&#99999999999999999999;x",
             "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx");
}

static void bytes_are_decoded_by_the_charset_that_is_named(void **state)
{
    (void)state;
    reads_as("<html>caf\xE9 \x93quoted\x94", "caf\xC3\xA9 \xE2\x80\x9Cquoted\xE2\x80\x9D");
    reads_as("<html><meta charset=\"iso-8859-1\">it\x92s", "it\xE2\x80\x99s");
    reads_as("<html><meta http-equiv=x content='text/html; charset=KOI8-R'>\xCD\xC9\xD2",
             "\xD0\xBC\xD0\xB8\xD1\x80");
    reads_as("<html><meta charset=gb2312>\xB5\xE7\xD3\xB0", "\xE7\x94\xB5\xE5\xBD\xB1");
    reads_as("<html><meta charset=utf-8>\xE7\x94\xB5\xFF", "\xC3\xA7\xE2\x80\x9D\xC2\xB5\xC3\xBF");
}

static void refuses(const char *page, size_t n, const char *part)
{
    Error error = {0};
    StrBuf out = {0};
    assert_false(web_page_read("page.html", page, n, &out, &error));
    assert_non_null(strstr(error.message, "page.html"));
    assert_non_null(strstr(error.message, part));
    assert_null(out.text);
}

static void what_is_no_text_is_refused_with_the_reason(void **state)
{
    (void)state;
    refuses("<html>", 6, "without any text");
    refuses("<html><script>x</script> &nbsp; ", 32, "without any text");
    refuses("<html>a\0b", 9, "NUL");
    refuses("<html><meta charset=klingon>\xFF", 29, "klingon");
}

/* A menu that never closes is looked for once, not once for each. */
static void a_page_of_open_menus_is_read_in_linear_time(void **state)
{
    (void)state;
    enum { MENUS = 400000 };
    Error error = {0};
    StrBuf page = {0}, out = {0};
    strbuf_add(&page, "<html>");
    for (int i = 0; i < MENUS; i++)
        strbuf_add(&page, "<nav>a");
    assert_ok(web_page_read("page.html", page.text, page.length, &out, &error));
    assert_int_equal(out.length, 2 * MENUS - 1);
    strbuf_free(&page);
    strbuf_free(&out);
}

static void a_page_that_is_cut_anywhere_is_read_or_refused(void **state)
{
    (void)state;
    static const char page[] = "<!DOCTYPE html><html><head><meta charset=utf-8><style>a</style>"
                               "</head><body><p title=\"x\">caf&eacute; &#233;<!-- c --></p>"
                               "<script>1</script><pre>a\nb</pre></body></html>";
    for (size_t n = 0; n < sizeof page; n++) {
        char *cut = memory_new(n + 1, 1); /* no end mark: what is read beyond is seen */
        memcpy(cut + 1, page, n);
        Error error = {0};
        StrBuf out = {0};
        if (web_page_read("page.html", cut + 1, n, &out, &error))
            assert_true(out.length > 0 && utf8_is_valid(out.text, out.length));
        else
            assert_true(error_is_set(&error));
        strbuf_free(&out);
        free(cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_told_from_their_beginning),
        cmocka_unit_test(tags_go_and_words_stay),
        cmocka_unit_test(scripts_styles_and_menus_are_not_read),
        cmocka_unit_test(a_page_that_marks_its_own_part_is_read_there),
        cmocka_unit_test(references_become_characters),
        cmocka_unit_test(bytes_are_decoded_by_the_charset_that_is_named),
        cmocka_unit_test(what_is_no_text_is_refused_with_the_reason),
        cmocka_unit_test(a_page_of_open_menus_is_read_in_linear_time),
        cmocka_unit_test(a_page_that_is_cut_anywhere_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
