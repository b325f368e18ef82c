#!/bin/sh
# One sentence through every model, BLEU by length, and many draws of a hard step: what is seen is
# what is exported, and long translations are whole in the tooltip.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

drive() {
    cat >"$1"
    "$FOVEA" script "$1"
}

# has FILE TEXT / lacks FILE TEXT
has() { grep -qF -- "$2" "$1" || { echo "$1 has no \"$2\""; exit 1; }; }
lacks() { ! grep -qF -- "$2" "$1" || { echo "$1 has \"$2\""; exit 1; }; }

drive draws.script <<'S'
model en-fr-hard
text She sings in the garden.
key Escape
absent option.samples
key Shift+R
expect view.pipeline on
expect option.samples on
expect option.samples_number 1000
dump first.txt
key Home
dump other.txt
key End
dump again.txt
key R
dump seed.txt
key Shift+R
expect option.samples off
dump without.txt
S
has first.txt "N = 1000, max |f − α| = "
grep -F "N = 1000" first.txt >first
grep -F "N = 1000" other.txt >other
grep -F "N = 1000" again.txt >again
cmp -s first again || { echo "the same step drew other samples"; exit 1; }
! cmp -s first other || { echo "all steps drew the same samples"; exit 1; }
has seed.txt "seed 1\""
lacks without.txt "N = 1000"

drive lab.script <<'S'
size 1280 800
model en-fr-additive
text The old woman who lives in the small house at the end of the street sings every morning.
key Escape
click view.lab
hover-at 300 180
dump lab.txt
expect tooltip
key Ctrl+E
expect export.preview png
click export.name
key Ctrl+A
type lab.svg
click export.act
absent export.dialog
click lab.only_scores
dump all.txt
click view.lengths
dump lengths.txt
hover-at 585 420
expect tooltip
key Ctrl+E
click export.name
key Ctrl+A
type lengths.svg
click export.act
absent export.dialog
S
xmllint --noout lab.svg lengths.svg
for function in additive-small cosine dot general location scaled-dot; do
    has lab.txt "\"$function\""
    has lab.svg ">$function<"
done
has lab.svg "Score functions, one sentence"
has all.txt "no attention: gradient"
for model in none-gru luong-plain local-p transformer; do
    has lengths.txt "\"$model\""
    has lengths.svg ">$model<"
done
has lengths.svg "Short and long sentences"
