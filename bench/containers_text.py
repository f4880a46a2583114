"""The functions over text of containers.py."""

from __future__ import annotations


def split_and_join(text):
    words = text.split()
    return len("-".join(words)) + len(text.split("\n"))


def count_words(path):
    d = {}
    with open(path) as f:
        for line in f:
            for w in line.split():
                d[w] = d.get(w, 0) + 1
    most = 0
    for n in d.values():
        most = max(most, n)
    return most * 100000 + len(d)


def count_by_str(text):
    d = {}
    for w in text.split():
        if w in d:
            d[w] += 1
        else:
            d[w] = 1
    return len(d)


def tokenize(source):
    n = len(source)
    i = 0
    names = {}
    kinds = [0, 0, 0]
    while i < n:
        c = source[i]
        if c.isspace():
            i += 1
        elif c.isalpha() or c == "_":
            j = i + 1
            while j < n and (source[j].isalnum() or source[j] == "_"):
                j += 1
            name = source[i:j]
            if name not in names:
                names[name] = len(names)
            kinds[0] += 1
            i = j
        elif c.isdigit():
            j = i + 1
            while j < n and (source[j].isdigit() or source[j] == "."):
                j += 1
            kinds[1] += 1
            i = j
        else:
            kinds[2] += 1
            i += 1
    return len(names) + kinds[0] * 3 + kinds[1] * 5 + kinds[2] * 7


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i in range(len(a)):
        before = row[0]
        row[0] = i + 1
        for j in range(len(b)):
            here = before if a[i] == b[j] else 1 + min(before, row[j], row[j + 1])
            before = row[j + 1]
            row[j + 1] = here
    return row[-1]


def parse_floats(decimals):
    s = 0.0
    for w in decimals.split():
        s += float(w)
    return s


def parse_ints(integers):
    s = 0
    for w in integers.split():
        s += int(w)
    return s


def write_ints(keys):
    parts = []
    for i in range(len(keys)):
        parts.append(f"{keys[i]}:{i}")
    return len(",".join(parts))


def sort_words(text):
    words = text.split()
    words.sort()
    return len(words[len(words) // 2])


FUNCTIONS = (
    split_and_join,
    count_words,
    count_by_str,
    tokenize,
    edit_distance,
    parse_floats,
    parse_ints,
    write_ints,
    sort_words,
)


def _word(k: int) -> str:
    s = ""
    while True:
        s += chr(97 + k % 26)
        k //= 26
        if not k:
            return s


def inputs(keys, numbers, folder) -> dict:
    """The texts, by the names of the parameters; each is a file in the folder, too."""
    n = len(keys)
    words = [_word(int(k) % 5000 * 7919 % 100003) for k in keys]
    lines = (" ".join(words[i : i + 10]) for i in range(0, n, 10))
    side = int(n**0.5)
    text = "\n".join(lines)
    all_of = {
        "text": text,
        "source": " ".join(
            f"{words[i]} = ({words[i - 1]}_{i % 100} + {keys[i] % 1000}.5) * {i};"
            for i in range(n // 4)
        ),
        "decimals": " ".join(repr(float(x)) for x in numbers),
        "integers": " ".join(str(k) for k in keys),
        "a": text[:side],
        "b": text[side : 2 * side],
    }
    for name, s in all_of.items():
        (folder / name).write_text(s)
    return all_of | {"path": str(folder / "text")}
