#!/bin/sh
# A real training: a model learns to write letters backwards, exact on over 99 % of held-out
# inputs, and its attention points at the letter that it writes. Interrupted once on the way:
# a resumed run must give the same file as one that ran through.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Held-out inputs never occur in training: the lists are disjoint by construction.
awk 'BEGIN {
    srand(7)
    for (n = 0; n < 9500; ) {
        length_ = 3 + int(rand() * 6)
        s = ""; r = ""
        for (i = 0; i < length_; i++) {
            c = substr("abcdefghij", 1 + int(rand() * 10), 1)
            s = s (i ? " " : "") c
            r = c (i ? " " : "") r
        }
        if (s in seen) continue
        seen[s] = 1
        file = n < 8000 ? "train.tsv" : n < 8500 ? "valid.tsv" : "test.tsv"
        print s "\t" r > file
        n++
    }
}'

train() {
    out=$1
    shift
    "$FOVEA" train seq2seq -d train.tsv -v valid.tsv -o "$out" --set merges=20 \
        --set embedding=32 --set hidden=64 --set encoder-hidden=32 --set attention-hidden=32 \
        --set dropout=0 --set smoothing=0 --set rate=5e-3 --set batch=32 --set epochs=8 \
        --set decay-from=5 --set shards=2 --set checkpoint=0.01 "$@"
}

train whole.safetensors --set threads=2

# Stop in the middle, then go on; threads must not matter either.
(train parts.safetensors --set threads=1 || true) &
job=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -f parts.safetensors.checkpoint ] && break
    sleep 0.2
done
pkill -INT -f "parts.safetensors" || true
wait $job
[ -f parts.safetensors ] || train parts.safetensors --set threads=1 --resume
# Provenance holds the time that training took; the weights must be equal to the bit.
python3 - <<'PY'
import json, struct, sys

def body(path):
    with open(path, "rb") as f:
        n = struct.unpack("<Q", f.read(8))[0]
        header = json.loads(f.read(n))
        return {k: v for k, v in header.items() if k != "__metadata__"}, f.read()

sys.exit(0 if body("whole.safetensors") == body("parts.safetensors") else "the weights differ")
PY

# An unfinished run is not written over, and a place that cannot be written is told at once.
touch other.safetensors.checkpoint
if train other.safetensors 2>message; then exit 1; fi
grep -q 'other.safetensors.checkpoint is left from an unfinished run' message
if train nowhere/m.safetensors 2>message; then exit 1; fi
grep -q 'nowhere/m.safetensors: cannot write here' message

# The folder goes away in the middle, as a full disk would: the run goes on without checkpoints,
# and the finished model waits until it can be written.
mkdir out
train out/m.safetensors --set epochs=2 2>message &
job=$!
wait_for() {
    n=0
    until "$@"; do
        n=$((n + 1))
        [ $n -lt 600 ]
        sleep 0.2
    done
}
wait_for [ -f out/m.safetensors.checkpoint ]
mv out away
wait_for grep -q 'm.safetensors: cannot write.*tried again' message
grep -q 'm.safetensors.checkpoint: cannot write.*tried again' message
mv away out
wait $job
[ -f out/m.safetensors ] && ! [ -f out/m.safetensors.checkpoint ]

cut -f1 test.tsv >sources
"$FOVEA" run -m ./whole.safetensors --json sources >traces
python3 - <<'PY'
import json, sys

wanted = [line.rstrip("\n").split("\t")[1] for line in open("test.tsv")]
right = pointed = steps = 0
for line, want in zip(open("traces"), wanted):
    trace = json.loads(line)
    right += trace["output"] == want
    weights = next(t for t in trace["tensors"] if t["name"] == "attention.weights")["data"]
    n = len(want.split())
    if trace["output"] != want:
        continue
    for t in range(n):
        row = weights[t]
        steps += 1
        pointed += row.index(max(row)) == n - 1 - t
print(f"{right} of {len(wanted)} exact; attention points at the letter in {pointed} of {steps}")
sys.exit(0 if right >= 0.99 * len(wanted) and pointed >= 0.95 * steps else 1)
PY
