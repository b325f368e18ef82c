#!/bin/sh
# Runs every benchmark and prints JSON lines: what this machine can do at most, then every
# figure, absolute and against the floor that those ceilings give.
#
#   sh tests/bench/run.sh [SECONDS [NAME ...]]
#
# SECONDS for each figure (default 1); NAME: only bench_NAME (translation, han, ram, resan,
# luong, encoder, window, start). FOVEA_BUILD: the build folder (default build/bench).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${FOVEA_BUILD:-$root/build/bench}
seconds=${1:-1}
[ $# -gt 0 ] && shift
names=${*:-translation han ram resan luong encoder window start}

if [ ! -f "$build/build.ninja" ]; then
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DFOVEA_BENCH=ON \
        -DFOVEA_TESTS=OFF >&2
fi
ninja -C "$build" --quiet >&2

ceilings=$("$build/tests/bench_ceilings" 0.2)
echo "$ceilings"
FOVEA_BENCH_GFLOPS=$(echo "$ceilings" | sed -n 's/.*"peak", "gflops": \([0-9.]*\).*/\1/p')
FOVEA_BENCH_GBPS=$(echo "$ceilings" |
    sed -n 's/.*"megabytes": \([0-9.]*\), "gbps": \([0-9.]*\).*/\1:\2/p' | paste -sd, -)
export FOVEA_BENCH_GFLOPS FOVEA_BENCH_GBPS

model=$root/assets/models/en-fr-additive.safetensors
sentence="The old man who lives near the station reads a long book in his garden every single day."

bench_start() {
    "$build/tests/bench_start" "nothing" 20 "$build/app/fovea" --version
    "$build/tests/bench_start" "translate a sentence of 18 words" 20 \
        "$build/app/fovea" run -m "$model" -t "$sentence"
    SDL_VIDEODRIVER=offscreen XDG_STATE_HOME=$(mktemp -d) \
        "$build/tests/bench_start" "window with a finished heatmap" 10 \
        "$build/tests/bench_window" open
}

for name in $names; do
    case $name in
    start) bench_start ;;
    *) "$build/tests/bench_$name" "$seconds" ;;
    esac
done
