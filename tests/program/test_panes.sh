#!/bin/sh
# What stands in a view's place is what is exported and copied: words left out, what followed,
# pinned runs, the tree of a search; and what a person changed is marked in every figure.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "test_panes: $*" >&2
    exit 1
}

# play NAME: a script from standard input must run to its end.
play() {
    { printf 'size 1280 800\n'; cat; } >"$1.txt"
    "$FOVEA" script "$1.txt" >said 2>&1 || { cat said; fail "$1"; }
}

# exported FILE: the steps of the dialog.
exported() {
    printf 'key Ctrl+E\nclick export.name\nkey Ctrl+A\ntype %s\nclick export.act\nabsent export.dialog\n' "$1"
}

# holds FILE WORDS...
holds() {
    file=$1
    shift
    for words in "$@"; do
        grep -qF -- "$words" "$file" || { fail "$file does not hold \"$words\""; }
    done
}

play left_out <<P
text She is eating a green apple.
key Escape
key L
$(exported left.svg)
$(exported left.csv)
$(exported left.png)
$(exported left.pdf)
key Ctrl+Alt+C
clipboard left.tsv
hover-at 400 300
key Ctrl+Shift+C
clipboard row.tsv
key Ctrl+C
clipboard cell.txt
P
xmllint --noout left.svg
holds left.svg "Without each word" "apple" "rank correlation"
holds left.csv "word,mean weight" "apple,0."
python3 - <<'P'
rows = [line.split("\t") for line in open("left.tsv").read().splitlines()]
one = [line.split("\t") for line in open("row.tsv").read().splitlines()]
assert rows[0][0] == "word" and len(rows) == 8, rows
assert one[0] == rows[0] and one[1] in rows[1:] and open("cell.txt").read() == one[1][2], one
assert open("left.png", "rb").read(4) == b"\x89PNG" and open("left.pdf", "rb").read(4) == b"%PDF"
P

# The figure opens again with the words left out.
play again <<'P'
open left.png
expect view.left_out on
expect chart
P

play followed <<P
text She is eating a green apple.
key Escape
drag 400 268 400 210
click candidate.1
key Shift+L
expect view.followed on
$(exported followed.svg)
$(exported followed.tsv)
language zh
$(exported followed_zh.svg)
P
holds followed.svg "What followed" "painted" "before" "after"
holds followed_zh.svg "随之而来的变化"
head -n 1 followed.tsv | grep -q "step	before	p before" || fail "the columns of what followed"

play pinned <<P
text She is eating a green apple.
key Escape
key P
text We like the red house.
key Escape
key P
key Shift+P
$(exported pinned.svg)
$(exported pinned.csv)
key Ctrl+Alt+C
clipboard pinned.tsv
P
holds pinned.svg "She is eating a green apple." "We like the red house."
holds pinned.csv "run,row,column,weight" "We like the red house."
[ "$(wc -l <pinned.csv)" -eq "$(wc -l <pinned.tsv)" ] || fail "the copy of pinned runs"

play beam <<P
text She is eating a green apple.
key Escape
key B
click view.beam
$(exported beam.svg)
$(exported beam.csv)
key Ctrl+Alt+C
clipboard beam.tsv
P
holds beam.svg "Beam search" "beam of 5"
[ "$(wc -l <beam.csv)" -eq "$(wc -l <beam.tsv)" ] || fail "the copy of the tree"

# Every kind of model that looks at words leaves them out, in the window and without it.
while read -r model text; do
    play "words_$model" <<P
model $model
text $text
key Escape
key L
expect view.left_out on
expect chart
P
    "$FOVEA" run -m "$model" -t "$text" --leave-one-out >"$model.said"
    holds "$model.said" "rank correlation"
done <<'M'
en-fr-transformer She is eating a green apple.
en-fr-hard We like the red house.
sentiment-structured a bad and boring film .
entailment-resan A man sleeps ||| A man is awake
english-lstmn The old man sat by the sea.
han-reviews The film was slow. But the music was wonderful.
M
"$FOVEA" export -m en-fr-additive -t "She is eating a green apple." --view left-out -o command.svg
holds command.svg "Without each word"
printf '{"steps":[{"step":1,"word":"est"}]}' >change.json
"$FOVEA" export -m en-fr-additive -t "She is eating a green apple." --intervene change.json --view followed -o command.csv
holds command.csv "step,before"
if "$FOVEA" export -m en-fr-additive -t "She is eating." --view followed -o nothing.svg 2>said; then
    fail "nothing was changed, nothing can follow"
fi
holds said "--intervene"

# What was changed stands in the figure, whatever the model and the view.
while IFS='|' read -r model text view change words; do
    printf '%s' "$change" >change.json
    "$FOVEA" export -f -m "$model" -t "$text" --view "$view" --intervene change.json -o marked.svg ||
        fail "$model, $view"
    holds marked.svg "$words"
done <<'M'
en-fr-additive|We like it.|heatmap|{"hidden":[0]}|“We” hidden
en-fr-additive|We like it.|beam|{"beam":4,"steps":[{"step":1,"word":"est"}]}|step 2: the word was given
en-fr-local-p|We like it.|pipeline|{"steps":[{"step":1,"centre":2}]}|step 2: the window was moved
en-fr-hard|We like it.|links|{"steps":[{"step":1,"selected":2}]}|the position was chosen by hand
en-fr-transformer|We like it.|heatmap|{"temperature":2}|temperature 2
sentiment-multi-head|a bad film .|heads|{"hidden":[0]}|hidden
english-lstmn|The old man sat by the sea.|text|{"hidden":[1]}|hidden
questions-resan|How far is the moon from the earth?|selection|{"steps":[{"step":0,"flips":[0]}]}|turned over as head
scenes-soft|a dog to the left of a house|image|{"hidden":[3]}|hidden: cell 4
digits-ram|20,15 75,15 45,85|image|{"steps":[{"step":1,"centre":0.5,"centre_y":0.5}]}|step 2: the glimpse was put there
han-reviews|It was slow. But I liked it.|text|{"steps":[{"step":2,"weights":[1,0]}]}|given by hand
M

# A sentence's bar is dragged, a word takes all of its sentence, the Pipeline's weights are dragged.
play bars <<'P'
model han-reviews
text The film was slow and far too long. But the music was wonderful, and I loved the last scene.
key Escape
click view.text
trace before.json
drag 240 307 290 307
expect undo.0
trace after.json
click-at 412 307 right
click change.menu.1
expect undo.1
trace word.json
model en-fr-additive
text She is eating a green apple.
key Escape
key Ctrl+Alt+Z
key Home
click view.pipeline
absent undo.0
drag 260 420 260 380
expect undo.0
trace painted.json
P
python3 - <<'P'
import json
def weights(name, tensor):
    return next(t["data"] for t in json.load(open(name))["tensors"] if t["name"] == tensor)
a, b = weights("before.json", "sentence.weights"), weights("after.json", "sentence.weights")
assert b[0] > a[0] + 0.2 and abs(sum(b) - 1) < 1e-5, (a, b)
own, now = weights("word.json", "word.own_weights"), weights("word.json", "word.weights")
assert own[3] < 0.9 and now[3] == 1 and sum(now[:9]) == 1, (own, now)
assert all(abs(x - y) < 1e-5 for x, y in zip(own[9:], now[9:])), (own, now)
own, now = weights("painted.json", "attention.own_weights")[0], weights("painted.json", "attention.weights")[0]
assert now[0] > own[0] + 0.1 and abs(sum(now) - 1) < 1e-5, (own, now)
P
echo "panes are exported and copied as they are seen"
