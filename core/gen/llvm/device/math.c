/* SPDX-License-Identifier: BSD-3-Clause
 * C's math functions for CUDA devices where libdevice is not found. */
double
sqrt(double x)
{
    return __builtin_sqrt(x);
}
