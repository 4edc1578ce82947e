"""What the broken programs of ``examples/errors`` and the tutorial's programs are to compute."""

import numpy as np


def exp_reference(x):
    """The exponential of every element."""
    return np.exp(x)


def exp_plus_reference(x):
    """The same, and the element itself."""
    return np.exp(x) + x


def sum_of_tiles_reference(x):
    """The tiles of a column of tiles, added."""
    return x.reshape(-1, 32, 32).sum(axis=0)


def row_and_column_sums_reference(x):
    """The sums of the rows and of the columns."""
    return {"rows": x.sum(axis=1, keepdims=True), "columns": x.sum(axis=0, keepdims=True)}


def copy_then_join_reference(x):
    """A copy."""
    return x


def add_reference(a, b):
    """A sum."""
    return a + b


def add_bias_reference(x, bias):
    """A column added to every column."""
    return x + bias


def sum_of_squares_reference(x):
    """The squares of all tiles but the first, added."""
    return (x.reshape(-1, 32, 32)[1:] ** 2).sum(axis=0)


def add_magnitudes_reference(a, b):
    """The magnitudes, added."""
    return np.abs(a) + np.abs(b)


def gather_reference(x):
    """Every tile by the node that it was sent from; node 0 writes the last that it received."""
    return np.concatenate([x[-32:], x[32:]])


def multiply_add_reference(a, b, c):
    """Of the tutorial."""
    return a * b + c
