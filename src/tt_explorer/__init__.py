"""tt-explorer: models of TT-MLIR in a browser, on Google's Model Explorer.

``tt-explorer model.mlir`` starts a server on this machine and opens its page; ``TTExplorer`` talks to one from Python.
"""

from tt_explorer.client import ExplorerError, TTExplorer

__all__ = ["ExplorerError", "TTExplorer"]
