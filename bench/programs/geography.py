"""Places and measurements: distances on the sphere, histograms, terrain, noise, bins."""

import numpy as np

from .registry import program

prange = range


@program(lambda rng, n: tuple(rng.uniform(-1.5, 1.5, (4, n))), (8,), (100000,))
def haversine(lat1, lon1, lat2, lon2):
    """Distances on the sphere, pair by pair."""
    dlat, dlon = lat2 - lat1, lon2 - lon1
    a = np.sin(dlat / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin(dlon / 2) ** 2
    return 2 * 6371.0088 * np.arcsin(np.sqrt(a))


@program(lambda rng, n: (rng.uniform(-80, 80, n), rng.uniform(-180, 180, n)), (7,), (300,))
def distance_matrix(lat, lon):
    """All pairs by broadcasting, the nearest neighbour of each, in degrees as they come."""
    lat, lon = np.radians(lat), np.radians(lon)
    dlat = lat[:, None] - lat
    dlon = lon[:, None] - lon
    a = np.sin(dlat / 2) ** 2 + np.cos(lat[:, None]) * np.cos(lat) * np.sin(dlon / 2) ** 2
    d = 2 * 6371.0088 * np.arcsin(np.sqrt(np.clip(a, 0, 1)))
    np.fill_diagonal(d, np.inf)
    return d.min(axis=1), d.argmin(axis=1)


@program(lambda rng, n: (rng.random(n) * 100, rng.random(n), 40), (40,), (100000,))
def radial_profile(radius, value, bins):
    """The mean of an image in rings: masks for each ring, then two histograms."""
    top = radius.max()
    out = np.zeros(bins)
    for i in range(bins):
        low, high = top * i / bins, top * (i + 1) / bins
        ring = (radius >= low) & (radius < high)
        if np.any(ring):
            out[i] = value[ring].mean()
    weighted, edges = np.histogram(radius, bins=bins, range=(0.0, 100.0), weights=value)
    count, edges = np.histogram(radius, bins=bins, range=(0.0, 100.0))
    return out, weighted / np.maximum(count, 1), edges


@program(lambda rng, n: (rng.random(n), rng.random(n)), (30,), (50000,))
def density_map(x, y):
    """Points in cells by add.at, and smoothed."""
    n = 24
    cells = np.zeros((n, n), np.int64)
    ix = np.clip((x * n).astype(np.int64), 0, n - 1)
    iy = np.clip((y * n).astype(np.int64), 0, n - 1)
    np.add.at(cells, (iy, ix), 1)
    smooth = np.zeros((n, n))
    p = np.pad(cells, 1)
    for dy in range(3):
        for dx in range(3):
            smooth += p[dy : dy + n, dx : dx + n] / 9
    return cells, smooth, np.digitize(smooth.ravel(), np.linspace(0, smooth.max(), 6))


@program(lambda rng, n: (rng.normal(size=n), 32), (30,), (20000,), "loops")
def histogram_loops(x, bins):
    """Counting in a loop, then the quantiles from the counts."""
    low, high = x.min(), x.max()
    count = np.zeros(bins, dtype=np.int64)
    for v in x:
        k = int((v - low) / (high - low) * bins)
        count[min(k, bins - 1)] += 1
    quantile = np.zeros(3)
    total = 0
    k = 0
    for b in range(bins):
        total += count[b]
        while k < 3 and total >= (k + 1) * len(x) / 4:
            quantile[k] = low + (b + 1) * (high - low) / bins
            k += 1
    return count, quantile


@program(lambda rng, n: (rng.random((n, n)) * 50, 10.0), (9,), (250,))
def hillshade(height, cell):
    """Slope, aspect and light of a terrain."""
    dy, dx = np.gradient(height, cell)
    slope = np.arctan(np.hypot(dx, dy))
    aspect = np.arctan2(-dx, dy)
    zenith, azimuth = np.radians(45.0), np.radians(315.0)
    shade = np.cos(zenith) * np.cos(slope) + np.sin(zenith) * np.sin(slope) * np.cos(
        azimuth - aspect
    )
    steep = np.degrees(slope) > 30
    return np.clip(255 * shade, 0, 255).astype(np.uint8), steep.mean(), height[steep].max()


def _fade(t):
    return t * t * t * (t * (t * 6 - 15) + 10)


@program(lambda rng, n: (rng.uniform(0, 2 * np.pi, (9, 9)), n), (10,), (300,))
def perlin_noise(angle, n):
    """Gradients at the corners of cells, faded into each other."""
    t = np.linspace(0, 8, n, endpoint=False)
    cell = t.astype(np.int64)
    f = t - cell
    gy, gx = np.sin(angle), np.cos(angle)
    fy, fx = f[:, None], f[None, :]
    iy, ix = cell[:, None], cell[None, :]
    n00 = gx[iy, ix] * fx + gy[iy, ix] * fy
    n01 = gx[iy, ix + 1] * (fx - 1) + gy[iy, ix + 1] * fy
    n10 = gx[iy + 1, ix] * fx + gy[iy + 1, ix] * (fy - 1)
    n11 = gx[iy + 1, ix + 1] * (fx - 1) + gy[iy + 1, ix + 1] * (fy - 1)
    u, v = _fade(fx), _fade(fy)
    top = n00 + u * (n01 - n00)
    low = n10 + u * (n11 - n10)
    return top + v * (low - top)


@program(lambda rng, n, m: (rng.random((n, m)), rng.random((n, m)) < 0.8), (6, 5), (300, 300))
def station_gaps(data, valid):
    """Measurements with gaps: statistics that skip them, and gaps filled along each row."""
    x = np.where(valid, data, np.nan)
    mean, top = np.nanmean(x, axis=0), np.nanmax(x, axis=1)
    filled = x.copy()
    at = np.arange(x.shape[1])
    for i in range(x.shape[0]):
        gap = np.isnan(filled[i])
        if gap.any() and not gap.all():
            filled[i, gap] = np.interp(at[gap], at[~gap], filled[i, ~gap])
    anomaly = filled - mean
    return mean, top, np.isnan(x).sum(axis=0), anomaly, data[valid].sum()


@program(lambda rng, n, m: (rng.random((n, 2)), rng.random(n), m), (9, 5), (60, 50))
def inverse_distance(place, value, m):
    """Interpolation between stations on a grid, weights by distance."""
    axis = np.linspace(0, 1, m)
    gx, gy = np.meshgrid(axis, axis)
    d2 = (gx[..., None] - place[:, 0]) ** 2 + (gy[..., None] - place[:, 1]) ** 2
    weight = 1 / (d2 + 1e-12)
    return (weight * value).sum(axis=-1) / weight.sum(axis=-1)


@program(lambda rng, n, m: (rng.random((n, 2)), rng.random((m, 2))), (5, 9), (40, 20000))
def points_in_polygon(corner, points):
    """The rule of crossings, an edge at a time over all points."""
    centre = corner.mean(axis=0)
    d = corner - centre
    corner = corner[np.argsort(np.arctan2(d[:, 1], d[:, 0]))]
    x, y = points[:, 0], points[:, 1]
    inside = np.zeros(len(points), dtype=np.bool_)
    n = len(corner)
    for i in range(n):
        x0, y0 = corner[i]
        x1, y1 = corner[(i + 1) % n]
        if y0 == y1:
            continue
        crosses = (y0 > y) != (y1 > y)
        inside ^= crosses & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    area = 0.5 * abs(
        np.sum(corner[:, 0] * np.roll(corner[:, 1], -1) - np.roll(corner[:, 0], -1) * corner[:, 1])
    )
    return inside, inside.mean(), area
