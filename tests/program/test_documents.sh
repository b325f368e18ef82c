#!/bin/sh
# Documents of every kind through the film review classifier: on the command line, in the
# window, and as files; and what becomes of a text when the model changes.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "test_documents: $*" >&2
    exit 1
}

# refuses PART FILE: the run of that file must fail with a message that holds PART.
refuses() {
    if "$FOVEA" run -m han-reviews --whole "$2" >out.txt 2>err.txt; then
        fail "$2 was not refused"
    fi
    grep -qF -- "$1" err.txt || fail "$2: \"$1\" is not what was said: $(cat err.txt)"
}

# verdict FILE: its class.
verdict() {
    "$FOVEA" run -m han-reviews --whole "$1" 2>err.txt | head -n 1
}

# lacks FILE PART
lacks() {
    if grep -q -- "$2" "$1"; then
        fail "$1 holds $2"
    fi
}

# ---- bad and large input ----

python3 - <<'PY'
files = {
    "empty": b"",
    "space": b" \n\t\n",
    "one": b"wonderful",
    "points": b"?!... ,,, --- *** !!! ...",
    "sentence": b"the film was slow and " * 600 + b"dreadful.",
    "sentences": b"It was a dull day. " * 4999 + b"A wonderful film.",
    "long": b"It was a dull day. A wonderful evening came. " * 150,
    "russian": "Это прекрасный фильм. Мне очень понравилось!".encode(),
    "mixed": "A great film. 这部电影真好。هذا فيلم رائع.".encode(),
    "binary": bytes(range(128, 256)) * 20,
    "zeros": b"A film.\0\0\0 A film.",
    "page": b"\n<HTML><head><title>Films</title><script>if (1 < 2) 'dreadful'</script></head>"
    b"<body><nav>Log in</nav><p title='a > b'>A caf&eacute; &amp; a <i>wonderful</i> film.</p>"
    b"<p>I loved it.</body></html>",
    "latin": b"<!doctype html><meta charset=iso-8859-1><p>A caf\xe9. It\x92s wonderful.",
    "blank": b"<html><script>1</script></html>",
    "tags": b"<p>A wonderful film.</p><br>I loved <b>every</b> minute.",
    "unix": b"A dull start.\nA wonderful end.\n\nI loved it.\n",
    "windows": b"A dull start.\r\nA wonderful end.\r\n\r\nI loved it.\r\n",
    "plain": b"A wonderful film.\n",
    "marked": b"\xef\xbb\xbfA wonderful film.\n",
}
for name, data in files.items():
    open(name + ".txt", "wb").write(data)
PY

refuses "no word to classify" empty.txt
refuses "no word to classify" space.txt
refuses "byte 1 is not UTF-8" binary.txt
refuses "a NUL character" zeros.txt
refuses "no-such.txt" no-such.txt
refuses "without any text" blank.txt
for name in one points sentence sentences russian mixed page latin tags unix windows plain marked; do
    "$FOVEA" run -m han-reviews --whole $name.txt --json >$name.json 2>$name.err ||
        fail "$name: $(cat $name.err)"
done
grep -q "most words of this text are unknown" russian.json
lacks plain.json "unknown to the model"
python3 - <<'PY'
import json

def run(name):
    t = json.load(open(name + ".json"))
    axes = {a["name"]: a for a in t["axes"]}
    return t, axes, {x["name"]: x["data"] for x in t["tensors"]}

for name in "one points sentence sentences russian mixed page latin tags unix windows plain marked".split():
    t, axes, x = run(name)
    sentences = x["sentence.weights"]
    assert abs(sum(sentences) - 1) < 1e-4, name
    sums = [0.0] * len(sentences)
    for parent, weight in zip(axes["word"]["parents"], x["word.weights"]):
        sums[parent] += weight
    assert all(abs(s - 1) < 1e-4 for s in sums), name
    text = t["input"].encode()  # spans are the person's own bytes
    for label, (begin, end) in zip(axes["word"]["labels"], axes["word"]["spans"]):
        assert text[begin:end].decode() == label, (name, label)
assert len(run("sentence")[1]["word"]["labels"]) == 3002
assert len(run("sentences")[1]["sentence"]["labels"]) == 5000
assert len(run("windows")[1]["sentence"]["labels"]) == 3
assert run("unix")[0]["classes"] == run("windows")[0]["classes"]
assert run("plain")[0]["classes"] == run("marked")[0]["classes"]
assert run("page")[0]["input"] == "A caf\u00e9 & a wonderful film.\n\nI loved it."
assert run("latin")[0]["input"] == "A caf\u00e9. It\u2019s wonderful."
PY

# A web page is one document without being called so, and that it was one is said.
"$FOVEA" run -m han-reviews page.txt --json >lines.json 2>err.txt
cmp page.json lines.json
grep -q "page.txt: a web page" err.txt
"$FOVEA" export -m han-reviews page.txt -o web.svg 2>err.txt
grep -q "a web page" err.txt
grep -q wonderful web.svg
lacks web.svg "Log in"
for name in binary zeros; do
    if "$FOVEA" export -m han-reviews $name.txt -o no.svg 2>err.txt; then fail "$name was drawn"; fi
    grep -q "$name.txt: .*\(UTF-8\|NUL\)" err.txt || fail "$name: $(cat err.txt)"
done

# ---- one document a line, or the whole file ----

printf 'A wonderful film.\nA dreadful film.\n' >two.txt
"$FOVEA" run -m han-reviews two.txt >lines.txt
[ "$(cut -f1 lines.txt | tr '\n' ' ')" = "positive negative " ] || fail "one a line: $(cat lines.txt)"
"$FOVEA" run -m han-reviews --whole two.txt --json >whole.json
grep -q '"A dreadful film."' whole.json
[ "$("$FOVEA" run -m han-reviews --whole - <two.txt | head -n 1)" = "$(verdict two.txt)" ]
if "$FOVEA" run -m han-reviews --whole two.txt -o out.txt 2>err.txt; then exit 1; fi
grep -q "no --output" err.txt

# ---- what is measured ----

printf 'pos\tA wonderful film. I loved it.\nneg\tA dreadful waste of time.\npos\tWonderful.\n' >test.tsv
"$FOVEA" eval -m han-reviews --data test.tsv >eval.txt
for figure in "accuracy             1" "confusion " "calibration " "examples             3"; do
    grep -qF "$figure" eval.txt || fail "eval does not say $figure: $(cat eval.txt)"
done
lacks eval.txt "^distance"
printf 'x\t10\ta\tA wonderful film. I loved it.\nx\t1\tb\tA dreadful waste of time.\n' >stars.tsv
"$FOVEA" eval -m han-stars --data stars.tsv --json >stars.json
python3 - <<'PY'
import json
s = json.load(open("stars.json"))
given = {true: [int(k) for k, n in row.items() if n] for true, row in s["confusion"].items()}
off = [abs(int(true) - g) for true, row in given.items() for g in row]
assert len(off) == 2 and abs(s["distance"] - sum(off) / 2) < 1e-6, s
assert 0 <= s["distance.of.mean"] < 4, s
PY

# ---- files that are drawn ----

for kind in png svg pdf html csv; do
    "$FOVEA" export -m han-reviews unix.txt -o page.$kind
    [ -s page.$kind ] || fail "nothing in page.$kind"
done
"$FOVEA" export -m han-reviews long.txt -o long.pdf
python3 - <<'PY' || fail "a long document is not cut into pages"
import re
assert len(re.findall(rb"/Type /Page\b", open("long.pdf", "rb").read())) > 5
PY
"$FOVEA" export -m han-reviews long.txt -o long.png
head -n 1 page.csv | grep -q "weight"
[ "$(wc -l <page.csv)" -eq 13 ] || fail "page.csv: $(cat page.csv)"

# ---- in the window: stages, texts that stay, texts that go ----

printf 'A slow start. A wonderful end.' >steps.txt
cat >steps.script <<'E'
model han-reviews
open steps.txt
key Home
absent sentence
absent vector
dump words.txt
key Right
expect vector
absent sentence
key Right
expect sentence
absent vector
dump sentences.txt
key End
expect sentence
dump class.txt
click sentence
expect sentence.remove
E
"$FOVEA" script steps.script
lacks words.txt '"positive"' # no class before anything was weighed
lacks sentences.txt '"positive"'
grep -q '"positive"' class.txt

# Files of every kind in the window: a page by any name of a text, in a model of documents.
cp page.txt review.html
cp page.txt weights.npy
cat >files.script <<'E'
model en-fr-additive
open review.html
dump web.dump
expect status
expect sentence
open windows.txt
dump windows.dump
open marked.txt
dump marked.dump
open one.txt
dump one.dump
open points.txt
dump points.dump
open russian.txt
dump russian.dump
open sentences.txt
dump sentences.dump
open sentence.txt
dump sentence.dump
E
"$FOVEA" script files.script
grep -q "review.html: a web page" web.dump || fail "that it was a page is not said"
grep -q wonderful web.dump
lacks web.dump "Log in"
for name in windows one points sentences sentence; do
    grep -q '"positive"' $name.dump || fail "$name.txt has no verdict in the window"
done
grep -q '"wonderful"' marked.dump
grep -q "most words of this text are unknown" russian.dump || fail "unknown words are not said"
for case in "binary.txt:byte 1 is not UTF-8" "zeros.txt:NUL" "blank.txt:without any text" \
    "weights.npy:a web page or XML, not data"; do
    printf 'model han-reviews\nopen %s\n' "${case%%:*}" >one.script
    if "$FOVEA" script one.script 2>err.txt; then fail "$case: was opened"; fi
    grep -qF "${case#*:}" err.txt || fail "$case: $(cat err.txt)"
done

# A model without an example of its own.
printf 'pos\tfine film\nneg\tdull film\n' >tiny.tsv
"$FOVEA" train han -d tiny.tsv -o bare.safetensors --quiet --set epochs=1 --set embedding=4 \
    --set hidden=2 --set attention-hidden=2 --set min-count=1
example='I went to see this'
cat >switch.script <<'E'
model en-fr-additive
open bare.safetensors
dump bare.txt
absent status
model han-reviews
dump review.txt
model han-stars
dump stars.txt
text I loved this warm film.
model sentiment-disan
dump own.txt
model en-fr-additive
dump translated.txt
model han-reviews
dump back.txt
text
dump nothing.txt
absent status
E
"$FOVEA" script switch.script
lacks bare.txt apple # an example of the model before
grep -q "$example" review.txt || fail "an example of another kind of text stayed"
grep -q "$example" stars.txt || fail "an example that both models have went"
for name in own translated back; do
    grep -q "I loved this warm film." $name.txt || fail "$name: the person's own text went"
done
lacks nothing.txt loved
echo "documents of every kind are read, drawn and kept"
