"""What operations cost on a chip, in its cycles: one model for ``ttrt perf`` and for the optimizer."""
