# SPDX-License-Identifier: BSD-3-Clause
"""What str(), repr() and f-strings make of values, and what int() and float() read of a string. The
digits of a float, and what a specification says of a number, are CPython's own, by a kernel."""

import sys
from array import array
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

from swathe import _kernels, static_fail
from swathe._objects import (
    asked,
    chars,
    default_of,
    index_of,
    is_instance,
    is_object,
    labels,
    paste,
    text,
    word,
)
from swathe.lib.characters import _is_digit
from swathe.lib.str import _padded, str_join

PAIRS = sys.version_info < (3, 12)  # how the text of an OrderedDict has its items


def _str_concat(of):
    """An f-string, of its parts, which are strings, and ints whose digits are written in place."""
    r = np.empty(_length_all(of), np.uint32)
    _put_all(r, 0, of)
    return text(r)


def _length_all(of):
    if len(of) == 0:
        return 0
    return _length_part(of[0]) + _length_all(of[1:])


def _length_part(v):
    if isinstance(v, str):
        return len(v)
    return _digits(_magnitude(v)) + (1 if v < 0 else 0)


def _put_all(r, k, of):
    if len(of) > 0:
        n = _length_part(of[0])
        if isinstance(of[0], str):
            paste(r, k, chars(of[0]))
        else:
            _put_int(r[k : k + n], of[0])
        _put_all(r, k + n, of[1:])


def _magnitude(v):
    if isinstance(v, np.uint64):
        return v
    n = np.uint64(np.int64(v))
    return np.uint64(0) - n if v < 0 else n


def _digits(n):
    """How many there are of a uint64."""
    k = 1
    while n >= 10000:
        n //= np.uint64(10000)
        k += 4
    if n >= 1000:
        return k + 3
    if n >= 100:
        return k + 2
    return k + 1 if n >= 10 else k


def _put_int(r, v):
    """Digits from the last to the first, two at a time; r is as long as they are, with the sign."""
    n = _magnitude(v)
    k = len(r)
    while n >= 100:
        q = n // np.uint64(100)
        two = np.uint32(n - q * np.uint64(100))
        ten = two // np.uint32(10)
        k -= 2
        r[k + 1] = 48 + two - ten * np.uint32(10)
        r[k] = 48 + ten
        n = q
    if n >= 10:
        k -= 1
        r[k] = np.uint32(48 + n % np.uint64(10))
        n //= np.uint64(10)
    r[k - 1] = np.uint32(48 + n)
    if v < 0:
        r[0] = 45


def _of_int(v):
    n = v if isinstance(v, np.uint64) else int(v)
    r = np.empty(_length_part(n), np.uint32)
    _put_int(r, n)
    return text(r)


def _formatted_int(v, spec):
    y = chars(spec)
    r = np.empty(64, np.uint32)
    n = _kernels.text_of_int(y, v, r)
    if n > len(r):
        r = np.empty(n, np.uint32)
        n = _kernels.text_of_int(y, v, r)
    if n < 0:
        raise MemoryError
    return text(r[:n])


def _formatted_float(v, spec):
    y = chars(spec)
    x = np.empty(1)
    x[0] = v
    r = np.empty(32, np.uint32)
    n = _kernels.text_of_float(x, y, r)
    if n > len(r):
        r = np.empty(n, np.uint32)
        n = _kernels.text_of_float(x, y, r)
    if n < 0:
        raise MemoryError
    return text(r[:n])


def _str_format(v, spec):
    if isinstance(v, str):
        return _laid_out(v, spec)
    if isinstance(v, (np.datetime64, np.timedelta64)):
        return _laid_out(_str_of(v), spec)
    if isinstance(v, (float, np.floating)):
        return _formatted_float(float(v), spec)
    return _formatted_int(int(v), spec)


def _laid_out(s, spec):
    """[[fill]align][width][.precision][s], which has been read when it was compiled."""
    x = chars(s)
    y = chars(spec)
    fill = np.uint32(32)
    align = np.uint32(60)
    k = 0
    given = False
    if len(y) > 1 and (y[1] == 60 or y[1] == 62 or y[1] == 94):
        fill = y[0]
        align = y[1]
        k = 2
        given = True
    elif len(y) > 0 and (y[0] == 60 or y[0] == 62 or y[0] == 94):
        align = y[0]
        k = 1
    if k < len(y) and y[k] == 48:
        if not given:
            fill = np.uint32(48)
        k += 1
    width = 0
    while k < len(y) and _is_digit(y[k]):
        width = width * 10 + int(y[k]) - 48
        k += 1
    if k < len(y) and y[k] == 46:
        k += 1
        most = 0
        while k < len(y) and _is_digit(y[k]):
            most = most * 10 + int(y[k]) - 48
            k += 1
        x = x[:most]
    more = max(width - len(x), 0)
    left = 0 if align == 60 else more if align == 62 else more // 2
    return _padded(x, left, more - left, fill)


def _str_of(v):
    if v is None:
        return "None"
    if is_instance(v):
        return text(chars(format(v)))
    if isinstance(v, str):
        return v
    if isinstance(v, (bool, np.bool_)):
        return "True" if v else "False"
    if isinstance(v, (np.datetime64, np.timedelta64)):
        return text(asked("numpy.str", v))
    if isinstance(v, (float, np.floating)):
        return _short(v)
    if isinstance(v, (int, np.integer)):
        return _of_int(v)
    if isinstance(v, (complex, np.complexfloating)):
        return _str_complex(complex(v))
    if is_object(v) or isinstance(v, (tuple, list, dict, set, bytes, range)):
        return _str_repr(v)
    return text(asked("numpy.str", v))  # of an array, or a record


def _str_str(v):
    """str(v), which is not format(v, "") for NumPy's narrow floats."""
    if v is None:
        return "None"
    if is_instance(v):
        return text(chars(str(v)))
    if isinstance(v, (np.float16, np.float32)):
        return _narrow(v)
    if isinstance(v, np.complex64):
        return _str_complex(v)
    return _str_of(v)


def _str_by_format(v, spec):
    return text(chars(format(v, spec)))


def _str_unpacked(v, sep, side):
    """What print(*v) writes; side: 1: others come behind it, 2: others stand before it."""
    if isinstance(v, tuple) and not is_object(v):
        return str_join(sep, [*_str_parts(v)])
    s = str_join(sep, [_str_str(e) for e in v])
    if side == 0:
        return s
    if len(v) == 0:
        return ""
    return _str_concat((s, sep) if side == 1 else (sep, s))


def _str_parts(v):
    if len(v) == 0:
        return ()
    return (_str_str(v[0]), *_str_parts(v[1:]))


def _str_complex(v):
    """The real part is left out where it is zero, and not -0.0."""
    x = _without_point(_str_str(v.real))
    y = _without_point(_str_str(v.imag))
    if v.real == 0 and not np.signbit(v.real):
        return _str_concat((y, "j"))
    return _str_concat(("(", x, "" if y[0] == "-" else "+", y, "j)"))


def _without_point(s):
    return s[:-2] if len(s) > 2 and s[-2:] == ".0" else s


def _narrow(v):
    """The shortest digits that mean it among floats of its width."""
    width = np.full(1, 2 if isinstance(v, np.float16) else 4, np.uint32)
    return _formatted_float(float(v), text(width))


def _short(v):
    return _formatted_float(float(v), "")


def _str_repr(v):
    if v is None:
        return "None"
    if is_instance(v):
        return text(chars(repr(v)))
    if isinstance(v, str):
        return _quoted(v)
    if isinstance(v, bytes):
        return _quoted_bytes(v)
    if isinstance(v, bytearray):
        return _str_concat(("bytearray(", _quoted_bytes(v), ")"))
    if isinstance(v, array):
        parts = [", ", _str_repr([x for x in v])] if len(v) > 0 else [""]  # noqa: C416
        return "array('" + v.typecode + "'" + "".join(parts) + ")"
    if isinstance(v, tuple):
        return _repr_row(v) if is_object(v) else _repr_tuple(v)
    if isinstance(v, list):
        return _repr_list(v)
    if isinstance(v, (deque, Counter, OrderedDict, defaultdict)):
        return _repr_collection(v)
    if isinstance(v, dict):
        return _repr_dict(v)
    if isinstance(v, set):
        return "set()" if len(v) == 0 else _repr_set(v)
    if isinstance(v, frozenset):
        return "frozenset()" if len(v) == 0 else _str_concat(("frozenset(", _repr_set(v), ")"))
    if isinstance(v, range):
        return f"range({v.start}, {v.stop})" if v.step == 1 else _repr_range(v)
    if isinstance(v, (np.datetime64, np.timedelta64)):
        return text(asked("numpy.repr", v))
    if isinstance(v, np.bool_):
        return "np.True_" if v else "np.False_"
    if isinstance(v, np.complexfloating):
        s = _str_str(v)
        s = s[1:-1] if s[0] == "(" else s
        return _str_concat(("np.", np.asarray(v).dtype.name, "(", s, ")"))
    if isinstance(v, (np.integer, np.floating)):
        return _str_concat(("np.", np.asarray(v).dtype.name, "(", _str_str(v), ")"))
    if isinstance(v, (bool, int, float, complex)):
        return _str_of(v)
    return text(asked("numpy.repr", v))


def _repr_range(v):
    return f"range({v.start}, {v.stop}, {v.step})"


def _repr_parts(v):
    if len(v) == 0:
        return ()
    return (_str_repr(v[0]), *_repr_parts(v[1:]))


def _named_parts(of, v):
    if len(v) == 0:
        return of
    return (of[0], _str_repr(v[0]), *_named_parts(of[1:], v[1:]))


def _repr_row(v):
    all_of = str_join(", ", [_str_repr(e) for e in v])
    return _str_concat(("(", all_of, ",)" if len(v) == 1 else ")"))


def _repr_tuple(v):
    if len(labels(v)) > 0:
        return _str_concat((*_named_parts(labels(v), v), ")"))
    if len(v) == 1:
        return _str_concat(("(", _str_repr(v[0]), ",)"))
    return _str_concat(("(", str_join(", ", [*_repr_parts(v)]), ")"))


def _repr_list(v):
    return _str_concat(("[", str_join(", ", [_str_repr(e) for e in v]), "]"))


def _repr_collection(v):
    if isinstance(v, deque):
        limit = word(v, 2)
        end = f"], maxlen={limit - 1})" if limit > 0 else "])"
        return _str_concat(("deque([", str_join(", ", [_str_repr(e) for e in v]), end))
    if isinstance(v, Counter):
        parts = [_str_concat((_str_repr(k), ": ", _str_repr(x))) for k, x in v.most_common()]
        return _str_concat(("Counter({", str_join(", ", parts), "})")) if parts else "Counter()"
    if isinstance(v, OrderedDict):
        if len(v) == 0:
            return "OrderedDict()"
        of = _repr_list(list(v.items())) if PAIRS else _repr_dict(v)
        return _str_concat(("OrderedDict(", of, ")"))
    made = _class_text(default_of(v))
    return _str_concat(("defaultdict(<class '", made, "'>, ", _repr_dict(v), ")"))


def _class_text(v):
    if isinstance(v, bool):
        return "bool"
    elif isinstance(v, int):
        return "int"
    elif isinstance(v, float):
        return "float"
    elif isinstance(v, complex):
        return "complex"
    elif isinstance(v, list):
        return "list"
    elif isinstance(v, set):
        return "set"
    elif isinstance(v, (deque, Counter, OrderedDict)):
        static_fail("the text of a defaultdict of deques")
        return ""
    else:
        return "dict"


def _repr_set(v):
    return _str_concat(("{", str_join(", ", [_str_repr(e) for e in v]), "}"))


def _repr_dict(v):
    parts = [_str_concat((_str_repr(k), ": ", _str_repr(x))) for k, x in v.items()]
    return _str_concat(("{", str_join(", ", parts), "}"))


def _quoted(s):
    x = chars(s)
    plain = True
    for i in range(len(x)):
        if x[i] < 32 or x[i] > 126 or x[i] == 39 or x[i] == 92:
            plain = False
    if plain:
        return _str_concat(("'", s, "'"))
    r = np.empty(10 * len(x) + 2, np.uint32)
    n = _kernels.text_method(x, 16, r)
    if n < 0:
        raise MemoryError
    return text(r[:n])


def _quoted_bytes(s):
    """As CPython has it: in single quotes, but where there are single ones and no double ones."""
    x = chars(s)
    single = False
    double = False
    for i in range(len(x)):
        single |= x[i] == 39
        double |= x[i] == 34
    quote = 34 if single and not double else 39
    r = np.empty(4 * len(x) + 3, np.uint32)
    r[0] = 98
    r[1] = quote
    k = 2
    for i in range(len(x)):
        c = x[i]
        short = 116 if c == 9 else 110 if c == 10 else 114 if c == 13 else 0
        if short > 0 or c == quote or c == 92:
            r[k] = 92
            r[k + 1] = short if short > 0 else int(c)
            k += 2
        elif c == 39 and isinstance(s, bytearray):  # for which CPython needs no reason
            r[k] = 92
            r[k + 1] = 39
            k += 2
        elif c < 32 or c > 126:
            r[k] = 92
            r[k + 1] = 120
            r[k + 2] = _hex_digit(c >> 4)
            r[k + 3] = _hex_digit(c & 15)
            k += 4
        else:
            r[k] = c
            k += 1
    r[k] = quote
    return text(r[: k + 1])


def _hex_digit(c):
    return c + 48 if c < 10 else c + 87


def _str_note(s):
    n = _kernels.text_note(chars(_quoted_bytes(s) if isinstance(s, bytes) else s))
    if n < 0:
        raise MemoryError
    return n


def _str_note_repr(s):
    return _str_note(_str_repr(s))


def _str_note_of(v):
    return _str_note(_str_str(v))


# ---- numbers from texts


def _points(s):
    """Of bytes that are a number. What is one in Unicode alone stands for nothing there."""
    if isinstance(s, str):
        return chars(s)
    x = chars(s).astype(np.uint32)
    for i in range(len(x)):
        if x[i] > 127 or (x[i] >= 28 and x[i] < 32):
            x[i] = 0
    return x


def _str_int(s, base):
    x = _points(s)
    n = len(x)
    by = 10 if base is None else index_of(base)
    i = 1 if n > 0 and (x[0] == 45 or x[0] == 43) else 0
    if by == 10 and n > i and n - i <= 18:
        v = 0
        fine = True
        for k in range(i, n):
            fine &= _is_digit(x[k])
            v = v * 10 + int(x[k]) - 48
        if fine:
            return -v if x[0] == 45 else v
        for k in range(i, n):  # a word, or 1.5: nobody need look closer
            if _is_in_no_int(x[k]):
                raise ValueError(f"invalid literal for int() with base 10: {s!r}")
    r = np.empty(1, np.int64)
    if by != 0 and (by < 2 or by > 36):
        raise ValueError("int() base must be >= 2 and <= 36, or 0")
    status = _kernels.text_int(x, by, r)
    if status == 1:
        raise ValueError(f"invalid literal for int() with base {by}: {s!r}")
    if status == 2:
        raise OverflowError("Python int too large to convert to C long")
    if status < 0:
        raise MemoryError
    return int(r[0])


def _is_in_no_int(c):
    """Of ASCII: what is no digit, space, sign or underscore."""
    return (c > 57 and c < 128 and c != 95) or (c > 32 and c < 48 and c != 43 and c != 45)


def _begins_no_float(c):
    """Of ASCII: what is no digit, space, sign or point, nor the i of inf or the n of nan."""
    return (_is_in_no_int(c) and c != 46 and (c | 32) != 105 and (c | 32) != 110) or c == 95


def _str_float(s):
    x = _points(s)
    if len(x) > 0 and _begins_no_float(x[0]):
        raise ValueError(f"could not convert string to float: {s!r}")
    r = np.empty(1)
    status = _kernels.text_float(x, r)
    if status == 1:
        raise ValueError(f"could not convert string to float: {s!r}")
    if status < 0:
        raise MemoryError
    return float(r[0])


# ---- translate


def str_translate(self, table):
    if not isinstance(table, dict):
        static_fail("str.translate takes a dict in compiled code, as str.maketrans makes one")
    x = chars(self)
    known = np.zeros(128, np.bool_)
    size = np.empty(128, np.int64)
    n = 0
    for c in x:
        if c < 128 and known[c]:
            n += size[c]
            continue
        m = _translated_length(table, int(c))
        n += m
        if c < 128:
            known[c] = True
            size[c] = m
    r = np.empty(n, np.uint32)
    first = np.zeros(128, np.uint32)
    k = 0
    for c in x:
        if c < 128 and first[c] > 0:
            r[k] = first[c] - 1
            k += 1
            continue
        m = _put_translated(r, k, table, int(c))
        if m == 1 and c < 128:
            first[c] = r[k] + 1
        k += m
    return text(r)


def _translated_length(table, c):
    if c in table:
        v = table[c]
        if v is None:
            return 0
        if isinstance(v, str):
            return len(v)
        if v < 0 or v > 0x10FFFF:
            raise ValueError("character mapping must be in range(0x110000)")
    return 1


def _put_translated(r, k, table, c):
    if c in table:
        v = table[c]
        if v is None:
            return 0
        if isinstance(v, str):
            y = chars(v)
            paste(r, k, y)
            return len(y)
        r[k] = v
    else:
        r[k] = c
    return 1


_NONE = 2**32 - 1


def _texts(r):
    """A list, of what _texts of swathe._asked has made."""
    n = int(r[0])
    at = 1 + n
    parts = []
    for k in range(1, n + 1):
        m = int(r[k])
        if m == _NONE:
            raise NotImplementedError("re.split with a group that may not match, in compiled code")
        parts.append(text(r[at : at + m]))
        at += m
    return parts
