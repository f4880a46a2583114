# SPDX-License-Identifier: BSD-3-Clause
"""Programs over strings, lists and dicts, as people write them: against CPython."""

from __future__ import annotations

import string
from collections import Counter

import pytest

import swathe

TEXT = "The quick brown fox jumps over the lazy dog. The dog sleeps; the fox -- it's old! -- runs."


def word_count(text):
    counts = Counter()
    for line in text.splitlines():
        for w in line.split():
            w = w.strip(".,;!?'-").lower()
            if w:
                counts[w] += 1
    top = sorted(counts, key=counts.get, reverse=True)[:3]
    lines = ["%-8s %3d %5.1f%%" % (w, counts[w], 100.0 * counts[w] / len(counts)) for w in top]
    return top, max(counts, key=counts.get), lines


def read_numbers(lines):
    total = 0
    errors = []
    for no, line in enumerate(lines, 1):
        try:
            parts = line.split(",")
            if len(parts) != 3:
                raise ValueError("line {}: {} fields".format(no, len(parts)))  # noqa: UP032
            total += sum(map(int, parts))
        except ValueError as e:
            errors.append(str(e))
    return total, errors


def read_table(text):
    rows = []
    row = []
    field = ""
    quoted = False
    for ch in text:
        if ch == '"':
            quoted = not quoted
        elif quoted or ch not in ",\n":
            field += ch
        else:
            row.append(field)
            field = ""
            if ch == "\n":
                rows.append(row)
                row = []
    header = rows[0]
    records = [dict(zip(header, r)) for r in rows[1:]]
    ages = sum(int(r["age"]) for r in records)
    return records, ages, [max(c) for c in zip(*rows)]


def ciphers(text, shift):
    lower = string.ascii_lowercase
    table = str.maketrans(lower, lower[shift:] + lower[:shift], ".;")
    coded = text.translate(table)
    by_hand = ""
    for c in text:
        if c in lower:
            by_hand += lower[(lower.index(c) + shift) % 26]
        elif c not in ".;":
            by_hand += c
    return coded, coded == by_hand


def product(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]


PROGRAMS = [
    (word_count, (TEXT + "\n" + TEXT[:40],)),
    (read_numbers, (["1,2,3", "4,x,6", "7,8", "", "-1,+2, 3 "],)),
    (read_table, ('name,age\n"Smith, J",42\nLee,7\n',)),
    (ciphers, (TEXT, 3)),
    (product, ([[1.0, 2.0], [3.0, 4.0]], [[0.5, 1.5, 1.0], [2.5, 3.5, -1.0]])),
]


@pytest.mark.parametrize(("program", "args"), PROGRAMS)
def test_programs_agree_with_python(program, args):
    assert swathe.njit(cache=False, opt_level=1)(program)(*args) == program(*args)
