#!/bin/sh
# Sentence classifiers and a language model, trained from the command line on data made here:
# one word in a sentence decides the class, so a selector must keep that word, and keeping as
# many others must not do.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

awk 'BEGIN {
    srand(3)
    split("red green blue", decisive, " ")
    split("a box of some old things that stood near the door for days", plain, " ")
    for (n = 0; n < 1500; n++) {
        k = 1 + int(rand() * 3)
        length_ = 6 + int(rand() * 6)
        at = 1 + int(rand() * length_)
        line = decisive[k]
        for (i = 1; i <= length_; i++)
            words = (i > 1 ? words " " : "") (i == at ? decisive[k] : plain[1 + int(rand() * 13)])
        print "colour:" decisive[k] "\t" words > (n < 1000 ? "train.tsv" : n < 1250 ? "valid.tsv" : "test.tsv")
    }
}'

small="--set embedding=16 --set hidden=16 --set dropout=0.1 --set rate=3e-3 --set clip=5"

# shellcheck disable=SC2086 # the settings are words of their own
"$FOVEA" train sentence -d train.tsv -v valid.tsv -o resan.safetensors $small \
    --set epochs=14 --set patience=14 --set warm=2 --set lambda=0.5 --set floor=0.1 \
    --set policy-rate=5e-3 --set direction=diagonal 2>log.txt
grep -q "share.head" log.txt
"$FOVEA" eval -m resan.safetensors --data test.tsv --json >resan.json
# shellcheck disable=SC2086
"$FOVEA" train sentence -d train.tsv -v valid.tsv -o multi.safetensors $small \
    --set attention=multi-head --set epochs=6 --quiet
"$FOVEA" eval -m multi.safetensors --data test.tsv --json >multi.json
"$FOVEA" eval -m resan.safetensors --data test.tsv --json --times --limit 90 >times.json
"$FOVEA" run -m resan.safetensors -t "some old red box" --json >run.json
# Other text around each sentence: words of the kind that decides nothing.
echo "The old box stood near the door for some days." >around.txt
for name in resan multi; do
    "$FOVEA" eval -m $name.safetensors --data test.tsv --json --by-length --padding around.txt \
        >$name-lengths.json
done
: >nothing.txt
if "$FOVEA" eval -m resan.safetensors --data test.tsv --padding nothing.txt 2>why.txt; then exit 1; fi
grep -q "no word to put around" why.txt
if "$FOVEA" eval -m resan.safetensors --data test.tsv --padding none.txt 2>why.txt; then exit 1; fi
grep -q "none.txt" why.txt
# Pairs, with the columns' names on top: do both sentences name the same colour?
awk -F '\t' 'BEGIN { OFS = "\t" }
    { split($1, part, ":"); colour[NR] = part[2]; text[NR] = $2 }
    END {
        for (f = 0; f < 2; f++) {
            file = f ? "pairs.test.tsv" : "pairs.tsv"
            print "id", "first", "second", "judgment" >file
            for (i = f ? 801 : 1; i <= (f ? 999 : 800); i++)
                print i, text[i], text[i + 1], (colour[i] == colour[i + 1] ? "same" : "other") >file
        }
    }' train.tsv
# shellcheck disable=SC2086
"$FOVEA" train sentence -d pairs.tsv -v pairs.test.tsv -o pairs.safetensors $small --quiet \
    --set pair=yes --set header=yes --set text-column=2 --set label-column=4 \
    --set attention=disan --set epochs=12
"$FOVEA" eval -m pairs.safetensors --data pairs.test.tsv --json >pairs.json
"$FOVEA" run -m pairs.safetensors -t "some old red box ||| the red door" --json >pair.json
if "$FOVEA" run -m pairs.safetensors -t "some old red box" 2>why.txt; then exit 1; fi
grep -q "compares two sentences" why.txt
cut -f 2 train.tsv >text.tsv
"$FOVEA" train lstmn -d text.tsv -o language.safetensors --set embedding=16 --set hidden=24 \
    --set attention-hidden=12 --set merges=100 --set epochs=2 --set rate=5e-3 --quiet
cut -f 2 test.tsv >held.tsv
"$FOVEA" eval -m language.safetensors --data held.tsv --json >language.json

python3 - <<'PY'
import json, sys

r, m, l, t, p, q, c = (json.load(open(f"{n}.json"))
                       for n in ("resan", "multi", "language", "run", "pairs", "pair", "times"))
print(r, m, l, p)
bad = []
if m["accuracy"] < 0.97:
    bad.append("multi-head has not learned")
if r["accuracy"] < 0.9 or r["all.accuracy"] < 0.97:
    bad.append("resan has not learned")
if not 0.02 < r["share.kept"] < 0.7:
    bad.append("the selection keeps nothing or everything")
if r["shuffled.accuracy"] > r["accuracy"] - 0.1:
    bad.append("other words would do as well")
if t["output"] != "colour:red" or len(t["steps"]) != 7:
    bad.append("a run is wrong")
if p["accuracy"] < 0.9 or q["output"] != "same":
    bad.append("pairs are not compared")
if "ms" in r or c["ms"] <= 0 or c["all.ms"] <= 0:
    bad.append("times are not what was asked for")
if [x["words"] for x in c["cost"]] != [16, 32, 64, 128, 256, 512]:
    bad.append("times by length have other lengths")
if not all(x["all_ms"] > 0 and x["selected_ms"] > 0 and 0 <= x["share_pairs"] < 1 for x in c["cost"]):
    bad.append("times by length are not times")
for name, plain in (("resan", r), ("multi", m)):
    x = json.load(open(f"{name}-lengths.json"))
    rows, padded = x["by_length"], x["padded"]
    selects = name == "resan"
    total = sum(row["examples"] for row in rows)
    if total != plain["examples"] or [row["words"] for row in padded] != [50, 100, 200]:
        bad.append(f"{name}: lengths are missing")
    if abs(sum(row["accuracy"] * row["examples"] for row in rows) / total - plain["accuracy"]) > 1e-5:
        bad.append(f"{name}: lengths do not add up to the whole")
    for row in rows + padded:
        for kind in ("pool", "words"):
            if kind + ".effective" not in row:
                continue  # the selection leaves no pair
            if not 1 <= row[kind + ".effective"] <= row["words"] + 1e-4:
                bad.append(f"{name}: {kind} is spread over more words than there are")
            if not 1 / row["words"] - 1e-4 <= row[kind + ".largest"] <= 1:
                bad.append(f"{name}: the largest of {kind} is none")
        if selects and not row["pool.effective"] < row["all.pool.effective"]:
            bad.append("a selection pools as many words as there are")
    for row in padded:
        if not 0 <= row["pool.own"] <= 1 or not 0 < row["even"] < 0.25:
            bad.append(f"{name}: shares are none")
    if selects and padded[2]["pool.own"] < 3 * padded[2]["even"]:
        bad.append("what was put around a sentence is not trimmed")
    if selects and not padded[2]["kept.padding"] < padded[2]["kept.own"]:
        bad.append("what was put around a sentence is kept like the sentence")
if l["perplexity"] > 30:
    bad.append("the language model has not learned")
sys.exit("; ".join(bad) or 0)
PY

# What is wrong with the data is said with its line.
printf 'colour:red\tfine\nno tab here\n' >bad.tsv
if "$FOVEA" train sentence -d bad.tsv -o bad.safetensors --quiet 2>why.txt; then exit 1; fi
grep -q "bad.tsv, line 2" why.txt
printf 'colour:grey\tfine\n' >other.tsv
if "$FOVEA" eval -m resan.safetensors --data other.tsv 2>why.txt; then exit 1; fi
grep -q "grey" why.txt
if "$FOVEA" run -m resan.safetensors -t "" 2>why.txt; then exit 1; fi
grep -q "no word to classify" why.txt
