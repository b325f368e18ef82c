#!/bin/sh
# `fovea run --intervene` and --leave-one-out: what followed is told, what is wrong is refused.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sentence="She is eating a green apple."
good=0

# fails STATUS PART ARGUMENTS...: the command must end so, with a message that holds PART.
fails() {
    want=$1
    part=$2
    shift 2
    status=0
    "$FOVEA" "$@" >out.txt 2>err.txt || status=$?
    if [ "$status" -ne "$want" ] || ! grep -qF -- "$part" err.txt; then
        echo "fovea $*: exit $status, expected $want and \"$part\":"
        cat err.txt
        exit 1
    fi
}

# refuse STATUS PART TEXT: interventions that must be refused with a message, and no output.
refuse() {
    printf '%s' "$3" >bad.json
    fails "$1" "$2" run -t "$sentence" --intervene bad.json
    [ ! -s out.txt ]
    good=$((good + 1))
}

"$FOVEA" run -t "$sentence" --json >plain.json
n=$(python3 -c 'import json; print(len(json.load(open("plain.json"))["axes"][0]["labels"]))')
zeros=$(python3 -c "print(','.join(['0'] * $n))")

refuse 2 "step 31 cannot be changed: the run has" '{"steps": [{"step": 30, "selected": 1}]}'
refuse 2 "all weights of the row are zero" "{\"steps\": [{\"step\": 1, \"weights\": [$zeros]}]}"
refuse 2 "weights for $n source pieces" '{"steps": [{"step": 1, "weights": [1, 2]}]}'
refuse 2 "the vocabulary has" '{"steps": [{"step": 0, "token": 900000}]}'
refuse 2 "is not a piece that this model can write" '{"steps": [{"step": 0, "word": "@@@@@"}]}'
refuse 2 "cannot be hidden: there are $n" '{"hidden": [500]}'
refuse 1 "a number from 1 to 64" '{"beam": 65}'
refuse 1 "is nothing that a run can be told" '{"temprature": 2}'
refuse 1 "is nothing that a step can be told" '{"steps": [{"step": 1, "wieghts": []}]}'
refuse 1 "\"weights\": a number from 0" '{"steps": [{"step": 1, "weights": [1, -1]}]}'
refuse 1 "an object was expected" '[]'
refuse 1 "line 1, column" '{"beam": '
refuse 1 "bad.json" '{"beam": 2, "beam": 3}'
fails 1 "missing.json" run -t "$sentence" --intervene missing.json

# A word is given, another is hidden, a row is painted: told in words and kept in the trace.
python3 - <<'PY'
import json
t = json.load(open("plain.json"))
n = len(t["axes"][0]["labels"])
second = [c["token"] for c in t["steps"][1]["candidates"] if c["token"] != t["steps"][1]["token"]][0]
json.dump({"steps": [{"step": 1, "word": second}, {"step": 2, "weights": [1] * n}], "hidden": [0]},
          open("edits.json", "w"))
PY
"$FOVEA" run -t "$sentence" --intervene edits.json >told.txt
grep -q "^before  " told.txt
grep -q "^after   " told.txt
grep -q "tokens differ" told.txt
"$FOVEA" run -t "$sentence" --intervene - --json <edits.json >changed.json
"$FOVEA" run -t "$sentence" --leave-one-out >words.txt
grep -q "rank correlation" words.txt
"$FOVEA" run -t "$sentence" --leave-one-out --json --threads 1 >words.json
"$FOVEA" run -t "$sentence" --leave-one-out --json --threads 2 >again.json
cmp words.json again.json

python3 - <<'PY'
import json
p, c, w = (json.load(open(f"{n}.json")) for n in ("plain", "changed", "words"))
edits = json.load(open("edits.json"))
assert c["steps"][1]["token"] == edits["steps"][0]["word"] != p["steps"][1]["token"]
weights = {t["name"]: t["data"] for t in c["tensors"]}
assert all(row[0] == 0 for row in weights["attention.weights"]) # hidden means everywhere
painted = weights["attention.weights"][2][1:]
assert max(painted) - min(painted) < 1e-6, painted
kinds = sorted(change["kind"] for change in c["changes"])
assert kinds == ["mask", "token", "weights"], kinds
assert len(w["weights"]) == len(w["rows"]) == len(p["steps"])
assert len(w["words"]) >= 6
for k, word in enumerate(w["words"]):
    assert abs(sum(row[k] for row in w["effects"]) - word["effect"]) < 1e-3
PY
echo "$good refusals, and what followed"
