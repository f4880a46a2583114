# SPDX-License-Identifier: BSD-3-Clause
"""The pool of workers: its C test under the sanitizers, and what Python sees of it."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest
from test_support import CC, ENV, FLAGS, ROOT, SOURCES

import swathe

KINDS = ("address,undefined", "thread")


@pytest.fixture(scope="module", params=KINDS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build tests/c/pool.c with a sanitizer."""
    if CC is None:
        pytest.skip("needs a C compiler")
    out = tmp_path_factory.mktemp("pool") / "pool"
    flags = [f for f in FLAGS if not f.startswith("-fsanitize=")]
    sources = [ROOT / "tests/c/pool.c", *SOURCES]
    command = [CC, *flags, f"-fsanitize={request.param}", *map(str, sources), "-o", str(out)]
    r = subprocess.run([*command, "-lm", "-ldl", "-lpthread"], capture_output=True, text=True)
    if r.returncode and "sanitize" in r.stderr and "cannot find" in r.stderr:
        pytest.skip("the compiler has no sanitizers")
    assert r.returncode == 0, r.stderr
    return out


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_pool(program: Path, tmp_path: Path, threads: int):
    r = subprocess.run(
        [program, tmp_path],
        capture_output=True,
        text=True,
        env=ENV | {"SWATHE_NUM_THREADS": str(threads)},
        timeout=300,
    )
    assert r.returncode == 0, r.stdout + r.stderr


# --- what Python sees ------------------------------------------------------------------------


def script(text: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | env,
    )


def test_number_of_threads():
    most = swathe.get_num_threads()
    assert most >= 1
    for n in range(1, most + 1):
        swathe.set_num_threads(n)
        assert swathe.get_num_threads() == n
    swathe.set_num_threads(np.int64(1))
    assert swathe.get_num_threads() == 1
    swathe.set_num_threads(most)
    assert swathe.threading_layer() == "swathe"


@pytest.mark.parametrize("n", [0, -1, 1 << 20, 1 << 70, -(1 << 70)])
def test_wrong_number_of_threads(n: int):
    most = swathe.get_num_threads()
    with pytest.raises(ValueError, match=rf"from 1 to {most}, not {n}"):
        swathe.set_num_threads(n)
    assert swathe.get_num_threads() == most


@pytest.mark.parametrize("n", [True, False, 1.0, "2", None, np.float64(1), np.bool_(True)])
def test_no_number_of_threads(n: object):
    with pytest.raises(TypeError, match="set_num_threads"):
        swathe.set_num_threads(n)
    with pytest.raises(TypeError, match="set_parallel_chunksize"):
        swathe.set_parallel_chunksize(n)


def test_chunksize():
    assert swathe.get_parallel_chunksize() == 0
    assert swathe.set_parallel_chunksize(4) == 0
    assert swathe.set_parallel_chunksize(0) == 4
    for n in (-1, 1 << 70):
        with pytest.raises(ValueError, match="chunk size"):
            swathe.set_parallel_chunksize(n)
    with swathe.parallel_chunksize(8):
        assert swathe.get_parallel_chunksize() == 8
    assert swathe.get_parallel_chunksize() == 0


def test_settings_are_of_a_thread():
    most, seen = swathe.get_num_threads(), []
    swathe.set_num_threads(1)
    swathe.set_parallel_chunksize(3)

    def look():
        seen.append((swathe.get_num_threads(), swathe.get_parallel_chunksize()))

    t = threading.Thread(target=look)
    t.start()
    t.join()
    swathe.set_num_threads(most)
    swathe.set_parallel_chunksize(0)
    assert seen == [(most, 0)]


@pytest.mark.parametrize(
    "asked, threads",
    [("7", 7), ("1", 1), ("100000", 256), ("0", None), ("-2", None), ("x", None), ("3x", None)],
)
def test_environment(asked: str, threads: int | None):
    most = len(os.sched_getaffinity(0))
    done = script("import swathe; print(swathe.get_num_threads())", SWATHE_NUM_THREADS=asked)
    assert done.returncode == 0, done.stderr
    n = int(done.stdout)
    assert n == threads if threads else 1 <= n <= most


def test_affinity():
    done = script(
        """
        import os
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        import swathe
        print(swathe.get_num_threads())
        """,
        SWATHE_NUM_THREADS="",
    )
    assert done.stdout == "1\n", done.stderr
