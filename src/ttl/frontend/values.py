"""Values that exist only in the evaluation of source, not in Python: those of names before the program runs."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ttl.frontend.reals import NodeFloat
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio, largest
from ttl.lang.nests import LoopNest

if TYPE_CHECKING:
    from ttl.source.trees import FunctionNode, SourceFile


class Poison:
    """A value that was lost. ``reported``: a finding has given the reason, so that no other is needed.

    ``of`` is the value that was lost; it is only used in messages.
    """

    __slots__ = ("of", "reason", "reported")

    def __init__(self, reason: str = "", *, reported: bool = True, of: Any = None) -> None:
        self.reason = reason
        self.reported = reported
        self.of = of


class Unbound:
    """The value of a local name that has no value yet."""

    __slots__ = ()


UNBOUND = Unbound()


RETURN = "$return"
"""The name under which a scope stores the result of its function."""
# The result of ``next`` if there is no further member.
END: Any = object()


class Scope:
    """The names of one function, within the scopes around it."""

    __slots__ = ("birth", "local", "names", "parent")

    def __init__(self, parent: Scope | None, local: frozenset[str] = frozenset()) -> None:
        # The number of the scope, in the order in which scopes of one reader were first entered; 0 before that.
        self.birth = 0
        self.names: dict[str, Any] = {}
        self.parent = parent
        self.local = local

    def holder(self, name: str) -> Scope | None:
        """The innermost scope that has the name; None without one."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names or name in scope.local:
                return scope
            scope = scope.parent
        return None

    @property
    def returned(self) -> Any:
        """The function's result, as far as it is known; ``UNBOUND`` before, and after a way that returned was left."""
        return self.names.get(RETURN, UNBOUND)


class TopScope(Scope):
    """The names of a module."""


class ClassScope(Scope):
    """The names of a class, which functions in it do not see."""


class GeneratorScope(Scope):
    """The names of a generator expression, which no other code sees."""


@dataclass(frozen=True, slots=True)
class Globals:
    """The names of a module. ``values`` are the program's values; ``get`` returns them for evaluation."""

    values: dict[str, Any]
    name: str


@dataclass(eq=False, slots=True)
class UserFunction:
    """A function of the program: its definition and its scope. A call evaluates its body."""

    node: FunctionNode
    file: SourceFile
    scope: Scope | None
    globals: Globals
    defaults: tuple[Any, ...] = ()
    keyword_defaults: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name in the source."""
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name

    __name__ = name

    def __repr__(self) -> str:
        return f"<function {self.name}>"

    def __call__(self, *arguments: Any) -> None:
        raise TypeError("evaluated, never called")


@dataclass(eq=False, slots=True)
class TileProgram(UserFunction):
    """The function of a tile program, from which an explicit operation is designed for the arguments of each call."""

    nest: LoopNest | None = None
    """The loops around it, if they come from metadata."""

    @classmethod
    def of(cls, function: UserFunction, nest: LoopNest | None) -> TileProgram:
        """The tile program of a function."""
        return cls(
            function.node,
            function.file,
            function.scope,
            function.globals,
            function.defaults,
            function.keyword_defaults,
            nest,
        )


class PrintedText:
    """An f-string that contains a value known on the node only, for ``print``."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts


@dataclass(frozen=True, eq=False, slots=True)
class ReadKernel:
    """The value of a kernel's name."""

    function: UserFunction
    kind: str
    noc: int | None
    """The network that it requests."""


class Sequential:
    """An iterable: its length, and a function that computes the member ``at`` a position, an integer of the language."""

    __slots__ = ("at", "length")

    def __init__(self, length: Any, at: Callable[[Any], Any]) -> None:
        self.length = length
        self.at = at


class RangeValue(Sequential):
    """``range`` with bounds known on the node only."""

    __slots__ = ("start", "step", "stop")

    def __init__(self, start: Any, stop: Any, step: int) -> None:
        self.start = start
        self.stop = stop
        self.step = step
        distance = (stop - start) if step > 0 else (start - stop)
        length = largest(-((-distance) // abs(step)), 0)
        super().__init__(length, lambda position: start + position * step)


def sequential(value: Any) -> Sequential | None:
    """Return a range as an iterable that computes its members from positions; None for any other value."""
    if isinstance(value, Sequential):
        return value
    if isinstance(value, range):
        return RangeValue(value.start, value.stop, value.step)
    return None


_PLAIN = frozenset({int, bool, float, str, type(None)})


def is_symbolic(value: Any) -> bool:
    """Whether a value is, or contains, a value known on the node only."""
    if type(value) in _PLAIN:
        return False
    if isinstance(value, NodeInteger | NodeCondition | NodeRatio | NodeFloat | Sequential):
        return True
    if isinstance(value, tuple | list | set):
        return any(is_symbolic(item) for item in value)
    if isinstance(value, dict):
        return any(is_symbolic(item) for item in value.values())
    if isinstance(value, slice):
        return any(is_symbolic(item) for item in (value.start, value.stop, value.step))
    return False


def same(first: Any, second: Any) -> bool:
    """Whether two values are the same, so that no choice between them is needed."""
    if first is second:
        return True
    if isinstance(first, NodeInteger) and isinstance(second, NodeInteger):
        return first.key == second.key
    if type(first) is not type(second) or isinstance(
        first, NodeInteger | NodeCondition | NodeFloat | NodeRatio
    ):
        return False
    if isinstance(first, tuple):
        return len(first) == len(second) and all(same(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, slice):
        return all(
            same(a, b)
            for a, b in zip(
                (first.start, first.stop, first.step), (second.start, second.stop, second.step), strict=True
            )
        )
    return isinstance(first, int | float | str | bytes | range) and first == second


def copied(value: Any, instead: Callable[[Any], Any] | None = None) -> Any:
    """Return copies of the user's containers, at any depth, so that evaluation may change them.

    ``instead`` returns the value to put into the copy: the value itself or another.
    """
    if instead is not None:
        value = instead(value)
    if type(value) is list or type(value) is set:
        return type(value)(copied(item, instead) for item in value)
    if type(value) is dict:
        return {key: copied(item, instead) for key, item in value.items()}
    return value
