#!/bin/sh
# Installs what is missing among the packages named on the command line, and nothing when
# all are there. Called by app/run.sh and tests/run.sh; Debian and its relatives only.
set -eu

missing=
for package in "$@"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "fovea: these packages are needed:$missing" >&2
    echo "fovea: apt-get is not here; install them with this system's own tool" >&2
    exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "fovea: run as root (no sudo here): apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
echo "fovea: installing$missing" >&2
# A package list that is too old, or none, shows as a failed install: refresh it then.
install() {
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        $missing >/dev/null
}
install 2>/dev/null || { $as_root apt-get update -qq && install; }
