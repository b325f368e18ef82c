/* trace.h - the narrow waist: one finished run, or one imported dump, as an immutable value.
 *
 * Everything that Fovea can show is a Trace: a model's run, a training probe, an attention
 * dump that another tool wrote. A producer fills a TraceBuilder and seals it; views,
 * exporters and the command line hold `const Trace *` and know nothing of models.
 *
 * Why immutable: the worker publishes traces while the window draws. What cannot change
 * needs no lock, going back a step is moving an index, and an export that has begun cannot
 * be altered by the next run.
 *
 * What is in it:
 *   texts    named strings: "input", "output", "question"; spans point into them
 *   axes     token lists, steps, image grids, plain indices
 *   tensors  named arrays over axes with a role; their numbers may lie in a mapped file in
 *            any type, byte order and stride, and are read through trace_matrix
 *   steps    what was chosen at each decision, from what, with which scalars
 *   classes  a classifier's verdict;   beam  the search tree;   image  the picture looked at
 *   changes  the interventions that shaped this run;   notes  what an importer assumed
 *   attributes  string facts by name: "model", "family", "attention", "seed", ...
 *
 * Invariants, checked while building and by trace_seal:
 *   T1  1 <= rank <= TRACE_MAX_RANK, 0 <= axis.len <= TRACE_MAX_LEN; a grid axis has
 *       len == rows * cols; names of tensors, of axes, of attributes and
 *       of a step's scalars are unique
 *   T2  labels, names and texts are valid UTF-8 (texts may hold any character but NUL)
 *   T3  spans satisfy 0 <= begin <= end <= length of their text
 *   T4  a tensor's elements lie inside its storage
 *   T5  parents index their parent axis; a beam node's parent comes before it
 * Values are NOT checked: dumps may hold NaN, infinities, rows that do not sum to one. What
 * is odd about a tensor is reported by trace_check.h and never mended.
 *
 * Threads: a sealed trace may be read and retained by any thread. A builder belongs to one.
 * Depends on: base only.
 */
#ifndef FOVEA_TRACE_TRACE_H
#define FOVEA_TRACE_TRACE_H
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define TRACE_MAX_RANK       6
#define TRACE_MAX_LEN        (1 << 24)
#define TRACE_MAX_AXES       4096
#define TRACE_MAX_TENSORS    65536
#define TRACE_MAX_STEPS      (1 << 20)
#define TRACE_MAX_BEAM_NODES (1 << 22)
#define TRACE_MAX_IMAGE_SIDE 16384
#define TRACE_MAX_ELEMENTS   ((int64_t)1 << 40) /* of one tensor: mapped ones are sparse files */

typedef struct Trace Trace;
typedef struct TraceBuilder TraceBuilder;

/* ---- axes ---- */

typedef enum {
    TRACE_AXIS_TOKEN, /* pieces of text, in reading order */
    TRACE_AXIS_STEP,  /* decisions over time              */
    TRACE_AXIS_GRID,  /* cells of a picture, row-major    */
    TRACE_AXIS_INDEX, /* heads, layers, features, ...     */
    TRACE_AXIS_CLASS, /* labels of a classifier           */
} TraceAxisKind;

/* Per item of a token axis, or of a grid. */
enum {
    TRACE_TOKEN_SPECIAL = 1,   /* <s>, </s>, [CLS]: not a piece of the person's text       */
    TRACE_TOKEN_PADDING = 2,   /* fills a batch; carries nothing                           */
    TRACE_TOKEN_UNKNOWN = 4,   /* outside the vocabulary                                   */
    TRACE_TOKEN_CONTINUES = 8, /* belongs to the same word as the item before it           */
    TRACE_TOKEN_FORCED = 16,   /* put there by the person, not chosen by the model         */
    TRACE_TOKEN_HIDDEN = 32,   /* the person hid it from attention                         */
    TRACE_TOKEN_N_FLAGS = 6
};

typedef struct TraceSpan {
    int32_t begin; /* byte offsets, end exclusive */
    int32_t end;
} TraceSpan;

typedef struct TraceAxis {
    const char *name; /* "source", "target", "head", "sentence" */
    TraceAxisKind kind;
    int32_t len;
    int32_t rows, cols;        /* GRID only; row 0 is the top                              */
    const char *const *labels; /* len entries, or NULL when the index says it              */
    const char *text;          /* name of the text that the spans point into, or NULL      */
    const TraceSpan *spans;    /* len entries or NULL                                      */
    const uint8_t *flags;      /* len entries or NULL                                      */
    int32_t parent_axis;       /* e.g. words -> sentences; -1 for none                     */
    const int32_t *parent;     /* len entries (item of parent_axis, or -1), or NULL        */
} TraceAxis;

/* ---- tensors ---- */

typedef enum {
    TRACE_WEIGHTS,       /* normalised: rows over the last axis sum to one, by intention   */
    TRACE_SCORES,        /* before the softmax                                             */
    TRACE_PROBABILITIES, /* in 0..1 but without a sum rule                                 */
    TRACE_MASK,          /* 0 or 1                                                         */
    TRACE_STATE,         /* hidden vectors                                                 */
    TRACE_SCALAR,        /* one number an item                                             */
    TRACE_N_ROLES
} TraceRole;

typedef enum {
    TRACE_F32,
    TRACE_F64,
    TRACE_F16,
    TRACE_BF16,
    TRACE_F8_E4M3,
    TRACE_F8_E5M2,
    TRACE_I8,
    TRACE_I16,
    TRACE_I32,
    TRACE_I64,
    TRACE_U8,
    TRACE_U16,
    TRACE_U32,
    TRACE_U64,
    TRACE_BOOL,
    TRACE_N_TYPES
} TraceType;

typedef struct TraceTensor {
    const char *name; /* "attention.weights"; unique in the trace */
    TraceRole role;
    int32_t rank;
    int32_t axis[TRACE_MAX_RANK]; /* outermost first; indices of axes       */
    TraceType type;
    bool big_endian;
    const void *data;
    int64_t stride[TRACE_MAX_RANK]; /* in elements                          */
    /* Dumps keep every layer in an array of its own: then one pointer for each item of the
     * outermost axis (rank >= 3), and data and stride[0] are not used. Otherwise NULL. */
    const void *const *parts;
} TraceTensor;

/* Two axes of a tensor with the others fixed: what a heatmap draws. Plain data, borrowed
 * from the trace. A tensor of rank 1 is a matrix of one row. */
typedef struct TraceMatrix {
    int32_t rows, cols;
    TraceType type;
    bool big_endian;
    const void *data;
    int64_t row_stride, col_stride;
} TraceMatrix;

/* ---- steps ---- */

typedef struct TraceCandidate {
    const char *token;
    int32_t id;
    double probability;
} TraceCandidate;

typedef struct TraceScalar {
    const char *name; /* "entropy", "context.norm", "gate.update" */
    double value;
} TraceScalar;

typedef struct TraceWindow {
    double centre;     /* real, in positions of the source, 0-based */
    int32_t low, high; /* inclusive                             */
    double sigma;      /* 0: no Gaussian                        */
} TraceWindow;

typedef struct TraceBox {
    float x, y, w, h; /* as parts of the image, 0..1; may reach outside */
} TraceBox;

typedef struct TraceStep {
    const char *token; /* what was written or decided; "" when nothing is */
    int32_t id;
    double probability;
    bool forced;
    int32_t n_candidates;
    const TraceCandidate *candidates; /* by falling probability */
    int32_t n_scalars;
    const TraceScalar *scalars;
    const TraceWindow *window; /* or NULL */
    int32_t n_selected;
    const int32_t *selected; /* items that a hard selection took */
    int32_t n_boxes;
    const TraceBox *boxes;
} TraceStep;

typedef struct TraceClass {
    const char *label;
    double probability;
} TraceClass;

typedef enum { TRACE_BEAM_LIVE, TRACE_BEAM_FINISHED, TRACE_BEAM_PRUNED } TraceBeamState;

typedef struct TraceBeamNode {
    int32_t parent; /* an earlier node, or -1 */
    int32_t step;
    const char *token;
    int32_t id;
    double log_probability; /* of this token */
    double score;           /* of the hypothesis up to here, after length normalisation */
    TraceBeamState state;   /* when the search ended */
    /* Where the hypothesis that ends here was dropped: the step at which none of its
     * continuations was kept (0: nowhere, or not known), the score of the best of them, and that
     * of the worst that was kept. */
    int32_t dropped_at;
    double dropped_score, kept_score;
} TraceBeamNode;

typedef struct TraceImage {
    int32_t width, height;
    const uint8_t *rgba; /* width * height * 4, straight alpha */
} TraceImage;

typedef struct TraceChange {
    int32_t step; /* -1: the whole run */
    /* "token", "weights", "window", "glimpse", "selection"; of the whole run "mask", "cell",
     * "temperature", "beam", "length_penalty", "reach", "renormalise", "sample", "paths", "force"
     */
    const char *kind;
    const char *text; /* a sentence for the list of changes; a value is quoted, or its last word */
} TraceChange;

/* ---- building ----
 * The first error sticks: later calls do nothing and trace_seal reports it, so a producer
 * reads as a straight line. Everything handed in is copied, except tensors added with
 * trace_add_mapped. NULL strings count as "". */

TraceBuilder *trace_builder_new(void);
void trace_builder_free(TraceBuilder *builder);         /* only when giving up; NULL is fine */
bool trace_builder_failed(const TraceBuilder *builder); /* lets a producer stop early */
/* Makes a failure of the producer's own the builder's first error. */
void trace_builder_fail(TraceBuilder *builder, const Error *error);

void trace_set_text(TraceBuilder *builder, const char *name, const char *text);
void trace_set_attribute(TraceBuilder *builder, const char *name, const char *fmt, ...)
    FOVEA_PRINTF(3, 4);
void trace_add_note(TraceBuilder *builder, const char *fmt, ...) FOVEA_PRINTF(2, 3);
void trace_set_score(TraceBuilder *builder, double log_probability);
/* Its index (0 after an error). Parents must name an axis added before; spans point into a
 * text that may be set before or after. parent_axis counts only together with parent. */
int32_t trace_add_axis(TraceBuilder *builder, const TraceAxis *axis);

/* Copies contiguous row-major floats; `axes` has `rank` indices. */
void trace_add_tensor(TraceBuilder *builder, const char *name, TraceRole role, int32_t rank,
                      const int32_t *axes, const float *data);

/* The same without knowing everything beforehand: returns memory inside the trace, zeroed,
 * product-of-axes long, to be filled before sealing; NULL after an error. */
float *trace_new_tensor(TraceBuilder *builder, const char *name, TraceRole role, int32_t rank,
                        const int32_t *axes);

/* A tensor whose data (or parts) stay where they are, within [storage, storage +
 * storage_bytes). The storage must be owned by trace_own first; the list of parts is copied. A
 * storage of NULL says that the caller has made sure where the elements lie. */
void trace_add_mapped(TraceBuilder *builder, const TraceTensor *tensor, const void *storage,
                      size_t storage_bytes);
/* The trace calls release(owner) when it dies (also when the builder is given up). */
void trace_own(TraceBuilder *builder, void *owner, void (*release)(void *owner));
/* intact(owner) tells whether the storage can still be read: trace_intact asks it. */
void trace_guard(TraceBuilder *builder, void *owner, bool (*intact)(void *owner));

void trace_add_step(TraceBuilder *builder, const TraceStep *step);
void trace_add_class(TraceBuilder *builder, const char *label, double probability);
void trace_add_beam_node(TraceBuilder *builder, const TraceBeamNode *node);
void trace_set_image(TraceBuilder *builder, const TraceImage *image);
void trace_add_change(TraceBuilder *builder, const TraceChange *change);

/* Frees the builder, also on failure. One reference is returned. */
const Trace *trace_seal(TraceBuilder *builder, Error *error) FOVEA_MUST_USE;

/* ---- sharing ---- */

const Trace *trace_retain(const Trace *trace); /* NULL gives NULL */
void trace_release(const Trace *trace);        /* NULL is fine    */

/* ---- reading; pointers live as long as the trace ---- */

/* false once a mapped file behind the trace has become shorter: reading its tensors would
 * fault. Cheap; asked before drawing. Always true for a trace that is all in memory. */
bool trace_intact(const Trace *trace);

uint64_t trace_id(const Trace *trace); /* never reused in this process: a cache key */
const char *trace_text(const Trace *trace, const char *name);      /* or NULL */
const char *trace_attribute(const Trace *trace, const char *name); /* or NULL */
int32_t trace_n_texts(const Trace *trace);
const char *trace_text_at(const Trace *trace, int32_t i, const char **name);
int32_t trace_n_attributes(const Trace *trace);
const char *trace_attribute_at(const Trace *trace, int32_t i, const char **name);
double trace_score(const Trace *trace); /* NaN when there is none */
int32_t trace_n_notes(const Trace *trace);
const char *trace_note(const Trace *trace, int32_t i);
int32_t trace_n_axes(const Trace *trace);
const TraceAxis *trace_axis(const Trace *trace, int32_t i);
int32_t trace_find_axis(const Trace *trace, const char *name); /* or -1 */
int32_t trace_n_tensors(const Trace *trace);
const TraceTensor *trace_tensor(const Trace *trace, int32_t i);
const TraceTensor *trace_find(const Trace *trace, const char *name); /* or NULL */
int32_t trace_n_steps(const Trace *trace);
const TraceStep *trace_step(const Trace *trace, int32_t i);
int32_t trace_n_classes(const Trace *trace);
const TraceClass *trace_class(const Trace *trace, int32_t i);
int32_t trace_n_beam_nodes(const Trace *trace);
const TraceBeamNode *trace_beam_node(const Trace *trace, int32_t i);
const TraceImage *trace_image(const Trace *trace); /* or NULL */
int32_t trace_n_changes(const Trace *trace);
const TraceChange *trace_change(const Trace *trace, int32_t i);

/* Length of one of a tensor's axes (dimension 0 is the outermost), and their product. */
int32_t trace_tensor_len(const Trace *trace, const TraceTensor *tensor, int32_t dimension);
int64_t trace_tensor_count(const Trace *trace, const TraceTensor *tensor);

/* A scalar of a step by name, or NaN. */
double trace_step_scalar(const TraceStep *step, const char *name);

/* The matrix over the last two axes (rank 1: one row); at[] fixes the others (rank - 2
 * entries, NULL when there are none). */
TraceMatrix trace_matrix(const Trace *trace, const TraceTensor *tensor, const int32_t *at);

float trace_matrix_get(const TraceMatrix *matrix, int32_t row, int32_t col);
/* Row `row`, columns [begin, end), converted to float. */
void trace_matrix_read(const TraceMatrix *matrix, int32_t row, int32_t begin, int32_t end,
                       float *out);
TraceMatrix trace_matrix_transpose(TraceMatrix matrix);

size_t trace_type_bytes(TraceType type);
const char *trace_type_name(TraceType type); /* "F32", as safetensors writes it */
bool trace_type_parse(const char *name, TraceType *type);
/* One element at any address. trace_element_integer is for the integer types: exact where a
 * double is not (I64; U64 as its two's complement). */
double trace_element(TraceType type, bool big_endian, const void *element);
int64_t trace_element_integer(TraceType type, bool big_endian, const void *element);
const char *trace_role_name(TraceRole role); /* "weights" */
bool trace_role_parse(const char *name, TraceRole *role);

#endif
