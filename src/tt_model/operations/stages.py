"""Tables of a compiler stage: one registration for each class of operations.

A stage lists its registrations where it is defined. The registration of a base applies to the classes derived from it.
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
    """A stage's value for each class of operations, and a reason for each class without one.

    An entry is a class, or a tuple of classes, and their value. The entry of a base applies to the classes derived from it.
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
        """The classes that have a value."""
        return tuple(self._values)

    def of(self, kind: type[Operation]) -> ValueT | None:
        """Return the value for the operations of a class; None if nothing is registered for it."""
        if kind not in self._known:
            base = self._nearest(kind)
            self._known[kind] = None if base in self._absent else self._values.get(base)
        return self._known[kind]

    def _nearest(self, kind: type[Operation]) -> type[Operation]:
        """Return the base whose entry applies to ``kind``; ``Operation`` by default."""
        return next(
            (base for base in kind.__mro__ if base in self._values or base in self._absent), Operation
        )

    def reason(self, kind: type[Operation]) -> str | None:
        """Return why the stage has no value for a class; None if it has one, or if no reason is registered."""
        return self._absent.get(self._nearest(kind))


class Registration(Generic[P, ResultT]):
    """A stage's function, with the classes of operations that it is for."""

    def __init__(
        self, kinds: tuple[type[Operation], ...], does: Callable[Concatenate[Any, P], ResultT]
    ) -> None:
        self.kinds, self.does = kinds, does


def on(
    kind: type[OperationT], does: Callable[Concatenate[OperationT, P], ResultT]
) -> Registration[P, ResultT]:
    """Return the registration of a function for a class."""
    return Registration((kind,), does)


def on_both(
    kind: type[OperationT], other: type[OtherT], does: Callable[Concatenate[OperationT | OtherT, P], ResultT]
) -> Registration[P, ResultT]:
    """Return the registration of a function for two classes, such as those of TTIR and of TTNN."""
    return Registration((kind, other), does)


class Stage(PerClass[Callable[Concatenate[Any, P], ResultT]], Generic[P, ResultT]):
    """A stage: for each class of operations, the function that handles them."""

    def __init__(
        self,
        *registrations: Registration[P, ResultT],
        absent: Mapping[type[Operation], str] | None = None,
    ) -> None:
        super().__init__(*((one.kinds, one.does) for one in registrations), absent=absent)
