"""Machine learning: networks, regressions, clusters, neighbours, maps."""

import numpy as np

from .registry import program

prange = range


@program(lambda rng, n: (rng.normal(size=(n, 10)),), (6,), (30000,))
def softmax(x):
    """By rows, safe from overflow."""
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


@program(
    lambda rng, n: (rng.normal(size=(n, n // 4, n, n)).astype(np.float32),),
    (4,),
    (24,),
    rtol=1e-4,
)
def softmax_4d(x):
    """Of attention weights, in single precision."""
    top = np.max(x, axis=-1, keepdims=True)
    e = np.exp(x - top)
    return e / np.sum(e, axis=-1, keepdims=True)


def _network(rng, n, d, h):
    x = rng.normal(size=(n, d))
    return x, rng.integers(0, 3, n), rng.normal(size=(d, h)) * 0.1, rng.normal(size=(h, 3)) * 0.1


def _relu(x):
    return np.maximum(x, 0)


@program(_network, (12, 4, 5), (400, 40, 64), rtol=1e-7)
def mlp_training(x, labels, w1, w2):
    """Two layers, cross entropy, gradients by hand, ten steps."""
    n = x.shape[0]
    b1 = np.zeros(w1.shape[1])
    b2 = np.zeros(w2.shape[1])
    target = np.zeros((n, 3))
    target[np.arange(n), labels] = 1.0
    losses = []
    for _ in range(10):
        hidden = _relu(x @ w1 + b1)
        scores = hidden @ w2 + b2
        scores = scores - scores.max(axis=1, keepdims=True)
        p = np.exp(scores)
        p = p / p.sum(axis=1, keepdims=True)
        losses.append(-np.log(p[np.arange(n), labels]).mean())
        g = (p - target) / n
        back = (g @ w2.T) * (hidden > 0)
        w2 = w2 - 0.5 * (hidden.T @ g)
        b2 = b2 - 0.5 * g.sum(axis=0)
        w1 = w1 - 0.5 * (x.T @ back)
        b1 = b1 - 0.5 * back.sum(axis=0)
    return w1, w2, np.array(losses)


def _conv2d(x, w):
    k = w.shape[0]
    n, h, wide = x.shape[0], x.shape[1] - k + 1, x.shape[2] - k + 1
    out = np.empty((n, h, wide, w.shape[3]), dtype=x.dtype)
    for i in range(h):
        for j in range(wide):
            out[:, i, j, :] = np.sum(
                x[:, i : i + k, j : j + k, :, np.newaxis] * w[np.newaxis, :, :, :], axis=(1, 2, 3)
            )
    return out


def _maxpool(x):
    n, h, w, c = x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]
    out = np.empty((n, h, w, c), dtype=x.dtype)
    for i in range(h):
        for j in range(w):
            out[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return out


def _images(rng, n, size):
    flat = ((size - 2) // 2 - 2) // 2
    return (
        rng.random((n, size, size, 1)).astype(np.float32),
        rng.normal(size=(3, 3, 1, 4)).astype(np.float32),
        rng.normal(size=(3, 3, 4, 6)).astype(np.float32),
        rng.normal(size=(flat * flat * 6, 10)).astype(np.float32),
        rng.normal(size=10).astype(np.float32),
    )


@program(_images, (2, 10), (8, 28), rtol=1e-3)
def small_cnn(x, k1, k2, weight, bias):
    """Two convolutions with pooling and a dense layer, in single precision."""
    x = _maxpool(_relu(_conv2d(x, k1)))
    x = _maxpool(_relu(_conv2d(x, k2)))
    flat = np.reshape(x, (x.shape[0], x.shape[1] * x.shape[2] * x.shape[3]))
    return flat @ weight + bias


@program(
    lambda rng, n, c: (rng.random((n, n, c)), rng.random((3, 3, c, c))),
    (6, 2),
    (20, 6),
    "loops",
)
def conv_loops(image, kernel):
    """A convolution layer as six loops."""
    h, w, channels = image.shape
    k, out_channels = kernel.shape[0], kernel.shape[3]
    out = np.zeros((h - k + 1, w - k + 1, out_channels))
    for i in prange(h - k + 1):
        for j in range(w - k + 1):
            for di in range(k):
                for dj in range(k):
                    for c in range(channels):
                        for o in range(out_channels):
                            out[i, j, o] += image[i + di, j + dj, c] * kernel[di, dj, c, o]
    return out


@program(lambda rng, n: (rng.normal(size=(n, 5)), rng.random(n) < 0.4), (10,), (20000,), rtol=1e-7)
def logistic_regression(x, y):
    """Gradient descent on the log likelihood."""
    n, d = x.shape
    w = np.zeros(d)
    b = 0.0
    for _ in range(15):
        p = 1 / (1 + np.exp(-(x @ w + b)))
        error = p - y
        w -= 0.5 * (x.T @ error) / n
        b -= 0.5 * error.mean()
    loss = -np.mean(np.where(y, np.log(p), np.log(1 - p)))
    return w, b, loss


@program(lambda rng, n: (rng.random(n) * 10, rng.random(n)), (10,), (4000,), "loops")
def gradient_descent(x, y):
    """A line through points, one sample at a time."""
    slope, offset = 0.0, 0.0
    for epoch in range(8):
        rate = 0.005 / (1 + epoch)
        for i in range(len(x)):
            error = slope * x[i] + offset - y[i]
            slope -= rate * error * x[i]
            offset -= rate * error
    return slope, offset


@program(lambda rng, n, k: (rng.normal(size=(n, 3)), k, 8), (20, 3), (6000, 6))
def kmeans(points, k, steps):
    """Lloyd's algorithm by broadcasting and masks."""
    centres = points[:k].copy()
    label = np.zeros(points.shape[0], np.int64)
    for _ in range(steps):
        d = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        label = np.argmin(d, axis=1)
        for j in range(k):
            if np.any(label == j):
                centres[j] = points[label == j].mean(axis=0)
    return centres, label


@program(lambda rng, n, k: (rng.normal(size=(n, 3)), k, 4), (20, 3), (3000, 6), "loops", rtol=1e-7)
def kmeans_loops(points, k, steps):
    """The same with loops, counts and sums."""
    n, d = points.shape
    centres = points[:k].copy()
    label = np.zeros(n, dtype=np.int64)
    for _ in range(steps):
        total = np.zeros((k, d))
        count = np.zeros(k, dtype=np.int64)
        for i in range(n):
            best, nearest = np.inf, 0
            for j in range(k):
                s = 0.0
                for a in range(d):
                    s += (points[i, a] - centres[j, a]) ** 2
                if s < best:
                    best, nearest = s, j
            label[i] = nearest
            count[nearest] += 1
            for a in range(d):
                total[nearest, a] += points[i, a]
        for j in range(k):
            if count[j] > 0:
                centres[j] = total[j] / count[j]
    return centres, label


@program(lambda rng, n, d: (rng.normal(size=(n, d)) * np.arange(1, d + 1),), (20, 3), (3000, 20))
def pca(data):
    """Principal components by eigenvectors of the covariance, largest first, signs fixed."""
    centred = data - data.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / (len(data) - 1))
    order = np.argsort(values)[::-1]
    values, vectors = values[order], vectors[:, order]
    largest = np.argmax(np.abs(vectors), axis=0)
    vectors = vectors * np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return values / values.sum(), np.abs(centred @ vectors[:, :2]).sum(axis=0)


@program(
    lambda rng, n, q: (rng.normal(size=(n, 4)), rng.integers(0, 3, n), rng.normal(size=(q, 4)), 5),
    (20, 3),
    (2000, 60),
)
def nearest_neighbours(points, label, queries, k):
    """The vote of the k nearest, by argsort and bincount."""
    out = np.empty(len(queries), np.int64)
    for i in range(len(queries)):
        d = np.sqrt(((points - queries[i]) ** 2).sum(axis=1))
        near = np.argsort(d)[:k]
        out[i] = np.argmax(np.bincount(label[near], minlength=3))
    return out


@program(lambda rng, n: (rng.random((n, 2)), 0.06, 4), (30,), (500,), "loops")
def dbscan(points, radius, least):
    """Clusters by density, a stack of what is still to be looked at."""
    n = len(points)
    label = np.full(n, -1)
    seen = np.zeros(n, dtype=np.bool_)
    cluster = 0
    for i in range(n):
        if seen[i]:
            continue
        seen[i] = True
        d = ((points - points[i]) ** 2).sum(axis=1)
        stack = list(np.flatnonzero(d <= radius**2))
        if len(stack) < least:
            continue
        label[i] = cluster
        while stack:
            j = stack.pop()
            if label[j] == -1:
                label[j] = cluster
            if seen[j]:
                continue
            seen[j] = True
            d = ((points - points[j]) ** 2).sum(axis=1)
            near = np.flatnonzero(d <= radius**2)
            if near.size >= least:
                for m in near:
                    stack.append(m)
        cluster += 1
    return label, cluster


@program(lambda rng, n, m: (rng.random((m, 3)), rng.random((n, n, 3))), (4, 10), (16, 400))
def organising_map(data, grid):
    """Kohonen's map: the best unit and its neighbourhood move towards each sample."""
    n = grid.shape[0]
    rows = np.arange(n)[:, None]
    columns = np.arange(n)[None, :]
    for t in range(data.shape[0]):
        decay = np.exp(-t / data.shape[0])
        d = ((grid - data[t]) ** 2).sum(axis=-1)
        best = np.argmin(d)
        i, j = best // n, best % n
        near = np.exp(-((rows - i) ** 2 + (columns - j) ** 2) / (2 * (n / 2 * decay) ** 2))
        grid += 0.5 * decay * near[:, :, None] * (data[t] - grid)
    return grid


@program(lambda rng, n: (rng.normal(size=(n, 6)), rng.integers(0, 3, n)), (20,), (20000,))
def naive_bayes(x, label):
    """A Gaussian for each class and feature, by masks."""
    classes = np.unique(label)
    score = np.empty((x.shape[0], classes.size))
    for k in range(classes.size):
        members = x[label == classes[k]]
        mean, var = members.mean(axis=0), members.var(axis=0) + 1e-9
        prior = np.log(len(members) / len(x))
        score[:, k] = prior - 0.5 * np.sum(np.log(2 * np.pi * var) + (x - mean) ** 2 / var, axis=1)
    guess = classes[np.argmax(score, axis=1)]
    confusion = np.zeros((3, 3), np.int64)
    np.add.at(confusion, (label, guess), 1)
    return guess, confusion, np.mean(guess == label)


@program(lambda rng, n: (rng.normal(size=n) + 3 * (rng.random(n) < 0.5),), (20,), (20000,))
def gaussian_mixture(x):
    """Expectation and maximisation for two bells."""
    mu = np.array([x.min(), x.max()])
    sigma = np.ones(2)
    share = np.array([0.5, 0.5])
    for _ in range(10):
        density = share / sigma * np.exp(-0.5 * ((x[:, None] - mu) / sigma) ** 2)
        r = density / density.sum(axis=1, keepdims=True)
        total = r.sum(axis=0)
        mu = (r * x[:, None]).sum(axis=0) / total
        sigma = np.sqrt((r * (x[:, None] - mu) ** 2).sum(axis=0) / total)
        share = total / x.size
    return mu, sigma, share


@program(
    lambda rng, n, d: (rng.normal(size=(n, d)), rng.normal(size=(n, d)), rng.normal(size=(n, d))),
    (5, 3),
    (256, 32),
)
def attention(q, k, v):
    """Scaled products of queries and keys, looking back only."""
    n, d = q.shape
    score = q @ k.T / np.sqrt(d)
    mask = np.arange(n)[:, None] < np.arange(n)[None, :]
    score = np.where(mask, -np.inf, score)
    weight = np.exp(score - score.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    out = weight @ v
    mean = out.mean(axis=1, keepdims=True)
    return (out - mean) / np.sqrt(out.var(axis=1, keepdims=True) + 1e-5)


def _labelled(rng, n):
    return rng.normal(size=(n, 16)), rng.integers(0, 3, n), 1


@program(_labelled, (12,), (2000,))
def softmax_classifier(x, y, seed):
    """Two layers by hand, as in courses: RandomState, range as an index, gradients in place."""
    rs = np.random.RandomState(seed)
    w1, b1 = 0.1 * rs.randn(x.shape[1], 20), np.zeros((1, 20))
    w2, b2 = 0.1 * rs.randn(20, 3), np.zeros((1, 3))
    losses = np.zeros(20)
    for step in range(20):
        hidden = np.maximum(0, x @ w1 + b1)
        scores = hidden @ w2 + b2
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        losses[step] = -np.log(p[range(len(y)), y]).mean()
        p[range(len(y)), y] -= 1
        p /= len(y)
        dhidden = p @ w2.T
        dhidden[hidden <= 0] = 0
        w2 -= 0.5 * hidden.T @ p
        b2 -= 0.5 * p.sum(axis=0, keepdims=True)
        w1 -= 0.5 * x.T @ dhidden
        b1 -= 0.5 * dhidden.sum(axis=0, keepdims=True)
    return w1, w2, losses


@program(
    lambda rng, n: (
        rng.normal(size=(2, 3, n, n)),
        rng.normal(size=(4, 3, 3, 3)),
        np.zeros(4),
        1,
        1,
    ),
    (6,),
    (40,),
)
def im2col_convolution(x, w, b, stride, pad):
    """A layer as one product over columns of places, and its gradient by np.add.at."""
    n, c, height, width = x.shape
    filters, _, fh, fw = w.shape
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), mode="constant")
    rows, cols = (height + 2 * pad - fh) // stride + 1, (width + 2 * pad - fw) // stride + 1
    i = np.tile(np.repeat(np.arange(fh), fw), c).reshape(-1, 1) + stride * np.repeat(
        np.arange(rows), cols
    )
    j = np.tile(np.arange(fw), fh * c).reshape(-1, 1) + stride * np.tile(np.arange(cols), rows)
    k = np.repeat(np.arange(c), fh * fw).reshape(-1, 1)
    columns = padded[:, k, i, j].transpose(1, 2, 0).reshape(fh * fw * c, -1)
    flat = w.reshape(filters, -1)
    out = (flat @ columns + b.reshape(-1, 1)).reshape(filters, rows, cols, n).transpose(3, 0, 1, 2)
    back = flat.T @ out.transpose(1, 2, 3, 0).reshape(filters, -1)
    grad = np.zeros_like(padded)
    spread = back.reshape(c * fh * fw, -1, n).transpose(2, 0, 1)
    np.add.at(grad, (slice(None), k, i, j), spread)
    return out, grad[:, :, pad:-pad, pad:-pad]


@program(lambda rng, n: (rng.random((n, n // 2)), 5, 30, 1), (8,), (200,))
def factorisation(v, k, steps, seed):
    """Of what isn't negative, by the multiplicative rules."""
    rs = np.random.RandomState(seed)
    w, h = rs.rand(v.shape[0], k), rs.rand(k, v.shape[1])
    for _ in range(steps):
        h *= (w.T @ v) / (w.T @ w @ h + 1e-9)
        w *= (v @ h.T) / (w @ h @ h.T + 1e-9)
    return w, h, np.linalg.norm(v - w @ h)
