"""More loops whose iterations race, in the tables of racy.py: some use what others combine."""

import numpy as np

from swathe import prange

from .racy import dynamic, ones


@dynamic(ones(9), np.arange(9))
def combined_and_read(v, h):
    for i in prange(len(h)):
        v[0] += h[i]
        if h[i] > 3:
            h[i] = v[0]


@dynamic(ones(9), np.arange(9))
def read_and_combined_later(v, h):
    for i in prange(len(h)):
        if h[i] == 3:
            h[i] = v[0]
        v[0] += h[i]


@dynamic(ones(9), np.arange(9))
def combined_and_written(v, h):
    for i in prange(len(h)):
        v[0] += h[i]
        if h[i] == 3:
            v[0] = 7.0


@dynamic(ones(9), np.arange(4), np.zeros(9))
def combined_in_a_loop_and_read(v, b, h):
    for i in prange(len(h)):
        for j in range(0, len(v), 2):
            v[-1 - j] -= b[1]
        if h[i] == 0:
            h[i] = v[i]
