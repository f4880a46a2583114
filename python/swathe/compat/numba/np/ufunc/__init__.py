# SPDX-License-Identifier: BSD-3-Clause
"""The classes of ufuncs, to ask with isinstance."""
