#!/bin/sh
# The window's dialog that exports: format and name follow each other, a file is replaced only
# when asked twice, what fails is said and nothing is lost; a figure that is dropped on the
# window is the run that drew it, live.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

drive() {
    cat >"$1"
    "$FOVEA" script "$1"
}

drive first <<'SCRIPT'
model en-fr-additive
text He reads a book.
key Ctrl+E
expect export.dialog
expect export.preview png
click export.name
key Ctrl+A
type figure.svg
expect export.preview svg
click export.act
absent export.dialog
expect status
SCRIPT
xmllint --noout figure.svg
grep -q reads figure.svg
cp figure.svg before.svg

drive second <<'SCRIPT'
model en-fr-additive
text He reads a book.
key Ctrl+E
click export.caption
click export.name
key Ctrl+A
type figure.svg
click export.act
expect export.dialog
expect export.act Replace it
click export.act
absent export.dialog
SCRIPT
cmp -s figure.svg before.svg && { echo "it was not replaced"; exit 1; }

drive third <<'SCRIPT'
model en-fr-additive
key Ctrl+E
click export.name
key Ctrl+A
type no-such-folder/figure.csv
expect export.preview csv
click export.act
expect export.dialog
expect export.name no-such-folder/figure.csv
expect export.error
key Escape
key Escape
absent export.dialog
SCRIPT

drive fourth <<'SCRIPT'
model en-fr-additive
text Where is the station?
hover-at 600 400
drop before.svg
expect input He reads a book.
trace opened.json
key Ctrl+E
click export.name
key Ctrl+A
type second
click export.act
absent export.dialog
SCRIPT
grep -q "He reads a book" opened.json
[ -s second.png ]
