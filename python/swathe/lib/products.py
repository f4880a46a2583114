# SPDX-License-Identifier: BSD-3-Clause
"""Products of arrays that are summed over some axes, and the array API's names in np.linalg."""

import numpy as np

from swathe.lib.shapes import _check_same_kind, _common, _count, _ones


def _dot_many(a, b, out=None):
    """np.dot of two arrays of which one has more than two axes: all rows by all columns."""
    x, y = np.asarray(a), np.asarray(b)
    before, n = x.shape[:-1], x.shape[x.ndim - 1]
    columns = y if y.ndim < 3 else np.moveaxis(y, -2, 0)
    if n != columns.shape[0]:
        raise ValueError(
            f"shapes not aligned: {n} (dim {x.ndim - 1}) != {columns.shape[0]} "
            f"(dim {max(y.ndim - 2, 0)})"
        )
    behind = columns.shape[1:]
    z = np.dot(x.reshape((_count(before), n)), columns.reshape((n, _count(behind))))
    r = z.reshape((*before, *behind))
    if out is not None:
        if out.dtype != r.dtype or out.shape != r.shape or out.strides != r.strides:
            raise ValueError(
                "output array is not acceptable (must have the right datatype, number of "
                "dimensions, and be a C-Array)"
            )
        out[...] = r
        return out
    return r


def matrix_transpose(x):
    """The last two axes exchanged."""
    x = np.asarray(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return np.swapaxes(x, -1, -2)


def linalg_matrix_transpose(x):
    """The last two axes exchanged."""
    return matrix_transpose(x)


def linalg_vecdot(x1, x2, *, axis=-1):
    """Sum of conj(x1) * x2 along an axis of both."""
    a, b = np.asarray(x1), np.asarray(x2)
    np.size(a, axis)  # which must be there
    np.size(b, axis)
    return np.vecdot(np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1))


def linalg_outer(x1, x2):
    """All products of an element of a vector with one of another."""
    a, b = np.asarray(x1), np.asarray(x2)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError(
            "Input arrays must be one-dimensional, but they are "
            f"x1.ndim={a.ndim} and x2.ndim={b.ndim}."
        )
    return np.outer(a, b)


def linalg_cross(x1, x2, *, axis=-1):
    """Vector product along an axis of three elements."""
    a, b = np.asarray(x1), np.asarray(x2)
    n, m = np.size(a, axis), np.size(b, axis)
    if n != 3 or m != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {n} and {m} dimensional instead."
        )
    return np.moveaxis(np.cross(np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)), -1, axis)


def linalg_trace(x, *, offset=0, dtype=None):
    """Sum along the diagonal of the last two axes."""
    return np.sum(np.diagonal(np.asarray(x), offset, -2, -1), axis=-1, dtype=dtype)


def linalg_diagonal(x, *, offset=0):
    """The diagonal of the last two axes."""
    return np.diagonal(np.asarray(x), offset, -2, -1)


def linalg_matmul(x1, x2):
    """The product of matrices, or of each two in stacks."""
    return np.matmul(x1, x2)


def linalg_matrix_norm(x, *, keepdims=False, ord="fro"):
    """The norm of a matrix, or of each in a stack."""
    return np.linalg.norm(x, ord, (-2, -1), keepdims)


def linalg_vector_norm(x, *, axis=None, keepdims=False, ord=2):
    """The norm of all elements, or of those along some axes, as one vector."""
    a = np.asarray(x)
    if axis is None:
        r = np.linalg.norm(a.ravel(), ord)
        return np.reshape(r, _ones(a.ndim)) if keepdims else r
    elif isinstance(axis, tuple):
        r = _norm_along(a, axis, (), ord)
        return np.expand_dims(r, axis) if keepdims else r
    else:
        return np.linalg.norm(a, ord, axis, keepdims)


def _norm_along(a, axis, first, ord):
    n = len(axis)
    if len(first) < n:
        return _norm_along(a, axis, (*first, len(first)), ord)
    v = np.moveaxis(a, axis, first)
    return np.linalg.norm(v.reshape((_count(v.shape[:n]), *v.shape[n:])), ord, 0)


def linalg_tensordot(x1, x2, *, axes=2):
    """Sum of products over some axes of both."""
    return tensordot(x1, x2, axes)


def tensordot(a, b, axes=2):
    """Sum of products over some axes of both: the last of a and the first of b, or those that two
    tuples name."""
    x, y = np.asarray(a), np.asarray(b)
    if isinstance(axes, int):
        return _by_count(x, y, axes, (), ())
    elif not isinstance(axes, tuple) or len(axes) != 2:
        raise TypeError("axes must be an integer, or two integers or tuples of these")
    elif isinstance(axes[0], tuple) and isinstance(axes[1], tuple):
        return _contract(x, y, axes[0], axes[1])
    elif isinstance(axes[0], tuple):
        return _contract(x, y, axes[0], (axes[1],))
    elif isinstance(axes[1], tuple):
        return _contract(x, y, (axes[0],), axes[1])
    else:
        return _contract(x, y, (axes[0],), (axes[1],))


def _by_count(a, b, n, of_a, of_b):
    if len(of_a) >= n:
        return _contract(a, b, of_a, of_b)
    return _by_count(a, b, n, (-1 - len(of_a), *of_a), (*of_b, len(of_b)))


def _contract(a, b, of_a, of_b):
    return _distinct(a, b, of_a, of_b, of_a, 0, 1, False)


def _distinct(a, b, of_a, of_b, axes, i, j, last):
    """Goes on unless an axis of `axes`, which are either's, is there twice."""
    if i >= len(axes):
        if last:
            return _of_distinct(a, b, of_a, of_b)
        return _distinct(a, b, of_a, of_b, of_b, 0, 1, True)
    elif j >= len(axes):
        return _distinct(a, b, of_a, of_b, axes, i + 1, i + 2, last)
    elif axes[i] == axes[j]:
        raise ValueError("duplicate axes are not allowed in tensordot")
    else:
        return _distinct(a, b, of_a, of_b, axes, i, j + 1, last)


def _of_distinct(a, b, of_a, of_b):
    if len(of_a) != len(of_b) or not _agree(a.shape, b.shape, of_a, of_b):
        raise ValueError("shape-mismatch for sum")
    else:
        return _move_apart(a, b, of_a, of_b, (), ())


def _agree(s, t, of_a, of_b):
    if len(of_a) == 0 or len(of_b) == 0:
        return True
    return s[of_a[0]] == t[of_b[0]] and _agree(s, t, of_a[1:], of_b[1:])


def _move_apart(a, b, of_a, of_b, last, first):
    """With the axes that are summed over behind the others of a and before those of b."""
    n = len(of_a)
    if len(last) < n:
        return _move_apart(a, b, of_a, of_b, (-1 - len(last), *last), (*first, len(first)))
    x = np.moveaxis(a, of_a, last)
    y = np.moveaxis(b, of_b, first)
    rows, columns = x.shape[: a.ndim - n], y.shape[n:]
    summed = _count(y.shape[:n])
    r = np.dot(x.reshape((_count(rows), summed)), y.reshape((summed, _count(columns))))
    return r.reshape((*rows, *columns))


# --- einsum: the subscripts are known when it is compiled, and so is all that is made of them -----


def einsum(subscripts, *operands, out=None, optimize=False):
    """Sum of products over the axes whose letters the result lacks; optimize: two by two."""
    if out is not None:
        r = np.asarray(einsum(subscripts, *operands, optimize=optimize))
        if r.shape != out.shape:
            raise ValueError("out has another shape than the result")
        _check_same_kind(r.dtype, out.dtype)
        out[...] = r
        return out
    if "." in subscripts:
        return _dotted(subscripts, 0, 0, 0, 0, operands, (operands, optimize))
    else:
        return _lettered(subscripts, operands, optimize)


def _lettered(subscripts, operands, optimize):
    if len(operands) > 2:  # all meet before the first product
        alike = _of_kind(operands, _common(operands))
        if optimize and "->" in subscripts:
            return _two_by_two(subscripts, 0, "", "", 0, "", alike)
        return _read(subscripts, 0, "", "", "", alike)
    return _read(subscripts, 0, "", "", "", operands)


# An ellipsis stands for the axes that have no letters. They get some that the text lacks, the last
# axis the last one, so that what is behind this knows of letters only.


_NO_ELLIPSIS = (
    "einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...')"
)


def _dotted(text, i, n, dots, wide, rest, known):
    """Reads how many axes an ellipsis stands for at most: those of `rest` without the n letters."""
    if i == len(text):
        return _widest(text, i, n, dots, wide, rest, known)
    elif text[i] in ",-":
        return _widest(text, i, n, dots, wide, rest, known)
    elif text[i] == " ":
        return _dotted(text, i + 1, n, dots, wide, rest, known)
    elif text[i] != ".":
        return _dotted(text, i + 1, n + 1, dots, wide, rest, known)
    elif dots == 1 or i + 2 >= len(text):
        raise ValueError(_NO_ELLIPSIS)
    elif text[i + 1] + text[i + 2] != "..":
        raise ValueError(_NO_ELLIPSIS)
    else:
        return _dotted(text, i + 3, n, 1, wide, rest, known)


def _widest(text, i, n, dots, wide, rest, known):
    if len(rest) == 0:
        raise ValueError(
            "more operands provided to einstein sum function than specified in the subscripts "
            "string"
        )
    elif np.ndim(rest[0]) < n or (dots == 0 and np.ndim(rest[0]) > n):
        raise ValueError(
            "einstein sum subscripts string does not fit how many dimensions an operand has"
        )
    elif dots == 1 and np.ndim(rest[0]) - n > wide:
        return _next_dotted(text, i, np.ndim(rest[0]) - n, rest[1:], known)
    else:
        return _next_dotted(text, i, wide, rest[1:], known)


def _next_dotted(text, i, wide, rest, known):
    if i == len(text):
        return _name(text, 0, "", wide, known)
    elif text[i] == "-":
        return _name(text, 0, "", wide, known)
    else:
        return _dotted(text, i + 1, 0, 0, wide, rest, known)


def _name(text, k, names, wide, known):
    """Finds as many letters as there are such axes that are not in the text."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    if len(names) == wide:
        return _spell(text, 0, "", "", "", 0, names, known[0], known)
    elif k == len(letters):
        raise ValueError("too many subscripts in einsum")
    elif letters[k] in text:
        return _name(text, k + 1, names, wide, known)
    else:
        return _name(text, k + 1, names + letters[k], wide, known)


def _spell(text, i, done, head, tail, dots, names, rest, known):
    """Writes letters for the ellipsis between the head and the tail of each term."""
    if i == len(text):
        return _spelled(text, i, done, head, tail, dots, names, rest, known)
    elif text[i] in ",-":
        return _spelled(text, i, done, head, tail, dots, names, rest, known)
    elif text[i] == " ":
        return _spell(text, i + 1, done, head, tail, dots, names, rest, known)
    elif text[i] == ".":
        return _spell(text, i + 3, done, head, tail, 1, names, rest, known)
    elif dots == 0:
        return _spell(text, i + 1, done, head + text[i], tail, 0, names, rest, known)
    else:
        return _spell(text, i + 1, done, head, tail + text[i], 1, names, rest, known)


def _spelled(text, i, done, head, tail, dots, names, rest, known):
    if dots == 0:
        return _term(text, i, done + head, names, rest, known)
    else:
        first = len(names) - (np.ndim(rest[0]) - len(head) - len(tail))
        return _fill(text, i, done + head, first, tail, names, rest, known)


def _fill(text, i, done, k, tail, names, rest, known):
    if k == len(names):
        return _term(text, i, done + tail, names, rest, known)
    else:
        return _fill(text, i, done + names[k], k + 1, tail, names, rest, known)


def _term(text, i, done, names, rest, known):
    if i == len(text):  # the axes of an ellipsis come first in a result that is not written
        return _lettered(done + "." + names, known[0], known[1])
    elif text[i] == "-":
        return _spell_result(text, i + 2, done + "->", 0, names, known)
    else:
        return _spell(text, i + 1, done + ",", "", "", 0, names, rest[1:], known)


def _spell_result(text, i, done, dots, names, known):
    if i >= len(text):
        if dots == 0 and len(names) > 0:
            raise ValueError(
                "output has more dimensions than subscripts given in einstein sum, but no '...' "
                "ellipsis provided to broadcast the extra dimensions."
            )
        else:
            return _lettered(done, known[0], known[1])
    elif text[i] != ".":
        return _spell_result(text, i + 1, done + text[i], dots, names, known)
    elif dots == 1 or i + 2 >= len(text):
        raise ValueError(_NO_ELLIPSIS)
    elif text[i + 1] + text[i + 2] != "..":
        raise ValueError(_NO_ELLIPSIS)
    else:
        return _spell_result(text, i + 3, done + names, 1, names, known)


def _two_by_two(text, i, head, letters, commas, rest, operands):
    """Reads what the first two operands are called, and the rest of the subscripts."""
    if i >= len(text):
        if commas < 2:
            return _read(text, 0, "", "", "", operands)
        else:
            return _meet(letters, 0, "", head, rest, operands)
    elif text[i] == " ":
        return _two_by_two(text, i + 1, head, letters, commas, rest, operands)
    elif commas == 2:
        return _two_by_two(text, i + 1, head, letters, 2, rest + text[i], operands)
    elif text[i] == "," and commas == 1:
        return _two_by_two(text, i + 1, head, letters, 2, "", operands)
    elif text[i] == ",":
        return _two_by_two(text, i + 1, head + ",", letters, 1, "", operands)
    else:
        return _two_by_two(text, i + 1, head + text[i], letters + text[i], commas, "", operands)


def _met(head, kept, rest, operands):
    """What the first two are together, in place of both."""
    first = np.asarray(_read(head + "->" + kept, 0, "", "", "", operands[:2]))
    if len(operands) > 3:
        return _two_by_two(kept + "," + rest, 0, "", "", 0, "", (first, *operands[2:]))
    else:
        return _read(kept + "," + rest, 0, "", "", "", (first, *operands[2:]))


def _meet(letters, i, kept, head, rest, operands):
    """Finds the letters of the first two that are in the rest, each once."""
    if i == len(letters):
        return _met(head, kept, rest, operands)
    elif letters[i] in rest and letters[i] not in kept:
        return _meet(letters, i + 1, kept + letters[i], head, rest, operands)
    else:
        return _meet(letters, i + 1, kept, head, rest, operands)


def _of_kind(operands, kind):
    if len(operands) == 0:
        return ()
    a = np.asarray(operands[0])
    if a.dtype == kind.dtype:
        return (a, *_of_kind(operands[1:], kind))
    return (a.astype(kind.dtype), *_of_kind(operands[1:], kind))


def _read(text, i, terms, seen, twice, operands):
    """Reads what stands before the arrow: letters that are there, and those that are twice."""
    if i == len(text):
        return _implied(0, terms, seen, twice, "", operands)
    elif text[i] == " ":
        return _read(text, i + 1, terms, seen, twice, operands)
    elif text[i] == ",":
        return _read(text, i + 1, terms + ",", seen, twice, operands)
    elif text[i] == "-":
        return _read_result(text, i + 2, terms, seen, "", operands)
    elif text[i] == ".":  # letters of an ellipsis, which begin the result
        return _unwritten(text, i + 1, terms, seen, twice, "", operands)
    elif text[i] not in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz":
        raise ValueError(
            f"np.einsum in compiled code takes letters, '...', commas and an arrow, not '{text[i]}'"
        )
    elif text[i] in seen:
        return _read(text, i + 1, terms + text[i], seen, twice + text[i], operands)
    else:
        return _read(text, i + 1, terms + text[i], seen + text[i], twice, operands)


def _unwritten(text, i, terms, seen, twice, result, operands):
    if i == len(text):
        return _implied(0, terms, seen, twice, result, operands)
    else:
        c = text[i]
        return _unwritten(text, i + 1, terms, seen, twice + c, result + c, operands)


def _implied(k, terms, seen, twice, result, operands):
    """Without an arrow the letters that are there once, in order."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    if k == len(letters):
        return _find_summed(0, terms, seen, result, result, operands)
    elif letters[k] in seen and letters[k] not in twice:
        return _implied(k + 1, terms, seen, twice, result + letters[k], operands)
    else:
        return _implied(k + 1, terms, seen, twice, result, operands)


def _read_result(text, i, terms, seen, result, operands):
    if i >= len(text):
        return _find_summed(0, terms, seen, result, result, operands)
    elif text[i] == " ":
        return _read_result(text, i + 1, terms, seen, result, operands)
    elif text[i] not in seen:
        raise ValueError(
            f"einstein sum subscripts string included output subscript '{text[i]}' which never "
            "appeared in an input"
        )
    elif text[i] in result:
        raise ValueError(
            f"einstein sum subscripts string includes output subscript '{text[i]}' multiple times"
        )
    else:
        return _read_result(text, i + 1, terms, seen, result + text[i], operands)


def _find_summed(k, terms, seen, result, order, operands):
    """The order of all axes: those of the result, then those that are summed over."""
    if k == len(seen):
        return _counted(0, 1, (terms, result, order), operands)
    elif seen[k] in result:
        return _find_summed(k + 1, terms, seen, result, order, operands)
    else:
        return _find_summed(k + 1, terms, seen, result, order + seen[k], operands)


def _counted(i, n, known, operands):
    """Whether there is an operand for each term; NumPy says "more" of too few."""
    terms, result, order = known
    if i < len(terms):
        return _counted(i + 1, n + (terms[i] == ","), known, operands)
    elif n > len(operands):
        raise ValueError(
            "more operands provided to einstein sum function than specified in the subscripts "
            "string"
        )
    elif n < len(operands):
        raise ValueError(
            "fewer operands provided to einstein sum function than specified in the subscripts "
            "string"
        )
    elif n == 2 and len(result) > 0 and len(result) < len(order):
        return _first(0, "", known, operands)
    else:
        return _in_general(known, operands)


def _in_general(known, operands):
    terms, result, order = known
    return _summed(_products(terms, 0, "", order, operands), len(result), len(order), ())


def _summed(p, k, n, axes):
    if k < n:
        return _summed(p, k + 1, n, (*axes, k))
    elif n == 0:
        return np.asarray(p)[()]  # a number
    elif len(axes) == 0:
        return p
    else:
        return np.sum(p, axis=axes, dtype=p.dtype)


def _products(terms, i, term, order, operands):
    """The product of the operands whose letters stand from the i-th on."""
    if i == len(terms):
        return _aligned(np.asarray(operands[0]), term, order)
    elif terms[i] == ",":
        first = _aligned(np.asarray(operands[0]), term, order)
        return first * _products(terms, i + 1, "", order, operands[1:])
    else:
        return _products(terms, i + 1, term + terms[i], order, operands)


def _aligned(a, term, order):
    """With axes in the order of all, of one element where it has none."""
    if a.ndim != len(term):
        raise ValueError(
            "einstein sum subscripts string does not fit how many dimensions an operand has"
        )
    return _diagonals(a, term, 0, 1, order)


def _diagonals(a, term, i, j, order):
    """Takes axes of one letter together, which becomes the last."""
    if i >= len(term):
        return _turned(a, term, order, 0, 0, ())
    elif j >= len(term):
        return _diagonals(a, term, i + 1, i + 2, order)
    elif term[i] != term[j]:
        return _diagonals(a, term, i, j + 1, order)
    else:
        if a.shape[i] != a.shape[j]:
            raise ValueError(
                f"dimensions in single operand for collapsing index '{term[i]}' don't match "
                f"({a.shape[i]} != {a.shape[j]})"
            )
        return _without(np.diagonal(a, 0, i, j), term, i, j, 0, "", order)


def _without(a, term, i, j, k, rest, order):
    if k == len(term):
        return _diagonals(a, rest + term[i], 0, 1, order)
    elif k != i and k != j:
        return _without(a, term, i, j, k + 1, rest + term[k], order)
    else:
        return _without(a, term, i, j, k + 1, rest, order)


def _turned(a, term, order, k, p, axes):
    """The places of the letters, in the order of all."""
    if k == len(order):
        return _spread(np.transpose(a, axes), term, order, 0)
    elif order[k] not in term:
        return _turned(a, term, order, k + 1, 0, axes)
    elif term[p] != order[k]:
        return _turned(a, term, order, k, p + 1, axes)
    else:
        return _turned(a, term, order, k + 1, 0, (*axes, p))


def _spread(a, term, order, k):
    if k == len(order):
        return a
    elif order[k] in term:
        return _spread(a, term, order, k + 1)
    else:
        return _spread(np.expand_dims(a, k), term, order, k + 1)


# Two operands whose letters are each of both and the result (batch), of both alone (summed), or of
# one and the result (rows, columns) are a product of matrices.


def _first(i, left, known, operands):
    if i == len(known[0]):
        return _in_general(known, operands)
    elif known[0][i] == ",":
        return _second(i + 1, left, "", known, operands)
    else:
        return _first(i + 1, left + known[0][i], known, operands)


def _second(i, left, right, known, operands):
    if i == len(known[0]):
        return _find_rows(0, left, right, "", "", "", known, operands)
    elif known[0][i] == ",":
        return _in_general(known, operands)
    else:
        return _second(i + 1, left, right + known[0][i], known, operands)


def _find_rows(k, left, right, batch, rows, summed, known, operands):
    if k == len(left):
        return _find_columns(0, left, right, (batch, rows, summed), "", "", known, operands)
    elif left[k] in batch + rows + summed:
        return _in_general(known, operands)
    elif left[k] in right and left[k] in known[1]:
        return _find_rows(k + 1, left, right, batch + left[k], rows, summed, known, operands)
    elif left[k] in right:
        return _find_rows(k + 1, left, right, batch, rows, summed + left[k], known, operands)
    elif left[k] in known[1]:
        return _find_rows(k + 1, left, right, batch, rows + left[k], summed, known, operands)
    else:
        return _in_general(known, operands)


def _find_columns(k, left, right, found, columns, before, known, operands):
    if k == len(right) and len(found[2]) > 0 and len(found[1]) + len(columns) == 0:
        return _of_alike(left, right, known, operands)
    elif k == len(right) and len(found[2]) > 0:
        return _as_matrices(left, right, found, columns, known, operands)
    elif k == len(right) or right[k] in before:
        return _in_general(known, operands)
    elif right[k] in left:
        now = before + right[k]
        return _find_columns(k + 1, left, right, found, columns, now, known, operands)
    elif right[k] in known[1]:
        now = before + right[k]
        return _find_columns(k + 1, left, right, found, columns + right[k], now, known, operands)
    else:
        return _in_general(known, operands)


def _of_alike(left, right, known, operands):
    """Both have all the letters: sums of products, in the order of the first one's memory."""
    a, b = np.asarray(operands[0]), np.asarray(operands[1])
    if a.ndim != len(left) or b.ndim != len(right):
        return _in_general(known, operands)
    return _sum_alike(a, _turned(b, right, left, 0, 0, ()), 0, left, known[1], "", ())


def _sum_alike(a, b, k, letters, result, kept, axes):
    if k == len(letters):
        kind = np.multiply(np.empty(0, a.dtype), np.empty(0, b.dtype)).dtype
        return _turned(np.sum(a * b, axis=axes, dtype=kind), kept, result, 0, 0, ())
    elif letters[k] in result:
        return _sum_alike(a, b, k + 1, letters, result, kept + letters[k], axes)
    else:
        return _sum_alike(a, b, k + 1, letters, result, kept, (*axes, k))


def _as_matrices(left, right, found, columns, known, operands):
    a, b = np.asarray(operands[0]), np.asarray(operands[1])
    if a.ndim != len(left) or b.ndim != len(right):
        return _in_general(known, operands)
    batch, rows, summed = found
    n, m, k = len(batch), len(batch + rows), len(batch + summed)
    x = _turned(a, left, batch + rows + summed, 0, 0, ())
    y = _turned(b, right, batch + summed + columns, 0, 0, ())
    if x.shape[:n] != y.shape[:n] or x.shape[m:] != y.shape[n:k]:
        return _in_general(known, operands)  # axes of one element, or an error
    height, length, width = _count(x.shape[n:m]), _count(x.shape[m:]), _count(y.shape[k:])
    sizes = (*x.shape[:m], *y.shape[k:])
    if n == 0:
        z = np.dot(x.reshape((height, length)), y.reshape((length, width))).reshape(sizes)
    else:
        many = _count(x.shape[:n])
        if len(columns) == 0:  # matrices times vectors: no product of matrices is worth while
            kind = np.multiply(np.empty(0, a.dtype), np.empty(0, b.dtype)).dtype
            u, v = x.reshape((many, height, length)), y.reshape((many, 1, length))
            return _turned(
                np.sum(u * v, axis=-1, dtype=kind).reshape(sizes), batch + rows, known[1], 0, 0, ()
            )
        z = np.matmul(x.reshape((many, height, length)), y.reshape((many, length, width))).reshape(
            sizes
        )
    return _turned(z, batch + rows + columns, known[1], 0, 0, ())
