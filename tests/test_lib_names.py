"""The compiler asks for functions of swathe/lib by their names alone: such a name has one owner."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEFINED = re.compile(r"^def (\w+)\(", re.MULTILINE)
QUOTED = re.compile(r'"(_?[a-z]\w*)"')


def read(folder, *endings):
    return [p.read_text() for p in sorted((ROOT / folder).rglob("*")) if p.suffix in endings]


def test_what_is_asked_for_is_defined_once():
    defined = Counter(
        name for text in read("python/swathe/lib", ".py") for name in DEFINED.findall(text)
    )
    asked = {
        n for d in ("core", "py") for text in read(d, ".c", ".def") for n in QUOTED.findall(text)
    }
    asked &= set(defined)
    assert len(asked) > 100
    assert not [name for name in asked if defined[name] > 1]
