# SPDX-License-Identifier: BSD-3-Clause
"""Of which class an exception is that was caught, or whose class `type` has told; what ends."""


def _raised_is(e, classes):
    try:
        raise e
    except classes:
        return True
    except BaseException:
        return False


def _raised_is_just(cls, classes):
    if isinstance(classes, tuple):
        return _raised_is_one(cls, classes, 0)
    return _raised_is(cls, classes) and cls.__name__ == classes.__name__


def _raised_is_one(cls, classes, k):
    if k == len(classes):
        return False
    return _raised_is_just(cls, classes[k]) or _raised_is_one(cls, classes, k + 1)


def _raised_is_not_just(cls, classes):
    return not _raised_is_just(cls, classes)


def _next_or(iterator, default):
    """next(x, default) of an instance with a __next__."""
    try:
        return iterator.__next__()
    except StopIteration:
        return default


def _reversed_by(x):
    return x.__reversed__()
