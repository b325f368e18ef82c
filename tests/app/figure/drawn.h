/* drawn.h - a figure of a sample of the gallery. */
#ifndef FOVEA_TESTS_APP_FIGURE_DRAWN_H
#define FOVEA_TESTS_APP_FIGURE_DRAWN_H
#include "app/views/gallery.h"
#include "figure/figure_origin.h"

typedef struct Drawn {
    Gallery gallery;
    Settings *settings;
    Figure figure;
} Drawn;

static inline void drawn_open(Drawn *d, const Sample *sample, Fonts *fonts)
{
    gallery_open(&d->gallery, sample, fonts, THEME_LIGHT);
    d->settings = settings_new(figure_settings);
    d->figure = figure_of_frame(&d->gallery.frame, d->gallery.view, d->settings);
}

static inline void drawn_set(Drawn *d, const char *name, const char *value)
{
    Error error = {0};
    if (!settings_set(d->settings, name, value, &error))
        fail_msg("%s", error.message);
}

static inline void drawn_close(Drawn *d)
{
    settings_free(d->settings);
    gallery_close(&d->gallery);
}

#endif
