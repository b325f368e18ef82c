#!/bin/sh
# Stories in the window: chosen from a file, read step by step by every reader that is installed,
# edited freely; in other scripts, very long, and what is said about files and texts that are none.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "test_stories: $*" >&2
    exit 1
}

# drive NAME: runs the script on standard input; its dump is NAME.txt.
drive() {
    { cat && echo "dump $1.txt"; } >"$1.script"
    "$FOVEA" script "$1.script" || fail "$1"
}

shows() {
    grep -qF -- "$2" "$1.txt" || fail "$1: \"$2\" is not on the screen"
}

awk 'BEGIN {
    split("Mary John Sandra", who, " ")
    split("kitchen garden office", where, " ")
    for (s = 0; s < 12; s++) {
        for (i = 1; i <= 3; i++) print i " " who[i] " went to the " where[(s + i) % 3 + 1] "."
        print "4 Where is John? \t" where[(s + 2) % 3 + 1] "\t2"
        print "5 Where is Mary? \t" where[(s + 1) % 3 + 1] "\t1"
    }
}' >tasks.txt

# A dropped file gives the list; a number and Enter choose from it.
drive list <<'S'
model reader-babi
hover-at 600 400
drop tasks.txt
expect stories
expect stories.list
click stories.list.search
type 11:2
key Enter
absent stories
absent status
expect story
expect support
expect mass.legend
S
shows list "Story 11 of 12"
shows list "Where is Mary?"
shows list "framed: known to hold the answer"

# What is typed belongs to nobody's file: nothing is framed, new lines are sentences.
drive edited <<'S'
model reader-babi
open tasks.txt#2:1
expect support
click input
key Ctrl+End
key Enter
type John went to the bedroom.
absent support
absent status
S
shows edited "John went to the bedroom."
shows edited "sentences: 4"
shows edited "bedroom"

# Step by step: the story, each word of the question, the looks, the answer.
for model in reader-babi reader-babi-hops reader-task1-bilinear reader-task1-impatient; do
    drive "$model" <<S
model $model
open tasks.txt#3:1
expect mass.legend
key Home
absent mass.legend
dump story.txt
key Right
key Right
dump question.txt
key End
key Left
dump look.txt
key Right
expect mass.legend
absent status
click theme
S
    shows "$model" "probability that it is the answer"
    grep -qF "nothing has been looked at yet" story.txt || fail "$model: it looks before it is asked"
    grep -qF "of the question read" question.txt || fail "$model: the question is not being read"
    grep -qF "effective" look.txt || fail "$model: the look is not measured"
done

# Any script, any length: unknown words are named and nothing is refused.
drive chinese <<'S'
model reader-babi
text 小明去了厨房。
click question
key Ctrl+A
type 牛奶在哪里？
absent status
S
shows chinese "has never seen"
drive arabic <<'S'
model reader-babi
text ذهبت مريم إلى المطبخ.
click question
key Ctrl+A
type أين الحليب؟
absent status
click theme
S
shows arabic "has never seen"
awk 'BEGIN { for (i = 0; i < 200; i++) print "John went to the " (i % 2 ? "garden" : "office") "." }' >long.txt
drive long <<'S'
model reader-babi-hops
open long.txt
expect minimap
absent status
S
shows long "sentences: 200"

# What does not fit is said where it is read; the picture stays.
printf '1 Mary went home.\n2 Where is Mary? \thome\t7\n' >support.txt
printf '1 Mary went home.\n2 Where is Mary? \thome\t1\n2 John slept.\n' >order.txt
drive support <<'S'
model reader-babi
hover-at 600 400
drop support.txt
expect status
S
shows support "support.txt, line 2, column 24: no earlier sentence"
drive order <<'S'
model reader-babi
hover-at 600 400
drop order.txt
S
shows order "order.txt, line 3, column 1: line number 2; 3"
