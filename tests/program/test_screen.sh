#!/bin/sh
# The screen with inputs of every kind: short, long, Chinese, Arabic, empty.
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
