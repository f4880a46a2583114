# SPDX-License-Identifier: BSD-3-Clause
"""The interpreter draws lists and dicts for the functions that take them, and compares these."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SWC = ROOT / "build" / "swc"

ARRAYS = """func f(x: i64[::1] ref "wpww" holds "[A1f64]", v: f64[::1]) -> f64 entry
  var s: f64
  var c: i64[::1] ref "*"
  var b: i64[::1] ref "pwww"
  var a: f64[:]
  s = 0.0
  seq i in 0 .. x[0]
    c = get x[1]
    b = get c[i]
    a = get b[0]
    if lt(0, dim(a, 0))
      a[0] = add(a[0], 1.0)
      s = add(s, a[0])
    drop a
    drop b
    drop c
  if and(lt(0, dim(v, 0)), lt(2, x[0]))
    v[0] = add(v[0], s)
  return s
"""
PAIRS = """func f(x: i64[::1] ref "wpwwpww" holds "[(i64,f64)]") entry
  var c: i64[::1]
  var d: f64[::1]
  seq i in 0 .. x[0]
    c = get x[1]
    d = get x[4]
    d[i] = f64(c[i])
    drop c
    drop d
  return
"""
DICT = """func f(x: i64[::1] ref "wwpwwpwwpwwpww" holds "{i64:f32}") -> i64 entry
  var h: i64[::1]
  var v: f32[::1]
  var n: i64
  n = 0
  seq i in 0 .. x[1]
    h = get x[11]
    v = get x[8]
    if le(0, h[i])
      n = add(n, 1)
      v[i] = f32(2.5)
    drop h
    drop v
  return n
"""
RING = """func f(x: i64[::1] ref "wwwwpww" holds "<i64>") -> i64 entry
  var c: i64[::1]
  var k: i64
  var n: i64
  n = 0
  seq i in 0 .. x[0]
    k = add(x[1], i)
    c = get x[4]
    if le(x[6], k)
      k = sub(k, x[6])
    n = add(n, c[k])
    c[k] = 7
    drop c
  return n
"""
SET = """func f(x: i64[::1] ref "wwpwwpwwpww" holds "{f64}") -> i64 entry
  var h: i64[::1]
  var k: f64[::1]
  var n: i64
  n = 0
  seq i in 0 .. x[1]
    k = get x[5]
    h = get x[8]
    if le(0, h[i])
      if lt(0.0, k[i])
        n = add(n, 1)
    drop h
    drop k
  return n
"""
INTS = 'i64[::1] ref "wpww" holds "[i64]"'
NESTED = f"""func f(x: i64[::1] ref "wpww" holds "[[i64]]") -> {INTS} entry
  var c: i64[::1] ref "*"
  var r: i64[::1] ref "wpww"
  var e: i64[::1]
  r = alloc(4) zero
  if lt(0, x[0])
    c = get x[1]
    r = get c[sub(x[0], 1)]
    if lt(0, r[0])
      e = get r[1]
      e[0] = 7
  return r
"""
PROGRAMS = {
    "arrays": ARRAYS,
    "pairs": PAIRS,
    "dict": DICT,
    "nested": NESTED,
    "set": SET,
    "ring": RING,
}
CHANGES = [  # what a pass might do wrong, and what is said of it
    ("arrays", "add(a[0], 1.0)", "add(a[0], 2.0)", "result 0 is"),
    ("arrays", "0 .. x[0]", "0 .. sub(x[0], 1)", "is"),
    ("arrays", "v[0] = add(v[0], s)", "v[0] = s", "is"),
    ("pairs", "f64(c[i])", "f64(i)", "of 'x', as the function leaves it, an element"),
    ("dict", "v[i] = f32(2.5)", "v[i] = f32(3.5)", "of 'x', as the function leaves it, an element"),
    ("set", "lt(0.0, k[i])", "lt(k[i], 0.0)", "result 0 is"),
    ("nested", "e[0] = 7", "e[0] = 8", "of 'x', as the function leaves it, an element"),
    ("nested", "sub(x[0], 1)", "0", "is"),
    ("ring", "c[k] = 7", "c[k] = 8", "of 'x', as the function leaves it, an element"),
    ("ring", "k = sub(k, x[6])", "k = 0", "is"),
]


def swc(tmp_path: Path, *texts: str) -> subprocess.CompletedProcess[str]:
    names = []
    for k, text in enumerate(texts):
        names.append(tmp_path / f"{k}.ir")
        names[-1].write_text(text)
    more = ["--against", names[1]] if len(texts) > 1 else []
    return subprocess.run([SWC, "--check2", names[0], *more], capture_output=True, text=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_lists_are_drawn(name, tmp_path):
    ran = swc(tmp_path, PROGRAMS[name])
    assert ran.returncode == 0, ran.stdout + ran.stderr
    said = (ran.stdout + ran.stderr).split("check: ")[1].split()
    assert (said[0], said[2]) == ("1", "24") and int(said[4].strip("(")) > 12, ran


@pytest.mark.parametrize("name, old, new, text", CHANGES)
def test_what_is_left_in_them_is_compared(name, old, new, text, tmp_path):
    assert old in PROGRAMS[name]
    ran = swc(tmp_path, PROGRAMS[name], PROGRAMS[name].replace(old, new))
    assert ran.returncode != 0 and text in ran.stdout + ran.stderr, ran


def test_what_nothing_tells_of_is_not_drawn(tmp_path):
    ran = swc(tmp_path, PAIRS.replace(' holds "[(i64,f64)]"', ""))
    assert "0 inputs" in ran.stdout + ran.stderr


def test_text_is_read_as_it_is_written(tmp_path):
    for name, text in PROGRAMS.items():
        (tmp_path / "x.ir").write_text(text)
        once = subprocess.run([SWC, "--print", tmp_path / "x.ir"], capture_output=True, text=True)
        assert once.returncode == 0, (name, once.stderr)
        (tmp_path / "y.ir").write_text(once.stdout)
        twice = subprocess.run([SWC, "--print", tmp_path / "y.ir"], capture_output=True, text=True)
        assert twice.stdout == once.stdout and text.count("holds") == once.stdout.count("holds")
