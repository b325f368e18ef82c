#!/bin/sh
# The window, driven by scripts: what a person changes in the figure, and what follows.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sentence="She is eating a green apple."

# play NAME: a script from standard input must run to its end.
play() {
    { printf 'size 1280 800\ntext %s\nkey Escape\n' "$sentence"; cat; } >"$1.txt"
    if ! "$FOVEA" script "$1.txt" >out.txt 2>&1; then
        echo "$1:"
        cat out.txt
        exit 1
    fi
}

# A row is painted, a word hidden, another given; each is listed and taken back alone.
play changes <<'S'
trace plain.json
absent undo.0
drag 400 268 400 210
expect undo.0
expect followed.0
trace painted.json
click-at 622 168
expect undo.1
click undo.0
absent undo.1
key Ctrl+Z
expect undo.1
key Ctrl+Alt+Z
absent undo.0
absent followed.0
click candidate.1
expect undo.0
trace given.json
S

# A search: its tree, its length penalty, a hypothesis that is followed.
play beam <<'S'
key B
click view.beam
expect run.length_penalty
trace tree.json
click porte
expect view.heatmap on
trace followed.json
S

# Words left out, pinned runs, another run beside this one.
play panes <<'S'
key L
expect chart
expect green
click view.heatmap
absent chart
key P
key Shift+P
absent chart
click view.compare
expect compare.with
S

# A key of one's own does what it is told.
play keys <<'S'
key Ctrl+Alt+K
click keys.view-3
key Ctrl+Alt+J
key Escape
expect view.heatmap on
key Ctrl+Alt+J
expect view.pipeline on
S

python3 - <<'PY'
import json
plain, painted, given, tree, followed = (
    json.load(open(f"{n}.json")) for n in ("plain", "painted", "given", "tree", "followed"))
def weights(t):
    return next(x["data"] for x in t["tensors"] if x["name"] == "attention.weights")
a, b = weights(plain)[1], weights(painted)[1]
assert abs(sum(b) - 1) < 1e-4 and b[0] > a[0] + 0.3, (a, b)
assert weights(plain)[0] == weights(painted)[0]
assert given["steps"][-1]["token"] != plain["steps"][-1]["token"] or len(given["steps"]) != len(plain["steps"])
nodes = tree["beam"]
assert len(nodes) > 20 and "porte" in [n["token"] for n in nodes]
assert followed["steps"][1]["token"] == "porte"
PY
echo "changes, beams, panes and keys"
