"""What a stage of the compiler does with the operations of each class: one registration for each class and stage.

A stage lists its registrations where it is defined. What is registered for a base serves the classes that follow it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from xdsl.ir import Operation

OperationT = TypeVar("OperationT", bound=Operation)
OtherT = TypeVar("OtherT", bound=Operation)
P = ParamSpec("P")
ResultT = TypeVar("ResultT")


class Registration(Generic[P, ResultT]):
    """What a stage does with the operations of a class."""

    def __init__(
        self, kinds: tuple[type[Operation], ...], does: Callable[Concatenate[Any, P], ResultT]
    ) -> None:
        self.kinds, self.does = kinds, does


def on(
    kind: type[OperationT], does: Callable[Concatenate[OperationT, P], ResultT]
) -> Registration[P, ResultT]:
    """The registration of a function for a class."""
    return Registration((kind,), does)


def on_both(
    kind: type[OperationT], other: type[OtherT], does: Callable[Concatenate[OperationT | OtherT, P], ResultT]
) -> Registration[P, ResultT]:
    """The registration of a function for two classes, such as those of TTIR and of TTNN."""
    return Registration((kind, other), does)


class Stage(Generic[P, ResultT]):
    """The registrations of a stage, and the reasons of the classes that it has nothing for."""

    def __init__(
        self, *registrations: Registration[P, ResultT], absent: dict[type[Operation], str] | None = None
    ) -> None:
        pairs = [(kind, one.does) for one in registrations for kind in one.kinds]
        self._does = dict(pairs)
        assert len(self._does) == len(pairs), "a class is registered once"
        self._absent = absent or {}
        self._known: dict[type[Operation], Callable[Concatenate[Any, P], ResultT] | None] = {}

    @property
    def kinds(self) -> tuple[type[Operation], ...]:
        """The classes that something is registered for."""
        return tuple(self._does)

    def of(self, kind: type[Operation]) -> Callable[Concatenate[Any, P], ResultT] | None:
        """What the stage does with operations of a class; None where nothing is registered."""
        if kind not in self._known:
            self._known[kind] = next((self._does[base] for base in kind.__mro__ if base in self._does), None)
        return self._known[kind]

    def reason(self, kind: type[Operation]) -> str | None:
        """Why the stage has nothing for a class; None where nobody says so."""
        return next((self._absent[base] for base in kind.__mro__ if base in self._absent), None)
