# SPDX-License-Identifier: BSD-3-Clause
"""Other compilers' names for what swathe does: change the import and nothing else."""
