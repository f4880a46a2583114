#!/usr/bin/env python3
"""Run the golden IR tests: text in, text out, through `swc`.

    tools/golden.py [--update] [--quiet] [--swc PATH] [FILE or FOLDER ...]

A test is one file, `tests/ir/**/*.ir`:

    # RUN: swc --pass fold
    func f(x: f64) -> f64
      return add(x, 0.0)
    # ---
    func f(x: f64) -> f64
      return x

`swc` gets the input on standard input, and must print what follows `# ---`. A leading
`# RUN: not swc …` expects a failure, and compares standard error. Several `# RUN:` lines run
one after the other; their outputs are compared as one. Each input that parses must also
survive the round trip, print(parse(x)) == x but for comments and blank lines; a test whose
input is not in the printer's form says `# ROUNDTRIP: no`.

Where the output depends on LLVM's version, `# HAS: regular expression` lines follow the mark, of
lines in this order, and `# NOT: regular expression`, of lines that must not be there.
"""

from __future__ import annotations

import argparse
import difflib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests" / "ir"
MARK = "# ---"
TIMEOUT = 20


class Test(NamedTuple):
    """A golden test, split into its parts."""

    path: Path
    commands: list[tuple[bool, list[str]]]  # (expects failure, arguments)
    roundtrip: bool
    text: str  # what stands before the mark, as written
    source: str  # the same without the directives
    expected: str


def read(path: Path) -> Test:
    """Split a test file into commands, input and expected output."""
    head, mark, tail = path.read_text().partition("\n" + MARK + "\n")
    if not mark:
        head, tail = head.removesuffix("\n" + MARK), ""
    commands, roundtrip, body = [], True, []
    for line in head.splitlines():
        if line.startswith("# RUN:"):
            words = shlex.split(line.removeprefix("# RUN:"))
            fails = words[:1] == ["not"]
            words = words[1:] if fails else words
            if words[:1] != ["swc"]:
                raise ValueError(f"{path}: a RUN line runs `swc` or `not swc`")
            commands.append((fails, words[1:]))
        elif line.startswith("# ROUNDTRIP:"):
            roundtrip = "no" not in line
        else:
            body.append(line)
    if not commands:
        raise ValueError(f"{path}: no `# RUN:` line")
    return Test(path, commands, roundtrip, head, "\n".join(body).strip("\n") + "\n", tail)


def run(swc: Path, args: list[str], source: str) -> subprocess.CompletedProcess[str]:
    """Run swc on a text."""
    return subprocess.run(
        [str(swc), *args],
        input=source,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


def bare(text: str) -> list[str]:
    """Return the lines of an IR text without comments and blank lines."""
    lines = (line.split("#", 1)[0].rstrip() for line in text.splitlines())
    return [line for line in lines if line]


def diff(want: list[str], got: list[str], label: str) -> str:
    """Return a unified diff, empty when the texts are equal."""
    return "\n".join(difflib.unified_diff(want, got, f"expected {label}", "got", lineterm=""))


def output(swc: Path, test: Test) -> tuple[str, str]:
    """Run a test's commands; return what they printed, and what went wrong."""
    printed = ""
    for fails, args in test.commands:
        done = run(swc, args, test.source)
        command = shlex.join(["swc", *args])
        if done.returncode < 0 or done.returncode > 100:
            return printed, f"{command} died ({done.returncode})\n{done.stderr}"
        if fails != (done.returncode != 0):
            return printed, f"{command} returned {done.returncode}\n{done.stderr}"
        printed += done.stderr if fails else done.stdout
    return printed, ""


def check(path: Path, swc: Path, update: bool = False) -> str:
    """Run one test; return what is wrong with it, or an empty string."""
    test = read(path)
    printed, problem = output(swc, test)
    if problem:
        return problem
    if test.expected.startswith(("# HAS: ", "# NOT: ")):
        if problem := missing(printed, test.expected):
            return problem
    elif printed.rstrip() != test.expected.rstrip():
        if not update:
            return diff(test.expected.rstrip().splitlines(), printed.splitlines(), "output")
        path.write_text(f"{test.text.rstrip()}\n{MARK}\n{printed.rstrip()}\n")
    if test.roundtrip and not any(fails for fails, _ in test.commands):
        done = run(swc, ["--print"], test.source)
        if done.returncode != 0:
            return f"swc --print returned {done.returncode}\n{done.stderr}"
        return diff(bare(test.source), bare(done.stdout), "round trip")
    return ""


def missing(printed: str, expected: str) -> str:
    """Return which `# HAS:` line finds nothing, or which `# NOT:` line something; else nothing."""
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    at = 0
    for wanted in expected.splitlines():
        word, _, pattern = wanted.partition(": ")
        found = [k for k, line in enumerate(lines) if re.search(pattern, line)]
        if word == "# NOT" and found:
            return f"{wanted}\nbut there is: {lines[found[0]]}"
        if word == "# HAS":
            later = [k for k in found if k >= at]
            if not later:
                return f"{wanted}\nis not in what follows:\n" + "\n".join(lines[at:])
            at = later[0] + 1
    return ""


def collect(paths: list[str]) -> Iterator[Path]:
    """Yield the test files that the command line names; all of them when it names none."""
    for path in [Path(p) for p in paths] or [TESTS]:
        yield from sorted(path.rglob("*.ir")) if path.is_dir() else [path]


def main() -> int:
    """Run the tests and print what failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--update", action="store_true", help="rewrite the expected outputs")
    parser.add_argument("--quiet", action="store_true", help="print failures only")
    parser.add_argument("--swc", type=Path, default=ROOT / "build" / "swc")
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()
    failed = total = 0
    for path in collect(options.paths):
        total += 1
        try:
            problem = check(path, options.swc, options.update)
        except (ValueError, OSError, subprocess.TimeoutExpired) as error:
            problem = str(error)
        if problem:
            failed += 1
            print(f"FAILED {path}\n{problem}\n")
        elif not options.quiet:
            print(f"ok {path}")
    print(f"golden: {total - failed} of {total} passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
