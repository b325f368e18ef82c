/* What followed from a change, as a picture and as a table. */
#include "testing.h"

#include <string.h>

#include "canvas/canvas_dump.h"
#include "views/outcome.h"

/* A run that writes these tokens; the one at `given` was given. */
static const Trace *written(int n, const char *const *tokens, const double *p, int given)
{
    Error error = {0};
    TraceBuilder *b = trace_builder_new();
    trace_set_text(b, "output", "out");
    for (int i = 0; i < n; i++)
        trace_add_step(b, &(TraceStep){.token = tokens[i],
                                       .id = (int)tokens[i][0],
                                       .probability = p[i],
                                       .forced = i == given});
    if (given >= 0)
        trace_add_change(b, &(TraceChange){given, "token", "the word was given"});
    const Trace *trace = trace_seal(b, &error);
    assert_non_null(trace);
    return trace;
}

static const char *const before_tokens[] = {"Elle", "mange", "تفاحة"};
static const char *const after_tokens[] = {"Elle", "boit", "苹果", "."};
static const double before_p[] = {0.9, 0.5, 0.75}, after_p[] = {0.9, 0.25, 0.5, 1};

typedef struct Stage {
    Fonts *fonts;
    Theme theme;
    ViewCache *cache;
    Canvas *canvas;
    ViewFrame frame;
    const Trace *before, *after;
} Stage;

static OutcomeSpec open_stage(Stage *s, float width)
{
    Error error = {0};
    s->fonts = fonts_new(&error);
    assert_non_null(s->fonts);
    s->theme = theme_make(THEME_DARK);
    s->cache = view_cache_new();
    s->canvas = canvas_new(width, 600);
    s->before = written(3, before_tokens, before_p, -1);
    s->after = written(4, after_tokens, after_p, 1);
    s->frame = (ViewFrame){.trace = s->after,
                           .area = {0, 0, width, 600},
                           .theme = &s->theme,
                           .fonts = s->fonts,
                           .cache = s->cache};
    return (OutcomeSpec){&s->frame, s->before, s->after};
}

static void close_stage(Stage *s)
{
    trace_release(s->before);
    trace_release(s->after);
    canvas_free(s->canvas);
    view_cache_free(s->cache);
    fonts_free(s->fonts);
}

static void every_token_has_a_row_and_is_hit_where_it_is_drawn(void **state)
{
    (void)state;
    const float widths[] = {1000, 420};
    for (int k = 0; k < 2; k++) {
        Stage s;
        OutcomeSpec spec = open_stage(&s, widths[k]);
        outcome_draw(&spec, s.canvas);
        for (int i = 0; i < 4; i++) {
            Rect row;
            assert_true(canvas_find_tag(s.canvas, after_tokens[i], &row));
            ViewHit hit = outcome_hit(&spec, row.x + row.w / 2, row.y + row.h / 2);
            assert_int_equal(hit.kind, HIT_ITEM);
            assert_int_equal(hit.col, i);
            assert_true(row.y + row.h <= outcome_wanted_height(&spec, widths[k]));
        }
        assert_int_equal(outcome_hit(&spec, 2, 2).kind, HIT_NOTHING);
        close_stage(&s);
    }
}

static void the_picture_says_how_many_differ_and_what_was_changed(void **state)
{
    (void)state;
    Stage s;
    Error error = {0};
    StrBuf text = {0};
    OutcomeSpec spec = open_stage(&s, 1000);
    outcome_draw(&spec, s.canvas);
    assert_ok(canvas_dump(s.canvas, &text, &error));
    assert_non_null(strstr(text.text, "3 of 4 tokens differ"));
    assert_non_null(strstr(text.text, "step 2: the word was given"));
    strbuf_clear(&text);
    canvas_clear(s.canvas, 1000, 600);
    s.frame.language = 1;
    outcome_draw(&spec, s.canvas);
    assert_ok(canvas_dump(s.canvas, &text, &error));
    assert_non_null(strstr(text.text, "第 2 步：该词由你指定"));
    strbuf_free(&text);
    close_stage(&s);
}

static void the_table_holds_both_runs(void **state)
{
    (void)state;
    Stage s;
    StrBuf text = {0};
    OutcomeSpec spec = open_stage(&s, 1000);
    Table table = {.out = &text, .separator = '\t'};
    outcome_write(&spec, &table);
    assert_non_null(strstr(text.text, "step\tbefore\tp before\tafter\tp after\tchange"));
    assert_non_null(strstr(text.text, "\n1\tElle\t0.9\tElle\t0.9\t0\t"));
    assert_non_null(strstr(text.text, "\n2\tmange\t0.5\tboit\t0.25\tnan\t"));
    strbuf_free(&text);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_token_has_a_row_and_is_hit_where_it_is_drawn),
        cmocka_unit_test(the_picture_says_how_many_differ_and_what_was_changed),
        cmocka_unit_test(the_table_holds_both_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
