"""Helpers of programs around kernels, imported as ``ttl.utils``: checks of results, and the division of work into blocks."""
