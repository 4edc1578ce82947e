"""Whole kernels: their operations on blocks, their prints, and values that they use of the operation around them."""
