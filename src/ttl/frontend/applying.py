"""Python's own functions, and the language's, on values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ttl.diag import Diagnostic, TTLError
from ttl.frontend import refusals
from ttl.frontend.control import Control
from ttl.frontend.stop import Lost, Poisoned, Reject, StaticNeeded, Undecided
from ttl.frontend.values import Poison


class Text:
    """An f-string with something in it that is known on the node only: for ``print``."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts


class Applying(Control):
    """Application of functions."""

    def explained(self, raised: Exception, function: Any) -> Diagnostic:
        """What Python raised, as a finding."""
        raise NotImplementedError

    def python(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Apply a function of Python, or of the language, to values; what it raises is a finding."""
        if any(type(each) is Text for each in arguments):
            raise Reject(refusals.must_be_known("the text of a block, buffer or number"))
        try:
            result = function(*arguments, **keywords)
        except (Reject, StaticNeeded, Lost, Undecided, Poisoned, TTLError):
            raise
        except Exception as raised:
            raise Reject(self.explained(raised, function)) from None
        if isinstance(result, Poison):  # out of a container or an object of host code
            raise Poisoned
        return result
