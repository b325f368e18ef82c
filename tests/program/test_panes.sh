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
echo "panes are exported and copied as they are seen"
