#!/bin/sh
# A training begins with the weights of another model: hard attention with those of soft. At a
# rate of zero they stay what they were; other sizes are refused.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

train() {
    "$FOVEA" train caption -q --set side=16 --set width=2 --set embedding=4 --set hidden=6 \
        --set attention-hidden=4 --set batch=2 --set batches=1 --set epochs=1 \
        --set precision=f32 "$@"
}

train -o soft.safetensors --set seed=3
train -o hard.safetensors --set attention=hard --set start=soft.safetensors --set rate=0
python3 - <<'END'
import json, struct

def weights(name):
    data = open(name, "rb").read()
    n = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + n])
    header.pop("__metadata__")
    return {k: data[8 + n + v["data_offsets"][0] : 8 + n + v["data_offsets"][1]]
            for k, v in header.items()}

soft, hard = weights("soft.safetensors"), weights("hard.safetensors")
assert soft == hard and any(any(v) for v in soft.values())
END

if train -o other.safetensors --set hidden=8 --set start=soft.safetensors 2>said; then
    echo "other sizes were accepted"
    exit 1
fi
grep -q 'start: soft has no' said
if train -o other.safetensors --set start=missing.safetensors 2>said; then
    echo "a file that is not there was accepted"
    exit 1
fi
grep -q 'missing.safetensors' said
