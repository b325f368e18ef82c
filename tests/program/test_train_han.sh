#!/bin/sh
# A document classifier trained from the command line on data made here: one word of one
# sentence decides the class, so that word and that sentence must receive the weights.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

awk 'BEGIN {
    srand(5)
    split("lovely dreadful", decisive, " ")
    split("a box of some old things that stood near the door for days", plain, " ")
    for (n = 0; n < 900; n++) {
        k = 1 + int(rand() * 2)
        sentences = 2 + int(rand() * 4)
        at = 1 + int(rand() * sentences)
        text = ""
        for (s = 1; s <= sentences; s++) {
            length_ = 3 + int(rand() * 5)
            place = 1 + int(rand() * length_)
            for (i = 1; i <= length_; i++)
                text = text (i > 1 ? " " : s > 1 ? " The " : "The ") \
                    (s == at && i == place ? decisive[k] : plain[1 + int(rand() * 13)])
            text = text "."
        }
        print (k == 1 ? "pos" : "neg") "\t" text > (n < 600 ? "train.tsv" : n < 750 ? "valid.tsv" : "test.tsv")
    }
}'

small="--set classes=negative,positive --set embedding=12 --set hidden=8 --set attention-hidden=16
    --set min-count=1 --set rate=1e-2 --set clip=5 --set dropout=0.1 --set epochs=5"

# shellcheck disable=SC2086 # the settings are words of their own
"$FOVEA" train han -d train.tsv -v valid.tsv -o han.safetensors $small --set context-scale=0.5 \
    --set word-entropy=0.02 --set update-bias=1 2>log.txt
grep -q "word.entropy" log.txt
# shellcheck disable=SC2086
"$FOVEA" train han -d train.tsv -o mean.safetensors $small --set pooling=mean --quiet
gzip -k test.tsv
"$FOVEA" eval -m han.safetensors --data test.tsv.gz --json --threads 2 >han.json
"$FOVEA" eval -m han.safetensors --data test.tsv --json --threads 1 >again.json
cmp han.json again.json
"$FOVEA" eval -m mean.safetensors --data test.tsv --json >mean.json
"$FOVEA" run -m han.safetensors -t "The old box stood. The dreadful door of days. A box." --json >run.json
"$FOVEA" eval -m han.safetensors --data test.tsv --record --example "A lovely box." --json >kept.json

python3 - <<'PY'
import json, sys

h, m, t = (json.load(open(f"{n}.json")) for n in ("han", "mean", "run"))
print(h, m)
bad = []
if h["accuracy"] < 0.97 or m["accuracy"] < 0.9:
    bad.append("nothing was learned")
if h["confusion"]["negative"]["negative"] + h["confusion"]["positive"]["positive"] != round(
        h["accuracy"] * h["examples"]):
    bad.append("the confusion does not add up")
if h["words.effective"] > 0.8 * h["words"]:
    bad.append("the words' weights are even")
if abs(m["words.effective"] - m["words"]) > 0.2 * m["words"]:
    bad.append("mean pooling weighs words")
tensors = {x["name"]: x["data"] for x in t["tensors"]}
labels = next(a["labels"] for a in t["axes"] if a["name"] == "word")
words = dict(zip(labels, tensors["word.weights"]))
if t["output"] != "negative" or tensors["sentence.effect"].index(max(tensors["sentence.effect"])) != 1:
    bad.append("a run is wrong")
if words["dreadful"] < 0.5:
    bad.append("the decisive word receives little")
sys.exit("; ".join(bad) or 0)
PY

# What is wrong with the data is said with its line; labels of held-out data must be known.
printf 'pos\tfine\nno tab here\n' >bad.tsv
if "$FOVEA" train han -d bad.tsv -o bad.safetensors --quiet 2>why.txt; then exit 1; fi
grep -q "bad.tsv, line 2" why.txt
printf 'grey\tfine\n' >other.tsv
if "$FOVEA" eval -m han.safetensors --data other.tsv 2>why.txt; then exit 1; fi
grep -q "grey" why.txt
if "$FOVEA" run -m han.safetensors -t "" 2>why.txt; then exit 1; fi
grep -q "no word to classify" why.txt
