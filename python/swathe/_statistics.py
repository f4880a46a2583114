# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the module statistics, of numbers. It is imported by those who name it alone: it
takes a while."""

import math
from collections import Counter

from swathe import static_fail


def _no_data(message):
    import statistics

    raise statistics.StatisticsError(message)


def _total(x):
    return math.fsum([float(v) for v in x])


def fmean(data, weights=None):
    if weights is not None:
        static_fail("statistics.fmean() takes no weights in compiled code")
    x = list(data)
    if len(x) == 0:
        _no_data("fmean requires at least one data point")
    return _total(x) / len(x)


def mean(data):
    x = list(data)
    if len(x) == 0:
        _no_data("mean requires at least one data point")
    return _total(x) / len(x)


def _sorted(data):
    x = sorted(data)
    if len(x) == 0:
        _no_data("no median for empty data")
    return x


def median(data):
    x = _sorted(data)
    n = len(x)
    return float(x[n // 2]) if n % 2 == 1 else (x[n // 2 - 1] + x[n // 2]) / 2


def median_low(data):
    x = _sorted(data)
    return x[(len(x) - 1) // 2]


def median_high(data):
    x = _sorted(data)
    return x[len(x) // 2]


def mode(data):
    best = Counter(list(data)).most_common(1)
    if len(best) == 0:
        _no_data("no mode for empty data")
    return best[0][0]


def multimode(data):
    counts = Counter(list(data))
    most = max(counts.values(), default=0)
    return [v for v, n in counts.items() if n == most]


def _add_square(parts, v, centre):
    """(v - centre) ** 2 as numbers whose exact sum it is, but for what is far below its last place:
    what a difference and a product lose is found by Dekker's algorithms."""
    d = v - centre
    b = d - v
    lost = (v - (d - b)) - (centre + b)
    p = d * d
    parts.append(p)
    if 1e-140 < abs(d) < 1e140:
        c = 134217729.0 * d
        high = c - (c - d)
        low = d - high
        parts.append(((high * high - p) + 2.0 * high * low) + low * low)
        parts.append(2.0 * d * lost)


def _squares(x, centre):
    """The sum of squares of what they are apart from their mean, or from what is told to be it."""
    parts = [0.0]
    m = _total(x) / len(x) if centre is None else float(centre)
    for v in x:
        _add_square(parts, v, m)
    if centre is None:
        off = math.fsum([v - m for v in x])  # for the mean is rounded
        parts.append(-off * off / len(x))
    return math.fsum(parts)


def variance(data, xbar=None):
    x = [float(v) for v in data]
    if len(x) < 2:
        _no_data("variance requires at least two data points")
    return _squares(x, xbar) / (len(x) - 1)


def pvariance(data, mu=None):
    x = [float(v) for v in data]
    if len(x) == 0:
        _no_data("pvariance requires at least one data point")
    return _squares(x, mu) / len(x)


def stdev(data, xbar=None):
    x = [float(v) for v in data]
    if len(x) < 2:
        _no_data("stdev requires at least two data points")
    return math.sqrt(_squares(x, xbar) / (len(x) - 1))


def pstdev(data, mu=None):
    x = [float(v) for v in data]
    if len(x) == 0:
        _no_data("pstdev requires at least one data point")
    return math.sqrt(_squares(x, mu) / len(x))


def quantiles(data, *, n=4, method="exclusive"):
    x = sorted(data)
    m = len(x)
    if n < 1:
        _no_data("n must be at least 1")
    if m < 2:
        _no_data("must have at least two data points")
    r = []
    if method == "inclusive":
        for i in range(1, n):
            j, more = divmod(i * (m - 1), n)
            r.append((x[j] * (n - more) + x[j + 1] * more) / n)
    elif method == "exclusive":
        for i in range(1, n):
            j = min(max(i * (m + 1) // n, 1), m - 1)
            more = i * (m + 1) - j * n
            r.append((x[j - 1] * (n - more) + x[j] * more) / n)
    else:
        raise ValueError(f"Unknown method: {method!r}")
    return r


def harmonic_mean(data, weights=None):
    if weights is not None:
        static_fail("statistics.harmonic_mean() takes no weights in compiled code")
    x = [float(v) for v in data]
    if len(x) == 0:
        _no_data("harmonic_mean requires at least one data point")
    for v in x:
        if v < 0.0:
            _no_data("harmonic mean does not support negative values")
        if v == 0.0:
            return 0.0
    return len(x) / math.fsum([1.0 / v for v in x])


def geometric_mean(data):
    x = [float(v) for v in data]
    for v in x:
        if v <= 0.0:
            _no_data("geometric mean requires a non-empty dataset containing positive numbers")
    if len(x) == 0:
        _no_data("geometric mean requires a non-empty dataset containing positive numbers")
    return math.exp(math.fsum([math.log(v) for v in x]) / len(x))


def _products(x, y, name):
    """The sum of the products of what they are apart from their means."""
    if len(x) != len(y):
        _no_data(name + " requires that both inputs have same number of data points")
    if len(x) < 2:
        _no_data(name + " requires at least two data points")
    a = _total(x) / len(x)
    b = _total(y) / len(y)
    return math.fsum([(x[i] - a) * (y[i] - b) for i in range(len(x))])


def covariance(x, y, /):
    u = [float(v) for v in x]
    return _products(u, [float(v) for v in y], "covariance") / (len(u) - 1)


def correlation(x, y, /):
    u = [float(v) for v in x]
    w = [float(v) for v in y]
    both = _products(u, w, "correlation")
    a = _products(u, u, "correlation")
    b = _products(w, w, "correlation")
    if a * b == 0.0:
        _no_data("at least one of the inputs is constant")
    return both / math.sqrt(a * b)
