"""Signals and time series: filters, transforms, spectra, windows, state estimates."""

import numpy as np

from .registry import program

prange = range


@program(
    lambda rng, n: (np.array([0.2, 0.3, 0.2]), np.array([1.0, -0.4, 0.1]), rng.normal(size=n)),
    (20,),
    (30000,),
    "loops",
)
def iir_filter(b, a, x):
    """A recursive filter in transposed direct form."""
    state = np.zeros(len(b) - 1)
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = b[0] * x[i] + state[0]
        for k in range(1, len(b) - 1):
            state[k - 1] = b[k] * x[i] - a[k] * y[i] + state[k]
        state[-1] = b[-1] * x[i] - a[-1] * y[i]
    return y


@program(lambda rng, n, m: (rng.random((n, m)), 0.25), (6, 7), (150, 150), "loops")
def edge_filter_passes(image, alpha):
    """Smoothing by recursive passes in both directions along rows and columns."""
    h, w = image.shape
    k = (1 - np.exp(-alpha)) ** 2 / (1 + 2 * alpha * np.exp(-alpha) - np.exp(2 * alpha))
    a1, a2, b1, b2 = k, k * np.exp(-alpha) * (alpha - 1), 2.0 ** (-alpha), -np.exp(-2 * alpha)
    left = np.zeros_like(image)
    for i in range(h):
        y1, y2, x1 = 0.0, 0.0, 0.0
        for j in range(w):
            left[i, j] = a1 * image[i, j] + a2 * x1 + b1 * y1 + b2 * y2
            x1, y2, y1 = image[i, j], y1, left[i, j]
    out = np.zeros_like(image)
    for j in range(w):
        y1, y2, x1 = 0.0, 0.0, 0.0
        for i in range(h - 1, -1, -1):
            out[i, j] = a1 * left[i, j] + a2 * x1 + b1 * y1 + b2 * y2
            x1, y2, y1 = left[i, j], y1, out[i, j]
    return out


@program(lambda rng, n, m: (rng.normal(size=n), rng.random(m)), (30, 5), (30000, 31))
def fir_filter(x, taps):
    """The call, and the same by shifted slices."""
    n = x.size - taps.size + 1
    y = np.zeros(n)
    for k in range(taps.size):
        y += taps[taps.size - 1 - k] * x[k : k + n]
    return y, np.convolve(x, taps, mode="valid"), np.abs(y).max()


@program(lambda rng, n: (rng.normal(size=n) + 1j * rng.normal(size=n),), (16,), (4096,), "loops")
def fft_radix2(x):
    """Cooley and Tukey in place: reversed bits, then butterflies."""
    n = x.size
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            x[i], x[j] = x[j], x[i]
    size = 2
    while size <= n:
        turn = np.exp(-2j * np.pi / size)
        for start in range(0, n, size):
            w = 1.0 + 0.0j
            for k in range(size // 2):
                even = x[start + k]
                odd = x[start + k + size // 2] * w
                x[start + k] = even + odd
                x[start + k + size // 2] = even - odd
                w *= turn
        size *= 2
    return x


@program(lambda rng, n: (rng.normal(size=n) + 1j * rng.normal(size=n),), (16,), (65536,))
def fft_stockham(x):
    """Stockham's ordering, a stage at a time, as array expressions."""
    n = x.size
    y = x.reshape(1, n)
    while y.shape[1] > 1:
        r, m = y.shape[0], y.shape[1] // 2
        w = np.exp(-1j * np.pi * np.arange(r) / r).reshape(r, 1)
        even, odd = y[:, :m], y[:, m:] * w
        y = np.concatenate((even + odd, even - odd), axis=0)
    return y.ravel()


@program(lambda rng, n: (rng.normal(size=n) + 0j,), (12,), (300,))
def dft_matrix(x):
    """The transform as a matrix, beside the call."""
    n = x.shape[0]
    k = np.arange(n)
    m = np.exp(-2j * np.pi * k * k[:, None] / n)
    return m @ x, np.abs(np.fft.fft(x)), np.fft.fftshift(np.fft.fftfreq(n))


@program(lambda rng, n, m: (rng.normal(size=n), 100.0, m), (64, 16), (60000, 512))
def welch(x, rate, size):
    """A periodogram averaged over windows that overlap by half."""
    window = np.hanning(size)
    scale = rate * np.sum(window**2)
    step = size // 2
    count = (x.size - size) // step + 1
    power = np.zeros(size // 2 + 1)
    for i in range(count):
        part = x[i * step : i * step + size]
        spectrum = np.fft.rfft((part - part.mean()) * window)
        power += np.abs(spectrum) ** 2 / scale
    power /= count
    power[1:-1] *= 2
    return np.fft.rfftfreq(size, 1 / rate), power


@program(lambda rng, n: (rng.normal(size=n).cumsum(), 40), (60,), (20000,))
def autocorrelation(x, lags):
    """By products of slices, and through the Fourier transform."""
    n = x.size
    d = x - x.mean()
    direct = np.empty(lags)
    for k in range(lags):
        direct[k] = np.sum(d[: n - k] * d[k:]) / n
    size = 1
    while size < 2 * n:
        size *= 2
    f = np.fft.rfft(d, size)
    fast = np.fft.irfft(f * np.conj(f), size)[:lags] / n
    return direct / direct[0], fast / fast[0]


@program(lambda rng, n, w: (rng.normal(size=n).cumsum(), w), (40, 5), (6000, 20))
def rolling_windows(x, w):
    """Statistics of all windows by a matrix of indices."""
    n = len(x) - w + 1
    v = x[np.arange(w)[None, :] + np.arange(n)[:, None]]
    return v.mean(axis=1), v.std(axis=1), np.median(v, axis=1), v.max(axis=1) - v.min(axis=1)


@program(lambda rng, n, w: (rng.normal(size=n).cumsum(), w), (40, 5), (200000, 50), rtol=1e-7)
def rolling_mean(x, w):
    """Sums of windows as differences of sums; bands of two deviations around them."""
    s = np.cumsum(np.concatenate((np.zeros(1), x)))
    q = np.cumsum(np.concatenate((np.zeros(1), x**2)))
    mean = (s[w:] - s[:-w]) / w
    var = (q[w:] - q[:-w]) / w - mean**2
    width = 2 * np.sqrt(np.maximum(var, 0))
    tail = x[w - 1 :]
    outside = (tail > mean + width) | (tail < mean - width)
    return mean, width, np.count_nonzero(outside), tail[outside].mean()


@program(lambda rng, n: (rng.normal(size=n), 0.1), (30,), (40000,), "loops")
def ewma(x, alpha):
    """An exponentially weighted mean and variance, in order."""
    mean = np.empty_like(x)
    var = np.empty_like(x)
    m, v = x[0], 0.0
    for i in range(x.size):
        d = x[i] - m
        m += alpha * d
        v = (1 - alpha) * (v + alpha * d * d)
        mean[i] = m
        var[i] = v
    return mean, np.sqrt(var)


@program(lambda rng, n: (rng.normal(size=(n, 2)).cumsum(axis=0),), (8,), (1500,))
def kalman_filter(z):
    """Position and speed on a plane from noisy positions: small matrices, inverses."""
    dt = 0.1
    f = np.eye(4)
    f[0, 2] = f[1, 3] = dt
    h = np.zeros((2, 4))
    h[0, 0] = h[1, 1] = 1.0
    q = 0.01 * np.eye(4)
    r = 0.5 * np.eye(2)
    x = np.zeros(4)
    p = np.eye(4) * 10
    track = np.empty((len(z), 4))
    for t in range(len(z)):
        x = f @ x
        p = f @ p @ f.T + q
        s = h @ p @ h.T + r
        gain = p @ h.T @ np.linalg.inv(s)
        x = x + gain @ (z[t] - h @ x)
        p = (np.eye(4) - gain @ h) @ p
        track[t] = x
    return track, np.trace(p)


@program(lambda rng, n: (rng.normal(size=n),), (20,), (100000,))
def outliers(x):
    """Tukey's fences: what is outside becomes the median."""
    q1, q3 = np.percentile(x, [25, 75])
    fence = 1.5 * (q3 - q1)
    keep = (x >= q1 - fence) & (x <= q3 + fence)
    y = x.copy()
    y[~keep] = np.median(x)
    return x[keep].mean(), np.count_nonzero(~keep), y


@program(lambda rng, n: (np.sin(np.arange(n) * 0.05) + rng.normal(0, 0.2, n),), (40,), (100000,))
def zero_crossings(x):
    """Where a smoothed signal changes its sign, and the runs in between."""
    smooth = (x[:-4] + x[1:-3] + x[2:-2] + x[3:-1] + x[4:]) / 5
    sign = np.signbit(smooth)
    at = np.nonzero(sign[1:] != sign[:-1])[0]
    where = at - smooth[at] / (smooth[at + 1] - smooth[at])
    runs = np.diff(where)
    return where, runs.mean(), np.bincount(np.minimum(runs.astype(np.int64), 99))


@program(
    lambda rng, n, m: (rng.normal(size=n).cumsum(), rng.normal(size=m).cumsum()),
    (8, 9),
    (200, 220),
    "loops",
)
def time_warping(x, y):
    """The cost of warping one series on another, by dynamic programming."""
    n, m = len(x), len(y)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = abs(x[i - 1] - y[j - 1])
            cost[i, j] = d + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    return cost[n, m]


@program(lambda rng, n: (rng.normal(size=n).cumsum(), 200, 4), (10,), (300,))
def particle_filter(observed, n, seed):
    """Weighted samples of a hidden walk, resampled where few of them count."""
    rs = np.random.RandomState(seed)
    at, weight = rs.normal(0, 1, n), np.full(n, 1 / n)
    found = np.empty_like(observed)
    for t, z in enumerate(observed):
        at += rs.normal(0, 1, n)
        weight *= np.exp(-0.5 * (z - at) ** 2)
        weight += 1e-300
        weight /= weight.sum()
        found[t] = np.average(at, weights=weight)
        if 1.0 / np.sum(np.square(weight)) < n / 2:
            sums = np.cumsum(weight)
            sums[-1] = 1.0
            at[:] = at[np.searchsorted(sums, (np.arange(n) + rs.random_sample()) / n)]
            weight.fill(1.0 / n)
    return found


@program(
    lambda rng, n: (
        rng.dirichlet(np.ones(6), 6),
        rng.dirichlet(np.ones(9), 6),
        rng.integers(0, 9, n),
    ),
    (12,),
    (20000,),
)
def viterbi(moves, emits, observed):
    """The likeliest path through hidden states, a step at a time over all of them."""
    n, states = len(observed), moves.shape[0]
    log_moves, log_emits = np.log(moves), np.log(emits)
    score, come = np.zeros((n, states)), np.zeros((n, states), dtype=int)
    score[0] = log_emits[:, observed[0]] - np.log(states)
    for t in range(1, n):
        all_moves = score[t - 1][:, None] + log_moves
        come[t] = all_moves.argmax(axis=0)
        score[t] = all_moves.max(0) + log_emits[:, observed[t]]
    path = np.zeros(n, dtype=np.int32)
    path[-1] = score[-1].argmax()
    for t in reversed(range(n - 1)):
        path[t] = come[t + 1, path[t + 1]]
    return path, score[-1].max()
