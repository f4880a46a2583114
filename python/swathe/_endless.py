# SPDX-License-Identifier: BSD-3-Clause
"""itertools.cycle, which has no end, so that nothing can make a list of it: where no loop goes
through it by itself it is an object, as one of the user's own generators is."""


def cycle(iterable):
    saved = []
    for v in iterable:
        saved.append(v)
        yield v
    while len(saved) > 0:
        for v in saved:
            yield v
