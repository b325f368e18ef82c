#!/bin/sh
# A session reproduces the screen: saved, opened by another process, and drawn byte for byte the
# same; and what is said when its model is missing or it is of a newer Fovea.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
same=0

fail() {
    echo "test_session: $*" >&2
    exit 1
}

# same_after NAME: what the script on standard input makes, saved and opened, is the same screen.
same_after() {
    {
        cat
        printf 'pass 10\nhover-at -1 -1\ndump %s.before\n' "$1"
        printf 'key Ctrl+S\nclick files.name\ntype %s/%s.fovea\nkey Enter\n' "$work" "$1"
    } >"$1.script"
    printf 'size 1280 800\nopen %s.fovea\npass 10\ndump %s.after\n' "$1" "$1" >"$1.again"
    "$FOVEA" script "$1.script" || fail "$1"
    "$FOVEA" script "$1.again" || fail "$1, opened"
    cmp "$1.before" "$1.after" || {
        diff "$1.before" "$1.after" | head -n 20
        fail "$1: the screen is another one"
    }
    same=$((same + 1))
}

# Changes of every kind, a lock, zoom, a step in the middle, a chosen cell, options, the theme.
same_after changes <<'S'
text She is eating a green apple.
key Escape
wheel 90 600 -30
click run.temperature
type 0.7
key Enter
drag 400 268 400 210
click-at 622 168
click candidate.1
click option.numbers
wheel 600 400 3
click-at 500 300
key Home
key Right
theme dark
S

# Beside this run: another model, on the map of differences; two pinned runs; the inspector folded.
same_after models <<'S'
text We like the red house.
key Escape
key P
text They are old friends.
key Escape
key P
click view.compare
click compare.with
type en-fr-dot
key Enter
click panel.right
S

same_after difference <<'S'
text She is eating a green apple.
key Escape
drag 400 268 400 210
click view.compare
click option.mode
key Down
key Enter
S

# Pinned runs of several sentences, the newest of them the current one; and of one sentence.
same_after pinned <<'S'
text She is eating a green apple.
key Escape
key P
text We like the red house, and they like it too.
key Escape
key P
key Shift+P
S
same_after pinned_more <<'S'
text She is eating a green apple.
key Escape
key P
drag 400 268 400 210
key P
model en-fr-general
key P
model en-fr-scaled-dot
key P
key [
key P
key ]
key P
key ]
key P
key Shift+P
wheel 600 400 -4
S

# Words left out, in Chinese, with both panels scrolled.
same_after left_out <<'S'
size 1000 620
size 1280 800
language zh
text The old man who lives near the sea and the young woman never sold their house again.
key Escape
key L
wheel 600 500 -3
wheel 1100 500 -2
wheel 90 600 -2
S

# A search, and a hypothesis that is followed; an output that was typed.
same_after beam <<'S'
text She is eating a green apple.
key Escape
key B
click view.beam
click-at 300 300
click view.beam
S
same_after forced <<'S'
text She is eating a green apple.
key F
type Elle a une pomme.
key Escape
key Home
S

same_after lab <<'S'
text They are old friends.
key Escape
key A
S

# The first installed model of a family.
model_of() {
    "$FOVEA" models --json | python3 -c '
import json, sys
names = [m["name"] for m in map(json.loads, sys.stdin) if m["family"] == sys.argv[1]]
print(names[0])' "$1"
}

# Documents, stories, pictures drawn and from a file, scenes, sentence classifiers.
same_after document <<S
model $(model_of han)
click-at 400 350
wheel 500 500 -2
S
same_after story <<S
model $(model_of reader)
key Home
key Right
S
same_after digit <<S
model $(model_of ram)
key Home
key Right
S
same_after scene <<S
model $(model_of caption)
key Home
key Right
S
same_after selection <<S
model $(model_of sentence)
key Home
S
python3 - <<'P'
import struct, zlib
rows = b"".join(b"\0" + bytes(255 if (y == 6 and 8 < x < 20) or (x == 20 - (y - 6) // 3 and 6 < y < 24)
                              else 0 for x in range(28)) for y in range(28))
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
open("seven.png", "wb").write(b"\x89PNG\r\n\x1a\n"
                              + chunk(b"IHDR", struct.pack(">IIBBBBB", 28, 28, 8, 0, 0, 0, 0))
                              + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
P
same_after picture <<S
model $(model_of ram)
open seven.png
key Home
S

# Another tool's file: a sentence of it, its axes turned, found beside a session that was moved.
python3 - <<'P'
import json
with open("dump.json", "w") as f:
    json.dump({"fovea": 1, "axes": [{"name": "source", "kind": "token", "labels": ["a", "b", "c"]},
                                    {"name": "target", "kind": "token", "labels": ["x", "y"]}],
               "tensors": [{"name": "attention.weights", "role": "weights", "axes": ["target", "source"],
                            "data": [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]}]}, f)
P
same_after dump <<'S'
open dump.json
click-at 600 400
wheel 600 400 2
S
mkdir moved
mv dump.fovea dump.json moved
sed 's/open dump/open moved\/dump/' dump.again >moved.again
"$FOVEA" script moved.again
cmp dump.before dump.after

# What a person said of a file: axes turned, tokens typed for its second sentence, gold links from
# elsewhere, a second file beside it, and the order of the list; these move with the session, too.
mkdir said
python3 - <<'P'
import json
def write(path, rows):
    with open(path, "w") as f:
        for n in (3, 2):
            f.write(json.dumps({"att": [[0.7 if i == j else 0.3 / (n - 1) for j in range(n)]
                                        for i in range(rows or n)]}) + "\n")
write("said/square.jsonl", None)
write("said/other.jsonl", 4)
open("said/links", "w").write("0-0 1-1\n0-1 1-0\n")
P
same_after said <<S
open said/square.jsonl
key Ctrl+J
click sentences.sort
click sentences.sort.3
click sentences.list.1
key Escape
click dump.tokens
click tokens.source
type red house
click tokens.target
type maison rouge
click tokens.ok
drop said/links
key T
key C
drop said/other.jsonl
S
grep -q '"maison"' said.after || fail "typed tokens are in no session"
grep -q 'other.jsonl' said.after || fail "the file beside is in no session"
printf 'open said.fovea\ntrace said.json\nclick view.heatmap\ndump heatmap.txt\nkey Ctrl+J\n' >said.script
printf 'expect sentences.list.0\ndump list.txt\n' >>said.script
"$FOVEA" script said.script
grep -q 'exchanged, as asked' said.json || fail "the turned axes are in no session"
grep -q 'alignment error rate' heatmap.txt || fail "the gold links are in no session"
mkdir gone
mv said/* said.fovea gone
printf 'open gone/said.fovea\npass 10\ndump gone.txt\n' >gone.script
"$FOVEA" script gone.script
cmp said.after gone.txt || fail "what was said of a file does not move with the session"
rm gone/other.jsonl
printf 'open gone/said.fovea\ndump alone.txt\n' >alone.script
"$FOVEA" script alone.script
grep -q 'other.jsonl' alone.txt || fail "that the file beside is gone is not said"

# A figure that Fovea drew is a run like any other.
"$FOVEA" export -m en-fr-additive -t "She is eating a green apple." -o figure.png
same_after figure <<'S'
open figure.png
key Home
S

# refused PART FILE: said on standard error, and nothing is opened.
refused() {
    printf 'open %s\n' "$2" >refused.script
    if "$FOVEA" script refused.script >answer 2>&1 || ! grep -qF -- "$1" answer; then
        cat answer
        fail "$2 should be refused with \"$1\""
    fi
}
sed 's/"model": "en-fr-additive"/"model": "en-fr-gone"/' changes.fovea >gone.fovea
refused "en-fr-gone" gone.fovea
sed 's/"fovea_session": 1/"fovea_session": 2/' changes.fovea >newer.fovea
refused "session version 2; this Fovea reads version 1" newer.fovea
sed 's/"dump.json"/"lost.json"/; s/dump\.json/lost.json/' moved/dump.fovea >lost.fovea
refused "lost.json" lost.fovea
head -c 900 changes.fovea >short.fovea
refused "line" short.fovea

# A model of a newer Fovea says so.
python3 - <<'P'
import json, os, struct
source = os.path.join(os.environ["FOVEA_ASSETS"], "models", "en-fr-additive.safetensors")
with open(source, "rb") as f:
    n = struct.unpack("<Q", f.read(8))[0]
    head, rest = json.loads(f.read(n)), f.read()
meta = json.loads(head["__metadata__"]["fovea"])
meta["format"] += 1
head["__metadata__"]["fovea"] = json.dumps(meta)
text = json.dumps(head).encode()
text += b" " * (-len(text) % 8)
with open("newer.safetensors", "wb") as f:
    f.write(struct.pack("<Q", len(text)) + text + rest)
P
sed "s|\"model\": \"en-fr-additive\"|\"model\": \"$work/newer.safetensors\"|" changes.fovea >newer-model.fovea
refused "format" newer-model.fovea

# A step that the run does not have is named; the rest of the session is opened.
python3 - <<'P'
import json
session = json.load(open("forced.fovea"))
session["edits"]["steps"] = [{"step": 30, "selected": 1}]
json.dump(session, open("beyond.fovea", "w"))
P
printf 'open beyond.fovea\ndump beyond.txt\n' >beyond.script
"$FOVEA" script beyond.script
grep -q "step 31 cannot be changed: the run has" beyond.txt || fail "a step beyond the end is not named"
echo "$same screens come back byte for byte"
