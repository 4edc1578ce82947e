"""Simplification of kernels: folding of arithmetic, loop invariants, decided branches and their unused results."""
