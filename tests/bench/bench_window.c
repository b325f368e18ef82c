/* What a person waits for at the window: a key until the new picture, a letter of a review until
 * its verdict and until what explains it, a file with 144 heads until it is drawn, a frame while
 * such pictures or one large matrix are moved and zoomed.
 *
 *   bench_window [SECONDS]              JSON lines
 *   bench_window open [FILE]            opens the window, shows the first picture and ends
 *   bench_window move FILE [SECONDS]    moves and zooms its picture once all is read
 *
 * Frames are the program's own: input, screen, pixels of the software painter (1280 x 800, the
 * pictures to be moved 1920 x 1080). The time that passes is measured, because a run is the
 * worker's. "open" is meant for bench_start and SDL_VIDEODRIVER=offscreen. */
#include "bench.h"

#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "base/half.h"
#include "base/memory.h"
#include "base/thread.h"
#include "canvas/canvas_cairo.h"
#include "format/npy.h"
#include "math/matrix.h"
#include "screen/app.h"
#include "trace/trace_json.h"
#include "ui/platform_sdl.h"

typedef struct Window {
    Fonts *fonts;
    App *app;
    Input input;
    CanvasPixels pixels;
    int turn;
} Window;

static void must(bool ok, const Error *error)
{
    FOVEA_CHECK(ok, "%s", error->message);
}

static void open_window(Window *w, int width, int height)
{
    Error error = {0};
    *w = (Window){.fonts = fonts_new(&error)};
    must(w->fonts, &error);
    const AppSpec spec = {.fonts = w->fonts};
    w->app = app_new(&spec);
    w->input = (Input){.width = (float)width, .height = (float)height, .x = -1, .y = -1};
    w->pixels = (CanvasPixels){.data = memory_new((size_t)(width * height), 4),
                               .width = width,
                               .height = height,
                               .stride = width * 4,
                               .scale = 1,
                               .opaque = true};
}

static void close_window(Window *w)
{
    app_free(w->app);
    fonts_free(w->fonts);
    free(w->pixels.data);
}

static void picture(Window *w)
{
    Error error = {0};
    w->input.time = clock_seconds();
    do
        app_frame(w->app, &w->input);
    while (app_wants_frame(w->app) == 0);
    must(canvas_draw_pixels(app_canvas(w->app), w->fonts, &w->pixels, &error), &error);
}

static void one_frame(Window *w)
{
    Error error = {0};
    w->input.time = clock_seconds();
    app_frame(w->app, &w->input);
    must(canvas_draw_pixels(app_canvas(w->app), w->fonts, &w->pixels, &error), &error);
}

static Event *event(Window *w, EventKind kind)
{
    Event *e = &w->input.events[w->input.n_events++];
    *e = (Event){.kind = kind, .x = w->input.x, .y = w->input.y};
    return e;
}

/* ---- typing ---- */

static void click(Window *w, const char *name)
{
    Rect r;
    FOVEA_CHECK(canvas_find_tag(app_canvas(w->app), name, &r), "no control is called %s", name);
    w->input.x = r.x + r.w / 2;
    w->input.y = r.y + r.h / 2;
    for (int down = 1; down >= 0; down--) {
        w->input.down[1] = down;
        Event *e = event(w, down ? EVENT_PRESS : EVENT_RELEASE);
        e->button = 1;
        e->clicks = 1;
        picture(w);
    }
}

static void type(Window *w, const char *text)
{
    Event *e = event(w, EVENT_TEXT);
    snprintf(e->text, sizeof e->text, "%s", text);
    picture(w);
}

/* One more letter of a sentence of ten words: the frame that shows it, the run, and the frame
 * that shows the result. */
static void press_key(void *context)
{
    Window *w = context;
    static const char *const letters[] = {"a", "e", "i", "o"};
    if (++w->turn % 8 == 0) {
        event(w, EVENT_KEY)->key = KEY_BACKSPACE;
        picture(w);
    } else {
        type(w, letters[w->turn % 4]);
    }
    app_settle_run(w->app);
    picture(w);
}

static void bench_typing(double seconds)
{
    Window w;
    Error error = {0};
    open_window(&w, 1280, 800);
    must(app_open_default(w.app, &error), &error);
    app_settle(w.app);
    picture(&w);
    click(&w, "input");
    type(&w, "the old man reads a book in the garden with his cat ");
    app_settle(w.app);
    bench_run("window", "key to new picture", seconds, press_key, &w);
    close_window(&w);
}

/* ---- a review ---- */

/* 15 sentences of 20 words and 300 in all: what is said, often with other words. */
static void write_review(const char *path)
{
    static const char *const words[] = {
        "the",   "story", "is",     "slow",  "but",    "warm",     "and", "nobody", "in",
        "it",    "plays", "badly",  "while", "music",  "carries",  "a",   "dull",   "evening",
        "scene", "until", "lovely", "end",   "comes",  "somewhat", "too", "late",   "for",
        "most",  "of",    "us",     "who",   "waited", "patiently"};
    FILE *file = fopen(path, "w");
    FOVEA_CHECK(file, "cannot write %s", path);
    for (int i = 0; i < 15 * 20; i++)
        fprintf(file, "%s%s", words[i * 7 % 33], i % 20 < 19 ? " " : i < 299 ? ". " : "");
    fclose(file);
}

static void edit_review_until_effects(void *context)
{
    press_key(context);
    app_settle(((Window *)context)->app);
    picture(context);
}

static void bench_review(double seconds)
{
    Window w;
    Error error = {0};
    if (!bench_is_wanted("review"))
        return;
    open_window(&w, 1280, 800);
    write_review("bench-review.txt");
    must(app_open(w.app, "han-reviews", &error), &error);
    must(app_open(w.app, "bench-review.txt", &error), &error);
    unlink("bench-review.txt");
    app_settle(w.app);
    picture(&w);
    click(&w, "input");
    event(&w, EVENT_KEY)->key = KEY_END;
    picture(&w);
    /* The class and the weights stand there; what each word did is still to come. */
    bench_run("window", "review of 300 words, key to new picture", seconds, press_key, &w);
    bench_run("window", "review of 300 words, key to effects of all words", seconds,
              edit_review_until_effects, &w);
    close_window(&w);
}

/* ---- pictures to be moved ---- */

static void move(void *context)
{
    Window *w = context;
    int phase = w->turn++ % 40;
    w->input.x = 800 + (float)(w->turn % 7);
    w->input.y = 500;
    Event *e = event(w, EVENT_WHEEL);
    e->dy = phase < 20 ? 1 : -1;
    e->mods = w->turn % 2 ? MOD_CTRL : 0;
    w->input.mods = e->mods;
    picture(w);
}

/* `repeats` openings: until something is drawn, and until everything is. */
static void bench_file(double seconds, const char *path, const char *name, int repeats)
{
    double first[9], all[9];
    char label[96];
    Error error = {0};
    Window w;
    for (int i = 0; i < repeats; i++) {
        double began = bench_now();
        open_window(&w, 1920, 1080);
        must(app_open(w.app, path, &error), &error);
        app_settle_run(w.app);
        one_frame(&w);
        first[i] = bench_now() - began;
        picture(&w);
        all[i] = bench_now() - began;
        if (i < repeats - 1)
            close_window(&w);
    }
    snprintf(label, sizeof label, "%s, first frame", name);
    bench_print("window", label, NULL, bench_summary(first, repeats));
    snprintf(label, sizeof label, "%s, whole picture", name);
    bench_print("window", label, NULL, bench_summary(all, repeats));
    snprintf(label, sizeof label, "%s, a frame while it is moved and zoomed", name);
    bench_run("window", label, seconds, move, &w);
    close_window(&w);
}

/* For a profile: nothing but the frames. */
static int move_file(const char *path, double seconds)
{
    Error error = {0};
    Window w;
    open_window(&w, 1920, 1080);
    must(app_open(w.app, path, &error), &error);
    app_settle(w.app);
    picture(&w);
    bench_run("window", "a frame while it is moved and zoomed", seconds, move, &w);
    close_window(&w);
    return 0;
}

/* Rows of softmax weights, [count, side, side]. */
static float *weights(int count, int side)
{
    size_t n = (size_t)count * (size_t)side * (size_t)side;
    float *x = memory_new(n, sizeof *x);
    for (size_t row = 0; row < (size_t)count * (size_t)side; row++) {
        double sum = 0, centre = (double)(row * 7 % (size_t)side);
        for (int j = 0; j < side; j++)
            sum += x[row * (size_t)side + (size_t)j] = (float)exp(-fabs(j - centre) / 9);
        for (int j = 0; j < side; j++)
            x[row * (size_t)side + (size_t)j] /= (float)sum;
    }
    return x;
}

static void bench_matrices(double seconds, const char *name, int rank, const int64_t *shape,
                           const char *path)
{
    Error error = {0};
    int count = 1;
    for (int i = 0; i + 2 < rank; i++)
        count *= (int)shape[i];
    float *data = weights(count, (int)shape[rank - 1]);
    must(npy_write(path, rank, shape, data, &error), &error);
    free(data);
    bench_file(seconds, path, name, 9);
    unlink(path);
}

/* Half-precision heads, one after the other: as large as the file may be, not as the memory. */
static void write_halves(const char *path, int layers, int heads, int side)
{
    enum { HEADER = 128 };
    char header[HEADER];
    size_t n = (size_t)side * (size_t)side;
    float *data = weights(1, side);
    uint16_t *half = memory_new(n, sizeof *half);
    for (size_t i = 0; i < n; i++)
        half[i] = half_f32_to_f16(data[i]);
    memset(header, ' ', HEADER);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    int used = snprintf(header + 10, HEADER - 10,
                        "{'descr': '<f2', 'fortran_order': False, 'shape': (%d, %d, %d, %d), }",
                        layers, heads, side, side);
    header[10 + used] = ' ';
    header[HEADER - 1] = '\n';
    FILE *file = fopen(path, "wb");
    FOVEA_CHECK(file && fwrite(header, 1, HEADER, file) == HEADER, "cannot write %s", path);
    for (int i = 0; i < layers * heads; i++)
        FOVEA_CHECK(fwrite(half, 2, n, file) == n, "cannot write %s", path);
    fclose(file);
    free(half);
    free(data);
}

static void bench_halves(double seconds, const char *name, int layers, int heads, int side,
                         const char *path)
{
    if (!bench_is_wanted(name))
        return;
    write_halves(path, layers, heads, side);
    bench_file(seconds, path, name, 3);
    unlink(path);
}

/* ---- the window itself ---- */

static _Noreturn void open_and_end(const char *path)
{
    Error error = {0};
    Fonts *fonts = fonts_new(&error);
    must(fonts, &error);
    Platform *platform = platform_new("Fovea", 1280, 800, fonts, &error);
    must(platform, &error);
    const AppSpec spec = {.fonts = fonts, .wake = platform_wake, .wake_context = platform};
    App *app = app_new(&spec);
    Input input = {.width = 1280, .height = 800, .x = -1, .y = -1};
    must(path ? app_open(app, path, &error) : app_open_default(app, &error), &error);
    app_settle_run(app);
    if (platform_wait(platform, 0, &input)) {
        do
            app_frame(app, &input);
        while (app_wants_frame(app) == 0);
        must(platform_show(platform, app_canvas(app), &error), &error);
    }
    _exit(0); /* the picture is there; what else is being read does not count */
}

int main(int argc, char **argv)
{
    memory_prepare();
    matrix_prepare();
    static const int64_t heads[] = {12, 12, 256, 256}, large[] = {4096, 4096}, plain[] = {512, 512};
    if (argc > 1 && strcmp(argv[1], "open") == 0)
        open_and_end(argc > 2 ? argv[2] : NULL);
    if (argc > 2 && strcmp(argv[1], "move") == 0)
        return move_file(argv[2], argc > 3 ? strtod(argv[3], NULL) : 1.5);
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1.5;
    setenv("FOVEA_BENCH_CLOCK", "wall", 0);
    bench_typing(seconds);
    bench_review(seconds);
    bench_matrices(seconds, "512 x 512", 2, plain, "bench-plain.npy");
    bench_matrices(seconds, "144 heads of 256 x 256", 4, heads, "bench-heads.npy");
    bench_matrices(seconds, "4,096 x 4,096", 2, large, "bench-large.npy");
    bench_halves(seconds, "8,192 x 8,192 halves", 1, 1, 8192, "bench-square.npy");
    bench_halves(seconds, "24 x 16 heads of 1,024 x 1,024 halves", 24, 16, 1024,
                 "bench-halves.npy");
    return 0;
}
