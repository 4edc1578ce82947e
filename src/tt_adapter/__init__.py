"""The adapter of TT-MLIR for Google's Model Explorer: modules and binaries as graphs, compiled, run and compared.

``model-explorer --extensions=tt_adapter`` loads it there; ``tt-explorer`` is a server of its own with a page for overrides.
What it does stands in modules that know nothing of Model Explorer: ``graphs``, ``models``, ``commands``.
"""
