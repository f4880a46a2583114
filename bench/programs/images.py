"""Image processing."""

import numpy as np

from .registry import program

prange = range


def _grey(rng, h, w):
    return (rng.integers(0, 256, (h, w)).astype(np.uint8),)


@program(_grey, (8, 9), (300, 400))
def sobel(image):
    """Edges by slices of a padded image, and a threshold."""
    p = np.pad(image.astype(np.float64), 1, mode="edge")
    gx = p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:] - p[:-2, :-2] - 2 * p[1:-1, :-2] - p[2:, :-2]
    gy = p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:] - p[:-2, :-2] - 2 * p[:-2, 1:-1] - p[:-2, 2:]
    size = np.hypot(gx, gy)
    edges = size > size.mean() + size.std()
    return (size / size.max() * 255).astype(np.uint8), edges.sum()


@program(_grey, (8, 9), (80, 90), "loops")
def sobel_loops(image):
    """The same pixel by pixel, without a border."""
    h, w = image.shape
    out = np.zeros((h, w))
    for i in prange(1, h - 1):
        for j in range(1, w - 1):
            gx, gy = 0.0, 0.0
            for d in range(-1, 2):
                weight = 2 - abs(d)
                gx += weight * (float(image[i + d, j + 1]) - float(image[i + d, j - 1]))
                gy += weight * (float(image[i + 1, j + d]) - float(image[i - 1, j + d]))
            out[i, j] = np.sqrt(gx * gx + gy * gy)
    return out


@program(_grey, (8, 9), (100, 120))
def median_filter(image):
    """The median of nine shifted copies."""
    p = np.pad(image, 1, mode="reflect")
    h, w = image.shape
    stack = np.empty((9, h, w), dtype=np.uint8)
    k = 0
    for dy in range(3):
        for dx in range(3):
            stack[k] = p[dy : dy + h, dx : dx + w]
            k += 1
    return np.median(stack, axis=0)


@program(_grey, (8, 9), (60, 70), "loops")
def median_filter_loops(image):
    """The median of each window, sorted by insertion."""
    h, w = image.shape
    out = image.copy()
    for i in prange(1, h - 1):
        window = np.empty(9, dtype=np.uint8)
        for j in range(1, w - 1):
            count = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    v = image[i + di, j + dj]
                    k = count
                    while k > 0 and window[k - 1] > v:
                        window[k] = window[k - 1]
                        k -= 1
                    window[k] = v
                    count += 1
            out[i, j] = window[4]
    return out


def _erode(mask):
    out = mask.copy()
    out[1:, :] &= mask[:-1, :]
    out[:-1, :] &= mask[1:, :]
    out[:, 1:] &= mask[:, :-1]
    out[:, :-1] &= mask[:, 1:]
    return out


def _dilate(mask):
    return ~_erode(~mask)


@program(lambda rng, n: (rng.random((n, n)), 2), (9,), (400,))
def opening(image, rounds):
    """Erosion and dilation of a thresholded image, and the outline of what is left."""
    mask = image > 0.15
    for _ in range(rounds):
        mask = _erode(mask)
    for _ in range(rounds):
        mask = _dilate(mask)
    outline = mask ^ _erode(mask)
    return mask, outline.sum(), np.argwhere(outline)[:5]


@program(_grey, (8, 9), (400, 500))
def equalise(image):
    """Histogram equalisation through a table."""
    histogram = np.bincount(image.ravel(), minlength=256)
    cdf = histogram.cumsum()
    low = cdf[cdf > 0].min()
    table = np.round((cdf - low) / (image.size - low) * 255).astype(np.uint8)
    return table[image], histogram


@program(lambda rng, h, w: (rng.random((h, w)),), (8, 9), (100, 120), "loops")
def floyd_steinberg(image):
    """Dithering: the error of each pixel goes to its neighbours."""
    h, w = image.shape
    for y in range(h):
        for x in range(w):
            old = image[y, x]
            new = 1.0 if old > 0.5 else 0.0
            image[y, x] = new
            error = old - new
            if x + 1 < w:
                image[y, x + 1] += error * 7 / 16
            if y + 1 < h:
                if x > 0:
                    image[y + 1, x - 1] += error * 3 / 16
                image[y + 1, x] += error * 5 / 16
                if x + 1 < w:
                    image[y + 1, x + 1] += error * 1 / 16
    return image


@program(lambda rng, h, w: (rng.random((h, w)), 3), (10, 11), (300, 300))
def box_blur(image, r):
    """Means of squares through the integral image."""
    h, w = image.shape
    total = np.zeros((h + 1, w + 1))
    total[1:, 1:] = np.cumsum(np.cumsum(image, axis=0), axis=1)
    y = np.arange(h)
    x = np.arange(w)
    y0, y1 = np.maximum(y - r, 0)[:, None], np.minimum(y + r + 1, h)[:, None]
    x0, x1 = np.maximum(x - r, 0), np.minimum(x + r + 1, w)
    s = total[y1, x1] - total[y0, x1] - total[y1, x0] + total[y0, x0]
    return s / ((y1 - y0) * (x1 - x0))


@program(
    lambda rng, h, w: (rng.random((h, w)).astype(np.float32),), (10, 11), (120, 120), rtol=1e-4
)
def bilateral(image):
    """Weights by distance and by likeness, in single precision, window by window."""
    r = 2
    h, w = image.shape
    p = np.pad(image, r, mode="reflect")
    total = np.zeros_like(image)
    weights = np.zeros_like(image)
    for dy in range(-r, r + 1):
        for dx in range(-r, r + 1):
            near = np.exp(-(dy * dy + dx * dx) / np.float32(8.0))
            other = p[r + dy : r + dy + h, r + dx : r + dx + w]
            weight = near * np.exp(-((other - image) ** 2) / np.float32(0.02))
            total += weight * other
            weights += weight
    return total / weights


@program(lambda rng, h, w: (rng.integers(0, 2, (h, w)),), (8, 9), (150, 150), "loops")
def components(image):
    """Connected parts by flooding, a list as the stack."""
    h, w = image.shape
    label = np.zeros(image.shape, np.int64)
    n = 0
    for i in range(h):
        for j in range(w):
            if image[i, j] and label[i, j] == 0:
                n += 1
                stack = [(i, j)]
                while len(stack) > 0:
                    y, x = stack.pop()
                    if 0 <= y < h and 0 <= x < w and image[y, x] and label[y, x] == 0:
                        label[y, x] = n
                        stack.append((y + 1, x))
                        stack.append((y - 1, x))
                        stack.append((y, x + 1))
                        stack.append((y, x - 1))
    return label, n, np.bincount(label.ravel())[1:]


@program(
    lambda rng, h, w: (rng.random((h, w, 3)), np.array([0.299, 0.587, 0.114])), (8, 9), (200, 300)
)
def colour_transfer(image, weight):
    """Luma, saturation and hue by masks and choices."""
    luma = image @ weight
    top, low = image.max(axis=2), image.min(axis=2)
    spread = top - low
    safe = np.where(spread > 0, spread, 1.0)
    r, g, b = image[..., 0], image[..., 1], image[..., 2]
    hue = np.where(
        top == r, (g - b) / safe % 6, np.where(top == g, (b - r) / safe + 2, (r - g) / safe + 4)
    )
    hue[spread == 0] = 0.0
    saturation = np.zeros_like(top)
    saturation[top > 0] = spread[top > 0] / top[top > 0]
    return luma, hue * 60, saturation


@program(
    lambda rng, h, w, n: (rng.random((h, w)), rng.random(n) * (h - 1), rng.random(n) * (w - 1)),
    (8, 9, 12),
    (200, 200, 50000),
)
def bilinear(image, y, x):
    """Values between the pixels, by gathers."""
    y0 = np.floor(y).astype(np.int64)
    x0 = np.floor(x).astype(np.int64)
    y1 = np.minimum(y0 + 1, image.shape[0] - 1)
    x1 = np.minimum(x0 + 1, image.shape[1] - 1)
    fy, fx = y - y0, x - x0
    upper = image[y0, x0] * (1 - fx) + image[y0, x1] * fx
    lower = image[y1, x0] * (1 - fx) + image[y1, x1] * fx
    return upper * (1 - fy) + lower * fy
