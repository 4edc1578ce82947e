"""Whole kernels: what they do with blocks, what they print, what they take of the operation around them."""
