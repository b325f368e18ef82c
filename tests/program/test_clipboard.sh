#!/bin/sh
# The desktop's clipboard: a cell, a row and the matrix as text, the figure as a PNG; and the list
# of files that were opened, in a window of its own.
set -eu
# shellcheck source=tests/program/desktop.sh
. "$(dirname "$0")/desktop.sh"
open_screen

# copies KEY TYPE FILE: the key changes what the clipboard holds to something of this type.
copies() {
    printf 'nothing' | xclip -selection clipboard -i >/dev/null 2>&1
    xdotool key "$1"
    until_true sh -c "xclip -selection clipboard -t '$2' -o >'$3' 2>/dev/null &&
        [ -s '$3' ] && [ \"\$(head -c 7 '$3')\" != nothing ]"
}

xdotool mousemove 640 895 # off the figure: the row of the step is meant
printf 'We like the red house.\n' >house.txt
open_window house.txt
until_true says unsaved.fovea '"text": "We like the red house."'
xdotool key Home
until_true says unsaved.fovea '"step": 0'
copies ctrl+shift+c UTF8_STRING row.tsv
copies ctrl+alt+c UTF8_STRING matrix.tsv
copies ctrl+alt+f image/png figure.png
"$FOVEA" run -t "We like the red house." --json >run.json
python3 - <<'P'
import json, struct, zlib
matrix = [line.split("\t") for line in open("matrix.tsv", encoding="utf-8").read().splitlines()]
row = [line.split("\t") for line in open("row.tsv", encoding="utf-8").read().splitlines()]
run = json.load(open("run.json"))
weights = next(t["data"] for t in run["tensors"] if t["name"] == "attention.weights")
assert matrix[0][1:6] == ["We", "like", "the", "red", "house"], matrix[0]
assert row[0] == matrix[0] and row[1] == matrix[1] and len(row) == 2, row
assert abs(float(matrix[1][1]) - weights[0][0]) < 1e-5, (matrix[1], weights[0])
png = open("figure.png", "rb").read()
assert png[:8] == b"\x89PNG\r\n\x1a\n"
at, kinds, pixels = 8, [], b""
while at < len(png):
    n, kind = struct.unpack(">I4s", png[at:at + 8])
    data = png[at + 8:at + 8 + n]
    assert struct.unpack(">I", png[at + 8 + n:at + 12 + n])[0] == zlib.crc32(kind + data)
    kinds.append(kind)
    pixels += data if kind == b"IDAT" else b""
    at += 12 + n
width, height = struct.unpack(">II", png[16:24])
assert kinds[0] == b"IHDR" and kinds[-1] == b"IEND" and width > 800 and height > 800
assert len(set(zlib.decompress(pixels))) > 40, "an empty picture"
P

# What was opened is offered again, here and at the next start.
until_true says recent.json house.txt
close_window
printf 'They are old friends.\n' >friends.txt
open_window friends.txt
until_true says recent.json friends.txt
xdotool key ctrl+r
sleep 0.5
xdotool key Down Down Return
until_true says unsaved.fovea '"text": "We like the red house."'
close_window
echo "the clipboard holds numbers and pictures; files are offered again"
