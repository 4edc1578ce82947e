"""Kernels in MLIR's ``emitc`` dialect, which ``mlir-translate --mlir-to-cpp`` prints as C++."""
