"""TT-MLIR: the compiler of whole models for Tenstorrent chips, without a build of LLVM.

The dialects, layouts and passes are those of 2024-11-21. This package is light to import: each part is imported where
it is used.
"""
