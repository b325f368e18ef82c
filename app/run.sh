#!/bin/sh
# Installs what is missing, builds, and starts Fovea with the arguments given:
#   sh app/run.sh                  opens the window
#   sh app/run.sh export ...       any other command
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
build=${FOVEA_BUILD:-$here/build}

sh "$here/app/install.sh" \
    gcc libc6-dev cmake ninja-build pkg-config \
    libopenblas-dev libjansson-dev libutf8proc-dev zlib1g-dev libturbojpeg0-dev libwebp-dev \
    libsdl2-dev libsdl2-ttf-dev libcairo2-dev libfontconfig-dev \
    libfreetype-dev libharfbuzz-dev libfribidi-dev libpng-dev libgif-dev \
    fontconfig fonts-dejavu-core fonts-inter fonts-jetbrains-mono fonts-wqy-microhei \
    fonts-noto-core fonts-noto-color-emoji

# Progress goes to standard error: standard output belongs to the command.
if [ ! -f "$build/build.ninja" ]; then
    cmake -S "$here" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DFOVEA_TESTS=OFF >&2
fi
ninja -C "$build" --quiet >&2

exec "$build/app/fovea" "$@"
