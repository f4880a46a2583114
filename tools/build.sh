#!/bin/sh
# Configure a build directory when it's new or when the list of sources, the build files or
# the options have changed, then build it.  tools/build.sh DIR [MESON OPTIONS]
set -eu
unset MAKEFLAGS # ninja takes the -j of a make for a jobserver that it has no pipes of

dir=$1
shift
bin=$(pwd)/.venv/bin
PATH=$bin:$PATH
export PATH

mkdir -p "$dir"
{ echo "$*"; "$bin/python" -V; "$bin/python" tools/sources.py all; } >"$dir/.sources.new"
if [ ! -e "$dir/build.ninja" ]; then
    rm -rf "$dir/meson-private" "$dir/meson-info"
    "$bin/meson" setup "$dir" "$@" >"$dir/.configure.log" || { cat "$dir/.configure.log"; exit 1; }
elif ! cmp -s "$dir/.sources" "$dir/.sources.new"; then
    "$bin/meson" setup --reconfigure "$dir" "$@" >"$dir/.configure.log" ||
        { cat "$dir/.configure.log"; exit 1; }
    # What is made of lists of files: that one of them is gone, no file's time says.
    rm -f "$dir/rows.c" "$dir/kernel_rows.def" "$dir/build_id.c"
fi
mv "$dir/.sources.new" "$dir/.sources"
"$bin/ninja" -C "$dir" --quiet
