# SPDX-License-Identifier: BSD-3-Clause
"""One of several functions. `choice[k]` is the k-th of them, or None where it is another one, and
`len(choice)` is how many there are; k is known when the program is compiled."""

from swathe._objects import misfit


def _choice_call(choice, *args, **named):
    return _chosen(choice, 0, args, named)


def _chosen(choice, k, args, named):
    function = choice[k]
    if k == len(choice) - 1:
        return _called(function, args, named)
    if function is not None:
        return _called(function, args, named)
    return _chosen(choice, k + 1, args, named)


def _called(function, args, named):
    why = misfit(function, len(args), named)
    if len(why) > 0:
        raise TypeError(why)
    if len(args) == 1 and len(named) == 0:
        return function(args[0])  # int() takes no stars
    return function(*args, **named)


def _choice_name(choice):
    return _chosen_name(choice, 0)


def _chosen_name(choice, k):
    function = choice[k]
    if k == len(choice) - 1:
        return function.__name__
    if function is not None:
        return function.__name__
    return _chosen_name(choice, k + 1)
