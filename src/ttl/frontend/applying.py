"""Python's own functions, and the language's, on values."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ttl.diag import Diagnostic, TTLError
from ttl.frontend import refusals
from ttl.frontend.reals import Real
from ttl.frontend.scalars import Condition, Ratio, Scalar
from ttl.frontend.selecting import Selecting
from ttl.frontend.stop import Lost, Poisoned, Reject, Split, StaticNeeded, Undecided
from ttl.frontend.values import Poison


class Text:
    """An f-string with something in it that is known on the node only: for ``print``."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts


class Applying(Selecting):
    """Application of functions."""

    def explained(self, raised: Exception, function: Any, arguments: tuple[Any, ...] = ()) -> Diagnostic:
        """What Python raised, as a finding."""
        raise NotImplementedError

    def python(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Apply a function of Python, or of the language, to values; what it raises is a finding."""
        if any(type(each) is Text for each in arguments):
            raise Reject(refusals.must_be_known("the text of a block, buffer or number"))
        try:
            result = function(*arguments, **keywords)
        except (Reject, StaticNeeded, Lost, Undecided, Split, Poisoned, TTLError):
            raise
        except Exception as raised:
            if isinstance(raised, TypeError) and any(map(_is_of_node, arguments)):
                raise Reject(self._of_numbers(function, arguments, keywords, raised)) from None
            raise Reject(self.explained(raised, function, arguments)) from None
        if isinstance(result, Poison):  # out of a container or an object of host code
            raise Poisoned
        return result

    def _of_numbers(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        raised: TypeError,
    ) -> Diagnostic:
        """What is wrong with a function of numbers: they are known on the node only, or it takes no numbers at all."""
        if getattr(function, "__module__", None) not in _PURE:
            return self.explained(raised, function)
        try:
            function(*map(_stand_in, arguments), **keywords)
        except Exception as real:
            return self.explained(real, function)
        return refusals.no_arithmetic(ast.unparse(self.place))


# Modules of functions that do nothing but compute.
_PURE = ("_operator", "builtins", "math")


def _is_of_node(value: Any) -> bool:
    return isinstance(value, Scalar | Ratio | Real | Condition)


def _stand_in(value: Any) -> Any:
    """A number of the kind that a value will be on the node."""
    match value:
        case Scalar():
            return 1
        case Ratio() | Real():
            return 0.5
        case Condition():
            return True
    return value
