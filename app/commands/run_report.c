/* What a batch says about attention over its whole file: a page with tables and charts, the
 * charts alone, or the numbers alone. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "canvas/canvas_svg.h"
#include "commands/run_job.h"
#include "views/chart.h"

#define CHART_WIDTH  480
#define CHART_HEIGHT 260
#define COLUMNS      2
#define GAP          24

/* ---- the numbers as series ---- */

/* Points of one curve over the lengths that occur. */
typedef struct Curve {
    float x[CORPUS_N_LENGTHS], y[CORPUS_N_LENGTHS];
    int n;
} Curve;

typedef double (*ValueOf)(const CorpusPart *part);

static double entropy_of(const CorpusPart *part)
{
    return corpus_mean(&part->entropy);
}

static double coverage_of(const CorpusPart *part)
{
    return corpus_mean(&part->coverage);
}

static double score_of(const CorpusPart *part)
{
    return corpus_mean(&part->score);
}

static double target_of(const CorpusPart *part)
{
    return corpus_mean(&part->target);
}

static double error_rate_of(const CorpusPart *part)
{
    return align_score_error_rate(&part->align);
}

/* Against the mean length of the sources in each part. */
static Curve curve_of(const Corpus *corpus, ValueOf value)
{
    Curve c = {.n = 0};
    for (int i = 0; i < CORPUS_N_LENGTHS; i++) {
        const CorpusPart *part = &corpus->length[i];
        double y = value(part);
        if (part->n == 0 || !isfinite(y))
            continue;
        c.x[c.n] = (float)corpus_mean(&part->source);
        c.y[c.n++] = (float)y;
    }
    return c;
}

/* ---- charts ---- */

typedef struct Page {
    const RunReport *report;
    Canvas *canvas;
    Theme theme;
    ViewFrame frame;
    int n; /* charts so far */
} Page;

static Rect next_place(Page *page)
{
    int i = page->n++;
    return (Rect){(float)(i % COLUMNS * (CHART_WIDTH + GAP)),
                  (float)(i / COLUMNS * (CHART_HEIGHT + GAP)), CHART_WIDTH, CHART_HEIGHT};
}

static void draw_chart(Page *page, const char *title, ChartSpec *spec)
{
    Rect place = next_place(page);
    spec->frame = &page->frame;
    spec->marker = NAN;
    place.y += view_draw_heading(&page->frame, page->canvas, place, (ViewHeading){title, NULL});
    spec->area = place;
    spec->area.h = CHART_HEIGHT - 32;
    chart_draw(spec, page->canvas);
}

static void draw_curve(Page *page, const char *title, const char *unit, ValueOf value)
{
    Curve c = curve_of(page->report->corpus, value);
    if (c.n == 0)
        return;
    const ChartSeries series = {.name = unit, .x = c.x, .y = c.y, .n = c.n};
    ChartSpec spec = {
        .kind = c.n > 1 ? CHART_LINES : CHART_POINTS,
        .x = {.title = "source length, tokens"},
        .y = {.title = unit},
        .series = &series,
        .n_series = 1,
    };
    draw_chart(page, title, &spec);
}

static void draw_histogram(Page *page, const char *title, const char *unit, const int64_t *bins,
                           double most)
{
    float x[CORPUS_N_BINS], y[CORPUS_N_BINS];
    int64_t total = 0;
    for (int i = 0; i < CORPUS_N_BINS; i++) {
        x[i] = (float)((i + 0.5) * most / CORPUS_N_BINS);
        y[i] = (float)bins[i];
        total += bins[i];
    }
    if (total == 0)
        return;
    const ChartSeries series = {.name = "sentences", .x = x, .y = y, .n = CORPUS_N_BINS};
    ChartSpec spec = {
        .kind = CHART_LINES,
        .x = {.title = unit, .low = 0, .high = (float)most},
        .y = {.title = "sentences"},
        .series = &series,
        .n_series = 1,
    };
    draw_chart(page, title, &spec);
}

static void draw_classes(Page *page)
{
    const Corpus *c = page->report->corpus;
    float y[CORPUS_MAX_CLASSES + 1];
    const char *labels[CORPUS_MAX_CLASSES + 1];
    int n = c->n_classes;
    for (int i = 0; i < n; i++) {
        y[i] = (float)c->classes[i].n;
        labels[i] = c->classes[i].label;
    }
    if (c->classes[CORPUS_MAX_CLASSES].n > 0) {
        y[n] = (float)c->classes[CORPUS_MAX_CLASSES].n;
        labels[n++] = "others";
    }
    if (n == 0)
        return;
    const ChartSeries series = {.name = "verdicts", .y = y, .n = n};
    ChartSpec spec = {
        .kind = CHART_BARS,
        .y = {.title = "sentences"},
        .series = &series,
        .n_series = 1,
        .labels = labels,
        .numbers = true,
    };
    draw_chart(page, "Verdicts", &spec);
}

static void draw_charts(Page *page)
{
    const Corpus *c = page->report->corpus;
    draw_classes(page);
    draw_histogram(page, "How sharp attention is", "mean entropy of a sentence, nats",
                   c->entropy_bins, CORPUS_MOST_ENTROPY);
    draw_curve(page, "Entropy by length", "mean entropy, nats", entropy_of);
    draw_histogram(page, "How much of the source is looked at", "coverage of a sentence",
                   c->coverage_bins, 1);
    draw_curve(page, "Coverage by length", "coverage", coverage_of);
    draw_curve(page, "Certainty by length", "log probability a token, nats", score_of);
    draw_curve(page, "Length of the output", "output length, tokens", target_of);
    draw_curve(page, "Alignment error by length", "alignment error rate", error_rate_of);
}

static bool charts_svg(const RunReport *report, StrBuf *out, Error *error)
{
    Fonts *fonts = fonts_new(error);
    if (!fonts)
        return false;
    Page page = {.report = report, .theme = theme_make(THEME_LIGHT)};
    ViewCache *cache = view_cache_new();
    page.frame = (ViewFrame){
        .theme = &page.theme,
        .fonts = fonts,
        .cache = cache,
        .is_figure = true,
        .area = {0, 0, COLUMNS * CHART_WIDTH + GAP, CHART_HEIGHT},
    };
    /* Once to see how many there are. */
    page.canvas = canvas_new(1, 1);
    draw_charts(&page);
    canvas_free(page.canvas);
    int rows = (page.n + COLUMNS - 1) / COLUMNS;
    page.canvas = canvas_new(COLUMNS * CHART_WIDTH + GAP, (float)(rows * (CHART_HEIGHT + GAP) + 1));
    page.n = 0;
    draw_charts(&page);
    bool ok =
        canvas_encode_svg(page.canvas, fonts, &(SvgOptions){.title = report->model}, out, error);
    view_cache_free(cache);
    canvas_free(page.canvas);
    fonts_free(fonts);
    return ok;
}

/* ---- tables ---- */

static void add_number(StrBuf *out, double value, int digits)
{
    if (isfinite(value))
        strbuf_addf(out, "<td>%.*f</td>", digits, value);
    else
        strbuf_add(out, "<td>&#8211;</td>");
}

static void add_part(StrBuf *out, const char *name, const CorpusPart *p)
{
    if (p->n == 0)
        return;
    strbuf_addf(out, "<tr><th>%s</th><td>%" PRId64 "</td>", name, p->n);
    add_number(out, corpus_mean(&p->source), 1);
    add_number(out, corpus_mean(&p->target), 1);
    add_number(out, corpus_mean(&p->entropy), 3);
    add_number(out, corpus_mean(&p->coverage), 3);
    add_number(out, corpus_mean(&p->score), 3);
    add_number(out, align_score_error_rate(&p->align), 3);
    strbuf_add(out, "</tr>\n");
}

static void length_name(int i, char out[48])
{
    int low = i * CORPUS_LENGTH_STEP + 1, high = low + CORPUS_LENGTH_STEP - 1;
    if (i + 1 < CORPUS_N_LENGTHS)
        snprintf(out, 48, "%d to %d tokens", low, high);
    else
        snprintf(out, 48, "%d and more", low);
}

static void add_tables(StrBuf *out, const RunReport *report)
{
    const Corpus *c = report->corpus;
    strbuf_add(out, "<table>\n<tr><th>source length</th><th>sentences</th><th>source</th>"
                    "<th>output</th><th>entropy</th><th>coverage</th><th>log p</th>"
                    "<th>AER</th></tr>\n");
    add_part(out, "all", &c->all);
    for (int i = 0; i < CORPUS_N_LENGTHS; i++) {
        char name[48];
        length_name(i, name);
        add_part(out, name, &c->length[i]);
    }
    strbuf_add(out, "</table>\n<p class=note>Entropy: mean over the rows of a sentence, nats. "
                    "Coverage: mean over source tokens of min(1, all the weight they received). "
                    "log p: mean log probability of a written token, or of the verdict.</p>\n");
}

static void add_problems(StrBuf *out, const RunReport *report)
{
    if (report->n_failed == 0)
        return;
    strbuf_addf(out, "<h2>%" PRId64 " lines failed</h2>\n<ul>\n", report->n_failed);
    for (int i = 0; i < report->n_problems; i++) {
        strbuf_add(out, "<li>");
        strbuf_add_xml(out, report->problems[i]);
        strbuf_add(out, "</li>\n");
    }
    if (report->n_failed > report->n_problems)
        strbuf_addf(out, "<li>and %" PRId64 " more</li>\n", report->n_failed - report->n_problems);
    strbuf_add(out, "</ul>\n");
}

/* The page is whole in itself: the charts stand in it as SVG. */
static bool page_html(const RunReport *report, StrBuf *out, Error *error)
{
    StrBuf svg = {0};
    if (!charts_svg(report, &svg, error)) {
        strbuf_free(&svg);
        return false;
    }
    strbuf_add(out, "<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n<title>");
    strbuf_add_xml(out, report->model);
    strbuf_add(out, "</title>\n<style>\n"
                    "body{font:15px/1.5 Inter,\"DejaVu Sans\",sans-serif;color:#1d2127;"
                    "background:#fff;max-width:1000px;margin:40px auto;padding:0 16px}\n"
                    "h1{font-size:22px;margin:0}h2{font-size:16px;margin:32px 0 8px}\n"
                    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;"
                    "margin:24px 0 8px}\n"
                    "td,th{padding:4px 14px;text-align:right;border-bottom:1px solid #e3e3de}\n"
                    "th:first-child{text-align:left;font-weight:400}.note{color:#6a717c;"
                    "font-size:13px}\nsvg{max-width:100%;height:auto}\n</style>\n<h1>");
    strbuf_add_xml(out, report->model);
    strbuf_add(out, "</h1>\n<p class=note>");
    strbuf_add_xml(out, report->title);
    strbuf_addf(out, " &#183; %" PRId64 " sentences of ", report->corpus->all.n);
    strbuf_add_xml(out, strcmp(report->input, "-") == 0 ? "standard input" : report->input);
    strbuf_add(out, "</p>\n");
    add_tables(out, report);
    const char *begin = strstr(svg.text, "<svg");
    strbuf_add(out, begin ? begin : svg.text);
    add_problems(out, report);
    strbuf_add(out, "</html>\n");
    strbuf_free(&svg);
    return true;
}

/* ---- numbers ---- */

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *part_json(const CorpusPart *p)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "sentences", (json_int_t)p->n, "source",
                     real_or_null(corpus_mean(&p->source)), "target",
                     real_or_null(corpus_mean(&p->target)), "entropy",
                     real_or_null(corpus_mean(&p->entropy)), "coverage",
                     real_or_null(corpus_mean(&p->coverage)), "log_probability",
                     real_or_null(corpus_mean(&p->score)), "aer",
                     real_or_null(align_score_error_rate(&p->align)));
}

static void numbers_json(const RunReport *report, StrBuf *out)
{
    const Corpus *c = report->corpus;
    json_t *lengths = json_array(), *classes = json_object();
    for (int i = 0; i < CORPUS_N_LENGTHS; i++) {
        char name[48];
        length_name(i, name);
        json_t *part = part_json(&c->length[i]);
        json_object_set_new(part, "length", json_string(name));
        json_array_append_new(lengths, part);
    }
    for (int i = 0; i < c->n_classes; i++)
        json_object_set_new(classes, c->classes[i].label, json_integer(c->classes[i].n));
    json_t *all = json_pack("{s:s, s:s, s:I, s:o, s:o, s:o}", "model", report->model, "input",
                            report->input, "failed", (json_int_t)report->n_failed, "all",
                            part_json(&c->all), "by_length", lengths, "classes", classes);
    char *text = json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(7));
    strbuf_add(out, text);
    strbuf_add(out, "\n");
    free(text);
    json_decref(all);
}

bool run_report_write(const RunReport *report, const char *path, Error *error)
{
    const char *ending = file_extension(path);
    StrBuf text = {0};
    bool ok = true;
    if (strcmp(ending, ".html") == 0)
        ok = page_html(report, &text, error);
    else if (strcmp(ending, ".svg") == 0)
        ok = charts_svg(report, &text, error);
    else
        numbers_json(report, &text);
    ok = ok && file_write(path, text.text, text.length, error);
    strbuf_free(&text);
    return ok;
}
