# SPDX-License-Identifier: BSD-3-Clause
"""Graphs as pictures, and as text."""
