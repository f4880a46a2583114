# SPDX-License-Identifier: BSD-3-Clause
"""What random functions are made of: operators, names of functions, forms of views."""

ARITH = ("+", "-", "*", "/", "//", "%", "+", "-", "*")
BITS = ("&", "|", "^", "<<", ">>")
COMPARE = ("<", "<=", ">", ">=", "==", "!=")
UNARY = ("np.abs", "np.negative", "np.sign", "np.floor", "np.ceil", "np.trunc", "np.rint",
         "np.sqrt", "np.isnan", "np.isinf", "np.isfinite", "np.signbit",
         "np.logical_not", "np.invert", "np.positive", "np.conj", "np.real", "np.imag",
         "np.fabs", "-", "~", "+", "abs")  # fmt: skip
BINARY = ("np.add", "np.subtract", "np.multiply", "np.divide", "np.floor_divide", "np.remainder",
          "np.fmod", "np.maximum", "np.minimum", "np.fmax", "np.fmin", "np.copysign",
          "np.logical_and", "np.logical_or", "np.logical_xor", "np.greater", "np.less_equal",
          "np.equal", "np.not_equal", "np.bitwise_and", "np.bitwise_or", "np.bitwise_xor",
          "np.left_shift", "np.right_shift", "np.heaviside", "np.nextafter", "np.gcd")  # fmt: skip
SHAPED = ("{}.T", "{}[::-1]", "{}[1:]", "{}[:-1]", "{}[::2]", "{}[None]", "{}.copy()", "{}.ravel()",
          "{}.reshape(-1)", "{}[..., None]", "{}[..., ::-1]", "{}[-3:]", "{}[:2]", "{}[1:-1]",
          "np.flip({})", "np.roll({}, 1)", "np.ascontiguousarray({})", "np.transpose({})",
          "np.expand_dims({}, 0)", "np.cumsum({})", "np.diff({})", "{}[2:1]",
          "{}[::-2]", "{}[5:0:-1]", "np.zeros_like({})", "np.ones_like({})", "np.atleast_2d({})",
          "np.asarray({})", "np.swapaxes({}, 0, -1)", "np.asfortranarray({})", "np.flipud({})",
          "np.broadcast_to({}, (2,) + {}.shape)", "np.concatenate(({}, {}))", "np.stack(({}, {}))",
          "np.diag({})", "np.tril({})", "np.full_like({}, 3)", "{}.flatten()",
          "np.moveaxis({}, 0, -1)", "np.fliplr({})", "np.triu({})")  # fmt: skip
REDUCED = ("max", "min", "argmax", "argmin", "any", "all", "sum", "prod", "max", "min")
MATH = ("math.floor({})", "math.ceil({})", "math.trunc({})", "math.fabs({})", "math.sqrt(abs({}))",
        "math.isnan({})", "math.isinf({})", "math.copysign(1.5, {})", "abs({})", "float({})",
        "int({})", "bool({})", "round({})", "math.isfinite({})", "int(abs({})) % 7")  # fmt: skip
EXCEPTIONS = ("IndexError", "ValueError", "ZeroDivisionError", "OverflowError", "Exception")
