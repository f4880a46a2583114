# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers in NumPy's streams: of the thread, as np.random has them, and of a Generator.

Arguments, shapes and errors are here, the bits in kernels. `state` is None for those of the
thread, else the words of a Generator.
"""

import numpy as np

from swathe import _kernels, static_fail
from swathe.lib.draws import _check_not_negative, _count_draws, _real_draws

# --- draws ----------------------------------------------------------------------------------


def _real(state, dist):
    """A number: 0 in [0, 1), 1 normal, 2 exponential."""
    if state is None:
        return _kernels.mt_real(dist)
    else:
        return _kernels.gen_real(state, dist)


def _reals(state, size, dist):
    r = np.empty(size)
    if state is None:
        _kernels.mt_reals(r.reshape(-1), dist)
    else:
        _kernels.gen_reals(r.reshape(-1), state, dist)
    return r


def _drawn(state, size, dist):
    if size is None:
        return _real(state, dist)
    else:
        return _reals(state, size, dist)


def _int(state, least, most):
    """An integer of least .. most."""
    if state is None:
        return _kernels.mt_int(least, most)
    else:
        return _kernels.gen_int(state, least, most, False)


def _ints(state, size, least, most, dtype):
    if size is None:
        if dtype is int:
            return _int(state, least, most)
        elif dtype is np.int64:
            return np.int64(_int(state, least, most))
        else:
            return _ints(state, 1, least, most, dtype)[0]
    else:
        r = np.empty(size, dtype)
        if state is None:
            _kernels.mt_ints(r.reshape(-1), least, most)
        else:
            _kernels.gen_ints(r.reshape(-1), state, least, most)
        return r


def _check_scale(scale):
    if np.ndim(scale) > 0:
        _check_not_negative(scale, "scale")
    elif np.signbit(np.float64(scale)) and scale == scale:
        raise ValueError("scale < 0")


def _scaled_reals(state, loc, scale, size, dist):
    """loc + scale * what is drawn."""
    if np.ndim(loc) > 0 or np.ndim(scale) > 0:
        return _real_draws(state, 22 if dist == 0 else 21, size, loc, scale, 0.0)
    elif size is None:
        return float(loc) + float(scale) * _real(state, dist)
    else:
        r = _reals(state, size, dist)
        flat = r.reshape(-1)
        for i in range(flat.size):
            flat[i] = float(loc) + float(scale) * flat[i]
        return r


def _counts(state, lam, size):
    """Poisson's."""
    if np.ndim(lam) > 0:
        if not np.all(np.asarray(lam) >= 0):
            raise ValueError("lam < 0 or lam contains NaNs")
        return _count_draws(state, 6, size, lam, 0.0, 0.0)
    return _count_of(state, lam, size)


def _count_of(state, lam, size):
    if not lam >= 0:
        raise ValueError("lam < 0 or lam is NaN")
    if lam > 9.223372006484771e18:
        raise ValueError("lam value too large")
    r = np.empty((1,) if size is None else size, np.int64)
    mean = np.broadcast_to(np.float64(lam), (r.size,))
    if state is None:
        _kernels.mt_counts(r.reshape(-1), mean)
    else:
        _kernels.gen_counts(r.reshape(-1), state, mean)
    if size is None:
        return int(r[0])
    else:
        return r


def _bounded(state, low, high, size, dtype, closed):
    """Integers of low .. high, the last one if closed, of a dtype; high=None: of 0 .. low."""
    if high is None:
        return _between(state, 0, int(low), size, dtype, closed)
    else:
        return _between(state, int(low), int(high), size, dtype, closed)


def _is_none_wanted(size):
    if isinstance(size, tuple):
        return 0 in size
    else:
        return size == 0


def _between(state, low, high, size, dtype, closed):
    d = np.empty(0, dtype).dtype
    if d.kind not in ("i", "u"):
        static_fail("random integers are of an integer dtype in compiled code")
    elif size is not None and _is_none_wanted(size):
        return np.empty(size, dtype)
    elif d.itemsize < 8:
        most = (1 << (8 * d.itemsize - (1 if d.kind == "i" else 0))) - 1
        if low < (-most - 1 if d.kind == "i" else 0):
            raise ValueError(f"low is out of bounds for {d.name}")
        if high - (not closed) > most:
            raise ValueError(f"high is out of bounds for {d.name}")
    elif d.kind == "u" and low < 0:
        raise ValueError(f"low is out of bounds for {d.name}")
    if d.kind not in ("i", "u"):
        return 0
    elif closed:
        if low > high:
            if low == 0:
                raise ValueError("high < 0")
            raise ValueError("low > high")
        return _ints(state, size, low, high, dtype)
    else:
        if low >= high:
            if low == 0:
                raise ValueError("high <= 0")
            raise ValueError("low >= high")
        return _ints(state, size, low, high - 1, dtype)


def _single_or_double(state, size, dist, dtype, out):
    """Numbers of a generator in the precision that dtype= says, new or in out=."""
    if dtype is not np.float32 and dtype is not np.float64:
        static_fail("dtype= of this distribution is np.float32 or np.float64")
    elif out is not None:
        if out.dtype != np.empty(0, dtype).dtype:
            raise TypeError(
                "Supplied output array has the wrong type. Expected "
                f"{np.empty(0, dtype).dtype.name}, got {out.dtype.name}"
            )
        if size is not None:
            _check_size(size, out)
        r = np.empty(out.shape, dtype)
        _kernels.gen_reals(r.reshape(-1), state, dist)
        out[...] = r
        return out
    elif dtype is np.float64:
        return _drawn(state, size, dist)
    elif size is None:
        r = np.empty(1, np.float32)
        _kernels.gen_reals(r, state, dist)
        return float(r[0])
    else:
        r = np.empty(size, np.float32)
        _kernels.gen_reals(r.reshape(-1), state, dist)
        return r


def _check_size(size, out):
    if isinstance(size, tuple):
        if size != out.shape:
            raise ValueError("size must match out.shape when used together")
    elif out.ndim != 1 or out.shape[0] != size:
        raise ValueError("size must match out.shape when used together")


# So many places are drawn at a time.
_AHEAD = 1024


def _shuffle(state, x):
    top = len(x) - 1
    places = np.empty(max(min(top, _AHEAD), 0), np.int64)
    while top > 0:
        n = min(top, _AHEAD)
        if state is None:
            _kernels.mt_places(places[:n], top)
        else:
            _kernels.gen_places(places[:n], state, top)
        for k in range(n):
            i = top - k
            j = int(places[k])
            if j != i:
                if x.ndim == 1:
                    v = x[i]
                    x[i] = x[j]
                    x[j] = v
                else:
                    row = x[j].copy()
                    x[j] = x[i]
                    x[i] = row
        top -= n


def _mix(state, x, first):
    """Shuffle what stands from `first` on with all before it, as Generator.choice does."""
    for i in range(len(x) - 1, first - 1, -1):
        j = _int(state, 0, i)
        v = x[i]
        x[i] = x[j]
        x[j] = v


def _permuted(state, x):
    """A shuffled copy along the first axis; of an integer, of what is below it."""
    if isinstance(x, (int, np.integer)):
        r = np.arange(x)
        _shuffle(state, r)
        return r
    elif isinstance(x, (tuple, list, range)):
        return _permuted(state, np.asarray(x))
    elif x.ndim == 1:
        r = x.copy()
        _shuffle(state, r)
        return r
    else:
        places = np.arange(len(x))
        _shuffle(state, places)
        r = np.empty_like(x)
        for i in range(len(x)):
            r[i] = x[places[i]]
        return r


# --- choices --------------------------------------------------------------------------------


def _shuffled_along(state, x, axis):
    """A copy whose parts along an axis are in another order, as parts."""
    if isinstance(x, (int, np.integer)):
        return _permuted(state, x)
    a = np.asarray(x)
    np.size(a, axis)  # which must be there
    if a.ndim == 1:
        return _permuted(state, a)
    places = np.arange(a.shape[axis])
    _shuffle(state, places)
    return np.take(a, places, axis)


def _each_shuffled(state, x, axis, out):
    """A copy, or out=, whose lines along an axis are shuffled each by itself; without an axis all
    elements are."""
    if isinstance(x, (int, np.integer)):
        static_fail("permuted() of a number is a copy of it: use permutation")
    if out is None:
        return _each_shuffled(state, x, axis, np.array(x))
    if out.shape != np.shape(x):
        raise ValueError("out must have the same shape as x")
    if out.dtype != np.asarray(x).dtype:
        raise ValueError("out must have the same dtype as x")
    out[...] = x
    if axis is None:
        flat = out.ravel()
        _shuffle(state, flat)
        out[...] = flat.reshape(out.shape)
    else:
        np.size(out, axis)  # which must be there
        rows = np.moveaxis(out, axis, -1)
        n = rows.shape[rows.ndim - 1]
        lines = rows.reshape((rows.size // max(n, 1), n)).copy()
        for i in range(len(lines)):
            _shuffle(state, lines[i])
        rows[...] = lines.reshape(rows.shape)
    return out


def _population(a):
    """How many there are to choose from."""
    if isinstance(a, (int, np.integer)):
        return int(a)
    else:
        return len(a)


def _check_p(state, n, p):
    legacy = state is None
    total = 0.0
    c = 0.0
    if p.ndim != 1:
        raise ValueError("'p' must be 1-dimensional" if legacy else "p must be 1-dimensional")
    if len(p) != n:
        raise ValueError(
            "'a' and 'p' must have same size" if legacy else "a and p must have same size"
        )
    for v in p:
        if v != v:
            raise ValueError("probabilities contain NaN" if legacy else "Probabilities contain NaN")
    for v in p:
        if v < 0:
            if legacy:
                raise ValueError("probabilities are not non-negative")
            raise ValueError("Probabilities are not non-negative")
    for v in p:  # Kahan's sum
        y = v - c
        t = total + y
        c = (t - total) - y
        total = t
    if abs(total - 1.0) > 1.4901161193847656e-08:
        if legacy:
            raise ValueError("probabilities do not sum to 1")
        raise ValueError(
            "Probabilities do not sum to 1. See Notes section of docstring for more information."
        )


def _cumulated(p):
    cdf = np.cumsum(p)
    cdf /= cdf[-1]
    return cdf


def _distinct(state, p, found):
    """Places without repeating any, by their probabilities, into found."""
    n = found.size
    if np.count_nonzero(p > 0) < n:
        raise ValueError("Fewer non-zero entries in p than size")
    p = p.copy()
    seen = np.zeros(len(p), np.bool_)
    done = 0
    while done < n:
        x = _reals(state, n - done, 0)
        for k in range(done):
            p[found[k]] = 0
        cdf = _cumulated(p)
        for k in range(x.size):
            place = np.searchsorted(cdf, x[k], side="right")
            if not seen[place]:
                seen[place] = True
                found[done] = place
                done += 1


def _taken(a, places):
    """Elements at some places; of an integer, the places."""
    if isinstance(a, (int, np.integer)):
        return places
    else:
        r = np.empty(places.shape, a.dtype)
        to = r.reshape(-1)
        at = places.reshape(-1)
        for k in range(at.size):
            to[k] = a[at[k]]
        return r


def _weighted(state, p, size, replace):
    """Places by their probabilities."""
    if replace:
        x = _reals(state, size, 0)
        cdf = _cumulated(p)
        r = np.empty(x.shape, np.int64)
        flat = r.reshape(-1)
        given = x.reshape(-1)
        for k in range(flat.size):
            flat[k] = np.searchsorted(cdf, given[k], side="right")
        return r
    else:
        r = np.zeros(size, np.int64)
        _distinct(state, p, r.reshape(-1))
        return r


def _check_choice(state, a, n, count, replace, p):
    if n <= 0 and count > 0:
        if isinstance(a, (int, np.integer)):
            if state is None:
                raise ValueError("a must be greater than 0 unless no samples are taken")
            raise ValueError("a must be a positive integer unless no samples are taken")
        if state is None:
            raise ValueError("'a' cannot be empty unless no samples are taken")
        raise ValueError("a cannot be empty unless no samples are taken")
    if p is not None:
        _check_p(state, n, p)
    if not replace and count > n:
        if state is None:
            raise ValueError("Cannot take a larger sample than population when 'replace=False'")
        raise ValueError("Cannot take a larger sample than population when replace is False")


def _chosen_along(state, a, size, replace, p, axis, shuffle):
    """Elements, or parts along an axis."""
    if isinstance(a, (tuple, list, range)):
        return _chosen_along(state, np.asarray(a), size, replace, p, axis, shuffle)
    elif isinstance(p, (tuple, list)):
        return _chosen_along(state, a, size, replace, np.asarray(p), axis, shuffle)
    elif np.ndim(a) > 1:
        shape = () if size is None else size
        places = _places(state, int(np.size(a, axis)), shape, replace, p, shuffle)
        if size is None:
            return np.take(a, int(places.reshape(-1)[0]), axis)
        else:
            return np.take(a, places, axis)
    else:
        return _chosen(state, a, size, replace, p, shuffle)


def _chosen(state, a, size, replace, p, shuffle=True):
    if isinstance(a, (tuple, list, range)):
        return _chosen(state, np.asarray(a), size, replace, p)
    elif isinstance(p, (tuple, list)):
        return _chosen(state, a, size, replace, np.asarray(p))
    elif np.ndim(a) > 1:
        raise ValueError("a must be 1-dimensional")
    else:
        shape = () if size is None else size
        places = _places(state, a, shape, replace, p, shuffle)
        if size is None:
            return _one(a, places.reshape(-1)[0])
        else:
            return _taken(a, places)


def _places(state, a, shape, replace, p, shuffle):
    n = _population(a)
    count = np.empty(shape, np.bool_).size
    _check_choice(state, a, n, count, replace, p)
    if p is not None:
        return _weighted(state, p, shape, replace)
    elif replace:
        return _ints(state, shape, 0, n - 1, np.int64)
    elif state is None:
        return _permuted(None, n)[:count].reshape(shape)
    else:
        return _sample(state, n, count, shuffle).reshape(shape)


def _sample(state, n, count, shuffle):
    """Distinct places, in any order: the last of a shuffle, or by Floyd's algorithm, after which
    they are shuffled if that matters."""
    if n > 10000 and count > n // (50 if shuffle else 20):
        all_ = np.arange(n)
        _mix(state, all_, max(n - count, 1))
        return all_[n - count :].copy()
    r = np.empty(count, np.int64)
    size = 1
    while size <= int(1.2 * count):
        size *= 2
    seen = np.full(size, -1)
    for j in range(n - count, n):
        v = _int(state, 0, j)
        at = v & (size - 1)
        while seen[at] != -1 and seen[at] != v:
            at = (at + 1) & (size - 1)
        if seen[at] != -1:
            v = j
            at = v & (size - 1)
            while seen[at] != -1:
                at = (at + 1) & (size - 1)
        seen[at] = v
        r[j - n + count] = v
    if shuffle:
        _mix(state, r, 1)
    return r


def _one(a, place):
    if isinstance(a, (int, np.integer)):
        return int(place)
    else:
        return a[place]


# --- np.random ------------------------------------------------------------------------------


def random_seed(seed=None):
    """Begin the thread's stream anew, as np.random.seed does for an integer."""
    if seed is None:
        _kernels.mt_seed(-1)
    elif isinstance(seed, (int, np.integer)):
        if seed < 0 or seed > 4294967295:
            raise ValueError("Seed must be between 0 and 2**32 - 1")
        _kernels.mt_seed(int(seed))
    else:
        static_fail("np.random.seed: argument 'seed' must be an integer")


def random_random(size=None):
    """Numbers in [0, 1)."""
    return _drawn(None, size, 0)


def random_rand(*args):
    """Numbers in [0, 1), of the shape of the arguments."""
    if len(args) == 0:
        return _real(None, 0)
    elif isinstance(args[0], (tuple, list, np.ndarray)):
        static_fail("np.random.rand takes the lengths one by one: np.random.rand(3, 4)")
    else:
        return _reals(None, args, 0)


def random_randn(*args):
    """Normal numbers, of the shape of the arguments."""
    if len(args) == 0:
        return _real(None, 1)
    elif isinstance(args[0], (tuple, list, np.ndarray)):
        static_fail("np.random.randn takes the lengths one by one: np.random.randn(3, 4)")
    else:
        return _reals(None, args, 1)


def random_uniform(low=0.0, high=1.0, size=None):
    """Numbers in [low, high)."""
    width = np.subtract(high, low) * 1.0
    if not np.all(np.isfinite(width)):
        raise OverflowError("Range exceeds valid bounds")
    return _scaled_reals(None, low, width, size, 0)


def random_standard_normal(size=None):
    """Normal numbers, by the polar method."""
    return _drawn(None, size, 1)


def random_normal(loc=0.0, scale=1.0, size=None):
    """Normal numbers of a mean and a standard deviation."""
    _check_scale(scale)
    return _scaled_reals(None, loc, scale, size, 1)


def random_standard_exponential(size=None):
    """Exponential numbers, by the logarithm."""
    return _drawn(None, size, 2)


def random_exponential(scale=1.0, size=None):
    """Exponential numbers of a mean."""
    _check_scale(scale)
    if np.ndim(scale) > 0:
        return _real_draws(None, 20, size, scale, 0.0, 0.0)
    return _scaled_reals(None, 0.0, scale, size, 2)


def random_poisson(lam=1.0, size=None):
    """Counts of events of which `lam` are expected."""
    return _counts(None, lam, size)


def random_randint(low, high=None, size=None, dtype=int):
    """Integers of low .. high - 1, or of 0 .. low - 1."""
    return _bounded(None, low, high, size, dtype, False)


def random_shuffle(x):
    """Rearrange along the first axis, in place."""
    _shuffle(None, x)


def random_permutation(x):
    """A shuffled copy along the first axis; of an integer, of what is below it."""
    return _permuted(None, x)


def random_choice(a, size=None, replace=True, p=None):
    """Elements of a vector, or integers below a number; p: how likely each is."""
    return _chosen(None, a, size, replace, p)
