# SPDX-License-Identifier: BSD-3-Clause
"""The disk cache: what must be found in it, what must not, and what may lie in its folder.

Each case runs real processes on a module written to a temporary folder; a process reports, for
each function it called, the result and how many specialisations it compiled and how many it
took from the cache.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np  # noqa: F401  (for eval)
import pytest
from test_support import row_table

import swathe

PRELUDE = """
import json, sys
import numpy as np
import swathe

def report(f, *args):
    r = f(*args)
    s = f.stats
    maps = open("/proc/self/maps").read()
    print(json.dumps({"result": repr(r), "compiled": s["compiled"], "cached": s["cache_hits"],
                      "llvm": "libswathe_llvm" in maps}), flush=True)
"""

SUM = """
@swathe.njit
def total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s
report(total, np.arange(5.0))
"""


TEN, MINUS_TEN = "np.float64(10.0)", "np.float64(-10.0)"


class Place:
    """A folder with modules and a cache of its own, and processes that run there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.env = dict(os.environ, SWATHE_CACHE_DIR=str(self.cache))
        self.env["PYTHONPATH"] = os.pathsep.join(
            [str(Path(swathe.__file__).parent.parent), str(folder)]
        )
        self.env["PYTHONDONTWRITEBYTECODE"] = "1"  # modules are edited within a second

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(textwrap.dedent(text))
        return path

    def start(self, text: str, **env: str) -> subprocess.Popen[str]:
        path = self.folder / "main.py"
        text = PRELUDE + textwrap.dedent(text)
        if not path.exists() or path.read_text() != text:  # others may be reading it
            path.write_text(text)
        return subprocess.Popen(
            [sys.executable, str(path)],
            env=self.env | env,
            cwd=self.folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def finish(self, process: subprocess.Popen[str]) -> tuple[list[dict[str, Any]], str]:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        return [json.loads(line) for line in out.splitlines()], err

    def run(self, text: str, **env: str) -> list[dict[str, Any]]:
        return self.finish(self.start(text, **env))[0]

    def one(self, text: str, **env: str) -> dict[str, Any]:
        (r,) = self.run(text, **env)
        return r

    def files(self) -> list[Path]:
        return sorted(p for p in self.cache.glob("??/*") if not p.name.startswith("."))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def compiled(r: dict[str, Any]) -> bool:
    assert r["compiled"] + r["cached"] == 1
    return bool(r["compiled"])


# --- what is found --------------------------------------------------------------------------


def test_second_process_compiles_nothing(place):
    first, second = place.one(SUM), place.one(SUM)
    assert compiled(first) and first["llvm"]
    assert not compiled(second) and not second["llvm"]
    assert first["result"] == second["result"] == TEN
    assert len(place.files()) == 1


CLASSES = """
class Num:
    def __init__(self, v): self.v = v
    def __repr__(self): return f"Num({self.v!r})"
class Sum:
    def __init__(self, a, b): self.a, self.b, self.seen = a, b, []
    def __repr__(self): return f"Sum({self.a}, {self.b}, {self.seen})"
@swathe.njit
def made(n):
    e = Num(1.5)
    for i in range(n):
        e = Sum(e, Num(float(i)))
        e.seen.append(i)
    return e
@swathe.njit
def around(e):
    return Sum(e, Num(2.0)), [e]
@swathe.jitclass
class Stack:
    def __init__(self, x): self.items = [x]
    def __repr__(self): return f"Stack({self.items})"
@swathe.njit
def stack(x):
    return Stack(x)
report(made, 2)
report(around, Sum(Num(1.0), Num(3.0)))
report(stack, 2.5)
"""


def test_results_of_classes_that_declare_nothing(place):
    first, second = place.run(CLASSES), place.run(CLASSES)
    assert all(map(compiled, first)) and not any(map(compiled, second))
    assert [r["result"] for r in first] == [r["result"] for r in second]
    assert [r["result"] for r in second] == [
        "Sum(Sum(Num(1.5), Num(0.0), [0]), Num(1.0), [1])",
        "(Sum(Sum(Num(1.0), Num(3.0), []), Num(2.0), []), [Sum(Num(1.0), Num(3.0), [])])",
        "Stack((2.5,))",
    ]


def test_folder_and_files_are_private(place):
    place.one(SUM)
    assert place.cache.stat().st_mode & 0o777 == 0o700
    for f in place.files():
        assert f.parent.stat().st_mode & 0o777 == 0o700
        assert f.stat().st_mode & 0o777 == 0o600
        assert f.parent.name == f.name[:2]


def test_no_temporary_file_stays(place):
    place.one(SUM)
    assert not list(place.cache.glob("??/.tmp*"))


def test_cache_false(place):
    text = SUM.replace("@swathe.njit", "@swathe.njit(cache=False)")
    assert compiled(place.one(text)) and compiled(place.one(text))
    assert not place.cache.exists()


def test_default_folders(place):
    del place.env["SWATHE_CACHE_DIR"]
    place.env["XDG_CACHE_HOME"] = str(place.folder / "xdg")
    place.one(SUM)
    assert list((place.folder / "xdg" / "swathe").glob("??/*"))
    del place.env["XDG_CACHE_HOME"]
    place.env["HOME"] = str(place.folder)
    place.one(SUM)
    assert list((place.folder / ".cache" / "swathe").glob("??/*"))
    assert not compiled(place.one(SUM))


RESULTS = """
import collections
Point = collections.namedtuple("Point", "x y")
@swathe.njit
def swap(p):
    return Point(p.y, p.x), p.x + 1
@swathe.njit
def parts(a):
    return a.T, (a[0, 0], a.shape), None
@swathe.njit
def origin(n):
    return Point(n, (n, 0.5))
report(swap, Point(1, 2.5))
report(parts, np.arange(6, dtype=np.float32).reshape(2, 3))
report(origin, 3)
"""


def test_types_of_results(place):
    first, second = place.run(RESULTS), place.run(RESULTS)
    assert [r["result"] for r in first] == [r["result"] for r in second]
    assert first[0]["result"] == "(Point(x=2.5, y=1), 2)"
    assert first[2]["result"] == "Point(x=3, y=(3, 0.5))"
    assert all(compiled(r) for r in first) and not any(compiled(r) for r in second)


ERRORS = """
@swathe.njit
def at(x, i):
    return x[i] + 1
report(at, np.arange(3.0), 1)
try:
    at(np.arange(3.0), 7)
except IndexError as e:
    print(json.dumps(str(e)))
"""


def test_messages_survive(place):
    first, second = place.run(ERRORS), place.run(ERRORS)
    assert not compiled(second[0])
    assert first[1] == second[1]
    assert "index 7 is out of bounds for axis 0 of 'x' with size 3" in second[1]
    assert "return x[i] + 1" in second[1] and "^^^^" in second[1]


# --- what must not be found -----------------------------------------------------------------


def test_edited_function(place):
    place.one(SUM)
    r = place.one(SUM.replace("s += x[i]", "s -= x[i]"))
    assert compiled(r) and r["result"] == MINUS_TEN
    assert not compiled(place.one(SUM))


CALLER = """
from helper import scale
@swathe.njit
def f(x):
    return scale(x) + 1.0
report(f, 3.0)
"""


@pytest.mark.parametrize("decorator", ["@swathe.njit", ""])
def test_edited_callee_in_another_file(place, decorator):
    helper = "import swathe\n" + decorator + "\ndef scale(x):\n    return x * {}\n"
    place.write("helper.py", helper.format("2.0"))
    assert place.one(CALLER)["result"] == "7.0"
    assert not compiled(place.one(CALLER))
    place.write("helper.py", helper.format("5.0"))
    r = place.one(CALLER)
    assert compiled(r) and r["result"] == "16.0"
    place.write("helper.py", helper.format("2.0"))
    assert not compiled(place.one(CALLER))


def test_edited_callee_of_a_callee(place):
    place.write("helper.py", "from deeper import g\ndef scale(x):\n    return g(x)\n")
    place.write("deeper.py", "def g(x):\n    return x\n")
    assert place.one(CALLER)["result"] == "4.0"
    place.write("deeper.py", "def g(x):\n    return -x\n")
    r = place.one(CALLER)
    assert compiled(r) and r["result"] == "-2.0"


GLOBAL = """
K = {}
@swathe.njit
def f(x):
    return x * K
report(f, 3)
"""


@pytest.mark.parametrize(
    ("a", "b"),
    [("2", "3"), ("2", "2.0"), ("0.0", "-0.0"), ("True", "1"), ("np.int8(2)", "np.int16(2)"),
     ("np.arange(3)", "np.arange(1, 4)")],
)  # fmt: skip
def test_changed_global(place, a, b):
    first, second = place.one(GLOBAL.format(a)), place.one(GLOBAL.format(b))
    assert compiled(first) and compiled(second)
    assert [first["result"], second["result"]] == [repr(eval(f"3 * {v}")) for v in (a, b)]
    assert not compiled(place.one(GLOBAL.format(a)))


CLOSURE = """
def make(k):
    @swathe.njit
    def f(x):
        return x * k
    return f
report(make({}), 3)
"""


def test_changed_closure(place):
    assert place.one(CLOSURE.format("2"))["result"] == "6"
    r = place.one(CLOSURE.format("4"))
    assert compiled(r) and r["result"] == "12"
    assert not compiled(place.one(CLOSURE.format("2")))


def test_changed_within_a_process(place):
    text = """
    K = 2
    @swathe.njit
    def f(x):
        return x * K
    def make():
        k = 2
        @swathe.njit
        def g(x):
            return x * k
        def put(v):
            nonlocal k
            k = v
        return g, put
    g, put = make()
    for f_ in (f, g):
        assert f_(3) == 6
    K = 5
    put(7)
    print(json.dumps([f(3), g(3)]))
    K = 2
    put(2)
    print(json.dumps([f(3), g(3)]))
    """
    assert place.run(text) == [[15, 21], [6, 6]]
    assert place.run(text) == [[15, 21], [6, 6]]


def test_changed_default(place):
    text = "@swathe.njit\ndef f(x, k={}):\n    return x * k\nreport(f, 3)\n"
    assert place.one(text.format(2))["result"] == "6"
    assert place.one(text.format(2.5))["result"] == "7.5"


OPTIONS = ["boundscheck=False", "fastmath=True", "debug=True", "opt_level=1", "contract=True"]


def test_changed_option(place):
    place.one(SUM)
    for n, option in enumerate(OPTIONS):
        text = SUM.replace("@swathe.njit", f"@swathe.njit({option})")
        assert compiled(place.one(text)), option
        assert not compiled(place.one(text)), option
        assert len(place.files()) == n + 2


def test_different_types(place):
    for arg in (
        "np.arange(5.0)",
        "np.arange(5)",
        "np.arange(10.0)[::2]",
        "np.arange(5, dtype='f4')",
    ):
        text = SUM.replace("np.arange(5.0)", arg)
        assert compiled(place.one(text)), arg
        assert not compiled(place.one(text)), arg


def test_functions_as_arguments(place):
    text = """
    def up(x): return x + 1
    def down(x): return x - 1
    @swathe.njit
    def apply(f, x): return f(x)
    report(apply, {}, 5)
    """
    assert place.one(text.format("up"))["result"] == "6"
    assert place.one(text.format("down"))["result"] == "4"
    assert place.one(text.format("up"))["result"] == "6"


def test_different_processor(place):
    place.one(SUM)
    r = place.one(SUM, SWATHE_CPU="x86-64")
    assert compiled(r) and r["result"] == TEN
    assert compiled(place.one(SUM, SWATHE_CPU="x86-64-v2"))
    assert not compiled(place.one(SUM, SWATHE_CPU="x86-64"))
    assert not compiled(place.one(SUM))


def test_another_build(place):
    """The same function for another build of the compiler: told apart by its file."""
    package = Path(swathe.__file__).parent
    place.one(SUM)
    copy = place.folder / "copy"
    shutil.copytree(
        package, copy / "swathe", symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    for lib in package.glob("_core*.so"):
        (copy / "swathe" / lib.name).unlink()
        shutil.copy(lib.resolve(), copy / "swathe" / lib.name)  # not copy2: its time is new
    path = os.pathsep.join([str(copy), str(place.folder)])
    assert compiled(place.one(SUM, PYTHONPATH=path))
    assert not compiled(place.one(SUM, PYTHONPATH=path))


# --- who else is there ----------------------------------------------------------------------


def test_two_processes_at_once(place):
    many = "".join(
        SUM.replace("total", f"total{i}").replace("s += x[i]", f"s += x[i] * {i}") for i in range(8)
    )
    running = [place.start(many) for _ in range(3)]
    for p in running:
        r, err = place.finish(p)
        assert [x["result"] for x in r] == [f"np.float64({10.0 * i})" for i in range(8)]
        assert not err
    assert not any(compiled(r) for r in place.run(many))
    assert len(place.files()) == 8 and not list(place.cache.glob("??/.tmp*"))


def test_threads_of_one_process(place):
    text = """
    import concurrent.futures
    def make(k):
        @swathe.njit
        def f(x):
            return x * k
        return f
    fs = [make(k % 4) for k in range(16)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        print(json.dumps(list(pool.map(lambda f: f(3), fs))))
    """
    for _ in range(2):
        assert place.run(text) == [[3 * (k % 4) for k in range(16)]]
    assert len(place.files()) == 4


# --- what may lie there ---------------------------------------------------------------------


def spoil(place: Place, change) -> None:
    """Compile, change the file, and see it ignored, rewritten, and used again."""
    place.one(SUM)
    (path,) = place.files()
    good = path.read_bytes()
    change(path, good)
    r = place.one(SUM)
    assert compiled(r) and r["result"] == TEN
    assert path.is_file() and not path.is_symlink()
    r = place.one(SUM)
    assert not compiled(r) and r["result"] == TEN


def test_truncated(place):
    spoil(place, lambda path, good: path.write_bytes(good[: len(good) // 2]))


@pytest.mark.parametrize(
    "junk", [b"x" * 5000, b"\x7fELF" + bytes(4000), b"swathe\n\x1a" + b"\xff" * 4000]
)
def test_foreign(place, junk):
    spoil(place, lambda path, good: path.write_bytes(junk))


CHANGES = """
import pathlib, os
@swathe.njit
def total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s
def check(wanted):
    before = total.stats["compiled"]
    total.recompile()
    assert total(np.arange(5.0)) == 10.0
    if total.stats["compiled"] - before != wanted:
        print(json.dumps(what))
total(np.arange(5.0))
path, = pathlib.Path(os.environ["SWATHE_CACHE_DIR"]).glob("??/*")
good = path.read_bytes()
bad = [("cut", n, good[:n]) for n in [*range(80), *range(80, len(good), 97), len(good) - 1]]
bad += [("more", n, good + bytes(n)) for n in (1, 8, 4096)]
for at in [*range(64), *range(64, len(good), 31)]:
    flipped = bytearray(good)
    flipped[at] ^= 1 << at % 8
    bad.append(("flipped", at, bytes(flipped)))
for *what, data in bad:
    path.write_bytes(data)
    check(1)
    check(0)
print(json.dumps(len(bad)))
"""


def test_every_kind_of_damage(place):
    """In one process: cut anywhere, longer, or a bit flipped; compiled anew each time, and kept."""
    (n,) = place.run(CHANGES)
    assert n > 200


def test_another_key(place):
    """A good file under another function's name is not taken for it."""
    place.one(SUM)
    (first,) = place.files()
    place.one(SUM.replace("s += x[i]", "s -= x[i]"))
    (second,) = (f for f in place.files() if f != first)
    second.write_bytes(first.read_bytes())
    r = place.one(SUM.replace("s += x[i]", "s -= x[i]"))
    assert compiled(r) and r["result"] == MINUS_TEN


def test_symlink_is_not_followed(place):
    def change(path, good):
        other = place.folder / "elsewhere"
        other.write_bytes(good)
        path.unlink()
        path.symlink_to(other)

    spoil(place, change)


def test_directory_and_fifo(place):
    place.one(SUM)
    (path,) = place.files()
    path.unlink()
    os.mkfifo(path)
    assert compiled(place.one(SUM)) and not compiled(place.one(SUM))
    path.unlink()
    path.mkdir()
    for _ in range(2):
        assert place.one(SUM)["result"] == TEN


def test_file_that_others_may_write(place):
    spoil(place, lambda path, good: path.chmod(0o666))


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_folder_that_others_may_write(place, mode):
    place.one(SUM)
    place.cache.chmod(mode)
    for _ in range(2):
        process = place.start(SUM, SWATHE_TIME="1")
        (r,), err = place.finish(process)
        assert compiled(r) and r["result"] == TEN
        assert err.count("no disk cache") == 1
    place.cache.chmod(0o700)
    assert not compiled(place.one(SUM))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_other_owner(place):
    spoil(place, lambda path, good: os.chown(path, 12345, -1))
    os.chown(place.files()[0].parent, 12345, -1)
    assert compiled(place.one(SUM))
    os.chown(place.files()[0].parent, 0, -1)
    assert not compiled(place.one(SUM))
    os.chown(place.cache, 12345, -1)
    assert compiled(place.one(SUM))


def test_folder_is_a_file(place):
    place.cache.write_text("not a folder")
    assert place.one(SUM)["result"] == TEN
    assert place.cache.read_text() == "not a folder"


def test_read_only_folder(place):
    place.env["SWATHE_CACHE_DIR"] = "/proc/swathe"  # for root, too
    assert place.one(SUM)["result"] == TEN
    place.env["SWATHE_CACHE_DIR"] = str(place.cache)
    place.one(SUM)
    for f in [*place.cache.glob("??"), place.cache]:
        f.chmod(0o500)
    try:
        assert not compiled(place.one(SUM))
        r = place.one(SUM.replace("s += x[i]", "s -= x[i]"))
        assert compiled(r) and r["result"] == MINUS_TEN
    finally:
        for f in [place.cache, *place.cache.glob("??")]:
            f.chmod(0o700)


FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
"""


def test_full_disk(place):
    """No file may grow past 512 bytes, which is what a full disk looks like to a writer."""
    for _ in range(2):
        r = place.one(FULL + SUM)
        assert compiled(r) and r["result"] == TEN
    assert not place.files() and not list(place.cache.glob("??/.tmp*"))
    place.one(SUM)
    assert not compiled(place.one(SUM))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_full_file_system(place):
    """A file system of one page, mounted where only the process under test sees it."""
    place.cache.mkdir(mode=0o700)
    script = 'mount -t tmpfs -o size=4k,mode=0700 none "$SWATHE_CACHE_DIR" && exec "$@"'
    alone = ["unshare", "--mount", "sh", "-c", script, "sh"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*alone, "true"], env=place.env, capture_output=True).returncode
    ):
        pytest.skip("mounting is not allowed here")
    program = PRELUDE + SUM + SUM.replace("total", "again").replace("x[i]", "-x[i]")
    program += "import glob, os\n"
    program += "print(json.dumps(glob.glob(os.environ['SWATHE_CACHE_DIR'] + '/??/.tmp*')))\n"
    path = place.write("main.py", program)
    r = subprocess.run(
        [*alone, sys.executable, str(path)], env=place.env, text=True, capture_output=True
    )
    assert r.returncode == 0, r.stderr
    first, second, left = (json.loads(line) for line in r.stdout.splitlines())
    assert first["result"] == TEN and second["result"] == MINUS_TEN and left == []


# --- functions without a file -----------------------------------------------------------------

NOTEBOOK = """
import linecache
def cell(number, text):
    name = f"<ipython-input-{number}-abcdef>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), globals())
cell({number}, '''@swathe.njit
def f(x):
    return x * {k}
''')
report(f, 3)
"""


def test_notebook_cells(place):
    assert place.one(NOTEBOOK.format(number=1, k=2))["result"] == "6"
    assert not compiled(place.one(NOTEBOOK.format(number=1, k=2)))
    r = place.one(NOTEBOOK.format(number=1, k=3))
    assert compiled(r) and r["result"] == "9"


def test_interactive(place):
    """Standard input has no source lines before Python 3.13; what has none is refused clearly."""
    text = PRELUDE + "\n@swathe.njit\ndef f(x):\n    return x * 2\n\nreport(f, 3)\n"
    out = [
        subprocess.run(
            [sys.executable, "-i", "-q"], input=text, env=place.env, text=True, capture_output=True
        )
        for _ in range(2)
    ]
    for r in out:
        assert '"result": "6"' in r.stdout or "source" in r.stderr


# --- the limit ----------------------------------------------------------------------------------


def big(i: int) -> str:
    """Return a function whose file is large: a constant array of 128 KiB."""
    return f"""
    A{i} = np.arange(16384.0) + {i}
    @swathe.njit
    def big{i}(k):
        return A{i}[k]
    report(big{i}, 3)
    """


def test_size_limit(place):
    assert place.one(SUM, SWATHE_CACHE_SIZE="1")["compiled"] == 1
    for i in range(4):
        place.one(big(i), SWATHE_CACHE_SIZE="1")
    old = place.files()
    for path in old:
        os.utime(path, (10**9, 10**9))
    r = place.one(big(1), SWATHE_CACHE_SIZE="1")
    assert not compiled(r)  # and was touched
    for i in range(4, 8):
        r = place.one(big(i), SWATHE_CACHE_SIZE="1")
        assert r["result"] == f"np.float64({3.0 + i})"
        assert sum(f.stat().st_size for f in place.files()) <= 1 << 20
    assert not compiled(place.one(big(7), SWATHE_CACHE_SIZE="1"))
    assert not compiled(place.one(big(1), SWATHE_CACHE_SIZE="1"))  # used later than the others
    assert compiled(place.one(big(0), SWATHE_CACHE_SIZE="1"))


def test_size_zero_is_off(place):
    for _ in range(2):
        assert compiled(place.one(SUM, SWATHE_CACHE_SIZE="0"))
    assert not place.cache.exists()


def test_count_is_made_anew(place):
    """The file with the running total may be anything, or gone."""
    place.one(SUM)
    total = place.cache / "size"
    for junk in (b"", b"abc", b"\xff" * 8, b"\x7f" * 100):
        total.write_bytes(junk)
        place.one(SUM.replace("s += x[i]", f"s += x[i] * {len(junk)}"))
        assert int.from_bytes(total.read_bytes()[:8], "little") == sum(
            f.stat().st_size for f in place.files()
        )


# --- the command ----------------------------------------------------------------------------------


def command(place: Place, *args: str) -> str:
    args = (sys.executable, "-m", "swathe", "cache", *args)
    return subprocess.run(args, env=place.env, text=True, capture_output=True, check=True).stdout


def test_command(place):
    assert command(place, "dir").strip() == str(place.cache)
    assert "0" in command(place, "info")
    place.one(SUM)
    place.one(SUM.replace("s += x[i]", "s -= x[i]"))
    info = command(place, "info")
    assert str(place.cache) in info and "files   2" in info
    keep = place.cache / "notes.txt"
    keep.write_text("not ours")
    inside = place.files()[0].parent / "more.txt"
    inside.write_text("not ours")
    assert "removed 2 files" in command(place, "clear")
    assert not [f for f in place.files() if f != inside]
    assert keep.read_text() == inside.read_text() == "not ours"
    assert compiled(place.one(SUM))


# --- what is in a file, without Python ------------------------------------------------------


def test_artifact_encoding(tmp_path):
    """tests/c/artifact.c: there and back; every byte changed, cut anywhere; texts of errors."""
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    core = Path(__file__).resolve().parent.parent / "core"
    sources = [
        Path(__file__).parent / "c" / "artifact.c",
        row_table(tmp_path),
        *(
            core / "rt" / name
            for name in ("sig.c", "error.c", "format.c", "watch_text.c", "support_caught.c")
        ),
        *sorted((core / "ir").glob("*.c")),
        *sorted((core / "type").glob("*.c")),
        *sorted((core / "base").glob("*.c")),
    ]
    program = tmp_path / "artifact"
    flags = ["-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", f"-I{core}", f"-I{tmp_path}"]
    flags += ["-Wall", "-Wextra", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    r = subprocess.run(
        [compiler, *flags, *map(str, sources), "-o", str(program), "-lm"],
        text=True,
        capture_output=True,
    )
    if r.returncode and "sanitize" in r.stderr and "cannot find" in r.stderr:
        pytest.skip("the compiler has no sanitizers")
    assert r.returncode == 0, r.stderr
    env = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "ASAN_OPTIONS")}
    r = subprocess.run([program], env=env, text=True, capture_output=True)
    assert r.returncode == 0, r.stdout + r.stderr
