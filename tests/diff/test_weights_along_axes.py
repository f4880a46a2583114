# SPDX-License-Identifier: BSD-3-Clause
"""np.average and np.quantile with weights along several axes, and np.take where nothing is taken
or where the places are of a dtype in which the size of the axis does not fit."""

import numpy as np
import pytest
from harness import check, expression

A = np.arange(24.0).reshape(2, 3, 4) % 7 + 1
AVERAGES = """
np.average(a, axis=(0, 2), weights=a[:, 0]), np.average(a, axis=(1,), weights=a[0, :, 0])
np.average(a, axis=(2, 0), weights=a[:, 1].T, keepdims=True), np.average(a, axis=(0, 2), weights=a)
np.average(a, axis=(-1, 0), weights=a[:, 0].T.copy(), returned=True)
np.average(a, axis=(2, 0, 1), weights=np.moveaxis(a, 2, 0)), np.average(a, axis=(), weights=2)
"""
QUANTILES = """
np.quantile(a, 0.4, axis=(0, 2), weights=a[:, 0], method="inverted_cdf")
np.percentile(a, [30, 70], axis=(2, 0), weights=a[:, 1].T, method="inverted_cdf")
"""
TAKEN = """
np.take(np.zeros((0, 3)), np.array([5]), axis=1), np.take(np.zeros((0, 3)), 4, axis=-1)
np.take(np.zeros((2, 0, 3)), np.array([[5, -9]], np.int8), axis=2), np.zeros((0, 3)).take(7, 1)
np.take(a.reshape(1, 24).repeat(9, 1), np.array([5, -100], np.int8), axis=1, mode="wrap")
np.take(a.repeat(9), np.array([5, -100], np.int8), mode="clip")
"""
RAISES = """
np.average(a, axis=(0, 2), weights=a[0])
np.average(a, axis=(0, 2), weights=a[0, 0])
np.average(a, axis=(1, 2), weights=a[0] * 0)
np.take(np.zeros((2, 3, 0)), np.array([5]), axis=1)
"""


@pytest.mark.parametrize(
    "text", (AVERAGES + QUANTILES + TAKEN).strip().replace("\n\n", "\n").split("\n")
)
def test_same(text):
    check(expression(text, "a"), A, modes=("quick",), ulp=4)


@pytest.mark.parametrize("text", RAISES.strip().split("\n"))
def test_raises(text):
    check(expression(text, "a"), A, modes=("quick",), raises=...)
