#include "canvas/canvas_words.h"

/* One function a command: reads its words, calls its entry. */
typedef void Replay(Reader at, const CanvasBackend *backend, void *self, Error *error);

static void replay_clip_push(Reader at, const CanvasBackend *backend, void *self, Error *error)
{
    Rect rect = take_rect(&at);
    if (backend->clip_push)
        backend->clip_push(self, &rect, error);
}

static void replay_clip_pop(Reader at, const CanvasBackend *backend, void *self, Error *error)
{
    (void)at;
    if (backend->clip_pop)
        backend->clip_pop(self, error);
}

static void replay_fill(Reader at, const CanvasBackend *backend, void *self, Error *error)
{
    CanvasFill fill;
    fill.rect = take_rect(&at);
    fill.radius = take_float(&at);
    fill.color = take_int(&at);
    if (backend->fill)
        backend->fill(self, &fill, error);
}

static void replay_frame(Reader at, const CanvasBackend *backend, void *self, Error *error)
{
    CanvasFrame frame;
    frame.rect = take_rect(&at);
    frame.radius = take_float(&at);
    frame.stroke = take_stroke(&at);
    if (backend->frame)
        backend->frame(self, &frame, error);
}

static void replay_path(Reader at, const CanvasBackend *backend, void *self, Error *error)
{
    CanvasPath path;
    path.n = (int)take_int(&at);
    path.cubic = take_int(&at) != 0;
    path.stroke = take_stroke(&at);
    path.points = (const Point *)at;
    if (backend->path)
        backend->path(self, &path, error);
}

static void replay_polygon(Reader at, const CanvasBackend *backend, void *self, Error *error)
{
    CanvasPolygon polygon;
    polygon.n = (int)take_int(&at);
    polygon.color = take_int(&at);
    polygon.points = (const Point *)at;
    if (backend->polygon)
        backend->polygon(self, &polygon, error);
}

static void replay_circle(Reader at, const CanvasBackend *backend, void *self, Error *error)
{
    CanvasCircle circle;
    circle.centre.x = take_float(&at);
    circle.centre.y = take_float(&at);
    circle.radius = take_float(&at);
    circle.fill = take_int(&at);
    circle.stroke = take_stroke(&at);
    if (backend->circle)
        backend->circle(self, &circle, error);
}

static void replay_text(Reader at, const CanvasBackend *backend, void *self, Error *error)
{
    CanvasText text;
    text.baseline.x = take_float(&at);
    text.baseline.y = take_float(&at);
    text.style = take_style(&at);
    text.text = (const char *)at;
    if (backend->text)
        backend->text(self, &text, error);
}

static void replay_cells(Reader at, const CanvasBackend *backend, void *self, Error *error)
{
    CanvasCells cells;
    cells.rect = take_rect(&at);
    cells.rows = (int)take_int(&at);
    cells.cols = (int)take_int(&at);
    cells.cells = at;
    if (backend->cells)
        backend->cells(self, &cells, error);
}

static void replay_image(Reader at, const CanvasBackend *backend, void *self, Error *error)
{
    CanvasImage image;
    image.rect = take_rect(&at);
    image.width = (int)take_int(&at);
    image.height = (int)take_int(&at);
    image.smooth = take_int(&at) != 0;
    image.rgba = (const uint8_t *)at;
    if (backend->image)
        backend->image(self, &image, error);
}

static void replay_tag(Reader at, const CanvasBackend *backend, void *self, Error *error)
{
    CanvasTag tag = take_tag(at);
    if (backend->tag)
        backend->tag(self, &tag, error);
}

bool canvas_replay(const Canvas *canvas, const CanvasBackend *backend, void *self, Error *error)
{
    static Replay *const replays[] = {
        [COMMAND_CLIP_PUSH] = replay_clip_push,
        [COMMAND_CLIP_POP] = replay_clip_pop,
        [COMMAND_FILL] = replay_fill,
        [COMMAND_FRAME] = replay_frame,
        [COMMAND_PATH] = replay_path,
        [COMMAND_POLYGON] = replay_polygon,
        [COMMAND_CIRCLE] = replay_circle,
        [COMMAND_TEXT] = replay_text,
        [COMMAND_CELLS] = replay_cells,
        [COMMAND_IMAGE] = replay_image,
        [COMMAND_TAG] = replay_tag,
    };
    FOVEA_CHECK(canvas->clip_depth == 0 && !canvas->clip_underflow,
                "clips are not balanced: %d left open", canvas->clip_depth);
    if (error_is_set(&canvas->error))
        return error_set(error, canvas->error.kind, "%s", canvas->error.message);
    /* Also without a caller's Error the replay must notice that an entry failed. */
    Error own = {0};
    for (size_t i = 0; i < canvas->n_words && !error_is_set(&own); i += canvas->words[i + 1])
        replays[canvas->words[i]](canvas->words + i + HEAD_WORDS, backend, self, &own);
    if (error_is_set(&own))
        return error_set(error, own.kind, "%s", own.message);
    return true;
}
