"""The cost of operations on a chip, in its cycles: one model for ``ttrt perf`` and for the optimizer."""
