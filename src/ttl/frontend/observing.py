"""The interface for an observer of the values in a program, such as an editor (checks and compilers use none).

A reader asks for the observer once, when it is made. Without an observer, no call is made.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Protocol

from ttl.session import Part

if TYPE_CHECKING:
    from ttl.source.trees import SourceFile


class ValueObserver(Protocol):
    """An observer that is notified of values as they are read.

    It should keep no values, because most of them refer to the IR under construction.
    """

    def value(self, file: SourceFile, node: ast.AST, value: Any) -> None:
        """Handle the value of an expression, or an assignment to a name.

        In an unrolled loop, and in a function that is called several times, this is called each time.
        """


OBSERVER: Part[ValueObserver | None] = Part(lambda: None)
