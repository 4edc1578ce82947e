"""Kernels of a ``ttmetal.dispatch`` as C++."""

from ttmlir.emitc.kernel_text import KernelApi, KernelSource, kernel_files, kernel_programs, kernel_sources

__all__ = ["KernelApi", "KernelSource", "kernel_files", "kernel_programs", "kernel_sources"]
