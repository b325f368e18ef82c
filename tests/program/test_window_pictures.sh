#!/bin/sh
# What a person does to what a model looks at: a digit is drawn, rubbed out and looked at
# elsewhere; an object of a scene is moved and thrown out; a word's selection is turned over.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# ---- a digit ----

cat >digit.txt <<'END'
size 1280 800
open digits-ram
click picture.clear
drag 60 110 120 110
drag 120 110 90 220
dump drawn.txt
trace drawn.json
click picture.undo
dump undone.txt
click picture.undo
text 22,18 78,18 62,45 45,88
key Escape
trace plain.json
click-at 300 200
trace looked.json
dump looked.txt
END
"$FOVEA" script digit.txt

# A press and its release make two strokes, the second is taken back.
grep -q 'field "picture.pad" = "[0-9, ]* / [0-9, ]*"' drawn.txt
grep -q 'field "picture.pad" = "[0-9, ]*"' undone.txt
python3 - <<'END'
import json

drawn, plain, looked = (json.load(open(f"{n}.json")) for n in ("drawn", "plain", "looked"))
assert drawn["output"] == "7" and plain["output"] == "7", (drawn["output"], plain["output"])
def places(trace):
    return [[step["scalars"]["location.x"], step["scalars"]["location.y"]]
            for step in trace["steps"]]
assert places(plain) != places(looked)
END
grep -q 'step . centre' looked.txt

# ---- a scene ----

cat >scene.txt <<'END'
size 1280 800
open scenes-soft
text {"objects": [{"object": "dog", "x": 0.25, "y": 0.5, "size": 0.35}, {"object": "house", "x": 0.75, "y": 0.5, "size": 0.35}]}
key Escape
trace before.json
drag 305 307 305 180
dump moved.txt
drag 460 307 900 307
dump thrown.txt
END
"$FOVEA" script scene.txt
grep -q 'field "input".*dog.*house' moved.txt
grep -q 'field "input".*dog' thrown.txt
if grep -q 'field "input".*house' thrown.txt; then
    echo "the house is still there"
    exit 1
fi
python3 - <<'END'
import json

assert json.load(open("before.json"))["output"] == "a dog to the left of a house"
END

# ---- a selection ----

cat >words.txt <<'END'
size 1280 800
open questions-resan
dump before.txt
click head
dump after.txt
click undo.0
dump back.txt
END
"$FOVEA" script words.txt
count() {
    grep -c 'check "head" = "on"' "$1" || true
}
[ "$(count before.txt)" != "$(count after.txt)" ]
[ "$(count before.txt)" = "$(count back.txt)" ]
grep -q '1 selection flipped' after.txt
