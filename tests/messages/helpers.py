"""A function in another file, so that an error in it has two places."""


def inverse(a, n):
    return a.inverted(n)
