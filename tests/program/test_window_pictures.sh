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

# A new object is dragged into the picture, another is clicked; one that is let go elsewhere is
# not there.
cat >compose.txt <<'END'
size 1280 800
open scenes-soft
text {"objects": [{"object": "dog", "x": 0.25, "y": 0.25, "size": 0.3}]}
key Escape
dump alone.txt
drag 73 250 470 420
dump carried.txt
click picture.kind.banana
dump clicked.txt
drag 47 250 700 740
dump lost.txt
END
"$FOVEA" script compose.txt
python3 - <<'END'
import json, re

def objects(name):
    text = re.search(r'field "input" = "(.*)"', open(name).read()).group(1)
    return json.loads(text.encode().decode("unicode_escape"))["objects"]

assert len(objects("alone.txt")) == 1
carried = objects("carried.txt")
assert len(carried) == 2 and carried[1]["x"] > 0.5 and carried[1]["y"] > 0.5, carried
clicked = objects("clicked.txt")
assert len(clicked) == 3 and clicked[2]["object"] == "banana", clicked
assert len(objects("lost.txt")) == 3
END

# ---- a file, dropped; what is wrong with it is said ----

python3 - <<'END'
import struct, zlib

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

def png(name, width, height, rows):
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    open(name, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
                           + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))

one = b"".join(b"\0" + bytes(0 if 15 < x < 22 and 10 < y < 50 else 255 for x in range(40))
               for y in range(60))
png("one.png", 40, 60, one)
png("pixel.png", 1, 1, b"\0\xff")
png("huge.png", 20000, 20000, b"\0")
png("lies.png", 3000, 3000, one)
END
cat >dropped.txt <<'END'
size 1280 800
open digits-ram
drop one.png
dump one.txt
trace one.json
drop pixel.png
dump pixel.txt
drop huge.png
dump huge.txt
drop lies.png
dump lies.txt
click picture.clear
dump blank.txt
END
"$FOVEA" script dropped.txt
python3 -c 'import json; assert json.load(open("one.json"))["output"] == "1"'
grep -q 'label "status" = "the picture is blank' pixel.txt
grep -q 'label "status" = ".*20000 x 20000 pixels; at most 16384' huge.txt
grep -q 'label "status" = ".*damaged PNG' lies.txt
grep -q 'label "status" = "there is no stroke' blank.txt

# ---- further draws, and how noisy the policy was ----

cat >draws.txt <<'END'
size 1280 1200
open scenes-hard
click run.paths
key Ctrl+A
type 100
key Enter
trace draws.json
dump draws.txt
open digits-ram
click view.variance
dump variance.txt
END
"$FOVEA" script draws.txt
python3 - <<'END'
import json

trace = json.load(open("draws.json"))
cells = next(t for t in trace["tensors"] if t["name"] == "paths.cells")
assert len(cells["data"]) == 100
circles = sum(line.lstrip().startswith("circle") for line in open("draws.txt"))
assert circles >= 100, circles
END
grep -q 'learned baseline (actor-critic)' variance.txt

# ---- a selection ----

cat >words.txt <<'END'
size 1280 800
open questions-resan
dump before.txt
click head
dump after.txt
click undo.0
dump back.txt
key Home
dump first.txt
key End
click run.many
trace many.json
click run.many
trace few.json
size 1280 1000
click option.feature.slider
dump feature.txt
click view.cost
dump cost.txt
open entailment-resan
text A boy is riding a bicycle near a river ||| A child is riding a bike
dump pair.txt
END
"$FOVEA" script words.txt
grep -q 'What selecting words saves' cost.txt
grep -q 'riding' pair.txt
count() {
    grep -c 'check "head" = "on"' "$1" || true
}
[ "$(count before.txt)" != "$(count after.txt)" ]
[ "$(count before.txt)" = "$(count back.txt)" ]
# No class before its stage; a thousand draws by one button, and back.
if grep -q '"class.0"' first.txt; then exit 1; fi
grep -q '"class.0"' back.txt
grep -q '"paths": *"1000"' many.json
if grep -q '"paths"' few.json; then exit 1; fi
grep -q '"option.feature" = "[1-9]' feature.txt
grep -q 'selections flipped' after.txt
