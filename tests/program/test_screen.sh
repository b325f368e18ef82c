#!/bin/sh
# The screen with inputs of every kind: short, long, Chinese, Arabic, empty, very long, bytes
# that are no text, and no model at all.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "test_screen: $*" >&2
    exit 1
}

# drive NAME: runs the script on standard input; its dump is NAME.txt.
drive() {
    { echo "model en-fr-additive" && cat && echo "dump $1.txt"; } >"$1.script"
    "$FOVEA" script "$1.script" || fail "$1"
}

shows() {
    grep -qF -- "$2" "$1.txt" || fail "$1: \"$2\" is not on the screen"
}

drive short <<'S'
text We like the red house.
expect input
expect option.numbers on
absent status
key Home
expect steps
click theme
click language
S
shows short house

drive forty <<'S'
text She said that he had been in the house for a long time and that they were all waiting for him in the garden with a cake and some tea while it began to rain on the old table today .
absent status
S
shows forty garden

drive chinese <<'S'
text 她正在吃一个绿色的苹果。
expect input
S
shows chinese 苹果

drive arabic <<'S'
text هي تأكل تفاحة خضراء الآن.
expect input
S
shows arabic تفاحة

drive empty <<'S'
text
expect input
key Home
key Right
key End
key 2
key 3
key 4
S

{ printf 'text ' && awk 'BEGIN { for (i = 0; i < 1000; i++) printf "nine eyes " }' && echo; } |
    drive long
shows long nine
# Of a line that is wider than a picture can be, the part around the caret is drawn.
{ echo "model sentiment-structured" && printf 'text ' &&
    awk 'BEGIN { for (i = 1; i <= 900; i++) printf "word%d ", i }' && echo; } | drive wide
grep '^ *text' wide.txt | grep -q 'word899 word900' || fail "the end of a long line is not seen"
if grep '^ *text' wide.txt | grep -q 'word1 .*word899'; then fail "a long line is drawn whole"; fi

{ printf 'text ab\377\300\200cd' && awk 'BEGIN { for (i = 0; i < 900; i++) printf "\200" }' &&
    echo && echo "expect input"; } | drive bytes

# Without a model: said, and nothing that is pressed breaks it.
cat >none.script <<'S'
expect status
text We like it.
key Home
key Space
key 2
key Ctrl+S
key Escape
dump none.txt
S
FOVEA_ASSETS="$work/nothing" "$FOVEA" script none.script || fail none

# What a script asks for in vain is an error that names its line.
printf 'expect input\nexpect nonsense\n' >vain.script
status=0
"$FOVEA" script vain.script 2>said || status=$?
[ "$status" -eq 2 ] || fail "a script that expects in vain ends with $status"
grep -q "vain.script, line 2" said || fail "the line is not named"
