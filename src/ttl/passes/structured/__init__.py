"""Loops and block mathematics in the forms of MLIR: sizes of sub-blocks, helpers on loops, affine loops, ``linalg.generic``."""
