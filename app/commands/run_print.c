/* What `fovea run` prints for people. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "commands/run_job.h"
#include "trace/followed.h"

/* Pads to `width` characters. */
static void print_word(const char *word, int width)
{
    size_t n = utf8_length(word, strlen(word));
    printf("%s%*s", word, n < (size_t)width ? width - (int)n : 0, "");
}

static void print_weights(const Trace *trace)
{
    const TraceTensor *tensor = trace_find(trace, "attention.weights");
    if (!tensor || tensor->rank != 2)
        return;
    TraceMatrix m = trace_matrix(trace, tensor, NULL);
    const TraceAxis *rows = trace_axis(trace, tensor->axis[0]);
    const TraceAxis *cols = trace_axis(trace, tensor->axis[1]);
    for (int32_t i = 0; i < m.rows && rows->labels && cols->labels; i++) {
        int32_t best = 0;
        for (int32_t j = 1; j < m.cols; j++)
            if (trace_matrix_get(&m, i, j) > trace_matrix_get(&m, i, best))
                best = j;
        fputs("  ", stdout);
        print_word(rows->labels[i], 16);
        fputs(" <- ", stdout);
        print_word(cols->labels[best], 16);
        printf(" %.3f\n", (double)trace_matrix_get(&m, i, best));
    }
}

/* All of a few classes in their order; of many the likeliest, which the last step holds. */
static void print_classes(const Trace *trace)
{
    int32_t n = trace_n_classes(trace), steps = trace_n_steps(trace);
    const TraceStep *last = steps > 0 ? trace_step(trace, steps - 1) : NULL;
    if (n > RUN_N_CANDIDATES && last && last->n_candidates > 0) {
        for (int32_t i = 0; i < last->n_candidates; i++)
            printf("%s %.4f\n", last->candidates[i].token, last->candidates[i].probability);
        return;
    }
    for (int32_t i = 0; i < n; i++)
        printf("%s %.4f\n", trace_class(trace, i)->label, trace_class(trace, i)->probability);
}

void run_print_trace(const Trace *trace)
{
    const char *output = trace_text(trace, "output");
    if (output)
        puts(output);
    print_classes(trace);
    print_weights(trace);
    for (int32_t i = 0; i < trace_n_notes(trace); i++)
        fprintf(stderr, "fovea: %s\n", trace_note(trace, i));
}

void run_add_line(const Trace *trace, StrBuf *out)
{
    const TraceClass *best = NULL;
    for (int32_t i = 0; i < trace_n_classes(trace); i++)
        if (!best || trace_class(trace, i)->probability > best->probability)
            best = trace_class(trace, i);
    const char *output = trace_text(trace, "output");
    if (best)
        strbuf_addf(out, "%s\t%.4f", best->label, best->probability);
    else
        strbuf_add(out, output ? output : "");
    for (size_t i = 0; i < out->length; i++)
        if (out->text[i] == '\n' || out->text[i] == '\r')
            out->text[i] = ' ';
}

/* ---- what followed ---- */

static void print_number(double value, const char *format, int width)
{
    if (isfinite(value))
        printf(format, width, value);
    else
        printf("%*s", width, "");
}

static void print_step(const Trace *before, const Trace *after, const FollowedStep *s)
{
    const char *old = s->before >= 0 ? trace_step(before, s->before)->token : "";
    const char *now = s->after >= 0 ? trace_step(after, s->after)->token : "";
    printf("%c %4d  ", s->same ? ' ' : '*', (s->after >= 0 ? s->after : s->before) + 1);
    print_word(old, 16);
    print_number(s->p_before, "%*.4f", 7);
    fputs("  ", stdout);
    print_word(now, 16);
    print_number(s->p_after, "%*.4f", 7);
    print_number(s->change, "  %+*.4f", 8);
    if (!s->same && isfinite(s->p_old))
        printf("  \"%s\" now %.4f", old, s->p_old);
    putchar('\n');
}

void run_print_followed(const Trace *before, const Trace *after)
{
    const char *old = trace_text(before, "output"), *now = trace_text(after, "output");
    printf("before  %s\nafter   %s\n", old ? old : "", now ? now : "");
    for (int32_t i = 0; i < trace_n_classes(before) && i < trace_n_classes(after); i++)
        printf("  %-24s %.4f -> %.4f  %+.4f\n", trace_class(before, i)->label,
               trace_class(before, i)->probability, trace_class(after, i)->probability,
               trace_class(after, i)->probability - trace_class(before, i)->probability);
    Followed f = followed_new(before, after);
    if (f.n > 0)
        printf("  step  %-16s      p  %-16s      p    change\n", "before", "after");
    for (int32_t i = 0; i < f.n; i++)
        print_step(before, after, &f.at[i]);
    printf("%d of %d tokens differ\n", (int)f.n_other, (int)f.n);
    followed_free(&f);
}

/* ---- leaving out words ---- */

void run_print_left_out(const LeaveOneOut *r)
{
    printf("%-20s  weight    effect  without it\n", "word");
    for (int32_t k = 0; k < r->n_words; k++) {
        const LeftOut *w = &r->words[k];
        print_word(w->word, 20);
        printf("  %.4f  %+8.4f  %s\n", (double)w->weight, (double)w->effect,
               w->changes_output ? w->output : "the same");
    }
    printf("rank correlation of weight and effect: tau %.3f, rho %.3f; "
           "mean tau of single rows %.3f\n",
           r->kendall, r->spearman, r->row_kendall);
}

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *matrix(const float *values, int32_t rows, int32_t cols)
{
    json_t *out = json_array();
    for (int32_t i = 0; i < rows; i++) {
        json_t *row = json_array();
        for (int32_t j = 0; j < cols; j++)
            json_array_append_new(
                row, real_or_null((double)values[(size_t)i * (size_t)cols + (size_t)j]));
        json_array_append_new(out, row);
    }
    return out;
}

char *run_left_out_json(const LeaveOneOut *r)
{
    json_t *words = json_array(), *rows = json_array();
    for (int32_t k = 0; k < r->n_words; k++) {
        const LeftOut *w = &r->words[k];
        json_array_append_new(words, json_pack("{s:s, s:o, s:o, s:s, s:b}", "word", w->word,
                                               "weight", real_or_null((double)w->weight), "effect",
                                               real_or_null((double)w->effect), "output", w->output,
                                               "changes_output", (int)w->changes_output));
    }
    for (int32_t i = 0; i < r->n_rows; i++)
        json_array_append_new(rows, json_string(r->rows[i]));
    json_t *all = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "words", words, "rows", rows,
                            "weights", matrix(r->weights, r->n_rows, r->n_words), "effects",
                            matrix(r->effects, r->n_rows, r->n_words), "kendall",
                            real_or_null(r->kendall), "spearman", real_or_null(r->spearman),
                            "row_kendall", real_or_null(r->row_kendall));
    char *text = json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(7));
    json_decref(all);
    return text;
}
