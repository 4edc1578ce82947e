"""The beginning of a process of ``ttl score`` that a template became: behind the fence first, then its work."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from ttl.score import fence


def main(arguments: Sequence[str]) -> int:
    """``arguments``: what ``fence.py`` takes, a module, and the file that tells it what to do."""
    *behind, module, told = arguments
    if not fence.enter(*behind):
        return fence.REFUSED
    sys.argv = [module, told]
    status: int = importlib.import_module(module).main()
    return status
