# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the module random, in CPython's streams: after `random.seed(n)` in compiled code
they yield what CPython's do after it, to the bit. The state, MT19937, is one for each thread, apart
from that of Python. Distributions take their numbers in the order, and compute in the order, of
CPython's."""

import math

from swathe import _kernels, static_fail
from swathe._bisect import bisect_right
from swathe._objects import index_of

_TWO_PI = 2.0 * math.pi
_NORMAL = 4 * math.exp(-0.5) / math.sqrt(2.0)
_LOG_4 = math.log(4.0)
_GAMMA = 1.0 + math.log(4.5)


def seed(a=None, version=2):
    """Begin the stream of an int; None: one of the system's."""
    if a is None:
        _kernels.python_seed(0, 1)
    elif isinstance(a, int):
        _kernels.python_seed(a, 0)
    else:
        static_fail("random.seed of something else than an int")


def random():
    """A float in [0, 1)."""
    return _kernels.python_real(0)


def getrandbits(k):
    """An int of k bits, 63 at most."""
    k = index_of(k)
    if k < 0:
        raise ValueError("number of bits must be non-negative")
    if k > 63:
        raise OverflowError("random.getrandbits of more than 63 bits in compiled code")
    return _kernels.python_bits(k)


def _below(n):
    return _kernels.python_below(n)


def uniform(a, b):
    """A float between two."""
    return a + (b - a) * random()


def randrange(start, stop=None, step=1):
    """One of range(start, stop, step)."""
    if stop is None:
        n = index_of(start)
        if n <= 0:
            raise ValueError("empty range for randrange()")
        return _below(n)
    return _in_range(index_of(start), index_of(stop), index_of(step))


def _in_range(start, stop, step):
    width = stop - start
    if step == 1:
        if width <= 0:
            raise ValueError(f"empty range for randrange() ({start}, {stop}, {width})")
        return start + _below(width)
    if step == 0:
        raise ValueError("zero step for randrange()")
    n = (width + step - 1) // step if step > 0 else (width + step + 1) // step
    if n <= 0:
        raise ValueError("empty range for randrange()")
    return start + step * _below(n)


def randint(a, b):
    """An int of a .. b."""
    return _in_range(index_of(a), index_of(b) + 1, 1)


def choice(seq):
    """One of its elements."""
    n = len(seq)
    if n == 0:
        raise IndexError("Cannot choose from an empty sequence")
    return seq[_below(n)]


def shuffle(x):
    """Change the order of its elements."""
    for k in range(len(x) - 1, 0, -1):
        j = _below(k + 1)
        x[k], x[j] = x[j], x[k]


def sample(population, k):
    """K of its elements, each once."""
    n = len(population)
    k = index_of(k)
    if not 0 <= k <= n:
        raise ValueError("Sample larger than population or is negative")
    few = 21  # elements of a set that small take as much memory
    if k > 5:
        few += 4 ** math.ceil(math.log(k * 3, 4))
    result = []
    if n <= few:
        pool = list(population)
        for i in range(k):
            j = _below(n - i)
            result.append(pool[j])
            pool[j] = pool[n - i - 1]
    else:
        taken = set()
        for _ in range(k):
            j = _below(n)
            while j in taken:
                j = _below(n)
            taken.add(j)
            result.append(population[j])
    return result


def _accumulated(weights):
    sums = [weights[0]]
    for i in range(1, len(weights)):
        sums.append(sums[-1] + weights[i])
    return sums


def choices(population, weights=None, *, cum_weights=None, k=1):
    """K of its elements, each time of all; by weights, or their sums."""
    n = len(population)
    if weights is None and cum_weights is None:
        return [population[math.floor(random() * float(n))] for _ in range(k)]
    elif cum_weights is None:
        if len(weights) != n:
            raise ValueError("The number of weights does not match the population")
        return _weighted(population, _accumulated(weights), k)
    elif weights is None:
        if len(cum_weights) != n:
            raise ValueError("The number of weights does not match the population")
        return _weighted(population, cum_weights, k)
    else:
        raise TypeError("Cannot specify both weights and cumulative weights")


def _weighted(population, sums, k):
    n = len(population)
    total = sums[-1] + 0.0
    if total <= 0.0:
        raise ValueError("Total of weights must be greater than zero")
    if not math.isfinite(total):
        raise ValueError("Total of weights must be finite")
    return [population[bisect_right(sums, random() * total, 0, n - 1)] for _ in range(k)]


def gauss(mu=0.0, sigma=1.0):
    """A normal number, two at a time (Box and Muller)."""
    return mu + _kernels.python_real(1) * sigma


def normalvariate(mu=0.0, sigma=1.0):
    """A normal number (Kinderman and Monahan, 1977)."""
    while True:
        u = random()
        v = 1.0 - random()
        z = _NORMAL * (u - 0.5) / v
        if z * z / 4.0 <= -math.log(v):
            return mu + z * sigma


def lognormvariate(mu=0.0, sigma=1.0):
    """E to the power of a normal number."""
    return math.exp(normalvariate(mu, sigma))


def expovariate(lambd=1.0):
    """An exponential number of this rate."""
    return -math.log(1.0 - random()) / lambd


def triangular(low=0.0, high=1.0, mode=None):
    """A number of a triangular distribution."""
    u = random()
    if mode is None:
        c = 0.5
    elif high == low:
        return float(low)
    else:
        c = (mode - low) / (high - low)
    if u > c:
        return high + (low - high) * math.sqrt((1.0 - u) * (1.0 - c))
    return low + (high - low) * math.sqrt(u * c)


def paretovariate(alpha):
    """A number of Pareto's distribution."""
    return (1.0 - random()) ** (-1.0 / alpha)


def weibullvariate(alpha, beta):
    """A number of Weibull's distribution."""
    u = 1.0 - random()
    return alpha * (-math.log(u)) ** (1.0 / beta)


def gammavariate(alpha, beta):
    """A gamma number (Cheng, 1977; below alpha = 1 Ahrens and Dieter, 1974)."""
    if alpha <= 0.0 or beta <= 0.0:
        raise ValueError("gammavariate: alpha and beta must be > 0.0")
    if alpha > 1.0:
        return _large_gamma(float(alpha)) * beta
    if alpha == 1.0:
        return -math.log(1.0 - random()) * beta
    return _small_gamma(float(alpha)) * beta


def _large_gamma(alpha):
    root = math.sqrt(2.0 * alpha - 1.0)
    b = alpha - _LOG_4
    c = alpha + root
    while True:
        u = random()
        if not 1e-7 < u < 0.9999999:
            continue
        w = 1.0 - random()
        v = math.log(u / (1.0 - u)) / root
        x = alpha * math.exp(v)
        z = u * u * w
        r = b + c * v - x
        if r + _GAMMA - 4.5 * z >= 0.0 or r >= math.log(z):
            return x


def _small_gamma(alpha):
    while True:
        b = (math.e + alpha) / math.e
        p = b * random()
        x = p ** (1.0 / alpha) if p <= 1.0 else -math.log((b - p) / alpha)
        v = random()
        if p > 1.0:
            if v <= x ** (alpha - 1.0):
                return x
        elif v <= math.exp(-x):
            return x


def betavariate(alpha, beta):
    """A beta number."""
    y = gammavariate(alpha, 1.0)
    if y:
        return y / (y + gammavariate(beta, 1.0))
    return 0.0


def vonmisesvariate(mu, kappa):
    """An angle about mu (Best and Fisher, 1979)."""
    if kappa <= 1e-6:
        return _TWO_PI * random()
    s = 0.5 / kappa
    r = s + math.sqrt(1.0 + s * s)
    while True:
        z = math.cos(math.pi * random())
        d = z / (r + z)
        u = random()
        if u < 1.0 - d * d or u <= (1.0 - d) * math.exp(d):
            break
    q = 1.0 / r
    f = (q + z) / (1.0 + q * z)
    if random() > 0.5:
        return (mu + math.acos(f)) % _TWO_PI
    return (mu - math.acos(f)) % _TWO_PI
