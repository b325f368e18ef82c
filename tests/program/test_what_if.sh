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

# The menu of a cell: a locked weight stays while another one of its row takes all that is left.
play menu <<'S'
trace free.json
click-at 400 268 right
click change.menu.0
expect locked
click-at 625 268 right
click change.menu.1
trace locked.json
expect undo.0
click-at 625 268 right
click change.menu.5
absent undo.0
S

# A cell, a row, the matrix as a table.
play copies <<'S'
click-at 400 268
key Ctrl+C
clipboard cell.txt
key Ctrl+Shift+C
clipboard row.txt
key Ctrl+Alt+C
clipboard matrix.txt
S

# Another model beside this one; each half says which it is, and how far apart they are.
play beside <<'S'
click view.compare
expect empty
click compare.with
type en-fr-dot
key Enter
wheel 1100 500 -60
dump beside.txt
S
grep -q '"en-fr-dot" ui 15 bold' beside.txt
grep -q '"en-fr-additive" ui 15 bold' beside.txt
grep -q Jensen-Shannon beside.txt

# A file that was opened before.
echo "They are old friends." >friends.txt
echo "We like the red house." >house.txt
play recent <<'S'
open friends.txt
open house.txt
key Ctrl+R
click recent.list.1
dump recent.txt
S
grep -q '"They are old friends."' recent.txt

# What is not text is refused with its line.
printf 'size 900 600\nkey Home\0 Right\n' >nul.txt
if "$FOVEA" script nul.txt >out.txt 2>&1 || ! grep -q "nul.txt, line 2: a NUL character" out.txt; then
    cat out.txt
    exit 1
fi

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
pruned = [n for n in nodes if n["state"] == "pruned" and "dropped_at" in n]
assert pruned and all(n["dropped_at"] == n["step"] + 1 and n["dropped_score"] <= n["kept_score"] for n in pruned)

free, locked = (weights(json.load(open(f"{n}.json")))[1] for n in ("free", "locked"))
assert abs(locked[0] - free[0]) < 1e-6 and max(locked) > 1 - free[0] - 1e-4, (free, locked)
cell = open("cell.txt").read()
row = [line.split("\t") for line in open("row.txt").read().splitlines()]
matrix = [line.split("\t") for line in open("matrix.txt").read().splitlines()]
assert row[0][1:] == ["She", "is", "eating", "a", "green", "apple", "."] and row[1][1] == cell, (row, cell)
assert matrix[0] == row[0] and matrix[2] == row[1] and len(matrix) == 7, matrix
PY
echo "changes, beams, panes and keys"
