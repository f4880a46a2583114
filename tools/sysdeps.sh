#!/bin/sh
# Install what the build needs from the system and finds missing: a C and C++ compiler,
# Python's headers, LLVM 19 or newer (static), clang, and SLEEF. Debian 12, 13 and their kin.
# With everything in place it only looks, and needs no rights.
set -eu

python=${PYTHON:-python3}
want=

need() {
    want="$want $*"
}

command -v gcc >/dev/null && command -v g++ >/dev/null || need build-essential
"$python" -c 'import venv, ensurepip' 2>/dev/null || need python3-venv
"$python" - 2>/dev/null <<'PY' || need python3-dev
import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))
PY

find_llvm() {
    for v in 19 20 21 22; do
        dir=/usr/lib/llvm-$v
        if [ -e "$dir/lib/libLLVMCore.a" ] && [ -e "$dir/include/llvm-c/Core.h" ]; then
            echo $v
            return
        fi
    done
}

llvm=$(find_llvm)
if [ -z "$llvm" ]; then
    need llvm-19-dev liblld-19-dev
elif [ ! -e "/usr/lib/llvm-$llvm/lib/liblldELF.a" ]; then
    need "liblld-$llvm-dev"
fi
# for the functions that kernels on CUDA devices call
if [ ! -x "/usr/lib/llvm-${llvm:-19}/bin/clang" ]; then
    need "clang-${llvm:-19}"
fi
lib=$(gcc -print-multiarch 2>/dev/null || echo x86_64-linux-gnu)
[ -e "/usr/lib/$lib/libsleef.so" ] || need libsleef-dev
[ -e "/usr/lib/$lib/libzstd.a" ] || need libzstd-dev
[ -e "/usr/lib/$lib/libz.a" ] || need zlib1g-dev
# An OpenCL device to test with: PoCL runs on any CPU.
[ -e "/usr/lib/$lib/libOpenCL.so.1" ] || need ocl-icd-libopencl1
ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1 || need pocl-opencl-icd
command -v flock >/dev/null || need util-linux

if [ -z "$want" ]; then
    exit 0
fi
echo "sysdeps: installing$want"
sudo=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "sysdeps: as root, run: apt-get install$want" >&2
        exit 1
    fi
    sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
$sudo apt-get -qq install -y --no-install-recommends $want >/dev/null 2>&1 || {
    $sudo apt-get -qq update
    $sudo apt-get -qq install -y --no-install-recommends $want >/dev/null
}
