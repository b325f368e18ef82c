/* icons.h - small pictures drawn with lines, on a grid of 16 x 16, crisp at every scale.
 *
 * One table: an icon is at most a few lines, curves, discs and filled shapes in one colour.
 */
#ifndef FOVEA_UI_ICONS_H
#define FOVEA_UI_ICONS_H
#include "canvas/canvas.h"

typedef enum {
    ICON_NONE,
    ICON_PLAY,
    ICON_PAUSE,
    ICON_NEXT,
    ICON_PREVIOUS,
    ICON_FIRST,
    ICON_LAST,
    ICON_THEME,
    ICON_LANGUAGE,
    ICON_HELP,
    ICON_EXPORT,
    ICON_UNDO,
    ICON_REDO,
    ICON_CLOSE,
    ICON_CHEVRON_LEFT,
    ICON_CHEVRON_RIGHT,
    ICON_CHEVRON_UP,
    ICON_CHEVRON_DOWN,
    ICON_PIN,
    ICON_COMPARE,
    ICON_FOLDER,
    ICON_SAVE,
    ICON_SEARCH,
    ICON_CHECK,
    ICON_PLUS,
    ICON_MINUS,
    ICON_MORE,
    ICON_INFO,
    ICON_WARNING,
    ICON_ERROR,
    ICON_DICE,
    ICON_COUNT,
} Icon;

/* In the middle of rect, `size` pixels a side. ICON_NONE draws nothing. */
void icon_draw(Canvas *canvas, Rect rect, Icon icon, float size, Color color);

#endif
