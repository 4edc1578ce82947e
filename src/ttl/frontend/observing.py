"""The interface for an observer of the values in a program: an editor, not a check or a compiler.

A reader asks once, when it is made, whether there is an observer. Without one nothing is called."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Protocol

from ttl.session import Part

if TYPE_CHECKING:
    from ttl.source.trees import SourceFile


class ValueObserver(Protocol):
    """Is notified of values as they are read. It keeps no values, because most of them refer to the IR under construction."""

    def value(self, file: SourceFile, node: ast.AST, value: Any) -> None:
        """An expression has a value, or a name was given one.

        In an unrolled loop, and in a function that is called several times, this is called each time.
        """


OBSERVER: Part[ValueObserver | None] = Part(lambda: None)
