#!/bin/sh
# The window on a screen of its own: what is typed arrives, arrows step, theme, language and
# size change, an end is clean, a killed program leaves its work behind; and what is said
# without a display, without fonts and without a model.
set -eu
# shellcheck source=tests/program/desktop.sh
. "$(dirname "$0")/desktop.sh"

# refused STATUS WORDS COMMAND...: ends with that status and says those words.
refused() {
    wanted=$1
    words=$2
    shift 2
    status=0
    "$@" >"$work/said" 2>&1 || status=$?
    [ "$status" -eq "$wanted" ] || fail "status $status, not $wanted: $*"
    grep -q "$words" "$work/said" || fail "does not say \"$words\": $*"
}

# What is on the screen: "COLOURS LIGHTNESS" of every third pixel of LEFT TOP WIDTH HEIGHT.
cat >look.py <<'P'
import struct, sys
left, top, width, height = map(int, sys.argv[1:])
data = open("Xvfb_screen0", "rb").read()
head = struct.unpack(">25I", data[:100])
start, stride = head[0] + head[19] * 12, head[12]
pixels = [data[start + y * stride + x * 4:start + y * stride + x * 4 + 3]
          for y in range(top, top + height, 3) for x in range(left, left + width, 3)]
print(len(set(pixels)), sum(map(sum, pixels)) // (3 * len(pixels)))
P
look() {
    python3 look.py "$@"
}
colours() {
    look "$@" | cut -d' ' -f1
}
lightness() {
    look "$@" | cut -d' ' -f2
}
is_drawn() {
    [ "$(colours 0 0 1200 750)" -gt 50 ]
}
is_dark() {
    [ "$(lightness 0 0 1000 700)" -lt 90 ]
}
is_light() {
    [ "$(lightness 0 0 1000 700)" -gt 180 ]
}
# open_drawn ARGUMENTS...: a window that shows something.
open_drawn() {
    open_window "$@"
    until_true is_drawn
}
has_ended() {
    ! kill -0 "$window" 2>/dev/null
}

type_sentence() {
    xdotool key ctrl+l ctrl+a
    xdotool type --delay 5 "$1"
    until_true says unsaved.fovea "\"text\": \"$1\""
    xdotool key Escape
}


# Without a bus to talk to, D-Bus keeps what it tried.
echo 'leak:libdbus' >suppressions
export LSAN_OPTIONS="suppressions=$work/suppressions:print_suppressions=0"

# Without a display, and with one that is not there.
refused 1 "no display to open a window on" "$FOVEA"
refused 1 "no display to open a window on" env DISPLAY=:7654 "$FOVEA"

open_screen

# Without fonts.
echo '<?xml version="1.0"?><fontconfig></fontconfig>' >none.conf
refused 1 "fonts-dejavu-core" env FONTCONFIG_FILE="$work/none.conf" "$FOVEA"

# Typing and stepping.
open_drawn
is_light || fail "the first start is not light"
type_sentence "We like the red house."
xdotool key Home
until_true says unsaved.fovea '"step": 0'
xdotool key Right Right
until_true says unsaved.fovea '"step": 2'
xdotool key Left
until_true says unsaved.fovea '"step": 1'

# The look.
xdotool key F2
until_true is_dark
until_true says window.json '"theme": "dark"'
xdotool key F2
until_true is_light
xdotool key F3
until_true says window.json '"language": "zh"'

# Another size: the new part is drawn too, and what was given up is not.
xdotool windowmove "$(tail -n 1 id)" 0 0 windowsize --sync "$(tail -n 1 id)" 1390 890
corner_is_light() {
    [ "$(lightness 1340 840 40 40)" -gt 180 ]
}
until_true corner_is_light
xdotool windowsize --sync "$(tail -n 1 id)" 900 600
corner_is_bare() {
    [ "$(lightness 1340 840 40 40)" -eq 0 ] && [ "$(lightness 850 550 40 40)" -gt 180 ]
}
until_true corner_is_bare

# Nothing to do: how much the processor worked for it.
ticks() {
    awk '{ print $14 + $15 }' "/proc/$window/stat"
}
sleep 2.5
before=$(ticks)
sleep 2
echo "idle for 2 seconds: $(($(ticks) - before)) ticks of the processor"

# A clean end leaves choices, and no work to recover.
close_window
says window.json '"language": "zh"' || fail "the choices were not kept"
[ ! -e state/fovea/unsaved.fovea ] || fail "a clean end left unsaved work"

# A killed program leaves its work; the next start offers it and does not write over it.
open_drawn
type_sentence "They are old friends."
kill -9 "$window"
wait "$window" 2>/dev/null || true
window=
says unsaved.fovea "They are old friends." || fail "the work of a killed program is lost"
until_true sh -c '! xdotool search --name "^Fovea"'
open_drawn
xdotool key Home
sleep 2.5
xdotool key End
sleep 0.5
says unsaved.fovea "They are old friends." || fail "the next start wrote over the lost work"
close_window
says unsaved.fovea "They are old friends." || fail "an end wrote over the lost work"

# What was left behind opens like any session.
mv state/fovea/unsaved.fovea found.fovea
open_drawn found.fovea
until_true says unsaved.fovea "They are old friends."
close_window

# Without a model the window opens all the same.
export FOVEA_ASSETS="$work/nothing"
open_drawn
close_window
