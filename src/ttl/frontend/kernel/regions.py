"""Regions of the IR: code that runs on some nodes only, or any number of times, and the facts that hold in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from xdsl.ir import Block, Operation

from ttl.frontend import refusals
from ttl.frontend.effects import changed_by_value
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel.builder import Builder
from ttl.frontend.kernel.objects import receive_in
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.mutable import within
from ttl.frontend.scalars import NodeCondition, plain_key
from ttl.frontend.stop import Poisoned, Reject
from ttl.frontend.values import RETURN, UNBOUND, Poison, UserFunction, same
from ttl.rules.pipes import handed_on

_RUNNING, _RETURNED, _VALUE, _AGAIN = "$running", "$returned", "$value", "$again"


class Regions:
    """The open regions, and their effect on names, conditions and containers."""

    def __init__(self, reader: Evaluator, builder: Builder, tracer: Tracer) -> None:
        self._reader = reader
        self._builder = builder
        self._tracer = tracer
        # Open regions, whose code runs an unknown number of times: a loop's number, 0 for a kernel, None (condition).
        self.open: list[int | None] = []
        # The conditions that are known to hold, or not to hold, at the current place.
        self._assumed: dict[Any, bool] = {}
        # For each condition on a selected value: the parts excluded if it holds, and the parts excluded if it does not.
        self._excluded: dict[Any, tuple[list[NodeCondition], list[NodeCondition]]] = {}
        # Containers, with the number of regions open where each was made, and its age: the number of earlier ones.
        self._births: dict[int, tuple[Any, int, int]] = {}
        self._count = count()
        self._spoiled: dict[int, Any] = {}
        # The age of each container that was changed, in the order of the changes.
        self._changes: list[int] = []
        self.partly: list[Any] | None = None
        """The iterators from which members are taken that Python may not take; None outside such code."""
        # Returns a function of the program as one that is read, None for other values. ``Calling`` sets it.
        self.as_function: Callable[[Any], UserFunction | None] = lambda value: None

    @contextmanager
    def inside(self, loop: int | None) -> Iterator[None]:
        """Evaluate in a region: that of a loop, by its number, of a kernel (0) or of a condition (None)."""
        self.open.append(loop)
        try:
            yield
        finally:
            self.open.pop()

    def read_region(self, block: Block, function: Any, body: Callable[[], None]) -> None:
        """Evaluate code that runs any number of times, and append its operations to a block.

        A name that the code changes is unknown while it runs, until the code assigns it, and unknown afterwards.
        """
        why = "a function called for each pipe of the node assigns it"
        for scope, name in changed_by_value(function, self.as_function):
            if name in scope.names:
                self._reader.assign(
                    scope, name, Poison(why, reported=False, of=receive_in(scope.names[name]))
                )
        mark = self._reader.mark()
        with self._builder.inside(block), self.inside(None):
            body()
        for scope, name, before in self._reader.changed_since(mark).values():
            after = scope.names.get(name, UNBOUND)
            if not same(before, after):
                self._reader.assign(scope, name, Poison(why, reported=False, of=receive_in(after)))

    # --- conditions -------------------------------------------------------------------------------------------

    def assumption(self, condition: NodeCondition) -> bool | None:
        """Return whether a condition holds at the current place; None if that is not known."""
        key, sign = plain_key(condition)
        holds = self._assumed.get(key)
        return None if holds is None else holds is sign

    @contextmanager
    def assuming(self, condition: NodeCondition, holds: bool) -> Iterator[None]:
        """Evaluate under the assumption that a condition holds, or does not."""
        before = self._assumed
        self._assumed = dict(before)
        try:
            self._assume(condition, holds)
            yield
        finally:
            self._assumed = before

    def note_parts(self, condition: Any, parts: list[tuple[NodeCondition, Any]]) -> None:
        """Note a condition on a selected value, whose result is known for some parts."""
        if isinstance(condition, NodeCondition):
            key, sign = plain_key(condition)
            without, within = ([when for when, value in parts if value is known] for known in (False, True))
            self._excluded[key] = (without, within) if sign else (within, without)

    def _assume(self, condition: NodeCondition, holds: bool) -> None:
        key, sign = plain_key(condition)
        self._assumed[key] = holds is sign
        for part in self._excluded.get(key, ((), ()))[0 if holds is sign else 1]:
            self._assumed[plain_key(part)[0]] = not plain_key(part)[1]
        how = condition.key[0]
        operands = condition.operands or ()
        if how == "not":
            self._assume(operands[0], not holds)
        elif how == "selected" or how == ("and" if holds else "or"):
            for operand in operands:
                self._assume(operand, holds)

    # --- containers -------------------------------------------------------------------------------------------

    def born(self, container: Any) -> Any:
        """Note where a container was made, unless that is known, and return it."""
        if not self.is_born(container):
            self._births[id(container)] = (container, len(self.open), next(self._count))
        return container

    def since(self) -> Callable[[], bool]:
        """Return a function that says whether a container older than this call has been changed since."""
        changes, oldest = len(self._changes), next(self._count)
        return lambda: any(age < oldest for age in self._changes[changes:])

    def keep(self, value: Any) -> None:
        """Forbid changes of a value from here on, because a cache shares it."""
        for part in within([value]):
            self._births.pop(id(part), None)

    def require_mutable(self, container: Any, value: Any = None) -> None:
        """Raise an error if code that may run any number of times changes a Python container.

        ``value`` is a value that the change may put into the container.
        """
        known = self._births.get(id(container))
        self._changes.append(-1 if known is None else known[2])
        self.require_here(container, value)

    def require_here(self, container: Any, value: Any = None) -> None:
        """Raise the error of ``require_mutable`` if it applies, without noting a change.

        This is called for an iterator of which a member is taken, which changes nothing else.
        """
        crossed = self.crossed(container)
        if not crossed:
            return
        # Its content is not known afterwards.
        self.spoil(container)
        kind = type(container).__name__
        by_loop = any(crossed)
        where = "by a kernel" if crossed == [0] else "under a condition that is known on the node only"
        if receive_in(container, value):
            why = f"by a loop{refusals.COUNTED}" if by_loop else where
            raise Reject(handed_on(f"a {kind}", f"it is changed {why}"))
        if by_loop:
            raise Reject(refusals.changed_on_a_node(kind, "by a loop", refusals.COUNTED))
        raise Reject(refusals.changed_on_a_node(kind, where))

    def is_born(self, container: Any) -> bool:
        """Whether a container or iterator was made while the operation was read."""
        return self._births.get(id(container), (None,))[0] is container

    def crossed(self, container: Any) -> list[int | None]:
        """The open regions that were not open where a container was made."""
        known = self._births.get(id(container))
        return self.open[known[1] if known is not None and known[0] is container else 0 :]

    def kernel_taking(self, iterator: Any) -> str | None:
        """Return the kernel that is about to take a member of an iterator which the operation made; else None."""
        return self._tracer.kernel if self.crossed(iterator) == [0] else None

    def spoil(self, container: Any) -> None:
        """Make the content of a container unknown from here on."""
        self._spoiled[id(container)] = container

    def sound(self, value: Any) -> Any:
        """Return the value. Raises ``Poisoned`` for a container whose content is not known any more."""
        if self._spoiled and id(value) in self._spoiled:
            raise Poisoned
        return value


def discard(block: Block) -> None:
    """Drop a block that is not needed: its operations no longer count as uses."""
    for operation in reversed(list(block.ops)):
        drop(operation)


def drop(operation: Operation) -> None:
    """Remove an operation from its block: it no longer counts as a use."""
    detach: Callable[[], None] = operation.detach
    detach()
    operation.drop_all_references()


def flags(number: int) -> tuple[str, str]:
    """Return the names of two flags: whether a loop continues, and whether its function has returned."""
    return f"{_RUNNING}{number}", f"{_RETURNED}{number}"


def again(number: int) -> str:
    """Return the name of the flag that says whether a loop has had an iteration."""
    return f"{_AGAIN}{number}"


def returned_value(number: int) -> str:
    """Return the name of the value that a function has returned in a loop, in this iteration or an earlier one."""
    return f"{_VALUE}{number}"


def is_signal(name: str) -> bool:
    """Return whether a name is one that the evaluator makes for early exits of a loop or function."""
    return name.startswith((_RUNNING, _RETURNED, _VALUE, _AGAIN, RETURN))
