#include "figure/figure_what_if.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* ---- words left out ---- */

struct LeftOutPicture {
    Arena *arena;
    int n;
    const char **words, **outputs;
    float *weights, *effects;
    double kendall, spearman, row_kendall;
};

LeftOutPicture *left_out_picture_new(const LeaveOneOut *r)
{
    LeftOutPicture *p = memory_new(1, sizeof *p);
    size_t n = (size_t)r->n_words;
    *p = (LeftOutPicture){
        .arena = arena_new(),
        .n = r->n_words,
        .kendall = r->kendall,
        .spearman = r->spearman,
        .row_kendall = r->n_rows > 1 ? r->row_kendall : (double)NAN, /* of one row it is all */
    };
    p->words = arena_get(p->arena, n + 1, sizeof *p->words);
    p->outputs = arena_get(p->arena, n + 1, sizeof *p->outputs);
    p->weights = arena_get(p->arena, n + 1, sizeof *p->weights);
    p->effects = arena_get(p->arena, n + 1, sizeof *p->effects);
    for (size_t k = 0; k < n; k++) {
        const LeftOut *word = &r->words[k];
        p->words[k] = arena_copy_string(p->arena, word->word);
        p->outputs[k] = word->changes_output ? arena_copy_string(p->arena, word->output) : NULL;
        p->weights[k] = word->weight;
        p->effects[k] = word->effect;
    }
    return p;
}

void left_out_picture_free(void *picture)
{
    LeftOutPicture *p = picture;
    if (p)
        arena_free(p->arena);
    free(p);
}

LeftOutSpec left_out_picture_spec(const LeftOutPicture *p, const ViewFrame *frame)
{
    return (LeftOutSpec){
        .frame = frame,
        .n = p->n,
        .words = p->words,
        .weights = p->weights,
        .effects = p->effects,
        .outputs = p->outputs,
        .kendall = p->kendall,
        .spearman = p->spearman,
        .row_kendall = p->row_kendall,
    };
}

static void draw_left_out(const void *context, const ViewFrame *frame, Canvas *canvas)
{
    const LeftOutSpec spec = left_out_picture_spec(context, frame);
    left_out_draw(&spec, canvas);
}

static float left_out_height(const void *context, const ViewFrame *frame, float width)
{
    const LeftOutSpec spec = left_out_picture_spec(context, frame);
    return left_out_wanted_height(&spec, width);
}

static void write_left_out(const void *context, const ViewFrame *frame, Table *table)
{
    const LeftOutSpec spec = left_out_picture_spec(context, frame);
    left_out_write(&spec, table);
}

FigureDrawing left_out_picture_drawing(const LeftOutPicture *p)
{
    return (FigureDrawing){draw_left_out, left_out_height, write_left_out, p};
}

/* ---- what followed ---- */

struct OutcomePicture {
    const Trace *before, *after;
};

OutcomePicture *outcome_picture_new(const Trace *before, const Trace *after)
{
    OutcomePicture *p = memory_new(1, sizeof *p);
    *p = (OutcomePicture){trace_retain(before), trace_retain(after)};
    return p;
}

void outcome_picture_free(void *picture)
{
    OutcomePicture *p = picture;
    if (!p)
        return;
    trace_release(p->before);
    trace_release(p->after);
    free(p);
}

static OutcomeSpec outcome_spec(const OutcomePicture *p, const ViewFrame *frame)
{
    return (OutcomeSpec){frame, p->before, p->after};
}

static void draw_outcome(const void *context, const ViewFrame *frame, Canvas *canvas)
{
    const OutcomeSpec spec = outcome_spec(context, frame);
    outcome_draw(&spec, canvas);
}

static float outcome_height(const void *context, const ViewFrame *frame, float width)
{
    const OutcomeSpec spec = outcome_spec(context, frame);
    return outcome_wanted_height(&spec, width);
}

static void write_outcome(const void *context, const ViewFrame *frame, Table *table)
{
    const OutcomeSpec spec = outcome_spec(context, frame);
    outcome_write(&spec, table);
}

FigureDrawing outcome_picture_drawing(const OutcomePicture *p)
{
    return (FigureDrawing){draw_outcome, outcome_height, write_outcome, p};
}
