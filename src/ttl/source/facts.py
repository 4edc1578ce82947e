"""Facts of a syntax node, stored in the node: they live as long as the syntax tree.

A table beside the trees would keep trees of programs that are no longer needed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

N = TypeVar("N", bound=ast.AST)
R = TypeVar("R")


def fact_of_syntax(function: Callable[[N], R]) -> Callable[[N], R]:
    """Compute a function of a syntax node once for each node. It must depend on the content of the node only."""
    key = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def known(node: N) -> R:
        facts: dict[str, R] = node.__dict__
        try:
            return facts[key]
        except KeyError:
            result = facts[key] = function(node)
            return result

    return known
