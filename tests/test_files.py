"""open() in compiled code: text files that are read and written."""

from __future__ import annotations

import pytest
from live_memory import live

import swathe
from swathe import _asked, njit

TEXT = "a 1\nb 2\r\n\né 3"


def summed(path):
    total = 0
    names = []
    with open(path) as f:
        for line in f:
            line = line.strip()
            if not line:
                continue
            k, v = line.split()
            names.append(k)
            total += int(v)
    return names, total


def pieces(path):
    f = open(path)
    a, b, c = f.readline(), f.read(), f.readline()
    f.close()
    d = open(path).read().splitlines(), [x for x in open(path, encoding="utf-8")]
    return a, b, c, d, open(path).readlines(), open(path, encoding="latin-1").read()


def left(path):
    f = open(path, "r")
    for line in f:
        if line.startswith("b"):
            break
    return f.readline(), f.readlines(), f.read()


def written(path, n):
    with open(path, "w") as out:
        for i in range(n):
            k = out.write(f"{i} {i * 0.5}\n")
        out.writelines(["x", "é\n"])
    with open(path, "a") as out:
        out.write("end")
    return open(path).read(), k


def missing(path):
    try:
        with open(path) as f:
            return len(f.read())
    except FileNotFoundError:
        return -1


def closed(path):
    f = open(path)
    f.close()
    return f.read()


def not_readable(path):
    with open(path + ".out", "w") as f:
        return f.read()


def raised(path):
    with open(path + ".out", "w") as f:
        f.write("before")
        raise ValueError("x")


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "data.txt"
    file.write_bytes(TEXT.encode())
    return str(file)


def result(f, *args):
    try:
        return f(*args)
    except (OSError, ValueError, UnicodeError) as e:
        return type(e), str(e).split("\n")[0]


@pytest.mark.parametrize("f", [summed, pieces, left, missing, closed, raised])
def test_is_what_cpython_does(f, path):
    compiled = njit(f)
    assert result(compiled, path) == result(f, path)
    nowhere = path + ".not"
    assert result(compiled, nowhere) == result(f, nowhere)
    assert not _asked._FILES


def test_what_is_written_is_there(path):
    assert njit(written)(path + ".1", 3) == written(path + ".2", 3)
    assert not _asked._FILES


def test_a_file_that_is_written_is_not_read(path):
    ours = result(njit(not_readable), path)
    assert issubclass(ours[0], OSError) and ours[1] == "not readable"


def test_what_raises_has_written_before(path):
    with pytest.raises(ValueError, match="x"):
        njit(raised)(path)
    with open(path + ".out") as f:
        assert f.read() == "before"


def test_no_text(path):
    with open(path, "wb") as f:
        f.write(b"\xff\xfe\xff")

    @njit
    def f(path):
        return open(path, encoding="utf-8").read()

    with pytest.raises(UnicodeDecodeError):
        f(path)


@pytest.mark.parametrize("mode", ["rb", "r+", "q"])
def test_modes_that_are_refused(path, mode):
    @njit
    def f(path, mode):
        return open(path, mode).read()

    with pytest.raises(ValueError if mode == "q" else NotImplementedError):
        f(path, mode)


def test_nothing_leaks(path):
    f = njit(pieces)
    f(path)
    before = live()
    for _ in range(20):
        f(path)
    assert live() == before


def test_a_number_is_no_text(path):
    @njit
    def f(path):
        with open(path, "w") as f:
            f.write(3)

    with pytest.raises(swathe.CompileError, match="a text file takes texts"):
        f(path)
