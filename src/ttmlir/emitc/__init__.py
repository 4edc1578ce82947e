"""Kernels of a ``ttmetal.dispatch`` as C++."""

from ttmlir.emitc.kernels import KernelSource, kernel_sources

__all__ = ["KernelSource", "kernel_sources"]
