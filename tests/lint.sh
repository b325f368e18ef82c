#!/bin/sh
# What a compiler does not refuse. Prints "ok NAME" or "not ok NAME" with the places, one
# check after the other; exit 1 if any failed.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0

# check NAME: standard input holds the places that are wrong.
check() {
    found=$(cat)
    if [ -z "$found" ]; then
        echo "ok $1"
    else
        echo "not ok $1"
        echo "$found" | sed 's/^/    /'
        status=1
    fi
}

# The place of a folder in its list of layers, from the ground up.
core_layers="base math grad nn attention text trace format image models train"
app_layers="canvas ui views figure session screen commands"

# includes_upwards ROOT LAYERS: includes of a layer that stands above the file's own.
includes_upwards() {
    below=
    for layer in $2; do
        above=$(echo " $2 " | sed "s/.* $layer //")
        for other in $above; do
            grep -rn "#include \"$other/" "$1/$layer" 2>/dev/null
        done
        below="$below $layer"
    done
}

code() {
    grep -rnE --include='*.c' --include='*.h' --include='*.inc' "$@"
}

code '\b(strcpy|strcat|sprintf|vsprintf|atoi|atol|atof|strtok|gets|longjmp|setjmp|alloca)\(' \
    core app | check "no unsafe or obsolete C functions"
code '\b(v?printf|puts|putchar)\(' core | check "core prints nothing"
code '\b(abort|exit|_exit)\(' core | grep -vE '^core/base/(error|memory)\.c' |
    check "only base stops the program"
grep -rlE '#include .*SDL' core app | grep -vE '^app/.*_sdl(_[a-z]+)?\.[ch]$' |
    check "SDL only in SDL files"
grep -rlE '#include <(cairo|pango)' core app | grep -vE '^app/canvas/.*cairo.*\.[ch]$' |
    check "cairo only in its back end"
grep -rlE '#include <(cblas|openblas)' core app | grep -v '^core/math/' |
    check "BLAS only in math"
includes_upwards core "$core_layers" | check "core includes only downwards"
includes_upwards app "$app_layers" | check "app includes only downwards"
grep -rnE '#include "(canvas|ui|views|figure|session|screen|commands)/' core |
    check "core includes nothing of app"
git ls-files core app tests | grep -E '\.[ch]$' | xargs -r wc -l |
    awk '$2 != "total" && $1 > 700' | check "no source file above 700 lines"
git grep -nIE 'TODO|FIXME|XXX|not implemented' -- core app | check "nothing unfinished"
# Every differentiable operation has a gradient check of its own.
grep -rhoE '^(Var \*|CrossEntropy |[A-Z][A-Za-z]* )op_[a-z0-9_]+\(' core --include='*.h' |
    grep -oE 'op_[a-z0-9_]+' | sort -u | while read -r op; do
        grep -rqE "\"${op}[\",. ]" tests/core || echo "$op"
    done | check "every operation is in a gradient check"
git ls-files | grep -vE '^(app|core|assets|tests)/|^(CMakeLists\.txt|README\.md|LICENSE|CMakePresets\.json)$|^\.' |
    check "nothing else at the top"
if command -v clang-format >/dev/null 2>&1; then
    git ls-files core app tests | grep -E '\.[ch]$' |
        xargs -r clang-format --dry-run 2>&1 | grep -E 'warning: code should' |
        sed 's/: warning.*//' | cut -d: -f1 | sort -u | check "clang-format"
fi
if command -v shellcheck >/dev/null 2>&1; then
    git ls-files | grep -E '\.sh$|^\.ci/run$' | xargs -r shellcheck -x -s sh 2>&1 | check "shellcheck"
fi
exit $status
