"""Kernels in MLIR's ``emitc`` dialect, which ``mlir-translate --mlir-to-cpp`` prints as C++."""

from ttl.codegen.emitc.export import export

__all__ = ["export"]
