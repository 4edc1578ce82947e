"""Compute kernels: expressions of blocks, regions of tiles, registers, and the functions of the units."""
