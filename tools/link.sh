#!/bin/sh
# Make the built package importable in place: what was built goes beside the Python files (a
# copy that replaces the old one at once, so that a running test never sees half a library),
# and one .pth line.  (meson-python's editable hook would cost every import a rebuild
# check; this costs nothing.)
#
#   tools/link.sh BUILD PYTHON         into python/swathe, and .venv sees it
#   tools/link.sh BUILD PYTHON DIR     into DIR/swathe, a copy of the package made of links
set -eu

build=$1
python=$2
root=$(pwd)
target=${3:-python}

if [ "$target" != python ]; then
    rm -rf "$target"
    mkdir -p "$target"
    cp -rs "$root/python/swathe" "$target/swathe"
    rm -f "$target"/swathe/*.so "$target"/swathe/*.so.3
else
    site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    line=$root/python
    [ "$(cat "$site/swathe.pth" 2>/dev/null)" = "$line" ] || echo "$line" >"$site/swathe.pth"
fi
mkdir -p "$target/swathe"
for file in "$build"/_core*.so "$build"/libswathe_llvm.so "$build"/libswathe_kernels.so "$build"/libsleef.so.3 "$build"/units.bin; do
    [ -e "$file" ] || continue
    name=$(basename "$file")
    copy=$target/swathe/$name
    if [ -L "$copy" ] || ! cmp -s "$file" "$copy"; then
        cp "$file" "$copy.new.$$" && mv -f "$copy.new.$$" "$copy"
    fi
done
