"""The adapter of TT-MLIR for Google's Model Explorer: modules and binaries as graphs, compiled, run and compared.

``model-explorer --extensions=tt_adapter`` loads it there; ``tt-explorer`` is a server of its own with a page for overrides.
Its functions are in modules that do not depend on Model Explorer: ``graphs``, ``models``, ``commands``.
"""
