#!/bin/sh
# `fovea run FILE`: order, bad lines by number, shards, going on after a kill, the report.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# fails STATUS PART ARGUMENTS...: the command must end so, with a message that holds PART.
fails() {
    want=$1
    part=$2
    shift 2
    status=0
    "$FOVEA" "$@" >out.txt 2>err.txt || status=$?
    if [ "$status" -ne "$want" ] || ! grep -qF -- "$part" err.txt; then
        echo "fovea $*: exit $status, expected $want and \"$part\":"
        cat err.txt
        exit 1
    fi
}

python3 - <<'PY'
subjects = ["She", "He", "The teacher", "My old friend", "A tired doctor"]
verbs = ["is eating", "sees", "bought", "was looking for"]
things = ["an apple", "the red car near the house", "some bread", "a book about the sea and the sky"]
lines = [f"{s} {v} {t}." for s in subjects for v in verbs for t in things]
bad = list(lines)
bad[6] = ""                      # a blank line stays a blank line
with open("good.txt", "w") as f:
    f.write("\n".join(lines) + "\n")
with open("mixed.txt", "wb") as f:
    for i, line in enumerate(bad):
        f.write(b"broken \xff\xfe\r\n" if i == 4 else line.encode() + (b"\r\n" if i % 2 else b"\n"))
PY

"$FOVEA" run good.txt --threads 1 >one.txt
"$FOVEA" run good.txt --threads 3 >three.txt
cmp one.txt three.txt
[ "$(wc -l <one.txt)" -eq 80 ]
"$FOVEA" run -t "$(sed -n 3p good.txt)" | head -n 1 >third.txt
sed -n 3p one.txt | cmp - third.txt

# One bad line: named by its number, the rest done, in place.
fails 1 "mixed.txt, line 5: byte 8 is not UTF-8" run mixed.txt -o mixed.out --report mixed.json
grep -q "1 of 80 lines failed" err.txt
sed -e 5s/.*// -e 7s/.*// one.txt | cmp - mixed.out
[ ! -e mixed.out.journal ]
python3 - <<'PY'
import json
r = json.load(open("mixed.json"))
assert r["failed"] == 1 and r["all"]["sentences"] == 78, r
assert sum(p["sentences"] for p in r["by_length"]) == 78
assert 0 < r["all"]["coverage"] <= 1 and r["all"]["entropy"] > 0
PY
"$FOVEA" run mixed.txt --json >mixed.jsonl 2>err.txt || true
python3 - <<'PY'
import json
lines = open("mixed.jsonl").read().split("\n")[:-1]
assert len(lines) == 80 and lines[6] == ""
assert json.loads(lines[4])["line"] == 5 and "UTF-8" in json.loads(lines[4])["error"]
assert json.loads(lines[79])["fovea"] == 1
PY

# Shards, laid end to end or merged, are the whole; so is their report, byte for byte.
"$FOVEA" run mixed.txt -o whole.out --report whole.json 2>/dev/null || true
"$FOVEA" run mixed.txt -o whole.out --report whole.html 2>/dev/null || true
for i in 1 2 3; do
    "$FOVEA" run good.txt --shard $i/3 -o part$i.txt
    "$FOVEA" run mixed.txt --shard $i/3 -o mix$i.txt 2>/dev/null || true
done
cat part1.txt part2.txt part3.txt | cmp - one.txt
"$FOVEA" run --merge part2.txt part3.txt part1.txt | cmp - one.txt
for ending in json html; do
    fails 1 "1 of 80 lines failed" run --merge mix3.txt mix1.txt mix2.txt -o merged.out \
        --report merged.$ending
    cmp merged.out whole.out
    cmp merged.$ending whole.$ending
done
fails 2 "line 27 of 80 is in none of the parts" run --merge part1.txt part3.txt
fails 2 "line 1 is in another part already" run --merge part1.txt part1.txt part2.txt part3.txt
fails 2 "different runs" run --merge part1.txt mix2.txt part3.txt
fails 1 "one.txt.journal is not there" run --merge one.txt
fails 2 "--merge wants the outputs" run --merge
cp part2.txt half.txt
head -n 9 part2.txt.journal >half.txt.journal
fails 2 "half.txt.journal ends at line 34 of 53" run --merge part1.txt half.txt part3.txt
echo '{"fovea_journal": 7}' >half.txt.journal
fails 1 "is no journal of a part" run --merge half.txt
for bad in 0/3 4/3 2 2/ /3 x/y 1/0 -1/2; do
    fails 2 "I/N was expected" run good.txt --shard "$bad"
done

# Stopped in the middle, with half a line written: it goes on, and the output is the same.
echo "old" >whole.txt
"$FOVEA" run good.txt -o whole.txt --threads 1 &
pid=$!
while [ ! -s whole.txt.journal ] || [ "$(wc -l <whole.txt.journal)" -lt 12 ]; do
    kill -0 $pid 2>/dev/null || break
    sleep 0.01
done
kill -9 $pid 2>/dev/null || true
wait $pid 2>/dev/null || true
if [ -e whole.txt.journal ]; then
    [ "$(cat whole.txt)" = old ]
    printf '{"line": 99, "te' >>whole.txt.journal
    fails 2 "journal of another run" run good.txt -o whole.txt --resume --beam 3
    "$FOVEA" run good.txt -o whole.txt --resume --report whole.json
    python3 -c 'import json; assert json.load(open("whole.json"))["all"]["sentences"] == 80'
fi
cmp whole.txt one.txt

# What is asked wrongly.
fails 2 "resume wants -o" run good.txt --resume
fails 2 ".html, .svg or .json" run good.txt --report x.doc
fails 1 missing.txt run missing.txt
fails 1 nowhere run good.txt -o /nowhere/out.txt
: >empty.txt
"$FOVEA" run empty.txt --report empty.html >out.txt
[ ! -s out.txt ]

# A gold alignment: its error rate, and too few lines of it.
printf 'She is eating an apple . ||| Elle mange une pomme .\nHe sees a dog . ||| Il voit un chien .\n' >pairs.txt
printf '0-0 1-1 2-1 3-2 4-3 5-4\n0-0 1-1 2-2 3-3 4-4\n' >gold.txt
"$FOVEA" run pairs.txt --gold gold.txt --report gold.json >out.txt
"$FOVEA" eval -d pairs.txt -m en-fr-additive --alignments gold.txt --json >eval.json
python3 - <<'PY'
import json
a, b = json.load(open("gold.json"))["all"]["aer"], json.load(open("eval.json"))["aer"]
assert abs(a - b) < 1e-6, (a, b)
PY
head -n 1 gold.txt >short.txt
fails 2 "one line of links for each" run pairs.txt --gold short.txt

# The page: whole in itself, well-formed charts, hostile text escaped.
"$FOVEA" run good.txt -o out.txt --report page.html
"$FOVEA" run mixed.txt -o out.txt --report 'a<b>&.html' 2>/dev/null || true
"$FOVEA" run good.txt -o out.txt --report charts.svg
python3 - <<'PY'
import re, xml.dom.minidom
xml.dom.minidom.parse("charts.svg")
page = open("page.html").read()
xml.dom.minidom.parseString(re.search(r"<svg.*</svg>", page, re.S).group(0))
assert "Coverage by length" in page and "http" not in re.sub(r'xmlns[^"]*"[^"]*"', "", page)
assert "line 5: byte 8" in open("a<b>&.html").read()
PY
echo "batches are in order, resumable, and reported"
