"""Random loops over one array, as text, and which of their iterations race, found by a run."""

from __future__ import annotations

import itertools
import random

OFFSET, SIZE = 40, 160


def index(rng: random.Random, names: list[str]) -> str:
    terms = [f"{k} * {v}" for v in names for k in [rng.choice([0, 0, 1, 1, 1, 2, -1, 3])] if k]
    return " + ".join([*terms, str(rng.choice([0, 0, 0, 1, 2, -1, 5, 7]) + OFFSET)])


def access(rng: random.Random, names: list[str], axes: int) -> str:
    return f"a[{', '.join(index(rng, names) for _ in range(axes))}]"


def part(rng: random.Random, names: list[str]) -> str:
    """Yields a slice, seldom an index."""
    at, by = index(rng, names), rng.choice(["", "", "", ":2", ":3"])
    if rng.random() < 0.15:
        return at
    size = rng.choice(["1", "2", "3", "4", "7", "i", "0"])
    return rng.choice(
        [f"{at}:{at} + {size}{by}"] * 6
        + [f"max({at}, {OFFSET}):min({at} + {size}, {SIZE}){by}", f"{at}:{at} - {size}:-1"]
        + [f"{at} - {SIZE}:{at} - {SIZE} + {size}{by}", f"{at}:{OFFSET + 20}{by}"]
    )


def parts(rng: random.Random, names: list[str], axes: int) -> str:
    at = [part(rng, names) for _ in range(axes)]
    return f"a[{', '.join(at)}]"


def bounds(rng: random.Random) -> str:
    lo = rng.choice([0, 0, 1, 2])
    hi = lo + rng.choice([2, 5, 8])
    return rng.choice([f"{lo}, {hi}"] * 3 + [f"{lo}, {hi}, 2", f"{hi - 1}, {lo - 1}, -1"])


def loop(rng: random.Random, name: str) -> tuple[str, int]:
    """Yields the text of a function and the number of axes of its argument."""
    axes, names, pad = rng.choice([1, 1, 2]), ["i"], " " * 8
    lines = [f"def {name}(a):", f"    for i in prange({bounds(rng)}):"]
    for v in "jk"[: rng.choice([0, 1, 1, 2])]:
        start, n = rng.choice(["0", "0", "1", "i"]), rng.choice(["3", "4", "i", "1", "min(i, 3)"])
        lines.append(f"{pad}for {v} in range({start}, {'i + ' if start == 'i' else ''}{n}):")
        names.append(v)
        pad += "    "
    if rng.random() < 0.2:
        test = rng.choice([">", "<", "==", "!="])
        lines.append(f"{pad}if {rng.choice(names)} {test} {rng.choice([0, 1, 3])}:")
        pad += "    "
    if rng.random() < 0.5:
        reads = f"{parts(rng, names, axes)}.sum()" if rng.random() < 0.4 else "1.0"
        lines.append(f"{pad}{parts(rng, names, axes)} = {reads}")
        if rng.random() < 0.3:
            lines.append(f"{pad}{access(rng, names, axes)} = 2.0")
        return "\n".join(lines) + "\n", axes
    to = access(rng, names, axes)
    reads = [
        "0.5 * " + rng.choice([access(rng, names, axes), to])
        for _ in range(rng.choice([0, 1, 1, 2]))
    ]
    lines.append(f"{pad}{to} = {' + '.join([*reads, '1.0'])}")
    if rng.random() < 0.3:
        lines.append(f"{pad}{access(rng, names, axes)} = 2.0")
    return "\n".join(lines) + "\n", axes


class Number(float):
    def sum(self) -> float:
        return self


class Spy:
    """An array that notes which iteration touches what."""

    def __init__(self) -> None:
        self.touched: dict = {}
        self.iteration = 0
        self.races = False

    def prange(self, *args: int):
        for i in range(*args):
            self.iteration = i
            yield i

    def note(self, at, writes: bool) -> None:
        at = at if isinstance(at, tuple) else (at,)
        ranges = [range(*k.indices(SIZE)) if isinstance(k, slice) else [k] for k in at]
        for one in itertools.product(*ranges):
            self.touch(one, writes)

    def touch(self, at, writes: bool) -> None:
        seen = self.touched.setdefault(at, {})
        self.races |= any(i != self.iteration and (w or writes) for i, w in seen.items())
        seen[self.iteration] = seen.get(self.iteration, False) or writes

    def __getitem__(self, at) -> float:
        self.note(at, False)
        return Number(1.0)

    def __setitem__(self, at, value) -> None:
        self.note(at, True)


def races(text: str, name: str) -> bool:
    spy = Spy()
    names = {"prange": spy.prange}
    exec(text, names)
    names[name](spy)
    return spy.races
