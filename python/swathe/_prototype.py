# SPDX-License-Identifier: BSD-3-Clause
"""Does a function's text agree with the signature that it is declared by?

Looks at definitions in C, OpenCL C, CUDA C and PTX. C's types may hide behind typedefs and macros:
what isn't understood is let pass, so that nothing right is ever refused; what is understood and is
of another size or kind, and another number of parameters, is reported.
"""

from __future__ import annotations

import re
from typing import Any

# By C's words, sorted: (kind, bytes). OpenCL's long and that of Linux are the same.
_C: dict[str, tuple[str, int]] = {"_Bool": ("u", 1), "bool": ("u", 1), "half": ("f", 2)}
_C |= {"float": ("f", 4), "double": ("f", 8), "size_t": ("u", 8), "ptrdiff_t": ("i", 8)}
_C |= {f"int{8 * n}_t": ("i", n) for n in (1, 2, 4, 8)}
_C |= {f"uint{8 * n}_t": ("u", n) for n in (1, 2, 4, 8)}
_C |= {"uchar": ("u", 1), "ushort": ("u", 2), "uint": ("u", 4), "ulong": ("u", 8)}
for _words, _n in (("char", 1), ("short", 2), ("int", 4), ("long", 8), ("long long", 8)):
    for _extra in ("", " int") if _words not in ("char", "int") else ("",):
        for _sign, _kind in (("", "i"), ("signed ", "i"), ("unsigned ", "u")):
            _C[" ".join(sorted((_sign + _words + _extra).split()))] = (_kind, _n)
_C |= {"signed": ("i", 4), "unsigned": ("u", 4)}
_SPACES = {"const", "restrict", "__restrict__", "__restrict", "volatile", "static", "inline"}
_SPACES |= {"extern", "__global", "global", "__device__", "__forceinline__", "__inline__"}
_SPACES |= {"__attribute__((always_inline))", "__noinline__", "register", "private", "__private"}
_DTYPES = {"b": "u", "u": "u", "i": "i", "f": "f"}
_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def _words(text: str) -> list[str]:
    return [w for w in re.findall(r"\w+|\*|\S", text) if w not in _SPACES]


def _c_type(words: list[str], named: bool) -> tuple[str, int] | None:
    """Read a parameter; ("*", 8) is a pointer, None is what isn't understood."""
    if "*" in words or "[" in words:
        return "*", 8
    for some in (words, words[:-1]) if named else (words,):
        if found := _C.get(" ".join(sorted(some))):
            return found
    return None


def _wanted(dtype: str, ndim: int) -> tuple[str, int]:
    import numpy as np

    d = np.dtype(dtype)
    return ("*", 8) if ndim >= 0 else (_DTYPES[d.kind], d.itemsize)


def _same(have: tuple[str, int], want: tuple[str, int]) -> bool:
    """int and unsigned are passed alike, if they are as wide."""
    whole = have[0] in "iu" and want[0] in "iu"
    return have == want or (whole and have[1] == want[1])


def _disagrees(
    have: list[tuple[str, int] | None], ret: str | None, params: Any, pointer: bool
) -> bool:
    want = [_wanted(d, n) for d, n in params]
    if ret and pointer:
        want.insert(0, ("*", 8))
    if len(have) != len(want):
        return True
    return any(h is not None and not _same(h, w) for h, w in zip(have, want, strict=True))


def check_c(text: str, name: str, ret: str | None, params: Any, status: bool) -> str:
    """Return the function's own prototype when it disagrees; "" when it doesn't, or isn't found."""
    text = _COMMENTS.sub(" ", text)
    text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)
    match = re.search(rf"([\w\s\*\"]*?)\b{re.escape(name)}\s*\(([^(){{}};]*)\)\s*\{{", text)
    if match is None:
        return ""
    inner = match[2].strip()
    listed = [] if inner in ("", "void") else inner.split(",")
    have = [_c_type(_words(p), True) for p in listed]
    result = _words(re.sub(r'extern\s+"C"', "", match[1]))
    gives = ("void", 0) if result == ["void"] else _c_type(result, False)
    wanted = ("i", 4) if status else _wanted(ret, -1) if ret else ("void", 0)
    bad = gives is not None and not (gives == wanted or (gives[1] and _same(gives, wanted)))
    if not bad and not _disagrees(have, ret, params, status):
        return ""
    return " ".join(f"{match[1]} {name}({inner})".split())


def check_ptx(text: str, name: str, ret: str | None, params: Any, status: bool) -> str:
    """Do the same for PTX, where only the sizes are known."""
    pattern = rf"\.func\s*(\([^)]*\))?\s*{re.escape(name)}\s*\(([^)]*)\)"
    for match in re.finditer(pattern, text):
        if ".extern" in text[max(0, match.start() - 12) : match.start()]:
            continue
        have = re.findall(r"\.param\s+(?:\.align\s+\d+\s+)?\.[bsuf](\d+)", match[2])
        want = [_wanted(d, n)[1] for d, n in params]
        want = [8] * bool(ret and status) + want
        gives = re.findall(r"\.[bsuf](\d+)", match[1] or "")
        result = 4 if status else _wanted(ret, -1)[1] if ret else 0
        # What is narrower than an int is passed as one.
        wide = [max(32, 8 * n) for n in want]
        if [max(32, int(n)) for n in have] != wide or gives != [
            str(max(32, 8 * n)) for n in [result] if n
        ]:
            return " ".join(match[0].split())
    return ""
