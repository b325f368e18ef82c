/* figure_page.h - how a figure is put on one canvas or several; private to app/figure. */
#ifndef FOVEA_FIGURE_FIGURE_PAGE_H
#define FOVEA_FIGURE_FIGURE_PAGE_H
#include "figure/figure.h"

#define FIGURE_MAX_PAGES 2000

/* What all pages of a figure share. */
typedef struct FigurePaper {
    const Figure *figure;
    Theme theme;
    float width;      /* logical pixels */
    Color background; /* alpha 0: transparent */
    ViewFrame frame;  /* the figure's, without an area */
    ViewCache *cache;
} FigurePaper;

void figure_paper_init(FigurePaper *paper, const Figure *figure, Fonts *fonts);
void figure_paper_deinit(FigurePaper *paper);

/* One canvas: the view, or all steps as a strip, and the caption. */
Canvas *figure_draw_page(FigurePaper *paper);

/* Frames of an animation or pages of a document, at least one. */
typedef struct FigurePages {
    Canvas **at; /* [n] */
    int n;
} FigurePages;

FigurePages figure_draw_pages(FigurePaper *paper); /* of at most "page" millimetres */
int figure_count_frames(const Figure *figure);
/* One a step, all of one size. ERROR_LIMIT for too many. */
bool figure_draw_steps(FigurePaper *paper, FigurePages *pages, Error *error) FOVEA_MUST_USE;
void figure_pages_free(FigurePages *pages);

/* The caption's sentence: model, input, output, step. */
void figure_caption(const Figure *figure, const ViewFrame *frame, StrBuf *out);

/* figure_html.c: a whole page; `title` is its name, `note` the run (NULL: without). */
bool figure_write_html(FigurePaper *paper, const char *title, const char *note, StrBuf *out,
                       Error *error) FOVEA_MUST_USE;

/* figure_numbers.c: what the view shows as a table. */
bool figure_write_table(const FigurePaper *paper, char separator, StrBuf *out,
                        Error *error) FOVEA_MUST_USE;

#endif
