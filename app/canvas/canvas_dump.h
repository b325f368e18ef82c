/* canvas_dump.h - a recording as text, one line a command, for tests and for eyes.
 *
 * Stable across machines: numbers are rounded to hundredths, zeros and defaults are left
 * out, text is quoted as in JSON, matrices and images are given by size and a hash. Lines
 * inside a clip are indented.
 *
 *   canvas 640 400
 *   fill 0 0 640 400 #f6f6f3
 *   text 326 94 "Additive attention" ui 15 bold #1d2127
 *   tag button "export" 1198 9 70 30
 */
#ifndef FOVEA_CANVAS_CANVAS_DUMP_H
#define FOVEA_CANVAS_CANVAS_DUMP_H
#include "base/strbuf.h"
#include "canvas/canvas.h"

/* Appends. false: the recording is invalid (a limit, memory). */
bool canvas_dump(const Canvas *canvas, StrBuf *out, Error *error) FOVEA_MUST_USE;

#endif
