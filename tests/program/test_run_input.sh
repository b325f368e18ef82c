#!/bin/sh
# Bad and strange input to one model of every kind of encoder-decoder that is shipped: what can be
# translated ends well, what cannot is refused with a sentence that says why.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
models=$(cd "$(dirname "$0")/../../assets/models" && pwd)
cd "$work"
runs=0

# gives STATUS PART ARGUMENTS...: ends so, and one of the outputs holds PART ("": anything).
gives() {
    want=$1
    part=$2
    shift 2
    status=0
    "$FOVEA" run "$@" >out.txt 2>&1 || status=$?
    if [ "$status" -ne "$want" ] || ! grep -qF -- "$part" out.txt; then
        echo "fovea run $*: exit $status, expected $want and \"$part\":"
        head -c 400 out.txt
        exit 1
    fi
    runs=$((runs + 1))
}

printf 'He \377\376 is here.\n' >bytes.txt
printf 'He\001 is\033[31m here\177.\n' >control.txt
python3 -c 'print(" ".join(["the", "cat", "sees", "a", "dog", "and"] * 334)[:8000])' >words.txt

for model in none-gru location local-p hard transformer; do
    model=en-fr-$model
    gives 2 "there is no word to translate" -m $model -t ""
    gives 2 "there is no word to translate" -m $model -t "  "
    gives 1 "byte 4 is not UTF-8" -m $model bytes.txt
    gives 0 "" -m $model control.txt
    if grep -q "$(printf '\033')" out.txt; then
        echo "$model lets an escape through"
        exit 1
    fi
    gives 0 "" -m $model -t "Ωραία 今日は 🙂"
    gives 0 "" -m $model -t "Yes"
    gives 0 "她唱歌 वह" -m $model -t "She sings." --force "她唱歌 वह"
    gives 2 "--temperature 0: a number from" -m $model -t "She sings." --temperature 0
    gives 0 "" -m $model -t "She sings." --window 100
    gives 2 "--window 0: a number from" -m $model -t "She sings." --window 0
    head -c 100000 "$models/$model.safetensors" >cut.safetensors
    gives 1 "cut off?" -m ./cut.safetensors -t "She sings."
done

# A window wider than the sentence scores all of it: there it cannot matter how wide.
"$FOVEA" run -m en-fr-local-m -t "She sings." --window 100 --json >wide.json
"$FOVEA" run -m en-fr-local-m -t "She sings." --window 3 --json >narrow.json
python3 - <<'P'
import json
wide, narrow = (json.load(open(f"{n}.json")) for n in ("wide", "narrow"))
assert wide["output"] == narrow["output"]
assert wide["tensors"][0]["data"] == narrow["tensors"][0]["data"]
P

# Two thousand words: the run ends by itself. A word of 7,000 letters: all pairs of its pieces
# are too many for a Transformer, and a message says so.
gives 0 "" -m en-fr-local-p words.txt
python3 -c 'print("ab" * 3500)' >letters.txt
gives 1 "a Transformer keeps its attention among at most 3000" -m en-fr-transformer letters.txt
echo "$runs runs"
