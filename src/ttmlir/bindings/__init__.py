"""The implementation of ``ttmlir.ir``, ``ttmlir.dialects``, ``ttmlir.passes`` and ``ttmlir.passmanager``.

The names, parameters and texts are those of MLIR's Python bindings, so that programs written for them run. An object of
the bindings is a thin handle: it holds the context and the operation, value or attribute of xDSL, and two handles of the
same thing are equal.
"""
