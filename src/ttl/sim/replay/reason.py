"""Why something is not replayed, with the place in the user's program."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from types import CodeType
from typing import NoReturn

from ttl.source.calls import function_at
from ttl.source.files import display_name
from ttl.source.spans import span_of_site

_KERNELS = ("compute", "datamovement")


class NotReplayedError(Exception):
    """Something is not replayed; ``str()`` is the reason, as ``--stats`` shows it."""


@dataclass(frozen=True, slots=True)
class Use:
    """A place where code uses something.

    ``codes`` are the code objects from the operation or helper inwards; ``spelling`` is what is used, as the program
    writes it.
    """

    codes: tuple[CodeType, ...]
    offset: int
    spelling: str = ""
    called: bool = False

    def refuse(self, what: str = "") -> NoReturn:
        """Raise the reason: ``what`` the code does, by default that it uses what is spelled here."""
        if not what:
            what = f"{'calls' if self.called else 'uses'} {self.spelling}"
        span = span_of_site((self.codes[-1], self.offset))
        raise NotReplayedError(f"{_role(self.codes)} {what} at {display_name(span.file)}:{span.line}")

    def refuse_value(self, kind: str) -> NoReturn:
        """Raise that what is used is of a kind that cannot be compared between calls."""
        self.refuse(f"{'calls' if self.called else 'uses'} {self.spelling}, {kind},")


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of the operation, where a place in code would be."""

    name: str

    def refuse_value(self, kind: str) -> NoReturn:
        """Raise that it is of a kind that cannot be compared between calls."""
        raise NotReplayedError(f"argument {self.name} is {kind}")


def _role(codes: tuple[CodeType, ...]) -> str:
    """What users call the innermost code: ``kernel read``, ``operation add`` or ``function helper``."""
    for code in reversed(codes):
        if code.co_name == "<lambda>":
            return "a lambda"
        if not code.co_name.startswith("<"):  # comprehensions are part of what they stand in
            return f"{_kind(code)} {code.co_name}"
    return "code"


def _kind(code: CodeType) -> str:
    definition = function_at(code)
    for decorator in definition.decorator_list if definition is not None else ():
        named = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = ast.unparse(named).rpartition(".")[2]
        if name in _KERNELS:
            return "kernel"
        if name == "operation":
            return "operation"
    return "function"
