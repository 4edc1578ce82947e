"""Who wants to know what values the places of a program have: an editor, not a check or a compiler.

A reader asks once, when it is made, whether anybody does. Without an observer nothing is called.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Protocol

from ttl.session import Part

if TYPE_CHECKING:
    from ttl.source.trees import SourceFile


class ValueObserver(Protocol):
    """Is notified of what is read. It keeps no values, because most of them refer to the IR under construction."""

    def value(self, file: SourceFile, node: ast.AST, value: Any) -> None:
        """An expression has a value, or a name was given one. Of a loop that is unrolled and of a function that is
        called several times, this comes once for each.
        """


OBSERVER: Part[ValueObserver | None] = Part(lambda: None)
