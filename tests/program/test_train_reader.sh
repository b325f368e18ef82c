#!/bin/sh
# Readers of stories trained from the command line on stories made here: who is where is told by
# the last sentence about them, so that sentence must be found among the others, by words, by
# sentences in hops, and at every word of the question.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir tasks

awk 'BEGIN {
    srand(7)
    n_who = split("Ada Ben Cleo", who, " ")
    n_where = split("attic barn cellar", where, " ")
    for (story = 0; story < 640; story++) {
        file = "tasks/qa1_where_" (story < 560 ? "train" : "test") ".txt"
        line = 0
        split("", at)
        split("", told)
        for (s = 1; s <= 4; s++) {
            w = 1 + int(rand() * n_who)
            at[w] = where[1 + int(rand() * n_where)]
            told[w] = ++line
            last = w
            print line " " who[w] " went to the " at[w] "." > file
            if (s % 2)
                continue
            do w = 1 + int(rand() * n_who); while (!(w in told))
            print ++line " Where is " who[w] "? \t" at[w] "\t" told[w] > file
        }
        file = "tasks/qa2_who_" (story < 560 ? "train" : "test") ".txt"
        print "1 " who[1] " saw " who[2] ".\n2 " who[3] " slept." > file
        print "3 Who slept?\t" who[3] "\t2" > file
    }
}'

small="--set embedding=16 --set hidden=16 --set attention-hidden=16 --set rate=1e-2 --set clip=5
    --set decay=0.9"

# shellcheck disable=SC2086 # the settings are words of their own
{
    "$FOVEA" train reader -d tasks -o words.safetensors $small --set epochs=6 2>log.txt
    "$FOVEA" train reader -d tasks -o hops.safetensors $small --set memory=sentences \
        --set vectors=bags --set attention=dot --set hops=2 --set ages=6 --set gaps=0.1 \
        --set linear=2 --set epochs=16 --set patience=16 --quiet
    "$FOVEA" train reader -d tasks -o impatient.safetensors $small --set attention=impatient \
        --set rate=4e-3 --set decay=1 --set epochs=18 --set patience=18 --quiet
}
grep -q "support" log.txt
for model in words hops impatient; do
    "$FOVEA" eval -m $model.safetensors --data tasks --json >$model.json
done

# Stopped in the middle and resumed, a training ends with the same model to the bit.
train() {
    out=$1
    shift
    # shellcheck disable=SC2086
    "$FOVEA" train reader -d tasks -o "$out" $small --set epochs=4 --set seed=3 \
        --set checkpoint=0.01 --quiet "$@"
}
train whole.safetensors
train parts.safetensors &
job=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -f parts.safetensors.checkpoint ] && break
    sleep 0.1
done
pkill -INT -P $job || true
wait $job || true
[ -f parts.safetensors ] || train parts.safetensors --resume
for model in whole parts; do
    "$FOVEA" eval -m $model.safetensors --data tasks --output $model.txt --json >$model.json
done
cmp whole.json parts.json
cmp whole.txt parts.txt

# What was measured stays in the file, by task, and the weights stay as they were.
"$FOVEA" run -m words.safetensors tasks/qa1_where_test.txt --number 2 --json >before.json
"$FOVEA" eval -m words.safetensors --data tasks --record --title "Where is who" --json >kept.json
cmp words.json kept.json
"$FOVEA" run -m words.safetensors tasks/qa1_where_test.txt --number 2 --json >run.json
mkdir models
cp words.safetensors models
FOVEA_ASSETS=. "$FOVEA" models --json >models.json

python3 - <<'PY'
import json, sys

w, h, i, run, before, model = (json.load(open(f"{n}.json")) for n in
                               ("words", "hops", "impatient", "run", "before", "models"))
print(w, h, i)
bad = []
for name, scores in (("words", w), ("hops", h), ("impatient", i)):
    where = scores["tasks"]["qa1"]
    if where["accuracy"] < 85:  # chance is 33
        bad.append(f"{name}: {where['accuracy']} % of the places are right")
    if scores["tasks"]["qa2"]["accuracy"] < 99:
        bad.append(f"{name}: who slept is not known")
    if name != "impatient" and where["support"] < where["even"] + 20:
        bad.append(f"{name}: the sentence that tells it is not looked at")
    if scores["solved"] not in (1, 2) or scores["examples"] != 240:
        bad.append(f"{name}: the tasks are not counted")
if model["scores"]["tasks"] != w["tasks"] or model["title"] != "Where is who":
    bad.append("what was measured is not in the file")
if run["tensors"] != before["tensors"]:
    bad.append("recording changed the model")
if not any(t["name"] == "gold.support" for t in run["tensors"]):
    bad.append("a numbered story does not bring what supports it")
sys.exit("; ".join(bad) or 0)
PY

# What is wrong with a task is said with its line and column.
refuse() {
    if "$FOVEA" "$@" 2>why.txt; then
        echo "test_train_reader: $* should have failed" >&2
        exit 1
    fi
}
printf '1 Ada slept.\n3 Who slept?\tAda\t1\n' >gap.txt
refuse train reader -d gap.txt -o bad.safetensors --quiet
grep -q "gap.txt, line 2, column 1: line number 3; 2" why.txt
printf '1 Ada slept.\n2 Who slept?\tAda\tx\n' >support.txt
refuse eval -m words.safetensors --data support.txt
grep -q "support.txt, line 2, column 18: the number of a supporting sentence" why.txt
refuse run -m words.safetensors support.txt --number 1
grep -q "line 2, column 18" why.txt
refuse run -m words.safetensors -t "" --question "Where is Ada?"
grep -q "the story is empty" why.txt
refuse run -m words.safetensors -t "Ada slept." --question ""
grep -q "the question is empty" why.txt
refuse run -m words.safetensors -t "Ada slept." --question "?"
grep -q "the question has no words" why.txt
mkdir none
refuse train reader -d none -o bad.safetensors --quiet
grep -q '_train.txt" in this folder' why.txt
