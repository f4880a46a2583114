"""The interpreter, and every pass held against it.

Each golden test of a pass is run before and after each pass, on arguments drawn for it, in several
modes; and pairs of programs that differ in one known way show that such a difference is seen.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import golden
import pytest

ROOT = Path(__file__).resolve().parent.parent
SWC = Path(os.environ.get("SWATHE_SWC", ROOT / "build" / "swc"))
# Those under run/ say wrong things on purpose.
FILES = sorted(p for p in (ROOT / "tests" / "ir").rglob("*.ir") if p.parent.name != "run")
MODES = {
    "plain": [],
    "parallel": ["--parallel"],
    "fast": ["--fastmath", "--parallel"],
    "debug": ["--debug"],
    "wide": ["--vector", "64"],
}


def swc(*args: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    """Run swc; return its status and what it printed."""
    done = subprocess.run(
        [str(SWC), *args],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, **(env or {})},
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("lanes", ["", "4"])
@pytest.mark.parametrize("mode", MODES)
def test_all_passes(mode: str, lanes: str) -> None:
    """All passes, one after the other, keep what every golden test's program does."""
    env = {"SWATHE_LANES": lanes} if lanes else {}
    status, text = swc("--check2", *MODES[mode], *map(str, FILES), env=env)
    assert status == 0, text
    words = text.strip().splitlines()[-1].replace("(", "").replace(",", "").split()
    programs, inputs, passed = int(words[1]), int(words[3]), int(words[5])
    assert programs > len(FILES) * 0.9
    assert inputs > 10 * programs
    assert passed > inputs / 2


@pytest.mark.parametrize("seed", [1, 2])
def test_each_pass_alone(seed: int) -> None:
    """The passes that a golden test asks for keep what its program does."""
    for path in FILES:
        for fails, args in golden.read(path).commands:
            if fails or not any(a in ("--pass", "--passes", "--all") for a in args):
                continue
            status, text = swc("--check2", "--seed", str(seed), *args, str(path))
            assert status == 0, text


BEFORE = """
site 0 "ValueError" "no %0"
func f(x: f64[::1], y: f64[::1], n: i64) -> f64 entry may_raise
  var s: f64
  var t: f64
  var u: f64[::1]
  s = 0.0
  check le(n, dim(x, 0)) site 0 (n)
  check le(n, dim(y, 0)) site 0 (n)
  seq i in 0 .. n
    t = mul(x[i], 2.0)
    y[i] = add(t, 1.0)
    s = add(s, y[i])
  return s
"""
# old text, new text, what is to be said
CHANGES = [
    ("mul(x[i], 2.0)", "mul(x[i], 3.0)", "result 0|memory of 'y'"),
    ("seq i in 0 .. n", "seq i in 1 .. n", "result 0|memory of 'y'"),
    ("le(n, dim(x, 0)) site 0 (n)", "le(n, dim(x, 0)) site 0 (0)", "the error is"),
    ("le(n, dim(x, 0)) site 0 (n)", "le(n, add(dim(x, 0), 1)) site 0 (n)", "index"),
    ("  check le(n, dim(y, 0)) site 0 (n)\n", "", "index"),
    ("x: f64[::1], y", "x: f64[::1] noalias, y", "no alias"),
    ("0 .. n\n", "0 .. n [independent]\n", "not known|independent loop|result 0"),
    ("0 .. n\n", "0 .. n [independent reduce add s last t]\n", "independent loop"),
    (
        "    y[i] = add(t, 1.0)\n    s = add(s, y[i])",
        "    s = add(s, add(t, 1.0))",
        "memory of '",
    ),
    ("return s", "return add(s, t)", "result 0"),
    ("s = 0.0", "assume gt(n, 0)\n  s = 0.0", "said to be true"),
    ("-> f64 entry may_raise", "-> f64 entry", "said not to raise"),
    ("s = 0.0", "u = alloc(n)\n  s = u[0]", "index|result|negative"),
]


@pytest.mark.parametrize("old,new,said", CHANGES, ids=[str(i) for i in range(len(CHANGES))])
def test_difference_is_seen(tmp_path: Path, old: str, new: str, said: str) -> None:
    """What one wrong line changes is found, and named."""
    assert old in BEFORE
    first, second = tmp_path / "before.ir", tmp_path / "after"
    first.write_text(BEFORE)
    second.write_text(BEFORE.replace(old, new, 1))
    status, text = swc("--check2", "--against", str(second), str(first))
    assert status == 1, text
    assert any(word in text for word in said.split("|")), text


def test_stream(tmp_path: Path) -> None:
    """Several modules in one text are checked each for itself."""
    text = tmp_path / "many.ir"
    text.write_text(f"#### one\n{BEFORE}\n#### two\n{BEFORE}\n#### three\nfunc f(\n")
    status, printed = swc("--check2", str(text))
    assert status == 1
    assert printed.startswith("three: ")
    assert "check: 2 programs" in printed


SUM = """func f(x: f32[:]) -> f64 entry
  var s: f32
  s = 0.0:f32
  seq i in 0 .. dim(x, 0) [reduce add s]
    s = add~(s, mul(x[i], FACTOR:f32))
  return f64(s)
"""


@pytest.mark.parametrize("factor,status", [("1.0000001", 0), ("1.01", 1)])
def test_widened_sum(tmp_path: Path, factor: str, status: int) -> None:
    """A float32 sum in any order may differ by its own roundings, also where it is widened."""
    first, second = tmp_path / "before.ir", tmp_path / "after"
    first.write_text(SUM.replace("FACTOR", "1.0"))
    second.write_text(SUM.replace("FACTOR", factor))
    assert swc("--check2", "--against", str(second), str(first))[0] == status


APART = """func f(x: f64[::1], y: f64[::1]) entry
  if and(gt(dim(x, 0), 0), gt(dim(y, 0), 0))
    seq i in 0 .. 1 [independentFACT]
      y[i] = mul(x[i], 2.0)
"""


@pytest.mark.parametrize("fact,status", [("", 0), (" apart", 1)])
def test_arrays_that_lie_apart(tmp_path: Path, fact: str, status: int) -> None:
    """That a loop's arrays share no memory is more than that its iterations are independent."""
    first, second = tmp_path / "before.ir", tmp_path / "after"
    first.write_text(APART.replace("FACT", ""))
    second.write_text(APART.replace("FACT", fact))
    found, text = swc("--check2", "--against", str(second), str(first))
    assert found == status, text
    assert status == 0 or "lie apart" in text
