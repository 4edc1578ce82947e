"""What is asked for in the tests of the score: ``a * b + a``, of 64 x 64 elements."""

SHAPES = {"a": (64, 64), "b": (64, 64), "y": (64, 64)}


def reference(a, b):
    """The task."""
    return a * b + a
