#include "views/view.h"

#include <math.h>
#include <string.h>

#include "views/views.h"

static const View *const views[] = {
#define VIEW_ENTRY(name) &view_##name,
    VIEWS(VIEW_ENTRY)
#undef VIEW_ENTRY
};

enum { N_VIEWS = sizeof views / sizeof views[0] };

const View *view_at(int i)
{
    return i >= 0 && i < N_VIEWS ? views[i] : NULL;
}

const View *view_find(const char *name)
{
    for (int i = 0; i < N_VIEWS; i++)
        if (strcmp(views[i]->name, name) == 0)
            return views[i];
    return NULL;
}

const View *view_first(const Trace *trace)
{
    static const char *const by_task[][2] = {
        {"classify", "selection"}, {"classify", "text"}, {"language", "text"},
        {"answer", "text"},        {"digit", "image"},   {"caption", "image"},
    };
    const char *task = trace_attribute(trace, "task");
    for (size_t i = 0; task && i < sizeof by_task / sizeof by_task[0]; i++) {
        const View *view = strcmp(task, by_task[i][0]) == 0 ? view_find(by_task[i][1]) : NULL;
        if (view && view->offers(trace))
            return view;
    }
    for (int i = 0; i < N_VIEWS; i++)
        if (views[i]->offers(trace))
            return views[i];
    return views[0];
}

/* ---- camera ---- */

static float hold(float value, float most)
{
    return fminf(fmaxf(value, 0), fmaxf(most, 0));
}

ViewCamera view_camera(const ViewPort *port, ViewCamera camera)
{
    if (!(port->place.w > 0 && port->place.h > 0))
        return (ViewCamera){1, 0, 0};
    camera.zoom = fminf(fmaxf(camera.zoom, 1), port->max_zoom);
    camera.x = hold(camera.x, port->width - port->place.w / camera.zoom);
    camera.y = hold(camera.y, port->height - port->place.h / camera.zoom);
    return camera;
}

static ViewPort port_of(const View *view, const ViewFrame *frame)
{
    return view->port ? view->port(frame) : (ViewPort){0};
}

ViewCamera view_zoom(const View *view, const ViewFrame *frame, float x, float y, float factor)
{
    ViewPort port = port_of(view, frame);
    ViewCamera camera = view_camera(&port, frame->camera);
    float zoom = fminf(fmaxf(camera.zoom * factor, 1), port.max_zoom);
    float dx = hold(x - port.place.x, port.place.w), dy = hold(y - port.place.y, port.place.h);
    camera.x += dx / camera.zoom - dx / zoom;
    camera.y += dy / camera.zoom - dy / zoom;
    camera.zoom = zoom;
    return view_camera(&port, camera);
}

ViewCamera view_pan(const View *view, const ViewFrame *frame, float dx, float dy)
{
    ViewPort port = port_of(view, frame);
    ViewCamera camera = view_camera(&port, frame->camera);
    camera.x -= dx / camera.zoom;
    camera.y -= dy / camera.zoom;
    return view_camera(&port, camera);
}

ViewCamera view_zoom_to(const View *view, const ViewFrame *frame, Rect box)
{
    ViewPort port = port_of(view, frame);
    ViewCamera camera = view_camera(&port, frame->camera);
    if (!(box.w > 2 && box.h > 2))
        return camera;
    float zoom = camera.zoom * fminf(port.place.w / box.w, port.place.h / box.h);
    zoom = fminf(fmaxf(zoom, 1), port.max_zoom);
    float x = camera.x + (box.x + box.w / 2 - port.place.x) / camera.zoom;
    float y = camera.y + (box.y + box.h / 2 - port.place.y) / camera.zoom;
    return view_camera(
        &port, (ViewCamera){zoom, x - port.place.w / zoom / 2, y - port.place.h / zoom / 2});
}
