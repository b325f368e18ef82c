#include "views/flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct Maker {
    const ViewFrame *frame;
    const FlowSpec *spec;
    Flow *flow;
    int32_t *order; /* tokens by the beginning of their span */
    size_t line_room, box_room;
    float y; /* middle of the next line */
} Maker;

typedef struct Place {
    int32_t begin, token;
} Place;

static int by_beginning(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                                : (x->token > y->token) - (x->token < y->token);
}

static void sort_tokens(Maker *m)
{
    int32_t n = m->spec->n_tokens;
    Place *places = memory_new((size_t)n + 1, sizeof *places);
    for (int32_t i = 0; i < n; i++)
        places[i] = (Place){m->spec->spans[i].begin, i};
    qsort(places, (size_t)n, sizeof *places, by_beginning);
    m->order = memory_new((size_t)n + 1, sizeof *m->order);
    for (int32_t i = 0; i < n; i++)
        m->order[i] = places[i].token;
    free(places);
}

/* The first token in order that could reach beyond `begin`. Spans overlap at most a little, so
 * going back over a few neighbours finds those that began before. */
static int32_t first_token(const Maker *m, int32_t begin)
{
    int32_t low = 0, high = m->spec->n_tokens;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (m->spec->spans[m->order[middle]].begin < begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (int k = 0; k < 4 && low > 0 && m->spec->spans[m->order[low - 1]].end > begin; k++)
        low--;
    return low;
}

static void add_box(Maker *m, int32_t token, float x, float width)
{
    Flow *flow = m->flow;
    flow->boxes =
        memory_grow(flow->boxes, &m->box_room, (size_t)flow->n_boxes + 1, sizeof *flow->boxes);
    flow->boxes[flow->n_boxes++] = (FlowBox){token, x, width};
}

/* Boxes of the tokens in text[begin, end), which is the line. */
static void box_tokens(Maker *m, FlowLine *line, int32_t begin, int32_t end)
{
    const FlowSpec *s = m->spec;
    TextSpan pieces[8];
    line->first_box = m->flow->n_boxes;
    for (int32_t i = first_token(m, begin); i < s->n_tokens; i++) {
        TraceSpan span = s->spans[m->order[i]];
        if (span.begin >= end)
            break;
        int32_t from = span.begin > begin ? span.begin : begin;
        int32_t to = span.end < end ? span.end : end;
        if (from >= to)
            continue;
        int n = fonts_spans(m->frame->fonts, line->text, &s->style, (size_t)(from - begin),
                            (size_t)(to - begin), pieces, 8);
        for (int k = 0; k < n; k++)
            add_box(m, m->order[i], line->x + pieces[k].x, pieces[k].width);
    }
    line->n_boxes = m->flow->n_boxes - line->first_box;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void add_line(Maker *m, int32_t block, int32_t begin, int32_t end)
{
    Flow *flow = m->flow;
    const FlowSpec *s = m->spec;
    int32_t shown = end;
    while (shown > begin && is_space(s->text[shown - 1]))
        shown--;
    char *text = arena_get(flow->arena, (size_t)(shown - begin) + 1, 1);
    memcpy(text, s->text + begin, (size_t)(shown - begin));
    text[shown - begin] = '\0';
    flow->lines =
        memory_grow(flow->lines, &m->line_room, (size_t)flow->n_lines + 1, sizeof *flow->lines);
    FlowLine *line = &flow->lines[flow->n_lines++];
    *line = (FlowLine){.text = text, .middle = m->y, .block = block};
    const TextLayout *layout = fonts_layout(m->frame->fonts, text, &s->style);
    if (layout->right_to_left || s->from_right)
        line->x = fmaxf(s->width - layout->width * s->style.size, 0);
    box_tokens(m, line, begin, shown);
    m->y += s->line;
}

static void add_block(Maker *m, int32_t block)
{
    const FlowSpec *s = m->spec;
    int32_t at = s->blocks[block].span.begin, end = s->blocks[block].span.end;
    m->flow->block_top[block] = m->y;
    bool is_empty = true;
    while (at < end) {
        size_t n = fonts_break_line(m->frame->fonts, s->text + at, (size_t)(end - at), &s->style,
                                    s->width);
        add_line(m, block, at, at + (int32_t)n);
        at += (int32_t)n;
        is_empty = false;
    }
    m->y += (is_empty ? s->line : 0) + s->gap;
}

static void flow_free(void *value)
{
    Flow *flow = value;
    free(flow->lines);
    free(flow->boxes);
    arena_free(flow->arena);
    free(flow);
}

const Flow *flow_get(const ViewFrame *frame, const char *name, const FlowSpec *spec)
{
    ViewKey key =
        view_key("flow:%llu:%s:%.2f:%.2f:%.2f", (unsigned long long)trace_id(frame->trace), name,
                 (double)spec->width, (double)spec->style.size, (double)spec->line);
    Flow *flow = view_cache_find(frame->cache, &key);
    if (flow)
        return flow;
    flow = memory_new(1, sizeof *flow);
    flow->arena = arena_new();
    flow->block_top =
        arena_get_zeroed(flow->arena, (size_t)spec->n_blocks + 1, sizeof *flow->block_top);
    Maker maker = {.frame = frame, .spec = spec, .flow = flow, .y = spec->line / 2};
    sort_tokens(&maker);
    for (int32_t i = 0; i < spec->n_blocks; i++)
        add_block(&maker, i);
    free(maker.order);
    flow->height = fmaxf(maker.y - spec->line / 2 - spec->gap, 0);
    size_t bytes = arena_reserved_bytes(flow->arena) + maker.box_room * sizeof(FlowBox);
    return view_cache_put(frame->cache, &key, flow, bytes, flow_free);
}

void flow_visible(const Flow *flow, float top, float bottom, int32_t *first, int32_t *end)
{
    int32_t a = 0;
    while (a < flow->n_lines && flow->lines[a].middle < top)
        a++;
    int32_t b = a;
    while (b < flow->n_lines && flow->lines[b].middle <= bottom)
        b++;
    *first = a > 0 ? a - 1 : 0;
    *end = b < flow->n_lines ? b + 1 : flow->n_lines;
}
