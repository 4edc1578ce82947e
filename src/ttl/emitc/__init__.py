"""The ``emitc`` dialect, and C++ of its modules as ``mlir-translate --mlir-to-cpp`` prints it."""
