/* text.h - the plan of the Text view: running text shaded word by word.
 *
 * One plan serves documents with sentences (bars beside sentences, words shaded), sentences
 * that look at themselves (the current word red, the others blue), a translation (source
 * shaded by the current output word) and readers (question, story, candidates). What there
 * is decides: README.md has the names.
 */
#ifndef FOVEA_VIEWS_TEXT_H
#define FOVEA_VIEWS_TEXT_H
#include "views/flow.h"
#include "views/heatmap.h"

typedef enum {
    TEXT_BY_AUTO,
    TEXT_BY_WEIGHT,
    TEXT_BY_LIFT,
    TEXT_BY_EFFECT,
    TEXT_BY_GRADIENT
} TextBy;

/* How far a document has been worked out at the current step. */
typedef enum {
    TEXT_STAGE_WORDS,
    TEXT_STAGE_VECTORS,
    TEXT_STAGE_SENTENCES,
    TEXT_STAGE_CLASS /* all there is */
} TextStage;

#define TEXT_MAX_PARTS 3
#define TEXT_MAX_KNOWN 8

/* A text with its tokens: the document, the question, the output. */
typedef struct TextPart {
    ViewWord caption; /* WORD_COUNT: none */
    int32_t axis;
    int32_t n; /* tokens */
    const char *text;
    const TraceSpan *spans;  /* [n] */
    const FlowBlock *blocks; /* [n_blocks]: sentences in the order shown, or all of it */
    int32_t n_blocks;
    const float *values; /* [n], NaN: not applicable; NULL: not shaded */
    int32_t current;     /* marked red; -1: none */
    int32_t ghosts_from; /* token from which on nothing has been read or written; n: none */
    const Flow *flow;
    float top; /* of the flow, from the top of all parts */
} TextPart;

typedef struct TextPlan {
    const ViewFrame *frame;
    Arena *arena;
    TextBy by;
    TextStage stage; /* of a document, else TEXT_STAGE_CLASS */
    TextPart parts[TEXT_MAX_PARTS];
    int n_parts;
    int main;                  /* part that the weights are about */
    const TraceTensor *tensor; /* of those weights */
    const Values *values;      /* NULL for documents */
    int32_t sentence_axis;     /* -1: no sentences */
    const float *sentences;    /* [n sentences] weights; NULL: no bars */
    const float *support;      /* [n sentences] > 0: known to hold the answer; NULL */
    float longest;             /* of them */
    Shade shade;
    ViewHeading heading;
    char subtitle[240];
    ViewNotes notes;
    Rect heading_place, place, classes, minimap, legend, notes_place;
    bool is_mirrored; /* reads from right to left: bars stand at the right */
    float gutter;     /* room of the bars    */
    float indent;     /* of the text in place */
    float height;     /* of all parts */
    float scroll;
    struct { /* what text_rank_one has read */
        const char *name;
        int32_t axis;
        const float *values;
    } known[TEXT_MAX_KNOWN];
    int n_known;
    Error error;
} TextPlan;

extern const Setting text_settings[];

/* parts is 0 when there is nothing to draw; error says why. */
void text_plan(TextPlan *plan, const ViewFrame *frame);
void text_plan_free(TextPlan *plan);

/* What is said of a token or a sentence that is pointed at, added to the hit's lines. */
void text_describe_token(TextPlan *plan, const TextPart *part, int32_t token, ViewHit *hit);
void text_describe_sentence(TextPlan *plan, int32_t sentence, ViewHit *hit);
ViewWord text_legend(const TextPlan *plan); /* what the shades stand for */
/* The classes as they are listed: [*n], numbers in their order, others by falling probability. */
const TraceClass *const *text_classes(const TextPlan *plan, int *n);

/* ---- its pieces, by file ---- */

/* text_source.c: parts, values, the row that is looked at. */
void text_find_parts(TextPlan *plan);
/* The values of a tensor over this axis alone, or NULL; `name` is kept. */
const float *text_rank_one(TextPlan *plan, const char *name, int32_t axis);

/* text_reader.c: rows of a matrix are numbered; below zero they mean */
enum { TEXT_MEAN_ROW = -1, TEXT_NO_ROW = -2 };
/* The row that a reader's step shows: TEXT_NO_ROW before its first look. TEXT_MEAN_ROW for
 * traces whose steps are no looks. */
int32_t text_look_row(const ViewFrame *frame);
/* Words that have not been read at this step are ghosts, the one being read is marked. */
void text_mark_asked(const ViewFrame *frame, TextPart *question);
/* The classes are known: always, unless a reader or a classifier by stages has not come so far. */
bool text_is_answered(const ViewFrame *frame);
/* The axis of the words of sentences, or the axis itself. */
int32_t text_words_of(const Trace *trace, int32_t axis);
const float *text_spread(TextPlan *plan, const TraceAxis *words, const float *sentences);
const float *text_sum_sentences(TextPlan *plan, const TraceAxis *words, const float *values);
void text_draw_support(const TextPlan *plan, Canvas *canvas, const TextPart *part, float top);
void text_draw_unknown(const TextPlan *plan, Canvas *canvas, Rect box);

/* text_stage.c */
TextStage text_stage(const ViewFrame *frame);
bool text_has_bars(const TextPlan *plan); /* sentences have been weighed */
void text_draw_vectors(const TextPlan *plan, Canvas *canvas, const TextPart *part, float top);

/* text_draw.c */
void text_draw_part(const TextPlan *plan, Canvas *canvas, const TextPart *part);
void text_draw_minimap(const TextPlan *plan, Canvas *canvas);
void text_draw_classes(const TextPlan *plan, Canvas *canvas);
Rect text_bar(const TextPlan *plan, float middle, float half); /* room of a sentence's bar */

/* What the classes need as a column. */
float text_classes_width(const ViewFrame *frame);
float text_classes_height(const ViewFrame *frame);

/* Red, for the current word. */
Color text_red(const Theme *theme);

#endif
