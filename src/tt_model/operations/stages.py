"""What a stage of the compiler does with the operations of each class: one registration for each class and stage.

A stage lists its registrations where it is defined. What is registered for a base serves the classes that follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from xdsl.ir import Operation

OperationT = TypeVar("OperationT", bound=Operation)
OtherT = TypeVar("OtherT", bound=Operation)
P = ParamSpec("P")
ResultT = TypeVar("ResultT")
ValueT = TypeVar("ValueT")
Kinds = type[Operation] | tuple[type[Operation], ...]


class PerClass(Generic[ValueT]):
    """What a stage knows of the operations of each class, and the reasons of the classes that it knows nothing of.

    An entry is a class, or several of them, and what is known. What is said of a base holds for the classes that follow it.
    """

    def __init__(
        self, *entries: tuple[Kinds, ValueT], absent: Mapping[type[Operation], str] | None = None
    ) -> None:
        pairs = [
            (kind, value)
            for kinds, value in entries
            for kind in (kinds if isinstance(kinds, tuple) else (kinds,))
        ]
        self._values = dict(pairs)
        assert len(self._values) == len(pairs), "a class is registered once"
        self._absent = absent or {}
        self._known: dict[type[Operation], ValueT | None] = {}

    @property
    def kinds(self) -> tuple[type[Operation], ...]:
        """The classes that something is registered for."""
        return tuple(self._values)

    def of(self, kind: type[Operation]) -> ValueT | None:
        """What is known of the operations of a class; None where nothing is registered."""
        if kind not in self._known:
            base = self._nearest(kind)
            self._known[kind] = None if base in self._absent else self._values.get(base)
        return self._known[kind]

    def _nearest(self, kind: type[Operation]) -> type[Operation]:
        """The class that what is said of ``kind`` is said of; ``Operation`` where nothing is."""
        return next(
            (base for base in kind.__mro__ if base in self._values or base in self._absent), Operation
        )

    def reason(self, kind: type[Operation]) -> str | None:
        """Why the stage has nothing for a class; None where it has something, or nobody says so."""
        return self._absent.get(self._nearest(kind))


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


class Stage(PerClass[Callable[Concatenate[Any, P], ResultT]], Generic[P, ResultT]):
    """What a stage does with the operations of each class: functions that take them."""

    def __init__(
        self,
        *registrations: Registration[P, ResultT],
        absent: Mapping[type[Operation], str] | None = None,
    ) -> None:
        super().__init__(*((one.kinds, one.does) for one in registrations), absent=absent)
