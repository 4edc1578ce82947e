"""Kernels of the ``ttkernel`` dialect as C++ for TT-Metalium, in either generation of its kernel API."""

from ttl.codegen.cpp.kernel import KernelFile
from ttl.codegen.cpp.sources import file_names, kernel_files, kernel_sources

__all__ = ["KernelFile", "file_names", "kernel_files", "kernel_sources"]
