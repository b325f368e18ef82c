/* flow.h - a person's own text in lines, and where each of its tokens stands.
 *
 * The text keeps its spacing and its script: lines are cut from it, never put together from
 * tokens. A token whose bytes lie on two lines, or run in two directions, has several boxes.
 * Lines that read from right to left begin at the right, and so can the others among them.
 *
 * Memory: a flow is kept in the frame's cache and borrowed from it.
 */
#ifndef FOVEA_VIEWS_FLOW_H
#define FOVEA_VIEWS_FLOW_H
#include "views/view_tools.h"

/* A part of the text that begins on a line of its own: a sentence. */
typedef struct FlowBlock {
    int32_t item; /* whatever the caller calls it */
    TraceSpan span;
} FlowBlock;

typedef struct FlowSpec {
    const char *text;
    const TraceSpan *spans; /* [n_tokens], in bytes of text */
    int32_t n_tokens;
    const FlowBlock *blocks; /* in the order in which they are shown */
    int32_t n_blocks;
    TextStyle style;
    float width;     /* of a line                                       */
    float line;      /* distance of baselines                           */
    float gap;       /* between blocks, beside `line`                   */
    bool from_right; /* lines of either direction stand at the right    */
} FlowSpec;

typedef struct FlowBox {
    int32_t token;
    float x, width; /* from the left end of the flow */
} FlowBox;

typedef struct FlowLine {
    const char *text;
    float x, middle; /* of the line's text; y of its middle from the flow's top */
    int32_t block;   /* place in the spec's blocks */
    int32_t first_box, n_boxes;
} FlowLine;

typedef struct Flow {
    FlowLine *lines;
    int32_t n_lines;
    FlowBox *boxes;
    int32_t n_boxes;
    float *block_top; /* [n_blocks]: middle of a block's first line */
    float height;
    void *arena;
} Flow;

/* `key` names the text, the blocks and their order; width and style are added to it. */
const Flow *flow_get(const ViewFrame *frame, const char *key, const FlowSpec *spec);

/* Lines whose middle is within [top - line, bottom + line] of the flow: first and end. */
void flow_visible(const Flow *flow, float top, float bottom, int32_t *first, int32_t *end);

#endif
