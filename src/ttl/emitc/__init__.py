"""The ``emitc`` dialect, and its modules as C++ like that of ``mlir-translate --mlir-to-cpp``."""
