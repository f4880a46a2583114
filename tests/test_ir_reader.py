"""The reader of IR takes any text: it yields a module, or says in which line it is wrong."""

from __future__ import annotations

import os
import random
import re
import subprocess
from pathlib import Path

import pytest
import tables

ROOT = Path(__file__).resolve().parent.parent
SWC = os.environ.get("SWATHE_SWC", str(ROOT / "build" / "swc"))
GOLDEN = sorted((ROOT / "tests" / "ir").glob("*/*.ir"))
WORDS = (
    "func var site const ( ) [ ] : , = -1 x i64 f64[::1] seq if else while in .. step return "
    '" # 99999999999999999999 -> entry call sw_overlap( try except'
).split(" ")


def input_of(path: Path) -> str:
    """Return the module that a golden test begins with."""
    text = path.read_text().split("# ---\n")[0]
    return "".join(line for line in text.splitlines(True) if not line.startswith("# "))


def swc(text: str) -> subprocess.CompletedProcess[str]:
    """Read and print a module."""
    return subprocess.run([SWC, "--print"], input=text, capture_output=True, text=True, timeout=60)


def mutated(rng: random.Random, lines: list[str], others: list[str]) -> list[str]:
    """Change something: a line, its place, its indentation, a word, a character, the end."""
    lines = list(lines)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines))
        line, how = lines[at], rng.randrange(8)
        words = line.split(" ")
        if how == 0:
            del lines[at:]
            lines.append(line[: rng.randint(0, len(line))])
        elif how == 1:
            del lines[at]
        elif how == 2:
            lines.insert(rng.randrange(len(lines) + 1), line)
        elif how == 3:
            lines[at] = " " * rng.randint(0, 8) + line.lstrip(" ")
        elif how == 4:
            lines[at] = rng.choice(others)
        elif how == 5:
            words[rng.randrange(len(words))] = rng.choice(WORDS)
            lines[at] = " ".join(words)
        elif how == 6:
            del words[rng.randrange(len(words))]
            lines[at] = " ".join(words)
        else:
            k = rng.randrange(len(line) + 1)
            lines[at] = line[:k] + chr(rng.randrange(32, 127)) + line[k + 1 :]
        if not lines:
            break
    return lines


@pytest.mark.parametrize(
    "text",
    [
        "  func f.0(a: i64) -> i64 entry\n    return a\n",
        "\tfunc f.0(a: i64) -> i64 entry\n",
        "func\n",
        "func f.0(\n",
        "func f.0() -> i64 entry\n  return 0\n  func g.0() -> i64\n    return 0\n",
        " var x: i64\n",
        "",
        "\n\n#\n",
    ],
)
def test_indented_and_broken_heads(text):
    assert swc(text).returncode in (0, 1)


@pytest.mark.parametrize("seed", range(int(os.environ.get("SWATHE_FUZZ_READER", "6"))))
def test_edited_modules(seed):
    rng = random.Random(seed)
    texts = [input_of(path).splitlines() for path in GOLDEN]
    texts = [t for t in texts if t]
    others = [line for t in texts for line in t]
    for _ in range(60):
        text = "\n".join(mutated(rng, rng.choice(texts), others)) + rng.choice(["\n", ""])
        done = swc(text)
        assert done.returncode in (0, 1), f"seed {seed}, {done.returncode}:\n{text}\n{done.stderr}"


@pytest.mark.parametrize("name", ["i64", "u8", "add", "max", "dim", "select", "copy", "view"])
def test_names_are_no_words(name: str) -> None:
    """A program calls its variables as it likes; its IR can be read all the same."""
    text = f"""site 0 "ValueError" "no %0"

func f({name}: i64[::1]) entry may_raise
  var t: f64
  t = f64({name}[0])
  check lt(t, 9.0) site 0 (i64(t), add~(t, 1.0), {name}[1], {name})
  {name}[0] = i64(t)
  return
"""
    first = swc(text)
    assert first.returncode == 0, first.stdout + first.stderr
    again = swc(first.stdout)
    assert again.stdout == first.stdout


# What stands in each field of a statement's form, in a function with x, y: f64[:], i: i64, b: bool.
FIELDS = {
    "array": "x", "base": "y", "index": "[i]", "bool": "b", "i64": "i", "axis": "0", "n": "1",
    "order": "1", "values": "", "site": "site 0 (i)", "fence": "device", "touch": "write",
    "space": "shared",
}  # fmt: skip
FORMS = {id_: form for id_, form, _ in tables.rows("stmt.def", "STMT") if form}


@pytest.mark.parametrize("kind", FORMS)
def test_a_statement_is_written_as_its_row_says(kind: str) -> None:
    line = re.sub(r" ?\$(\w+)\??", lambda m: m[0].split("$")[0] + FIELDS[m[1]], FORMS[kind])
    line = line.replace(" @", "").rstrip()
    head = 'site 0 "ValueError" "%0"\nfunc f(x: f64[:], y: f64[:], i: i64, b: bool) may_raise\n'
    text = f"{head}  try\n    b = b\n  except\n    seq k in 0 .. i\n      {line}\n"
    once = swc(text)
    assert once.returncode == 0, once.stderr
    assert line in [x.split("  #")[0].strip() for x in once.stdout.splitlines()]
    assert swc(once.stdout).stdout == once.stdout


def test_most_statements_have_a_form() -> None:
    assert len(FORMS) >= 15
