#!/bin/sh
# Attention of other tools: what README.md says about saving it runs and opens with its numbers
# and tokens; what numpy writes is read and what is written numpy reads, bit for bit; the list
# of sentences, gold links, a second file, typed tokens and what is odd, in the window.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# The system's own has numpy where another one in the path has not.
python=python3
$python -c 'import numpy' 2>/dev/null || python=/usr/bin/python3

fail() {
    echo "test_dumps: $*" >&2
    exit 1
}

# refused PART COMMAND...: it fails and its message holds the part.
refused() {
    part=$1
    shift
    if "$@" >out 2>why; then
        fail "was not refused: $*"
    fi
    grep -qF -- "$part" why || fail "no \"$part\" in: $(cat why)"
}

# script LINES...: a line each, in the window.
script() {
    printf '%s\n' "$@" >lines.script
    "$FOVEA" script lines.script
}

# ---- the snippets of the README ----

mkdir snippets
$python "$here/snippets.py" save "$here/../../README.md" snippets >names
[ "$(wc -l <names)" -eq 5 ] || fail "not all snippets ran"
while read -r name; do
    "$FOVEA" export "snippets/$name.npz" -o "snippets/$name.json"
    script "open snippets/$name.npz" "expect view.heatmap" "absent finding.3" \
        "absent finding.9" || fail "$name.npz does not open in the window"
done <names
$python "$here/snippets.py" check snippets

# ---- numpy and safetensors read it back ----

cat >round.py <<'P'
import json, subprocess, struct, sys
import numpy as np

fovea = sys.argv[1]
kinds = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "U8": "|u1", "I8": "|i1", "I16": "<i2",
         "I32": "<i4", "I64": "<i8", "U64": "<u8", "BOOL": "|b1"}

def safetensors(path):
    """As the format is described: a length, a header of JSON, numbers."""
    data = open(path, "rb").read()
    n = struct.unpack("<Q", data[:8])[0]
    out, header = {}, json.loads(data[8:8 + n])
    end = 0
    for name, t in sorted(((k, v) for k, v in header.items() if k != "__metadata__"),
                          key=lambda item: item[1]["data_offsets"]):
        assert t["data_offsets"][0] == end, "a hole before " + name
        end = t["data_offsets"][1]
        part = data[8 + n + t["data_offsets"][0]:8 + n + end]
        out[name] = np.frombuffer(part, kinds[t["dtype"]]).reshape(t["shape"])
    assert len(data) == 8 + n + end
    assert all(isinstance(v, str) for v in header.get("__metadata__", {}).values())
    return out

rng = np.random.default_rng(3)
base = rng.random((2, 3, 4, 5))
base /= base.sum(-1, keepdims=True)
for dtype in ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8"]:
    for order in "CF":
        a = np.array(base, dtype=dtype, order=order)
        for writer, ending in [(np.save, "npy"), (np.savez, "npz"), (np.savez_compressed, "npz")]:
            writer("a." + ending, a)
            for out in ["b.npz", "b.safetensors"]:
                subprocess.run([fovea, "export", "-f", "a." + ending, "-o", out], check=True)
                read = np.load(out) if out.endswith("npz") else safetensors(out)
                b = read["attention.weights"]
                assert b.shape == a.shape, (dtype, order, ending, out, b.shape)
                assert b.dtype.itemsize == a.dtype.itemsize, (dtype, out, b.dtype)
                assert np.array_equal(b.astype("<f8"), a.astype("<f8")), (dtype, order, ending, out)
for dtype in ["|u1", "|i1", "<i2", ">i4", "<i8", "|b1"]:
    a = (np.arange(12).reshape(3, 4) % 2).astype(dtype)
    np.save("a.npy", a)
    subprocess.run([fovea, "export", "-f", "a.npy", "-o", "b.npz"], check=True)
    b = next(v for k, v in np.load("b.npz").items() if v.shape == (3, 4))
    assert np.array_equal(b, a.astype(b.dtype)), dtype
print("numpy and safetensors: equal")
P
$python round.py "$FOVEA"

# ---- axes, tokens and gold links on the command line ----

$python - <<'P'
import numpy as np
np.save("square.npy", np.array([[0.5, 0.5], [0.5, 0.5]]))
np.save("flat.npy", np.array([[0.75, 0.25, 0], [0.125, 0.75, 0.125]]))
P
"$FOVEA" export square.npy --axes source,target -o swapped.json
grep -q '"axes":\["target","source"\]' swapped.json || fail "--axes was not followed"
echo "the red house" >three
echo "maison rouge" >two
"$FOVEA" export flat.npy --source three --target two -o named.tsv
[ "$(head -n 1 named.tsv | tr '\t' ' ')" = " the red house" ] || fail "no tokens: $(cat named.tsv)"
echo "0-0 1-1" >links
"$FOVEA" export flat.npy --source three --target two --gold links -o gold.json
grep -q 'gold.sure' gold.json || fail "no gold links"
refused "links" "$FOVEA" export flat.npy --gold nowhere/links -o never.json

"$FOVEA" export flat.npy -o - --format pharaoh >given.lines
[ "$(cat given.lines)" = "0-0 1-1" ] || fail "other links: $(cat given.lines)"
printf '0-0 2p1\n\n1-1\n' >given.links
"$FOVEA" export given.links -o again.pharaoh
cmp given.links again.pharaoh || fail "links do not come back as they were"

"$FOVEA" export given.links --swap -o turned.pharaoh
[ "$(head -n 1 turned.pharaoh)" = "0-0 1p2" ] || fail "--swap was not followed"
"$FOVEA" export given.links --count-from 0 -o zero.pharaoh
refused "said to count from 1" "$FOVEA" export given.links --count-from 1 -o never.pharaoh

# ---- what is no file ----

mkdir folder.npz
mkfifo pipe.npz
refused "this is a directory" "$FOVEA" export folder.npz -o never.json
refused "not a regular file" "$FOVEA" export /dev/zero -o never.json
refused "not a regular file" timeout 60 "$FOVEA" export pipe.npz -o never.json
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n' >pointer.npz
refused "Git LFS pointer" "$FOVEA" export pointer.npz -o never.json
printf '<!DOCTYPE html><title>404</title>' >page.pt
refused "web page" "$FOVEA" export page.pt -o never.json

# ---- many sentences: the list ----

$python - <<'P'
import json
words = "a b c d e f g h".split()
with open("many.jsonl", "w") as out, open("other.jsonl", "w") as other, \
        open("many.gold", "w") as gold:
    for i in range(3000):
        n, m = 2 + i % 5, 2 + i % 4
        sharp = 0.55 + 0.4 * (i % 97) / 97
        def sentence(m, prefix):
            att = [[sharp if j == k % n else (1 - sharp) / (n - 1) for j in range(n)]
                   for k in range(m)]
            return json.dumps({"src": ["s%d" % i] + words[1:n], "tgt": [prefix + w for w in words[:m]],
                               "att": att, "axis": "tgt-src", "kind": "cross"}) + "\n"
        out.write(sentence(m, ""))
        other.write(sentence(m + 1, "x"))
        gold.write("0-0 1-1\n" if i != 1234 else "1-0 0-1\n")
P
script "open many.jsonl" "expect dump.sentences" "click dump.sentences" \
    "expect sentences.list.0 s0 b | a b" \
    "click sentences.sort" "shot sorts.png" "click sentences.sort.10" \
    "click sentences.way" "expect sentences.list.0 s1234 b c d e f | a b c d" \
    "click sentences.list.0" "key Escape" "expect sentence" "trace one.json" \
    "key G" "dump gold.txt"
grep -q '"s1234"' one.json || fail "the sentence with most errors was not shown"
grep -q 'alignment error rate 1.000' gold.txt || fail "no error rate: $(grep -i gold gold.txt)"
script "open many.jsonl" "key Ctrl+J" "click sentences.search" "type s299" \
    "expect sentences.list.0 s299 b c d e f | a b c d e" "absent sentences.list.11"

# ---- two files of one source, targets of different length ----

script "open many.jsonl" "key C" "drop other.jsonl" "dump two.txt" \
    "expect compare.file" "key Home"
grep -q 'many.jsonl' two.txt || fail "the first file is not named"
grep -q 'other.jsonl' two.txt || fail "the second file is not named"
grep -q '"xc"' two.txt || fail "the longer target is not drawn"

# ---- gold links dropped on a file ----

cp many.jsonl bare.jsonl
cp many.gold dropped.links
script "open bare.jsonl" "drop dropped.links" "dump dropped.txt"
grep -q 'alignment error rate' dropped.txt || fail "dropped links are no gold"

# ---- truth ----

$python - <<'P'
import numpy as np
a = np.full((2, 5, 5), 0.2, np.float32)
a[0, 1] = [0.5, 0.3, 0, 0, 0]
a[0, 2, 2] = np.nan
a[1, :, 0] = 0.8
a[1, :, 1:] = 0.05
np.save("odd.npy", a)
np.save("hidden.npy", np.random.default_rng(1).normal(size=(6, 9)).astype(np.float32))
P
script "open odd.npy" "expect finding.0" "expect finding.3" "expect finding.8" "dump odd.txt"
grep -q 'worst 0.8' odd.txt || fail "the worst row is not told"
script "open hidden.npy" "trace hidden.json"
grep -q 'does not look like attention' hidden.json || fail "hidden states pass as attention"

# ---- tokens that are typed ----

script "open flat.npy" "click dump.tokens" "click tokens.source" "type the red house" \
    "click tokens.target" "type maison rouge" "click tokens.ok" "trace typed.json"
grep -q '"maison"' typed.json || fail "typed tokens are not taken"
