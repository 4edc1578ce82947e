"""Kernels of the ``ttkernel`` dialect as C++ for TT-Metalium, in either generation of its kernel API."""

from ttl.codegen.cpp.sources import file_names, kernel_sources

__all__ = ["file_names", "kernel_sources"]
