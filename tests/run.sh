#!/bin/sh
# Installs what is missing, builds everything the ways it can be built, and runs all tests:
#   sh tests/run.sh            everything
#   sh tests/run.sh quick      lint and the sanitizer build only
# Needs no display, no network beyond the package registry, no data set. FOVEA_DATA may name a
# folder with the public data sets; tests that can use them then do. Ends with one line,
# "N passed, N failed".
set -u

here=$(cd "$(dirname "$0")/.." && pwd)
build=${FOVEA_TEST_BUILD:-$here/build/tests}
mode=${1:-all}
passed=0
failed=0
log=$build/log

sh "$here/app/install.sh" \
    gcc libc6-dev cmake ninja-build pkg-config git clang clang-format libclang-rt-14-dev \
    shellcheck \
    libopenblas-dev libjansson-dev libutf8proc-dev zlib1g-dev libcmocka-dev libturbojpeg0-dev libwebp-dev \
    libsdl2-dev libsdl2-ttf-dev libcairo2-dev libfontconfig-dev \
    libfreetype-dev libharfbuzz-dev libfribidi-dev libpng-dev libgif-dev \
    fontconfig fonts-dejavu-core fonts-inter fonts-jetbrains-mono fonts-wqy-microhei \
    fonts-noto-core fonts-noto-color-emoji \
    xvfb xdotool librsvg2-bin poppler-utils libxml2-utils python3 python3-numpy xclip || exit 1

mkdir -p "$log"

say() {
    echo "== $*"
}

# count GOOD BAD: adds to the totals.
count() {
    passed=$((passed + $1))
    failed=$((failed + $2))
}

# one NAME COMMAND...: a single check; its output is shown when it fails.
one() {
    label=$1
    shift
    if "$@" >"$log/$label" 2>&1; then
        count 1 0
        echo "ok $label"
    else
        count 0 1
        echo "not ok $label"
        tail -n 60 "$log/$label" | sed 's/^/    /'
    fi
}

# configure_and_build NAME ARGUMENTS...
configure_and_build() {
    name=$1
    shift
    cmake -S "$here" -B "$build/$name" -G Ninja "$@" && ninja -k 0 -C "$build/$name"
}

# The cases of all test programs of a build, counted by cmocka itself; a program that died
# counts as one failure.
cases() {
    say "tests of the $1 build"
    (cd "$build/$1" && ctest --output-on-failure -j2 >"$log/ctest-$1" 2>&1)
    report=$build/$1/Testing/Temporary/LastTest.log
    good=$(grep -c '^\[       OK \]' "$report")
    bad=$(grep -c '^\[  FAILED  \] [a-z]' "$report")
    # Each failed case is listed twice: where it failed and in the summary.
    bad=$((bad / 2))
    programs=$(sed -n 's/.* \([0-9][0-9]*\) tests failed out of .*/\1/p' "$log/ctest-$1")
    [ "${programs:-1}" -gt 0 ] && [ "$bad" -lt "${programs:-1}" ] && bad=${programs:-1}
    [ "$bad" -gt 0 ] && sed 's/^/    /' "$log/ctest-$1"
    count "$good" "$bad"
    echo "$good passed, $bad failed in the $1 build"
}

say "lint"
sh "$here/tests/lint.sh" >"$log/lint" 2>&1
cat "$log/lint"
count "$(grep -c '^ok' "$log/lint")" "$(grep -c '^not ok' "$log/lint")"

say "sanitizer build"
one build-debug configure_and_build debug -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_C_FLAGS_DEBUG="-O1 -g" -DFOVEA_WERROR=ON -DFOVEA_SANITIZE=address,undefined
cases debug

if [ "$mode" = all ]; then
    say "release build"
    one build-release configure_and_build release -DCMAKE_BUILD_TYPE=Release -DFOVEA_WERROR=ON \
        -DFOVEA_TESTS=OFF
    say "clang build with fuzzers"
    one build-fuzz configure_and_build fuzz -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS_DEBUG="-O1 -g" -DCMAKE_C_COMPILER=clang -DFOVEA_WERROR=ON \
        -DFOVEA_TESTS=OFF -DFOVEA_FUZZ=ON -DFOVEA_SANITIZE=address,undefined
    for fuzzer in "$build"/fuzz/tests/fuzz_*; do
        [ -x "$fuzzer" ] || continue
        name=$(basename "$fuzzer")
        mkdir -p "$build/found/$name"
        one "$name" env ASAN_OPTIONS=allocator_may_return_null=1 "$fuzzer" -seed=1 \
            -max_total_time="${FOVEA_FUZZ_SECONDS:-5}" -rss_limit_mb=4096 -timeout=20 \
            -artifact_prefix="$build/found/$name/" "$build/found/$name" \
            "$here/tests/fuzz/corpus/${name#fuzz_}"
    done
    say "whole program"
    for script in "$here"/tests/program/test_*.sh; do
        [ -f "$script" ] || continue
        one "$(basename "$script" .sh)" env FOVEA="$build/release/app/fovea" \
            FOVEA_ASSETS="$here/assets" sh "$script"
    done
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
