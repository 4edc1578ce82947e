"""Regions of the IR: code that runs on some nodes, or any number of times, and what is known in it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from xdsl.ir import Block, Operation

from ttl.frontend.merging import same
from ttl.frontend.scalars import Condition, Scalar, plain_key
from ttl.frontend.state import State
from ttl.frontend.values import UNBOUND, Poison, Scope

# What may leave a block early, and when: always (True), or under a condition.
Signals = dict[str, Any]
RETURN = "$return"
_RUNNING, _RETURNED = "$running", "$returned"


class Regions(State):
    """Evaluation into blocks of the IR."""

    # What the layers above know.
    def eval(self, node: ast.expr) -> Any:
        """The value of an expression."""
        raise NotImplementedError

    def lazy(self, node: ast.expr) -> Any:
        """The value of an expression, which may be selected on the node."""
        raise NotImplementedError

    def block(self, body: list[ast.stmt]) -> Signals:
        """Evaluate statements."""
        raise NotImplementedError

    def assign(self, target: ast.expr, value: Any) -> None:
        """Assign to a target."""
        raise NotImplementedError

    def truth(self, value: Any) -> Any:
        """A value as a condition."""
        raise NotImplementedError

    def read_region(self, block: Block, body: Callable[[], None]) -> None:
        """Evaluate what runs any number of times into a block; names it changes mean nothing afterwards."""
        before = self._names()
        try:
            with self.builder.inside(block), self._region(None):
                body()
        except BaseException:
            discard(block)
            raise
        after = self._names()
        for (scope, then), (_, now) in zip(before, after, strict=True):
            for name, value in now.items():
                if not same(then.get(name, UNBOUND), value):
                    scope.names[name] = Poison(
                        "a function called for each pipe of the node assigns it", reported=False
                    )

    @contextmanager
    def _region(self, loop: int | None) -> Iterator[None]:
        self.regions.append(loop)
        try:
            yield
        finally:
            self.regions.pop()

    def assumption(self, condition: Condition) -> bool | None:
        """Whether a condition holds where the evaluation is; None where that is not known."""
        key, sign = plain_key(condition)
        holds = self.assumed.get(key)
        return None if holds is None else holds is sign

    @contextmanager
    def assuming(self, condition: Condition, holds: bool) -> Iterator[None]:
        """Evaluate where a condition holds, or does not."""
        before = self.assumed
        self.assumed = dict(before)
        try:
            self._assume(condition, holds)
            yield
        finally:
            self.assumed = before

    def _assume(self, condition: Condition, holds: bool) -> None:
        key, sign = plain_key(condition)
        self.assumed[key] = holds is sign
        how = condition.key[0]
        if how == "not":
            self._assume(condition.key[1], not holds)
        elif how == "selected" or how == ("and" if holds else "or"):
            for each in condition.operands or ():
                self._assume(each, holds)

    def _names(self) -> list[tuple[Scope, dict[str, Any]]]:
        return [(scope, dict(scope.names)) for scope in self.reachable()]

    @staticmethod
    def _set_names(names: list[tuple[Scope, dict[str, Any]]]) -> None:
        for scope, values in names:
            scope.names = dict(values)


def discard(block: Block) -> None:
    """Drop a block that turned out not to be needed: nothing of it may count as a use any more."""
    for operation in reversed(list(block.ops)):
        drop(operation)


def drop(operation: Operation) -> None:
    """Take an operation out of its block; nothing of it may count as a use any more."""
    detach: Callable[[], None] = operation.detach
    detach()
    operation.drop_all_references()


def loops_of(value: Any) -> frozenset[int]:
    """The loops that a number or condition varies with."""
    return value.loops if isinstance(value, Scalar | Condition) else frozenset()


def flags(number: int) -> tuple[str, str]:
    """Names of whether a loop goes on, and whether its function has returned."""
    return f"{_RUNNING}{number}", f"{_RETURNED}{number}"


def is_signal(name: str) -> bool:
    """Whether a name is one of the evaluator's own, for what leaves a loop or function early."""
    return name.startswith((_RUNNING, _RETURNED, RETURN))
