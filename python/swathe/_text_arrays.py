# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of str and bytes of fixed width in compiled code: an object over the array of their code
points, whose last axis is one element, with zeros behind its end, as NumPy has it. There is a class
for each kind, number of axes, and for memory that nobody may change, so that each has one type of
array."""

import numpy as np

from swathe import static_fail
from swathe._objects import chars, is_fixed, text

# ruff: noqa: E721, N805, D101, D102, D103, D105, N807, SIM110, PLR2004


# ---- elements


def _length(p):
    """Return the number of code points before the zeros at the end."""
    n = len(p)
    while n > 0 and p[n - 1] == 0:
        n -= 1
    return n


def _text_at(p):
    return text(p[: _length(p)].copy())


def _order(p, q):
    """Return -1, 0 or 1, as one row of code points stands before, beside or behind another."""
    n = min(len(p), len(q))
    for k in range(n):
        if p[k] != q[k]:
            return -1 if p[k] < q[k] else 1
    for k in range(n, len(p)):
        if p[k] != 0:
            return 1
    for k in range(n, len(q)):
        if q[k] != 0:
            return -1
    return 0


def _put(p, q):
    """Store an element; what it is too long for is left out."""
    n = min(len(p), len(q))
    p[:n] = q[:n]
    p[n:] = 0


def _rows(x):
    return x.reshape(-1, x.shape[-1])


# ---- made of others


def _made(x):
    """Return the array over code points."""
    if is_fixed(x):
        if x.dtype == np.uint32:
            if x.ndim == 2:
                return _FIXED["U1"](x)
            elif x.ndim == 3:
                return _FIXED["U2"](x)
        elif x.ndim == 2:
            return _FIXED["S1"](x)
        elif x.ndim == 3:
            return _FIXED["S2"](x)
    elif x.dtype == np.uint32:
        if x.ndim == 2:
            return _PLAIN["U1"](x)
        elif x.ndim == 3:
            return _PLAIN["U2"](x)
    elif x.ndim == 2:
        return _PLAIN["S1"](x)
    elif x.ndim == 3:
        return _PLAIN["S2"](x)
    static_fail("arrays of strings have one or two dimensions in compiled code")


def of_texts(values, points):
    """Return the array of a list, as wide as its longest element."""
    width = 1
    for v in values:
        width = max(width, len(v))
    x = np.zeros((len(values), width), points)
    for i in range(len(values)):
        p = chars(values[i])
        x[i, : len(p)] = p
    return _made(x)


def of_rows(values, points):
    """Return the array of a list of rows of strings."""
    width = _width_of(values)
    return _made(np.stack([_padded(of_texts(row, points)._of, width) for row in values]))


def _width_of(rows):
    width = 1
    for row in rows:
        for v in row:
            width = max(width, len(v))
    return width


def _padded(x, width):
    """Return elements of another width; what they are too long for is left out."""
    r = np.zeros((*x.shape[:-1], width), x.dtype)
    n = min(width, x.shape[-1])
    r[..., :n] = x[..., :n]
    return r


def resized(a, dtype):
    """Return it as of another dtype: "U5"."""
    width = _width_in(dtype)
    return _made(_padded(a._of, width if width > 0 else a._of.shape[-1]))


def _width_in(dtype):
    digits = dtype.lstrip("<|=US")
    return int(digits) if digits else 0


def _of_width(values, width, like):
    """Return the array of a list of strings, each as long as `width` at most, of the shape and kind
    of `like`."""
    x = np.zeros((len(values), width), like._of.dtype)
    for i in range(len(values)):
        _put(x[i], chars(values[i]))
    return _made(x.reshape((*like.shape, width)))


def zeros(shape, dtype, points):
    """Return an array of empty elements: np.zeros(shape, "U5")."""
    width = max(_width_in(dtype), 1)
    size = shape if isinstance(shape, tuple) else (shape,)
    return _made(np.zeros((*size, width), points))


def where(condition, x, y, points):
    """Return np.where of two strings."""
    return _where(condition, of_texts([x], points), y)


def _points(self, other):
    """Return the code points of an operand: of one element a row, of others an array."""
    if isinstance(other, TextArray):
        if other._of.dtype != self._of.dtype:
            static_fail("arrays of str and of bytes are not compared", True)
        return other._of
    elif isinstance(other, (str, bytes)):
        if chars(other).dtype != self._of.dtype:
            static_fail("arrays of str and of bytes are not compared", True)
        return chars(other)
    elif isinstance(other, (list, tuple)):
        return of_texts(other, self._of.dtype)._of
    else:
        static_fail("an array of strings with a value that is none", True)


def _shape_of(x):
    return x.shape[:-1]


def _compared(self, other, op):
    """Return the elements' order in one of six operators."""
    a, b = self._of, _points(self, other)
    shape = np.broadcast_shapes(_shape_of(a), _shape_of(b))
    p = _rows(np.broadcast_to(a, (*shape, a.shape[-1])))
    q = _rows(np.broadcast_to(b, (*shape, b.shape[-1])))
    r = np.empty(len(p), np.bool_)
    for i in range(len(p)):
        k = _order(p[i], q[i])
        if op == "==":
            r[i] = k == 0
        elif op == "!=":
            r[i] = k != 0
        elif op == "<":
            r[i] = k < 0
        elif op == "<=":
            r[i] = k <= 0
        elif op == ">":
            r[i] = k > 0
        else:
            r[i] = k >= 0
    return r.reshape(shape)


def _merged(x, order, into, lo, mid, hi):
    i, j = lo, mid
    for k in range(lo, hi):
        if j >= hi or (i < mid and _order(x[order[i]], x[order[j]]) <= 0):
            into[k] = order[i]
            i += 1
        else:
            into[k] = order[j]
            j += 1


def _sorted_places(x):
    """Return the places of rows in order: a stable merge sort, from the bottom up."""
    n = len(x)
    order, other = np.arange(n), np.empty(n, np.int64)
    run = 1
    while run < n:
        for lo in range(0, n, 2 * run):
            _merged(x, order, other, lo, min(lo + run, n), min(lo + 2 * run, n))
        order, other = other, order
        run *= 2
    return order


def _texts(self):
    return [_text_at(p) for p in _rows(self._of)]


# ---- the classes


class TextArray:
    kind = "U"
    ndim = 1
    readonly = False
    _swathe_strided = True

    def __init__(self, of):
        self._of = of

    @property
    def shape(self):
        return self._of.shape[:-1]

    @property
    def size(self):
        n = 1
        for k in self._of.shape[:-1]:
            n *= k
        return n

    @property
    def itemsize(self):
        return self._of.shape[-1] * self._of.itemsize

    @property
    def nbytes(self):
        return self.size * self.itemsize

    @property
    def T(self):  # noqa: N802
        return self.transpose()

    def transpose(self):
        if self.ndim == 1:
            return _made(self._of)
        else:
            return _made(self._of.transpose(1, 0, 2))

    def __len__(self):
        return len(self._of)

    def __iter__(self):
        if self.ndim == 1:
            return iter(_texts(self))
        else:
            return iter([_made(p) for p in self._of])

    def __getitem__(self, key):
        if isinstance(key, tuple):
            x = self._of[(*key, slice(None))]
        else:
            if isinstance(key, np.ndarray) and key.dtype == np.bool_ and key.ndim > self.ndim:
                static_fail("too many indices for an array of strings")
            x = self._of[key]
        if x.ndim == 1:
            return _text_at(x)
        else:
            return _made(x)

    def __setitem__(self, key, value):
        if self.readonly:
            raise ValueError("assignment destination is read-only")
        elif isinstance(key, (int, np.integer)) and self.ndim == 1:
            if not isinstance(value, (str, bytes)):
                static_fail("an array of strings is stored a value that is none", True)
            _put(self._of[key], _points(self, value))
        else:
            x = _padded(_points(self, value), self._of.shape[-1])
            if isinstance(key, tuple):
                self._of[(*key, slice(None))] = x
            else:
                self._of[key] = x

    def __contains__(self, value):
        q = _points(self, value)
        for p in _rows(self._of):
            if _order(p, q) == 0:
                return True
        return False

    def __eq__(self, other):
        return _compared(self, other, "==")

    def __ne__(self, other):
        return _compared(self, other, "!=")

    def __lt__(self, other):
        return _compared(self, other, "<")

    def __le__(self, other):
        return _compared(self, other, "<=")

    def __gt__(self, other):
        return _compared(self, other, ">")

    def __ge__(self, other):
        return _compared(self, other, ">=")

    def __add__(self, other):
        return _added(self, _points(self, other), False)

    def __radd__(self, other):
        return _added(self, _points(self, other), True)

    def __bool__(self):
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all()"
            )
        return _length(_rows(self._of)[0]) > 0

    def tolist(self):
        if self.ndim == 1:
            return _texts(self)
        else:
            return [[_text_at(p) for p in row] for row in self._of]

    def copy(self):
        return _made(self._of.copy())

    def ravel(self):
        return _made(_rows(self._of))

    def flatten(self):
        return _made(_rows(self._of).copy())

    def fill(self, value):
        self[:] = value

    def argsort(self, axis=-1, kind=None):
        _one_axis(self)
        return _sorted_places(self._of)

    def sort(self, axis=-1, kind=None):
        if axis != -1:
            _one_axis(self)
        if self.readonly:
            raise ValueError("sort array is read-only")
        else:
            self._of[:] = _np_sort_rows(self)

    def item(self, k):
        return _text_at(_rows(self._of)[k])

    def take(self, indices):
        return self._np_take(indices)

    def reshape(self, *shape):
        return self._np_reshape(shape[0] if len(shape) == 1 else shape)

    def repeat(self, repeats):
        return self._np_repeat(repeats)

    def astype(self, dtype):
        if dtype == np.float64 or dtype == float:
            r = np.empty(self.size, np.float64)
            for i in range(len(r)):
                r[i] = float(_text_at(_rows(self._of)[i]))
            return r.reshape(self.shape)
        elif dtype == np.int64 or dtype == int:
            k = np.empty(self.size, np.int64)
            for i in range(len(k)):
                k[i] = int(_text_at(_rows(self._of)[i]))
            return k.reshape(self.shape)
        else:
            static_fail("arrays of strings become arrays of float64 and int64: x.astype(float)")

    # what NumPy's functions call of the same names

    def _np_sort(self, axis=-1, kind=None):
        if axis != -1:
            _one_axis(self)
        return _made(_np_sort_rows(self))

    def _np_argsort(self, axis=-1, kind=None):
        return self.argsort()

    def _np_unique(self, return_index=False, return_inverse=False, return_counts=False):
        return _unique(self, return_index, return_inverse, return_counts)

    def _np_copy(self):
        return self.copy()

    def _np_array(self):
        return self.copy()

    def _np_asarray(self):
        return self

    def _np_ravel(self):
        return self.ravel()

    def _np_size(self, axis=None):
        return self.size if axis is None else self.shape[axis]

    def _np_shape(self):
        return self.shape

    def _np_ndim(self):
        return self.ndim

    def _np_flip(self, axis=None):
        _one_axis(self)
        return _made(self._of[::-1])

    def _np_take(self, indices, axis=None):
        x = np.take(_rows(self._of), indices, axis=0)
        if axis is not None:
            _one_axis(self)
        if x.ndim == 1:
            return _text_at(x)
        else:
            return _made(x)

    def _np_reshape(self, shape):
        if isinstance(shape, tuple):
            return _made(self._of.reshape((*shape, self._of.shape[-1])))
        else:
            return _made(self._of.reshape((shape, self._of.shape[-1])))

    def _np_repeat(self, repeats, axis=None):
        _one_axis(self)
        return _made(np.repeat(self._of, repeats, axis=0))

    def _np_roll(self, shift, axis=None):
        _one_axis(self)
        return _made(np.roll(self._of, shift, axis=0))

    def _np_tile(self, reps):
        _one_axis(self)
        if isinstance(reps, tuple):
            static_fail("np.tile of an array of strings takes one number")
        return _made(np.tile(self._of, (reps, 1)))

    def _np_delete(self, obj, axis=None):
        _one_axis(self)
        return _made(np.delete(self._of, obj, axis=0))

    def _np_insert(self, obj, values, axis=None):
        _one_axis(self)
        x = _padded(_points(self, values), self._of.shape[-1])
        return _made(np.insert(self._of, obj, x, axis=0))

    def _np_vstack(tup):
        return _stacked(tup)

    def _np_stack(arrays, axis=0):
        if axis != 0:
            static_fail("np.stack of arrays of strings along another axis than 0")
        return _stacked(arrays)

    def _np_hstack(tup):
        return _concatenated(tup, 0 if tup[0].ndim == 1 else 1)

    def _np_union1d(self, ar2):
        return _unique(_concatenated((self.ravel(), ar2.ravel()), 0), False, False, False)

    def _np_intersect1d(self, ar2):
        known = set(_texts(ar2))
        return _kept_of(self, [s in known for s in _texts(self)])

    def _np_setdiff1d(self, ar2):
        known = set(_texts(ar2))
        return _kept_of(self, [s not in known for s in _texts(self)])

    def _np_isin(self, test_elements, assume_unique=False, invert=False):
        r = np.empty(self.size, np.bool_)
        known = {_text_at(p) for p in _rows(_points(self, test_elements))}
        rows = _rows(self._of)
        for i in range(len(r)):
            r[i] = (_text_at(rows[i]) in known) != invert
        return r.reshape(self.shape)

    def _np_searchsorted(self, v, side="left"):
        if isinstance(v, TextArray):
            rows = _rows(v._of)
            r = np.empty(len(rows), np.int64)
            for i in range(len(rows)):
                r[i] = _place(self._of, rows[i], side)
            return r.reshape(v.shape)
        else:
            return _place(self._of, _points(self, v), side)

    def _np_array_equal(self, a2):
        if isinstance(a2, TextArray) and self.shape != a2.shape:
            return False
        return bool((self == a2).all())

    def _np_concatenate(arrays, axis=0):
        return _concatenated(arrays, axis)

    def _np_where(condition, x, y):
        return _where(condition, x, y)

    def _np_append(self, values, axis=None):
        return _concatenated((self.ravel(), _made(_rows(_points(self, values)))), 0)

    def _np_count_nonzero(self, axis=None):
        n = 0
        for p in _rows(self._of):
            n += _length(p) > 0
        return n

    def _np_equal(self, x2):
        return self == x2

    def _np_not_equal(self, x2):
        return self != x2

    def _np_less(self, x2):
        return self < x2

    def _np_less_equal(self, x2):
        return self <= x2

    def _np_greater(self, x2):
        return self > x2

    def _np_greater_equal(self, x2):
        return self >= x2

    def _np_add(self, x2):
        return self + x2


def _one_axis(self):
    if self.ndim != 1:
        static_fail("this function takes arrays of strings of one dimension in compiled code")


def _kept_of(self, keeps):
    x = _rows(self._of)[np.array(keeps, np.bool_)]
    return _unique(_made(x), False, False, False)


def _stacked(arrays):
    width = 1
    for a in arrays:
        width = max(width, a._of.shape[-1])
    if arrays[0].ndim == 1:
        return _made(np.stack([_padded(a._of, width) for a in arrays]))
    else:
        return _made(np.concatenate([_padded(a._of, width) for a in arrays]))


def _concatenated(arrays, axis):
    if axis is None or axis < 0:
        static_fail("arrays of strings are concatenated along an axis that is not negative")
    width = 1
    for a in arrays:
        width = max(width, a._of.shape[-1])
    return _made(np.concatenate([_padded(a._of, width) for a in arrays], axis=axis))


def _where(condition, x, y):
    if isinstance(x, TextArray):
        a, b = x._of, _points(x, y)
    else:
        a, b = _points(y, x), y._of
    width = max(a.shape[-1], b.shape[-1])
    return _made(np.where(condition[..., np.newaxis], _padded(a, width), _padded(b, width)))


def _np_sort_rows(self):
    if self.ndim == 1:
        return self._of[_sorted_places(self._of)]
    else:
        x = self._of.copy()
        for i in range(len(x)):
            x[i] = x[i][_sorted_places(x[i])]
        return x


def _place(x, q, side):
    lo, hi = 0, len(x)
    while lo < hi:
        mid = (lo + hi) // 2
        k = _order(x[mid], q)
        if k < 0 or (k == 0 and side == "right"):
            lo = mid + 1
        else:
            hi = mid
    return lo


def _unique(self, return_index, return_inverse, return_counts):
    x = _rows(self._of)
    order = _sorted_places(x)
    n = len(x)
    first = np.empty(n, np.bool_)
    for i in range(n):
        first[i] = i == 0 or _order(x[order[i - 1]], x[order[i]]) != 0
    starts = np.flatnonzero(first)
    values = _made(x[order[starts]])
    inverse = np.empty(n, np.int64)
    inverse[order] = np.cumsum(first) - 1
    counts = np.diff(np.append(starts, n))
    if return_index:
        if return_inverse:
            if return_counts:
                return values, order[starts], inverse.reshape(self.shape), counts
            else:
                return values, order[starts], inverse.reshape(self.shape)
        elif return_counts:
            return values, order[starts], counts
        else:
            return values, order[starts]
    elif return_inverse:
        if return_counts:
            return values, inverse.reshape(self.shape), counts
        else:
            return values, inverse.reshape(self.shape)
    elif return_counts:
        return values, counts
    else:
        return values


def _added(self, b, swapped):
    a = self._of
    if swapped:
        return _joined(b, a)
    else:
        return _joined(a, b)


def _joined(a, b):
    shape = np.broadcast_shapes(_shape_of(a), _shape_of(b))
    p = _rows(np.broadcast_to(a, (*shape, a.shape[-1])))
    q = _rows(np.broadcast_to(b, (*shape, b.shape[-1])))
    r = np.zeros((len(p), a.shape[-1] + b.shape[-1]), a.dtype)
    for i in range(len(p)):
        n = _length(p[i])
        r[i, :n] = p[i, :n]
        r[i, n : n + q.shape[-1]] = q[i]
    return _made(r.reshape((*shape, r.shape[-1])))


# ---- between these and NumPy's


def taken(a: np.ndarray) -> TextArray:
    """Return what stands for an argument."""
    kind = a.dtype.kind + str(a.ndim)
    fixed = not a.flags.writeable
    if (
        kind not in _PLAIN
        or not a.dtype.isnative
        or a.dtype.itemsize == 0
        or type(a) is not np.ndarray
    ):
        raise TypeError(
            f"it is an array of {a.dtype.str} with {a.ndim} dimensions; compiled code takes arrays "
            "of strings of one or two, in this machine's byte order: pass x.tolist()"
        )
    points = a[..., None].view(np.uint32 if a.dtype.kind == "U" else np.uint8)
    of = (_FIXED if fixed else _PLAIN)[kind](points)
    of._view = a
    return of


def _restored(of: TextArray) -> np.ndarray:
    view = vars(of).get("_view")
    if view is None:
        x = of._of
        view = x.view(f"{of.kind}{x.shape[-1]}")[..., 0]
    return view


def _class(kind: str, ndim: int, readonly: bool) -> type:
    name = f"text_array_{kind}{ndim}{'_readonly' * readonly}"
    has = {"kind": kind, "ndim": ndim, "readonly": readonly}
    has |= {"_swathe_restored": staticmethod(_restored)}
    made = type(
        "str_array" if kind == "U" else "bytes_array",
        (TextArray,),
        {**has, "__module__": __name__, "__qualname__": name},
    )
    globals()[name] = made
    return made


_PLAIN = {f"{kind}{n}": _class(kind, n, False) for kind in "US" for n in (1, 2)}
_FIXED = {f"{kind}{n}": _class(kind, n, True) for kind in "US" for n in (1, 2)}
