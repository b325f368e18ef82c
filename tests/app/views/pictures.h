/* pictures.h - runs that look at a picture, drawn here. */
#ifndef FOVEA_TESTS_APP_VIEWS_PICTURES_H
#define FOVEA_TESTS_APP_VIEWS_PICTURES_H
#include "traces.h"

/* A ring and a bar: something like a six. */
static inline void picture_digit(int side, uint8_t *rgba)
{
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            float u = ((float)x + 0.5f) / (float)side, v = ((float)y + 0.5f) / (float)side;
            float ring = fabsf(hypotf(u - 0.5f, v - 0.64f) - 0.17f);
            float bar = hypotf(u - 0.4f - 0.1f * v, fmaxf(v - 0.6f, 0) + fmaxf(0.2f - v, 0));
            float ink = fmaxf(1 - ring / 0.06f, 1 - bar / 0.06f);
            uint8_t grey = (uint8_t)(255 * fminf(fmaxf(ink, 0), 1));
            uint8_t *p = rgba + 4 * (y * side + x);
            p[0] = p[1] = p[2] = grey;
            p[3] = 255;
        }
}

/* Sky, sea, a boat. */
static inline void picture_sea(int w, int h, uint8_t *rgba)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float u = (float)x / (float)w, v = (float)y / (float)h;
            bool sea = v > 0.6f,
                 hull = v > 0.52f && v < 0.66f && fabsf(u - 0.62f) < 0.22f - (v - 0.52f);
            bool sail = v > 0.15f && v < 0.52f && u > 0.6f && u < 0.6f + (v - 0.15f) * 0.5f;
            uint8_t *p = rgba + 4 * (y * w + x);
            p[0] = (uint8_t)(hull ? 150 : sail ? 245 : sea ? 40 : 190 - 60 * v);
            p[1] = (uint8_t)(hull ? 70 : sail ? 240 : sea ? 90 + 30 * v : 215 - 40 * v);
            p[2] = (uint8_t)(hull ? 50 : sail ? 225 : sea ? 120 : 235);
            p[3] = 255;
        }
}

static inline const Trace *make_glimpses(void)
{
    enum { SIDE = 28, N = 6, PATCHES = 3, PIXELS = 8 };
    static const float path[N][2] = {{0, 0},       {-0.2f, -0.5f}, {0.1f, 0.3f},
                                     {0.4f, 0.5f}, {-0.3f, 0.4f},  {0.05f, -0.1f}};
    TraceBuilder *b = trace_builder_new();
    uint8_t rgba[SIDE * SIDE * 4];
    picture_digit(SIDE, rgba);
    trace_set_image(b, &(TraceImage){SIDE, SIDE, rgba});
    trace_set_attribute(b, "model", "ram-mnist");
    trace_set_attribute(b, "task", "digit");
    TraceAxis axis = {.name = "glimpse", .kind = TRACE_AXIS_STEP, .len = N, .parent_axis = -1};
    int32_t glimpse = trace_add_axis(b, &axis);
    axis =
        (TraceAxis){.name = "patch", .kind = TRACE_AXIS_INDEX, .len = PATCHES, .parent_axis = -1};
    int32_t patch = trace_add_axis(b, &axis);
    axis = (TraceAxis){.name = "pixel",
                       .kind = TRACE_AXIS_GRID,
                       .len = PIXELS * PIXELS,
                       .rows = PIXELS,
                       .cols = PIXELS,
                       .parent_axis = -1};
    int32_t pixel = trace_add_axis(b, &axis);
    static const char *const digits[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    axis = (TraceAxis){
        .name = "class", .kind = TRACE_AXIS_CLASS, .len = 10, .labels = digits, .parent_axis = -1};
    int32_t class_ = trace_add_axis(b, &axis);
    const int32_t patch_axes[3] = {glimpse, patch, pixel}, class_axes[2] = {glimpse, class_};
    float *seen = trace_new_tensor(b, "glimpse.patches", TRACE_STATE, 3, patch_axes);
    float *says = trace_new_tensor(b, "class.probabilities", TRACE_PROBABILITIES, 2, class_axes);
    for (int t = 0; t < N; t++) {
        TraceBox boxes[PATCHES];
        float cx = (path[t][0] + 1) / 2, cy = (path[t][1] + 1) / 2;
        for (int k = 0; k < PATCHES; k++) {
            float side = (float)(PIXELS << k) / SIDE;
            boxes[k] = (TraceBox){cx - side / 2, cy - side / 2, side, side};
            for (int i = 0; i < PIXELS * PIXELS; i++) {
                int x = (int)((boxes[k].x + side * ((float)(i % PIXELS) + 0.5f) / PIXELS) * SIDE);
                int y = (int)((boxes[k].y + side * ((float)(i / PIXELS) + 0.5f) / PIXELS) * SIDE);
                bool inside = x >= 0 && y >= 0 && x < SIDE && y < SIDE;
                seen[(t * PATCHES + k) * PIXELS * PIXELS + i] =
                    inside ? rgba[4 * (y * SIDE + x)] / 255.0f : 0;
            }
        }
        for (int c = 0; c < 10; c++)
            says[t * 10 + c] = 2 * traces_noise(t, c) + (c == 6 ? (float)t : 0);
        traces_softmax(says + t * 10, 10);
        TraceScalar scalars[] = {{"location.x", (double)path[t][0]},
                                 {"location.y", (double)path[t][1]},
                                 {"mean.x", (double)path[t][0] * 0.8},
                                 {"mean.y", (double)path[t][1] * 0.8},
                                 {"sigma", 0.12}};
        trace_add_step(b, &(TraceStep){.token = "",
                                       .probability = 1,
                                       .n_scalars = 5,
                                       .scalars = scalars,
                                       .n_boxes = PATCHES,
                                       .boxes = boxes});
    }
    for (int c = 0; c < 10; c++)
        trace_add_class(b, digits[c], (double)says[(N - 1) * 10 + c]);
    Error error = {0};
    return trace_seal(b, &error);
}

static inline const Trace *make_captioned(bool hard)
{
    enum { W = 240, H = 180, ROWS = 6, COLS = 8 };
    static const char *const words[] = {"a", "small", "boat", "on", "the", "open", "sea", "</s>"};
    enum { N = sizeof words / sizeof words[0] };
    TraceBuilder *b = trace_builder_new();
    uint8_t *rgba = memory_new((size_t)W * H * 4, 1);
    picture_sea(W, H, rgba);
    trace_set_image(b, &(TraceImage){W, H, rgba});
    free(rgba);
    trace_set_attribute(b, "model", hard ? "sat-hard" : "sat-soft");
    trace_set_attribute(b, "task", "caption");
    TraceAxis cell = {.name = "cell",
                      .kind = TRACE_AXIS_GRID,
                      .len = ROWS * COLS,
                      .rows = ROWS,
                      .cols = COLS,
                      .parent_axis = -1};
    TraceAxis target = {
        .name = "target", .kind = TRACE_AXIS_TOKEN, .len = N, .labels = words, .parent_axis = -1};
    int32_t axes[2];
    axes[1] = trace_add_axis(b, &cell);
    axes[0] = trace_add_axis(b, &target);
    float *w = trace_new_tensor(b, "attention.weights", TRACE_WEIGHTS, 2, axes);
    for (int t = 0; t < N; t++) {
        float cx = t < 3 ? 0.62f : 0.2f + 0.1f * (float)t, cy = t < 3 ? 0.45f : 0.8f;
        for (int i = 0; i < ROWS * COLS; i++) {
            float x = ((float)(i % COLS) + 0.5f) / COLS - cx,
                  y = ((float)(i / COLS) + 0.5f) / ROWS - cy;
            w[t * ROWS * COLS + i] =
                3.5f * expf(-(x * x + y * y) / 0.05f) + 0.5f * traces_noise(t, i);
        }
        traces_softmax(w + t * ROWS * COLS, ROWS * COLS);
        int32_t chosen = (int32_t)(cy * ROWS) * COLS + (int32_t)(cx * COLS);
        trace_add_step(
            b, &(TraceStep){
                   .token = words[t], .probability = 0.7, .n_selected = hard, .selected = &chosen});
    }
    Error error = {0};
    return trace_seal(b, &error);
}

static inline const Trace *make_caption(void)
{
    return make_captioned(false);
}

static inline const Trace *make_hard_caption(void)
{
    return make_captioned(true);
}

#endif
