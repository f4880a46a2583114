# SPDX-License-Identifier: BSD-3-Clause
"""What is done to each element: plain functions, compiled for the host and for grids alike."""

import math


def neg(x):
    return -x


def relu(x):
    return x if x > 0.0 else 0.0


def exp(x):
    return math.exp(x)


def log(x):
    return math.log(x + 1e-12)


def inv(x):
    return 1.0 / x


def sigmoid(x):
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    return math.exp(x) / (1.0 + math.exp(x))


def same(x):
    return x


def add(x, y):
    return x + y


def mul(x, y):
    return x * y


def less(x, y):
    return 1.0 if x < y else 0.0


def equal(x, y):
    return 1.0 if x == y else 0.0


def larger(x, y):
    return x if x > y else y


def relu_back(x, d):
    return d if x > 0.0 else 0.0


def log_back(x, d):
    return d / (x + 1e-12)


def inv_back(x, d):
    return -d / (x * x)
