"""tt-explorer: models of TT-MLIR in a browser, on Google's Model Explorer.

``tt-explorer model.mlir`` starts a server on this machine and opens its page; ``TTExplorer`` talks to one from Python.
"""

from tt_explorer.client import TTExplorer
from tt_explorer.guard import ExplorerError

__all__ = ["ExplorerError", "TTExplorer"]
