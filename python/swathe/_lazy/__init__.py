# SPDX-License-Identifier: BSD-3-Clause
"""Lazy arrays: graphs of operations that become one compiled function when values are needed.

- `array`: the array that a program holds, and its operators
- `node`: what an array stands for
- `elementwise`, `views`: how functions and subscripts make nodes
- `dtypes`: the standard's rules of types
- `ops`: how operations are written in source
- `graph`: keys of graphs, and running them
- `emit`: the source of a graph's function
- `library`: calls at which a graph is cut
- `placed`: where arrays are: on the CPU, or in a device's memory
- `calls`: library calls on a device
- `draw`: graphs as pictures and as text
"""

from . import array, elementwise, views

array.views = views
elementwise.install(array.LazyArray)
