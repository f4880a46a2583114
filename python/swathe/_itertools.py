# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: SIM108, SIM110, UP028, B007
"""Generators of the module itertools. They are written out where they are gone through
(core/ast/generator.c), and each `yield` repeats what the loop does: so there is one in each where
that is possible. A parameter that is read once, in the head of a loop, may be a generator or a
generator expression. What yields tuples of r elements needs r when it is compiled."""

import numpy as np

from swathe import static_fail
from swathe._objects import is_object


def accumulate(iterable, func=None, *, initial=None):
    first = True
    if initial is not None:
        total = initial
        first = False
        yield total
    for v in iterable:
        if first:
            total = v
            first = False
        elif func is None:
            total = total + v
        else:
            total = func(total, v)
        yield total


def chain(a=(), b=(), c=(), d=(), e=(), f=()):
    for v in a:
        yield v
    for v in b:
        yield v
    for v in c:
        yield v
    for v in d:
        yield v
    for v in e:
        yield v
    for v in f:
        yield v


def from_iterable(iterables):
    for each in iterables:
        for v in each:
            yield v


def count(start=0, step=1):
    value = start
    while True:
        yield value
        value = value + step


def repeat(object, times=None):  # noqa: A002 - its name in Python
    if times is None:
        while True:
            yield object
    else:
        for _ in range(times):
            yield object


def compress(data, selectors):
    for v, chosen in zip(data, selectors):  # noqa: B905 - of any lengths
        if chosen:
            yield v


def takewhile(predicate, iterable):
    for v in iterable:
        if not predicate(v):
            break
        yield v


def dropwhile(predicate, iterable):
    dropping = True
    for v in iterable:
        if dropping:
            dropping = bool(predicate(v))
        if not dropping:
            yield v


def filterfalse(predicate, iterable):
    for v in iterable:
        if predicate is None:
            wrong = not v
        else:
            wrong = not predicate(v)
        if wrong:
            yield v


def starmap(function, iterable):
    for args in iterable:
        yield function(*args)


def pairwise(iterable):
    first = True
    for v in iterable:
        if first:
            last = v
            first = False
        else:
            pair = (last, v)
            last = v
            yield pair


def _islice_part(args, k):
    if len(args) == 1:
        return args[0] if k == 1 else None
    elif k < len(args):
        return args[k]
    else:
        return None


def _islice_check(begin, end, by):
    if end < -1:
        raise ValueError(
            "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize."
        )
    if begin < 0:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if by < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")


def _islice_bounds(args):
    """Where it begins, where it ends (-1: nowhere), by which step."""
    by = 1
    if len(args) > 2:  # noqa: SIM102 - the next test is one of types
        if args[2] is not None:
            by = args[2]
    end = -1
    if _islice_part(args, 1) is not None:
        end = _islice_part(args, 1)
        if end < 0:
            end = -2
    begin = 0
    if _islice_part(args, 0) is not None:
        begin = _islice_part(args, 0)
    if 0 <= end < begin:
        end = begin  # so many are passed over all the same
    return begin, end, by


def islice(iterable, *args):
    begin, end, by = _islice_bounds(args)
    _islice_check(begin, end, by)
    at = 0
    due = begin
    if end != 0:
        for v in iterable:
            at += 1
            if at > due:
                due += by
                yield v
            if at == end:
                break


def groupby(iterable, key=None):
    group = []
    open_group = False
    for v in iterable:
        if key is None:
            of = v
        else:
            of = key(v)
        if not open_group:
            now = of
            open_group = True
        elif of != now:
            pair = (now, group)
            now = of
            group = [v]
            yield pair
            continue
        group.append(v)
    if open_group:
        yield (now, group)


def _tuple_of(pool, at, k, r):
    if k == 20:
        static_fail(
            "itertools.combinations and permutations need the length of the tuples when they are "
            "compiled, below 20"
        )
    elif k == r:
        return ()
    else:
        return (pool[at[k]],) + _tuple_of(pool, at, k + 1, r)


def combinations(iterable, r):
    pool = list(iterable)
    at = list(range(r))
    more = r <= len(pool)
    while more:
        yield _tuple_of(pool, at, 0, r)
        more = _next_combination(at, len(pool))


def _next_combination(at, n):
    r = len(at)
    i = r - 1
    while i >= 0 and at[i] == i + n - r:
        i -= 1
    if i < 0:
        return False
    at[i] += 1
    for j in range(i + 1, r):
        at[j] = at[j - 1] + 1
    return True


def combinations_with_replacement(iterable, r):
    pool = list(iterable)
    at = [0] * r
    more = len(pool) > 0 or r == 0
    while more:
        yield _tuple_of(pool, at, 0, r)
        more = _next_repeated(at, len(pool))


def _next_repeated(at, n):
    r = len(at)
    i = r - 1
    while i >= 0 and at[i] == n - 1:
        i -= 1
    if i < 0:
        return False
    to = at[i] + 1
    for j in range(i, r):
        at[j] = to
    return True


def permutations(iterable, r=None):
    if r is None:
        yield from _permutations(iterable, len(iterable))
    else:
        yield from _permutations(iterable, r)


def _permutations(iterable, r):
    pool = list(iterable)
    at = list(range(len(pool)))
    cycles = list(range(len(pool), len(pool) - r, -1))
    more = r <= len(pool)
    while more:
        yield _tuple_of(pool, at, 0, r)
        more = _next_permutation(at, cycles)


def _next_permutation(at, cycles):
    n = len(at)
    for i in range(len(cycles) - 1, -1, -1):
        cycles[i] -= 1
        if cycles[i] > 0:
            j = n - cycles[i]
            v = at[i]
            at[i] = at[j]
            at[j] = v
            return True
        v = at[i]
        for j in range(i, n - 1):
            at[j] = at[j + 1]
        at[n - 1] = v
        cycles[i] = n - i
    return False


def _pools(iterables):
    if len(iterables) == 0:
        return ()
    else:
        return (list(iterables[0]),) + _pools(iterables[1:])


def _lengths(pools, repeat, to):
    for _ in range(repeat):
        _add_lengths(pools, to)


def _add_lengths(pools, to):
    if len(pools) > 0:
        to.append(len(pools[0]))
        _add_lengths(pools[1:], to)


def _product_of(pools, at, k, repeat):
    if k > 20:
        static_fail("itertools.product needs repeat= when it is compiled, for tuples of 20 at most")
    elif repeat == 0:
        return ()
    else:
        return _row_of(pools, at, k) + _product_of(pools, at, k + len(pools), repeat - 1)


def _row_of(pools, at, k):
    if len(pools) == 0:
        return ()
    else:
        return (pools[0][at[k]],) + _row_of(pools[1:], at, k + 1)


def _next_product(at, lengths):
    i = len(at) - 1
    while i >= 0:
        at[i] += 1
        if at[i] < lengths[i]:
            return True
        at[i] = 0
        i -= 1
    return False


def _no_zero(lengths):
    for n in lengths:
        if n == 0:
            return False
    return True


def product(*iterables, repeat=1):
    pools = _pools(iterables)
    lengths = [0]
    lengths.clear()
    _lengths(pools, repeat, lengths)
    at = [0] * len(lengths)
    more = _no_zero(lengths)
    while more:
        yield _product_of(pools, at, 0, repeat)
        more = _next_product(at, lengths)


def _longest(pools):
    if len(pools) == 0:
        return 0
    else:
        return max(len(pools[0]), _longest(pools[1:]))


def _padded(pools, k, fill):
    if len(pools) == 0:
        return ()
    elif len(pools) == 1:
        return (pools[0][k] if k < len(pools[0]) else fill,)
    else:
        return _padded(pools[:1], k, fill) + _padded(pools[1:], k, fill)


def zip_longest(*iterables, fillvalue=None):
    pools = _pools(iterables)
    for k in range(_longest(pools)):
        yield _padded(pools, k, fillvalue)


def batched(iterable, n):
    static_fail("itertools.batched yields tuples of different lengths")
    yield (n, iterable)


def permutation_lists(iterable, r=None):
    """permutations, where nobody asks for tuples; and so the others of this kind"""
    pool = list(iterable)
    n = len(pool)
    k = n if r is None else r
    if k < 0:
        raise ValueError("r must be non-negative")
    at = list(range(n))
    cycles = list(range(n, n - k, -1))
    more = k <= n
    while more:
        yield [pool[at[i]] for i in range(k)]
        more = _next_permutation(at, cycles)


def combination_lists(iterable, r):
    pool = list(iterable)
    if r < 0:
        raise ValueError("r must be non-negative")
    at = list(range(r))
    more = r <= len(pool)
    while more:
        yield [pool[i] for i in at]
        more = _next_combination(at, len(pool))


def permutation_tuples(iterable, r=None):
    for c in permutation_lists(iterable, r):
        yield tuple(c)


def combination_tuples(iterable, r):
    for c in combination_lists(iterable, r):
        yield tuple(c)


def repeated_tuples(iterable, r):
    for c in repeated_lists(iterable, r):
        yield tuple(c)


def product_tuples(iterable, repeat=1):
    for c in product_lists(iterable, repeat):
        yield tuple(c)


def repeated_lists(iterable, r):
    pool = list(iterable)
    if r < 0:
        raise ValueError("r must be non-negative")
    at = [0] * r
    more = len(pool) > 0 or r == 0
    while more:
        yield [pool[i] for i in at]
        more = _next_repeated(at, len(pool))


def product_lists(iterable, repeat=1):
    pool = list(iterable)
    if repeat < 0:
        raise ValueError("repeat argument cannot be negative")
    lengths = [len(pool)] * repeat
    at = [0] * repeat
    more = _no_zero(lengths)
    while more:
        yield [pool[i] for i in at]
        more = _next_product(at, lengths)


def columns(rows):
    """zip(*rows), where nobody asks for tuples"""
    of = list(rows)
    j = 0
    more = len(of) > 0
    while more:
        for r in of:
            if isinstance(r, (dict, set, frozenset)):
                static_fail("zip(*rows) takes lists, tuples, strings and arrays in compiled code")
            if j >= len(r):
                more = False
        if more:
            yield [r[j] for r in of]
            j += 1


def strict_columns(rows):
    """zip(*rows, strict=True), where nobody asks for tuples"""
    of = list(rows)
    n = -1
    for c in columns(of):
        yield c
    for r in of:
        n = len(r) if n < 0 else min(n, len(r))
    for k in range(len(of)):
        longer = len(of[0]) == n and len(of[k]) > n
        if longer or (len(of[0]) > n and len(of[k]) == n):
            before = "argument 1" if k == 1 else f"arguments 1-{k}"
            word = "longer" if longer else "shorter"
            raise ValueError(f"zip() argument {k + 1} is {word} than {before}")


def rows_of_columns(rows):
    """zip(*rows), of as many as only the run tells"""
    if isinstance(rows, tuple) and not is_object(rows):
        for t in zip(*rows):  # noqa: B905
            yield t
    else:
        for c in columns(rows):
            yield tuple(c)


def strict_rows_of_columns(rows):
    """zip(*rows, strict=True), of as many as only the run tells"""
    if isinstance(rows, tuple) and not is_object(rows):
        for t in zip(*rows, strict=True):
            yield t
    else:
        for c in strict_columns(rows):
            yield tuple(c)


def padded_columns(rows, fillvalue=None):
    """zip_longest(*rows), where nobody asks for tuples"""
    if isinstance(rows, tuple) and not is_object(rows):
        pools = _pools(rows)
        for k in range(_longest(pools)):
            yield _padded(pools, k, fillvalue)
    else:
        of = list(rows)
        n = 0
        for r in of:
            if isinstance(r, (dict, set, frozenset)):
                static_fail("zip_longest(*rows) takes lists, tuples, strings and arrays")
            n = max(n, len(r))
        for j in range(n):
            yield [r[j] if j < len(r) else fillvalue for r in of]


def padded_rows(rows, fillvalue=None):
    """zip_longest(*rows), of as many as only the run tells"""
    for c in padded_columns(rows, fillvalue):
        yield tuple(c)


def _check_columns(rows, n):
    least = 0
    for i in range(len(rows)):
        k = len(rows[i])
        if i == 0 or k < least:
            least = k
    _check_number(least, n)


def _check_number(k, n):
    if k < n:
        raise ValueError(f"not enough values to unpack (expected {n}, got {k})")
    if k > n:
        raise ValueError(f"too many values to unpack (expected {n})")


def _gone_through(rows):
    return rows if isinstance(rows, (list, tuple, np.ndarray)) else list(rows)


def unpacked2(rows):
    """a, b = zip(*rows)"""
    rows = _gone_through(rows)
    _check_columns(rows, 2)
    return [r[0] for r in rows], [r[1] for r in rows]


def unpacked3(rows):
    """a, b, c = zip(*rows)"""
    rows = _gone_through(rows)
    _check_columns(rows, 3)
    return [r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows]


def unpacked4(rows):
    """a, b, c, d = zip(*rows)"""
    rows = _gone_through(rows)
    _check_columns(rows, 4)
    return [r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows], [r[3] for r in rows]


def _are_any(rows):
    """Does zip(*rows) yield anything?"""
    least = 0
    for i in range(len(rows)):
        if isinstance(rows[i], (dict, set, frozenset)):
            static_fail("zip(*rows) takes lists, tuples, strings and arrays in compiled code")
        least = len(rows[i]) if i == 0 else min(least, len(rows[i]))
    return least > 0


def _steps2(rows):
    a, b = rows[0], rows[1]
    j = 0
    while j < len(a) and j < len(b):
        yield a[j], b[j]
        j += 1


def columns2(rows):
    """zip(*rows), of which each is unpacked to two"""
    if isinstance(rows, tuple) and not is_object(rows):
        for t in zip(*rows):  # noqa: B905
            yield t
    else:
        of = _gone_through(rows)
        if _are_any(of):
            _check_number(len(of), 2)
            for t in _steps2(of):
                yield t


def columns3(rows):
    if isinstance(rows, tuple) and not is_object(rows):
        for t in zip(*rows):  # noqa: B905
            yield t
    else:
        of = _gone_through(rows)
        if _are_any(of):
            _check_number(len(of), 3)
            a, b, c = of[0], of[1], of[2]
            j = 0
            while j < len(a) and j < len(b) and j < len(c):
                yield a[j], b[j], c[j]
                j += 1


def columns4(rows):
    if isinstance(rows, tuple) and not is_object(rows):
        for t in zip(*rows):  # noqa: B905
            yield t
    else:
        of = _gone_through(rows)
        if _are_any(of):
            _check_number(len(of), 4)
            a, b, c, d = of[0], of[1], of[2], of[3]
            j = 0
            while j < len(a) and j < len(b) and j < len(c) and j < len(d):
                yield a[j], b[j], c[j], d[j]
                j += 1


def column_pairs(rows):
    """zip(*rows), of which a dict is made"""
    if isinstance(rows, tuple) and not is_object(rows):
        for t in zip(*rows):  # noqa: B905
            yield t
    else:
        of = _gone_through(rows)
        if _are_any(of):
            if len(of) != 2:
                raise ValueError(
                    f"dictionary update sequence element #0 has length {len(of)}; 2 is required"
                )
            for t in _steps2(of):
                yield t


def unpacked2_tuples(rows):
    a, b = unpacked2(rows)
    return tuple(a), tuple(b)


def unpacked3_tuples(rows):
    a, b, c = unpacked3(rows)
    return tuple(a), tuple(b), tuple(c)


def unpacked4_tuples(rows):
    a, b, c, d = unpacked4(rows)
    return tuple(a), tuple(b), tuple(c), tuple(d)
