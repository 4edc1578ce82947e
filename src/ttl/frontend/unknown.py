"""Values that reading a program cannot know, and their effect on every value computed from them.

Every use of an ``Unknown`` raises ``NotKnown``. The reader of host code makes the expression with this use the same
unknown value; for an operation that is read, the statement ends without a finding.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NoReturn

from ttl.frontend.stop import Poisoned
from ttl.frontend.values import Poison

if TYPE_CHECKING:
    from ttl.source.trees import SourceFile

_LONGEST = 60


class NotKnown(Poisoned):
    """A computation needs a value that is not known."""

    def __init__(self, origin: Unknown) -> None:
        super().__init__()
        self.origin = origin


def _use(self: Unknown, *arguments: Any, **keywords: Any) -> NoReturn:
    raise NotKnown(self)


class ReadArray:
    """An array of torch or NumPy in a program that is only read."""

    __slots__ = ("members",)
    members: list[Any] | None
    """The integers in it, as nested lists, if the program's source gives them."""


class Unknown(Poison):
    """A value of the program that depends on more than its source: data, the clock, arguments, other libraries."""

    __slots__ = ("file", "node", "why")

    def __init__(self, node: ast.AST | None = None, file: SourceFile | None = None, why: str = "") -> None:
        super().__init__()
        self.node = node
        self.file = file
        self.why = why

    @property
    def source(self) -> str:
        """The origin of the value: the expression and its line."""
        text = self.why
        if not text:
            try:
                text = ast.unparse(self.node) if isinstance(self.node, ast.expr) else "code that is not read"
            except (ValueError, RecursionError):
                text = "an expression"
            text = " ".join(text.split())
            text = text if len(text) <= _LONGEST else text[: _LONGEST - 4].rstrip() + " ..."
        line = getattr(self.node, "lineno", None)
        return text if line is None else f"{text} in line {line}"

    def __getattr__(self, name: str) -> NoReturn:
        raise NotKnown(self)

    __call__ = __getitem__ = __setitem__ = __iter__ = __len__ = __contains__ = __bool__ = __index__ = _use
    __int__ = __float__ = __str__ = __repr__ = __format__ = __enter__ = __exit__ = __round__ = _use
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _use
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _use
    __divmod__ = __rdivmod__ = __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _use
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __neg__ = __pos__ = __abs__ = __invert__ = _use
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _use
