/* The table of words left out, and its points. */
#include "testing.h"

#include <string.h>

#include "canvas/canvas_dump.h"
#include "views/left_out.h"

typedef struct Stage {
    Fonts *fonts;
    Theme theme;
    ViewCache *cache;
    Canvas *canvas;
    ViewFrame frame;
} Stage;

static const char *const words[] = {"She", "is", "苹果", "تفاحة"};
static const float weights[] = {0.1f, 0.4f, 0.2f, 0.3f};
static const float effects[] = {1, -0.5f, 4, 0};
static const char *const outputs[] = {NULL, "Il mange", NULL, "<b>&"};

static LeftOutSpec open_stage(Stage *s, float width, float height)
{
    Error error = {0};
    s->fonts = fonts_new(&error);
    assert_non_null(s->fonts);
    s->theme = theme_make(THEME_DARK);
    s->cache = view_cache_new();
    s->canvas = canvas_new(width, height);
    s->frame = (ViewFrame){
        .area = {0, 0, width, height}, .theme = &s->theme, .fonts = s->fonts, .cache = s->cache};
    return (LeftOutSpec){&s->frame, 4, words, weights, effects, outputs, 0.5, NAN, 0.25};
}

static void close_stage(Stage *s)
{
    canvas_free(s->canvas);
    view_cache_free(s->cache);
    fonts_free(s->fonts);
}

static void every_word_has_a_row_and_is_hit_where_it_is_drawn(void **state)
{
    (void)state;
    const float widths[] = {1000, 420};
    for (int k = 0; k < 2; k++) {
        Stage s;
        LeftOutSpec spec = open_stage(&s, widths[k], 700);
        left_out_draw(&spec, s.canvas);
        for (int i = 0; i < 4; i++) {
            Rect row;
            assert_true(canvas_find_tag(s.canvas, words[i], &row));
            ViewHit hit = left_out_hit(&spec, row.x + row.w / 2, row.y + row.h / 2);
            assert_int_equal(hit.kind, HIT_ITEM);
            assert_int_equal(hit.row, i);
            assert_string_equal(hit.lines[0], words[i]);
            assert_true(row.x + row.w <= widths[k]);
        }
        assert_int_equal(left_out_hit(&spec, 2, 2).kind, HIT_NOTHING);
        Rect chart;
        assert_true(canvas_find_tag(s.canvas, "chart", &chart));
        assert_true(chart.y + chart.h <= left_out_wanted_height(&spec, widths[k]));
        close_stage(&s);
    }
}

static void the_table_holds_every_word_with_its_numbers(void **state)
{
    (void)state;
    Stage s;
    StrBuf text = {0};
    LeftOutSpec spec = open_stage(&s, 1000, 700);
    Table table = {.out = &text, .separator = '\t'};
    left_out_write(&spec, &table);
    assert_string_equal(text.text,
                        "word\tmean weight\teffect, nats\tchanges\twhat is then written\n"
                        "She\t0.1\t1\t0\t\n"
                        "is\t0.4\t-0.5\t1\tIl mange\n"
                        "苹果\t0.2\t4\t0\t\n"
                        "تفاحة\t0.3\t0\t1\t<b>&\n");
    strbuf_free(&text);
    close_stage(&s);
}

static void correlations_that_do_not_exist_are_not_named(void **state)
{
    (void)state;
    Stage s;
    Error error = {0};
    StrBuf text = {0};
    LeftOutSpec spec = open_stage(&s, 1000, 700);
    left_out_draw(&spec, s.canvas);
    assert_ok(canvas_dump(s.canvas, &text, &error));
    assert_non_null(strstr(text.text, "τ 0.50 · of single steps: τ 0.25"));
    assert_null(strstr(text.text, "nan"));
    strbuf_clear(&text);
    spec.n = 0;
    canvas_clear(s.canvas, 1000, 700);
    left_out_draw(&spec, s.canvas);
    assert_ok(canvas_dump(s.canvas, &text, &error));
    assert_int_equal(left_out_hit(&spec, 300, 300).kind, HIT_NOTHING);
    strbuf_free(&text);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_has_a_row_and_is_hit_where_it_is_drawn),
        cmocka_unit_test(the_table_holds_every_word_with_its_numbers),
        cmocka_unit_test(correlations_that_do_not_exist_are_not_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
