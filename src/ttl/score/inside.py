"""The entry of a process of ``ttl score`` that was forked from a template: enters the fence, then runs a module."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from ttl.score import fence


def main(arguments: Sequence[str]) -> int:
    """Run a module behind the fence. ``arguments``: those of ``fence.py``, the module, and the file of its task."""
    *behind, module, told = arguments
    if not fence.enter(*behind):
        return fence.REFUSED
    sys.argv = [module, told]
    status: int = importlib.import_module(module).main()
    return status
