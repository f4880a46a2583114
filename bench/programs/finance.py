"""Prices, options and portfolios."""

import math

import numpy as np

from .registry import program

prange = range


def _cdf(x):
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    poly = k * (
        0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    tail = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi) * poly
    return np.where(x > 0, 1 - tail, tail)


def _options(rng, n):
    return rng.uniform(10, 50, n), rng.uniform(10, 50, n), rng.uniform(1, 2, n), 0.1, 0.2


@program(_options, (8,), (100000,))
def black_scholes(price, strike, years, rate, sigma):
    """Calls and puts as array expressions, the normal distribution by a polynomial."""
    root = sigma * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * sigma**2) * years) / root
    d2 = d1 - root
    discount = strike * np.exp(-rate * years)
    call = price * _cdf(d1) - discount * _cdf(d2)
    return call, call - price + discount


@program(_options, (8,), (20000,), "loops")
def black_scholes_erf(price, strike, years, rate, sigma):
    """The same option by option, with math.erf."""
    n = len(price)
    call = np.empty(n)
    put = np.empty(n)
    for i in prange(n):
        root = sigma * math.sqrt(years[i])
        d1 = (math.log(price[i] / strike[i]) + (rate + 0.5 * sigma * sigma) * years[i]) / root
        d2 = d1 - root
        n1 = 0.5 * (1 + math.erf(d1 / math.sqrt(2.0)))
        n2 = 0.5 * (1 + math.erf(d2 / math.sqrt(2.0)))
        discount = strike[i] * math.exp(-rate * years[i])
        call[i] = price[i] * n1 - discount * n2
        put[i] = discount * (1 - n2) - price[i] * (1 - n1)
    return call, put


@program(lambda rng, n: (100.0, 105.0, 0.05, 0.2, 1.0, n), (20,), (1500,))
def binomial_tree(spot, strike, rate, sigma, years, n):
    """An American put on a tree, a level at a time."""
    dt = years / n
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    p = (np.exp(rate * dt) - d) / (u - d)
    j = np.arange(n + 1)
    price = spot * u**j * d ** (n - j)
    value = np.maximum(strike - price, 0.0)
    for _ in range(n):
        price = price[1:] * d
        value = np.exp(-rate * dt) * (p * value[1:] + (1 - p) * value[:-1])
        value = np.maximum(value, strike - price)
    return value[0]


@program(lambda rng, n: (100.0, 105.0, 0.05, 0.2, 1.0, n), (12,), (300,), "loops")
def binomial_tree_loops(spot, strike, rate, sigma, years, n):
    """The same node by node."""
    dt = years / n
    u = math.exp(sigma * math.sqrt(dt))
    d = 1 / u
    p = (math.exp(rate * dt) - d) / (u - d)
    value = np.empty(n + 1)
    for j in range(n + 1):
        value[j] = max(strike - spot * u**j * d ** (n - j), 0.0)
    for level in range(n - 1, -1, -1):
        for j in range(level + 1):
            hold = math.exp(-rate * dt) * (p * value[j + 1] + (1 - p) * value[j])
            value[j] = max(hold, strike - spot * u**j * d ** (level - j))
    return value[0]


@program(lambda rng, n, m: (100.0, 100.0, 0.03, 0.25, m, n, rng), (30, 5), (20000, 30))
def asian_option(spot, strike, rate, sigma, days, paths, rng):
    """Monte Carlo over whole paths, with NumPy's Generator."""
    dt = 1.0 / days
    z = rng.standard_normal((paths, days))
    steps = (rate - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * z
    path = spot * np.exp(np.cumsum(steps, axis=1))
    payoff = np.maximum(path.mean(axis=1) - strike, 0)
    value = np.exp(-rate) * payoff
    return value.mean(), value.std() / np.sqrt(paths)


@program(lambda rng, n, m: (100.0, 100.0, 0.03, 0.25, m, n), (20, 5), (1500, 50), "loops")
def barrier_option(spot, strike, rate, sigma, days, paths):
    """Monte Carlo path by path, which ends where the barrier is touched; the legacy generator."""
    np.random.seed(3)
    dt = 1.0 / days
    total = 0.0
    knocked = 0
    for _ in range(paths):
        s = spot
        alive = True
        for _ in range(days):
            z = np.random.normal()
            s *= math.exp((rate - 0.5 * sigma**2) * dt + sigma * math.sqrt(dt) * z)
            if s > 140.0:
                alive = False
                break
        if alive:
            total += max(s - strike, 0.0)
        else:
            knocked += 1
    return math.exp(-rate) * total / paths, knocked


@program(lambda rng, n: (np.exp(rng.normal(0, 0.01, n).cumsum()),), (30,), (200000,))
def drawdown(price):
    """The worst fall from a peak, how long it took, and yearly figures."""
    peak = np.maximum.accumulate(price)
    fall = price / peak - 1
    worst = np.argmin(fall)
    since = np.argmax(price[: worst + 1])
    returns = np.diff(price) / price[:-1]
    sharpe = np.sqrt(252) * returns.mean() / returns.std()
    down = returns[returns < 0]
    return fall.min(), worst - since, sharpe, np.sqrt(252) * returns.mean() / down.std()


@program(lambda rng, n, m: (rng.normal(5e-4, 0.01, (n, m)), 200), (30, 3), (1500, 12))
def portfolios(returns, trials):
    """Random weights, their risk and return; then the one of least variance by a solve."""
    np.random.seed(1)
    mean = returns.mean(axis=0) * 252
    cov = np.cov(returns.T) * 252
    m = mean.size
    risk = np.empty(trials)
    gain = np.empty(trials)
    for t in range(trials):
        w = np.random.random(m)
        w /= w.sum()
        gain[t] = w @ mean
        risk[t] = np.sqrt(w @ cov @ w)
    best = np.argmax(gain / risk)
    least = np.linalg.solve(cov, np.ones(m))
    return gain[best], risk[best], least / least.sum()


@program(lambda rng, n: (np.exp(rng.normal(0, 0.01, n).cumsum()), 14), (40,), (30000,), "loops")
def relative_strength(price, period):
    """Wilder's index and an exponential average, in one pass."""
    n = len(price)
    out = np.full(n, np.nan)
    gain, loss = 0.0, 0.0
    for i in range(1, n):
        change = price[i] - price[i - 1]
        up = max(change, 0.0)
        down = max(-change, 0.0)
        if i <= period:
            gain += up / period
            loss += down / period
        else:
            gain = (gain * (period - 1) + up) / period
            loss = (loss * (period - 1) + down) / period
        if i >= period:
            out[i] = 100.0 if loss == 0 else 100 - 100 / (1 + gain / loss)
    return out
