# desktop.sh - a screen of its own for a test, and a window on it. Sourced after
# `set -eu`; the test then stands in an empty folder, $work, that goes away with everything on it.
work=$(mktemp -d)
screen=
window=
cleanup() {
    [ -z "$window" ] || kill -9 "$window" 2>/dev/null || true
    [ -z "$screen" ] || kill "$screen" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
export HOME="$work" XDG_STATE_HOME="$work/state"
unset WAYLAND_DISPLAY DISPLAY SDL_VIDEODRIVER || true

fail() {
    echo "$(basename "$0"): $*" >&2
    cat "$work/said" >&2 2>/dev/null || true
    exit 1
}

# until_true COMMAND...: tries for a while, far longer than it takes.
until_true() {
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ "$tries" -lt 300 ] || fail "still not so: $*"
        sleep 0.1
    done
}

# The screen's pixels stand in $work/Xvfb_screen0.
open_screen() {
    Xvfb -displayfd 3 -screen 0 1400x900x24 -fbdir "$work" -nolisten tcp -noreset \
        3>number 2>xvfb.log &
    screen=$!
    until_true test -s number
    DISPLAY=:$(cat number)
    export DISPLAY
}

has_window() {
    xdotool search --name '^Fovea' >id 2>/dev/null && [ -s id ]
}

# open_window ARGUMENTS...: starts the program and gives it the keyboard.
open_window() {
    "$FOVEA" "$@" >"$work/said" 2>&1 &
    window=$!
    until_true has_window
    xdotool windowmap --sync "$(tail -n 1 id)" windowfocus --sync "$(tail -n 1 id)"
}

# close_window: by its key; the end is clean and in good time.
close_window() {
    xdotool key ctrl+q
    status=0
    wait "$window" || status=$?
    window=
    [ "$status" -eq 0 ] || fail "ended with status $status"
}

# says FILE WORDS: of the state that the program keeps.
says() {
    grep -qF -- "$2" "$work/state/fovea/$1"
}
