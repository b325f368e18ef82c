#!/bin/sh
# Figures and numbers from the command line, judged by other programs: XML, fonts and text of a
# PDF, pixels, numpy. What a figure was made from comes back out of it. What cannot be done is
# refused with a sentence and leaves nothing behind.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# The system's own has numpy where another one in the path has not.
python=python3
$python -c 'import numpy' 2>/dev/null || python=/usr/bin/python3

say="She is eating a green apple."

draw() {
    "$FOVEA" export -m en-fr-additive -t "$say" "$@"
}

# refused CODE PART COMMAND...: it ends with the code and its message holds the part.
refused() {
    code=$1
    part=$2
    shift 2
    got=0
    "$@" >out 2>why || got=$?
    [ "$got" = "$code" ] || { echo "ended with $got, not $code: $*"; cat why; exit 1; }
    grep -qF -- "$part" why || { echo "no \"$part\" in: $(cat why)"; exit 1; }
}

# ---- pictures ----

draw -o a.png --width 80mm --caption
draw -o a.svg --title "A <title> & more"
draw -o a.pdf
draw -o a.gif --width 60 --dpi 96
draw -o px.png --width 640px --dpi 72 --theme dark --colormap viridis --background transparent
draw -o wide.png --width 2in --scale 2
draw --format svg -o - >stream.svg
for view in links pipeline; do
    draw --view $view -o $view.pdf
done
draw -m en-fr-additive --view pipeline --step 3 -o step.svg

xmllint --noout a.svg stream.svg step.svg
grep -q "A &lt;title&gt; &amp; more" a.svg
grep -q "<text" a.svg
for pdf in a links pipeline; do
    # Every font is embedded and its letters can be read: columns emb and uni.
    pdffonts $pdf.pdf >fonts
    [ "$(tail -n +3 fonts | wc -l)" -ge 1 ]
    tail -n +3 fonts | awk '{ if ($(NF - 4) != "yes" || $(NF - 2) != "yes") bad = 1 } END { exit bad }'
done
for pdf in a links; do
    pdftotext $pdf.pdf words
    for word in eating green apple pomme verte; do
        grep -q "$word" words || { echo "$pdf.pdf: no word $word"; exit 1; }
    done
done

# ---- numbers ----

for kind in csv tsv npz json safetensors; do
    draw -o "a.$kind"
done
"$FOVEA" run -m en-fr-additive -t "$say" --json >run.json

$python - <<'PY'
import csv, json, struct, numpy, zlib

def png(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, []
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0]
        chunks.append((kind, body))
        at += 12 + n
    assert chunks[-1][0] == b"IEND"
    return struct.unpack(">IIBB", chunks[0][1][:10]), dict(chunks)

size, chunks = png("a.png")
assert size[0] == round(80 / 25.4 * 300), size
per_metre = struct.unpack(">IIB", chunks[b"pHYs"])
assert abs(per_metre[0] * 0.0254 - 300) < 0.1, per_metre
assert png("px.png")[0][0] == 640 and png("px.png")[0][3] == 6
assert png("wide.png")[0][0] == 384
assert open("a.gif", "rb").read()[:6] == b"GIF89a"

run = json.load(open("run.json"))
want = numpy.array(next(t["data"] for t in run["tensors"] if t["name"] == "attention.weights"))
npz = numpy.load("a.npz")
assert numpy.allclose(npz["attention.weights"], want) and abs(want.sum(1) - 1).max() < 1e-5
assert list(npz["source"])[0] == "She"
rows = list(csv.reader(open("a.csv", newline="")))
tabs = [line.rstrip("\n").split("\t") for line in open("a.tsv", newline="")]
assert rows == tabs and rows[0][1] == "She" and "pomme" in [r[0] for r in rows]
assert all(abs(sum(map(float, r[1:])) - 1) < 1e-5 for r in rows[1:])
made = json.load(open("a.json"))
assert made["tensors"] == run["tensors"] and made["figure"]["view"] == "heatmap"
head = open("a.safetensors", "rb").read()
n = struct.unpack("<Q", head[:8])[0]
assert "attention.weights" in json.loads(head[8:8 + n])
PY

# ---- a figure gives back its run ----

for kind in png svg pdf gif; do
    "$FOVEA" export "a.$kind" -o "back-$kind.json"
    $python - "back-$kind.json" <<'PY'
import json, sys
a, b = json.load(open("run.json")), json.load(open(sys.argv[1]))
assert a["tensors"] == b["tensors"] and a["steps"] == b["steps"] and a["axes"] == b["axes"]
PY
done
"$FOVEA" export a.svg -o again.svg
for svg in a again; do
    grep -v '<note' $svg.svg >$svg.drawing
done
cmp a.drawing again.drawing
"$FOVEA" export a.pdf --view links --dpi 96 -o links.png
[ -s links.png ]

# ---- many at once ----

printf 'He reads.\nWhere is the station?\n' >lines.txt
"$FOVEA" export -m en-fr-additive lines.txt -o 'line-{n}.svg'
grep -q station line-2.svg
[ -s line-1.svg ] && [ ! -e line-3.svg ]
"$FOVEA" run -m en-fr-additive --json lines.txt >dump.json
"$FOVEA" export dump.json -o '{name}-{n}.tsv'
grep -q station dump-2.tsv
"$FOVEA" export dump.json --sentence 2 -o second.tsv
cmp dump-2.tsv second.tsv
"$FOVEA" export dump.json -o first.tsv 2>why
cmp dump-1.tsv first.tsv
grep -q "holds 2 sentences" why
"$FOVEA" export dump.json -o copy.json
cmp dump.json copy.json
"$FOVEA" export dump-1.tsv -o x.json 2>/dev/null && exit 1
"$FOVEA" export dump.json -o copy.npz 2>/dev/null
"$FOVEA" export copy.npz -o back.tsv
cmp back.tsv first.tsv
printf 'He reads.\n\nShe sings.\n' >gap.txt
refused 1 "gap.txt, line 2" "$FOVEA" export -m en-fr-additive gap.txt -o 'gap-{n}.csv'
[ -s gap-1.csv ] && [ ! -e gap-2.csv ] && [ -s gap-3.csv ]

# ---- what cannot be done ----

cp a.png before.png
refused 1 "exists already" draw -o a.png
cmp a.png before.png
draw -o a.png -f --width 40
cmp -s a.png before.png && exit 1
refused 2 "does not say which kind" draw -o figure.jpg
refused 2 "does not say which kind" draw -o figure
refused 2 "-o OUT" draw
refused 2 "no view \"heatmop\"" draw --view heatmop -o b.png
refused 2 "--width 3furlongs" draw --width 3furlongs -o b.png
refused 2 "width" draw --width 5mm -o b.png
refused 2 "--step 99" draw --step 99 -o b.png
refused 2 "colour" draw --set colour=red -o b.png
refused 2 "colormap" draw --colormap rainbow -o b.png
refused 2 "put {n} or {name}" "$FOVEA" export a.svg a.gif -o b.png
refused 2 "--sentence 9" "$FOVEA" export dump.json --sentence 9 -o b.png
refused 1 "no-such-folder/b.png" draw -o no-such-folder/b.png
refused 1 "not a regular file" draw -f -o /dev/full --format png
draw --set origin=no --format pdf -o plain.pdf
refused 1 "holds no run" "$FOVEA" export plain.pdf -o b.json
[ ! -e b.png ] && [ ! -e b.json ]
if [ -w /dev/full ]; then
    draw --format svg -o - >/dev/full 2>why && exit 1
    grep -q "standard output" why
fi
find . -name '*.tmp-*' | grep . && exit 1
exit 0
