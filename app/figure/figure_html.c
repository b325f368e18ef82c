/* A figure as a page that stands alone in a browser. A text stays text there: it wraps, can be
 * searched and copied, and a word says under the pointer what it says on the screen. Every
 * other view is the picture of canvas_svg.h within the page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "canvas/canvas_svg.h"
#include "figure/figure_origin.h"
#include "figure/figure_page.h"
#include "views/text.h"

#define MOST_TITLES 8192 /* words that say something under the pointer */
#define RAMP_STOPS  9    /* of the legend */

typedef struct Page {
    FigurePaper *paper;
    TextPlan *plan;
    StrBuf *out;
    int n_titles;
} Page;

/* ---- pieces ---- */

static void add_color(StrBuf *out, Color color)
{
    strbuf_addf(out, "#%06x", (unsigned)(color >> 8));
}

/* As the screen shows it, signs for invisible characters and all; lines stay lines. */
static void add_shown(Page *page, const char *text, size_t n)
{
    TextStyle style = theme_text(&page->paper->theme);
    while (n > 0) {
        const char *newline = memchr(text, '\n', n);
        size_t length = newline ? (size_t)(newline - text) : n;
        char *line = memory_copy_bytes(text, length);
        strbuf_add_xml(page->out, fonts_layout(page->paper->frame.fonts, line, &style)->text);
        free(line);
        if (newline)
            strbuf_add_char(page->out, '\n');
        text += length + (newline != NULL);
        n -= length + (newline != NULL);
    }
}

static void add_element(Page *page, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    strbuf_addf(page->out, "<%s>", name);
    add_shown(page, text, strlen(text));
    strbuf_addf(page->out, "</%.*s>\n", (int)strcspn(name, " "), name);
}

static void add_title(Page *page, const ViewHit *hit)
{
    if (hit->n_lines == 0 || page->n_titles >= MOST_TITLES)
        return;
    page->n_titles++;
    strbuf_add(page->out, " title=\"");
    for (int i = 0; i < hit->n_lines; i++) {
        strbuf_add(page->out, i ? "&#10;" : "");
        add_shown(page, hit->lines[i], strlen(hit->lines[i]));
    }
    strbuf_add(page->out, "\"");
}

/* ---- words ---- */

static void add_look(Page *page, const TextPart *part, int32_t token)
{
    const Theme *theme = &page->paper->theme;
    const TraceAxis *axis = trace_axis(page->paper->frame.trace, part->axis);
    float value = part->values ? part->values[token] : 0;
    bool is_unknown = axis->flags && axis->flags[token] & TRACE_TOKEN_UNKNOWN && axis->spans;
    strbuf_addf(page->out, "<span class=\"%s%s%s%s\"", "w", is_unknown ? " unknown" : "",
                token >= part->ghosts_from                   ? " ghost"
                : part->values && isnan(part->values[token]) ? " alone"
                                                             : "",
                token == part->current ? " current" : "");
    Color color = shade_color(&page->plan->shade, value, 0);
    if (token != part->current && isfinite(value) &&
        color_contrast(color, theme->background) > 1.05f) {
        strbuf_add(page->out, " style=\"background:");
        add_color(page->out, color);
        strbuf_add(page->out, "\"");
    }
}

static void add_word(Page *page, const TextPart *part, int32_t token)
{
    ViewHit hit = {0};
    if (page->n_titles < MOST_TITLES)
        text_describe_token(page->plan, part, token, &hit);
    add_look(page, part, token);
    add_title(page, &hit);
    strbuf_add(page->out, ">");
    TraceSpan span = part->spans[token];
    add_shown(page, part->text + span.begin, (size_t)(span.end - span.begin));
    strbuf_add(page->out, "</span>");
}

static void add_block(Page *page, const TextPart *part, TraceSpan block)
{
    int32_t at = block.begin;
    strbuf_add(page->out, "<p dir=\"auto\">");
    for (int32_t i = 0; i < part->n; i++) {
        TraceSpan span = part->spans[i];
        if (span.begin < at || span.end > block.end || span.end <= span.begin)
            continue;
        add_shown(page, part->text + at, (size_t)(span.begin - at));
        add_word(page, part, i);
        at = span.end;
    }
    add_shown(page, part->text + at, (size_t)(block.end - at));
    strbuf_add(page->out, "</p>");
}

static void add_bar(Page *page, int32_t sentence)
{
    const TextPlan *plan = page->plan;
    ViewHit hit = {0};
    double share =
        plan->longest > 0 ? (double)plan->sentences[sentence] / (double)plan->longest : 0;
    text_describe_sentence(page->plan, sentence, &hit);
    strbuf_add(page->out, "<div class=\"bar\"");
    add_title(page, &hit);
    strbuf_addf(page->out, "><i style=\"width:%.1f%%\"></i></div>", 100 * share);
}

static void add_part(Page *page, const TextPart *part)
{
    const TextPlan *plan = page->plan;
    bool has_bars = text_has_bars(plan) && part == &plan->parts[plan->main];
    if (part->caption != WORD_COUNT)
        add_element(page, "h2", view_word(plan->frame, part->caption));
    for (int32_t i = 0; i < part->n_blocks; i++) {
        strbuf_addf(page->out, "<div class=\"row\"%s>", plan->is_mirrored ? " dir=\"rtl\"" : "");
        if (has_bars && part->blocks[i].item >= 0)
            add_bar(page, part->blocks[i].item);
        add_block(page, part, part->blocks[i].span);
        strbuf_add(page->out, "</div>\n");
    }
}

/* ---- around the text ---- */

static void add_classes(Page *page)
{
    const TextPlan *plan = page->plan;
    int n;
    const TraceClass *const *classes = text_classes(plan, &n);
    if (n == 0 || plan->stage < TEXT_STAGE_CLASS ||
        !settings_bool(plan->frame->options, "classes") || !text_is_answered(plan->frame))
        return;
    strbuf_add(page->out, "<table>\n");
    for (int i = 0; i < n; i++) {
        strbuf_add(page->out, "<tr><th>");
        add_shown(page, classes[i]->label, strlen(classes[i]->label));
        strbuf_addf(page->out,
                    "</th><td><div class=\"class\"><i style=\"width:%.1f%%\"></i></div></td>"
                    "<td class=\"number\">%s</td></tr>\n",
                    100 * classes[i]->probability, view_percent(classes[i]->probability).text);
    }
    strbuf_add(page->out, "</table>\n");
}

static void add_legend(Page *page)
{
    const TextPlan *plan = page->plan;
    const Shade *shade = &plan->shade;
    strbuf_add(page->out, "<p class=\"legend\">");
    strbuf_addf(page->out,
                "<span class=\"number\">%s</span><span class=\"ramp\" style=\""
                "background:linear-gradient(to right",
                view_short_number((double)shade->range.low).text);
    for (int i = 0; i < RAMP_STOPS; i++) {
        strbuf_add(page->out, ",");
        add_color(page->out, shade->map.table[i * (COLORMAP_SAMPLES - 1) / (RAMP_STOPS - 1)]);
    }
    strbuf_addf(page->out, ")\"></span><span class=\"number\">%s</span> ",
                view_short_number((double)shade->range.high).text);
    strbuf_add_xml(page->out, view_word(plan->frame, text_legend(plan)));
    if (text_has_bars(plan) && plan->longest > 0) {
        strbuf_add(page->out, " \u00b7 ");
        strbuf_addf(page->out, view_word(plan->frame, WORD_LONGEST_BAR),
                    view_number((double)plan->longest, 2).text);
    }
    strbuf_add(page->out, "</p>\n");
}

static void add_heading(Page *page)
{
    const ViewFrame *frame = &page->paper->frame;
    const TextPlan *plan = page->plan;
    add_element(page, "h1", frame->title ? frame->title : plan->heading.title);
    if (!frame->title)
        add_element(page, "p class=\"quiet\"", plan->heading.subtitle);
}

static void add_text(Page *page)
{
    const TextPlan *plan = page->plan;
    add_heading(page);
    add_classes(page);
    for (int i = 0; i < plan->n_parts; i++)
        add_part(page, &plan->parts[i]);
    add_legend(page);
    for (int i = 0; i < plan->notes.n; i++)
        add_element(page, "p class=\"quiet\"", plan->notes.text[i]);
}

/* ---- the page ---- */

static const char style_rules[] =
    "main{margin:0 auto;padding:24px}\n"
    "h1{font-size:1.15em;margin:0}\n"
    "h2{font-size:.8em;font-weight:400;color:var(--muted);margin:1.2em 0 .2em}\n"
    "p{margin:0;flex:1;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".quiet,.legend{font-size:.85em;color:var(--muted);white-space:normal}\n"
    ".row{display:flex;gap:18px;align-items:flex-start;margin-top:.35em}\n"
    ".bar{flex:none;width:60px;height:.65em;margin-top:.55em}\n"
    ".bar i{display:block;height:100%;min-width:1px;border-radius:2px;background:var(--warning)}\n"
    ".w{border-radius:3px}\n"
    ".unknown{border-bottom:1px dashed var(--warning)}\n"
    ".alone{outline:1px dashed var(--muted);outline-offset:-1px}\n"
    ".ghost{opacity:.38}\n"
    ".current{outline:2px solid var(--red)}\n"
    "table{border-collapse:collapse;margin:.8em 0}\n"
    "th{text-align:left;font-weight:400;padding:0 1em 0 0}\n"
    "td{padding:0}\n"
    ".class{width:110px;height:.65em}\n"
    ".class i{display:block;height:100%;min-width:1px;border-radius:2px;background:var(--accent)}\n"
    ".number{font-family:\"JetBrains Mono\",\"DejaVu Sans Mono\",monospace;font-size:.85em;"
    "color:var(--muted);text-align:right;padding-left:.8em}\n"
    ".legend{margin-top:1.5em}.legend .number{padding:0 .4em 0 0}\n"
    ".ramp{display:inline-block;width:120px;height:.8em;margin:0 .6em;vertical-align:-.05em;"
    "border:1px solid var(--line)}\n"
    "svg{max-width:100%;height:auto}\n";

static void add_style(Page *page)
{
    const FigurePaper *paper = page->paper;
    const Theme *theme = &paper->theme;
    const struct {
        const char *name;
        Color color;
    } colors[] = {{"muted", theme->muted},
                  {"warning", theme->warning},
                  {"accent", theme->accent},
                  {"line", theme->line},
                  {"red", text_red(theme)}};
    StrBuf *out = page->out;
    strbuf_addf(out, "<style>\n:root{color-scheme:%s",
                theme->kind == THEME_DARK ? "dark" : "light");
    for (size_t i = 0; i < sizeof colors / sizeof colors[0]; i++) {
        strbuf_addf(out, ";--%s:", colors[i].name);
        add_color(out, colors[i].color);
    }
    strbuf_add(out, "}\nbody{margin:0;color:");
    add_color(out, theme->text);
    if (paper->background & 255) {
        strbuf_add(out, ";background:");
        add_color(out, paper->background);
    }
    strbuf_addf(out, ";font:%.2fpx/1.8 Inter,\"DejaVu Sans\",sans-serif}\nmain{max-width:%.0fpx}\n",
                (double)theme->input_size, (double)paper->width);
    strbuf_add(out, style_rules);
    strbuf_add(out, "</style>\n");
}

static void begin_page(Page *page, const char *title, const char *note)
{
    StrBuf *out = page->out;
    strbuf_addf(
        out,
        "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n" FIGURE_HTML_MARK
        "\n",
        page->paper->frame.language == 1 ? "zh" : "en");
    if (note) {
        strbuf_add(out, "<meta name=\"" FIGURE_ORIGIN_KEY "\" content=\"");
        strbuf_add_xml(out, note);
        strbuf_add(out, "\">\n");
    }
    strbuf_add(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    add_element(page, "title", *title ? title : "Fovea");
    add_style(page);
    strbuf_add(out, "</head>\n<body>\n<main>\n");
}

static bool add_picture(Page *page, Error *error)
{
    StrBuf svg = {0};
    Canvas *canvas = figure_draw_page(page->paper);
    const SvgOptions options = {0};
    bool ok = canvas_encode_svg(canvas, page->paper->frame.fonts, &options, &svg, error);
    if (ok) /* what stands before the element is for files of their own */
        strbuf_add(page->out, strstr(svg.text, "<svg"));
    canvas_free(canvas);
    strbuf_free(&svg);
    return ok;
}

static void add_caption(Page *page, const char *title)
{
    if (settings_bool(page->paper->figure->settings, "caption"))
        add_element(page, "p class=\"quiet\"", title);
}

static bool is_strip(const FigurePaper *paper)
{
    return settings_choice(paper->figure->settings, "steps") == 1 &&
           trace_n_steps(paper->figure->trace) > 0;
}

bool figure_write_html(FigurePaper *paper, const char *title, const char *note, StrBuf *out,
                       Error *error)
{
    Page page = {.paper = paper, .out = out};
    begin_page(&page, title, note);
    bool ok = true;
    TextPlan plan = {0};
    ViewFrame frame = paper->frame;
    frame.area = (Rect){0, 0, paper->width, CANVAS_MAX_COORDINATE};
    bool is_text = strcmp(paper->figure->view->name, "text") == 0 && !is_strip(paper);
    if (is_text) {
        text_plan(&plan, &frame);
        page.plan = &plan;
    }
    if (plan.n_parts > 0) {
        add_text(&page);
        add_caption(&page, title);
    } else {
        ok = add_picture(&page, error); /* its caption is in the picture */
    }
    if (is_text)
        text_plan_free(&plan);
    strbuf_add(out, "</main>\n</body>\n</html>\n");
    return ok;
}
