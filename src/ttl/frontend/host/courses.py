"""Alternative courses of a host program, and the state after them: names joined, changed containers made unknown."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ttl.frontend.domain import Course, Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import RETURN, UNBOUND, same

if TYPE_CHECKING:
    from ttl.frontend.classes import UserClass
    from ttl.frontend.host.modules import ReadModule
    from ttl.source.trees import SourceFile

ITERATOR: type = type(iter([]))
"""The type of iterators such as ``zip`` and ``map``, whose members are taken once."""

Names = list[tuple[dict[str, Any], dict[str, Any]]]


class ProgramEnded(Exception):
    """The program raises an exception here, or ends."""


class StatementWatcher:
    """An observer of effects between statements. This one ignores them."""

    def touched(self, value: Any) -> None:
        """Note that an object is changed in place."""

    def born(self, container: Any, depth: int) -> None:
        """Note that a container was made in a course that may not be taken."""

    def lost(self) -> None:
        """Note a change that may affect every later statement."""

    def unrepeatable(self) -> None:
        """Note that the statement has an effect that is not followed."""

    def instance(self, node: int, kind: UserClass) -> None:
        """Note that a class was found to have the method that is defined at a node."""

    def launch(self, launch: Any, place: ast.AST, file: SourceFile) -> None:
        """Note that an operation is called at a place."""

    def absent(self, name: str, level: int, importer: ReadModule) -> None:
        """Note that a module was looked for in the program, and is not there."""


class PathStates:
    """The state of the program while it is read: the facts that are certain, and the changes that may have happened."""

    def __init__(self, reader: Evaluator) -> None:
        self._reader = reader
        self.watcher = StatementWatcher()
        # The names of the modules that the code being read can change.
        self.namespaces: list[dict[str, Any]] = []
        # Containers and objects that are not known any more, because code that may not run changed them.
        self.blurred: dict[int, Any] = {}
        # The objects changed since each observer began, innermost last.
        self.changes: list[list[Any]] = []
        # Values that the function being read may have returned already, innermost function last.
        self.returns: list[list[Any]] = []
        # The names where a loop may have been left, or continued, innermost loop last.
        self.exits: list[list[tuple[str, Names]]] = []
        # The number of unknown values met so far.
        self.unknowns = 0
        # The number of ``try`` with handlers around the code being read.
        self.handlers = 0
        # The number of courses that may not be taken around the code being read.
        self._depth = 0
        self.births: dict[int, tuple[Any, int]] = {}
        """For each container or object, the number of courses that may not be taken around its creation."""

    @property
    def uncertain(self) -> bool:
        """Whether the code that is being read may not run at all."""
        return self._depth > 0

    @contextmanager
    def maybe(self) -> Iterator[None]:
        """Read code that may not run."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def either_way(self, first: Course, second: Course) -> Signals:
        """Read two courses, one of which is taken, and join their states."""
        before = self.names_now()
        left = self._course(first)
        after = self.names_now()
        self.restore_names(before)
        right = self._course(second)
        if not left and not right:
            self.join_names(after)
            return {}
        if left and ("end" in left or not right):
            self._leaves(left, after)
            return right
        if right:
            self._leaves(right, self.names_now())
            self.restore_names(after)
        return left

    def perhaps(self, course: Course) -> Signals:
        """Read code that may run or not."""
        return self.either_way(course, dict)

    def _course(self, read: Course) -> Signals:
        with self.maybe():
            try:
                return read()
            except ProgramEnded:
                return {"end": True}

    def _leaves(self, signals: Signals, names: Names) -> None:
        """Note that the function or loop may be left here."""
        for name in ("break", "continue"):
            if name in signals and self.exits:
                self.exits[-1].append((name, names))
        if "return" in signals and self.returns:
            scope = self._reader.scope
            while scope.parent is not None and RETURN not in scope.names:
                scope = scope.parent
            value = next(
                (then[RETURN] for held, then in names if held is scope.names and RETURN in then), None
            )
            self.returns[-1].append(value)

    def join_exits(self, how: str) -> None:
        """Join the current state with those at each statement ``how``: ``break`` or ``continue``."""
        exits, self.exits[-1] = self.exits[-1], [exit for exit in self.exits[-1] if exit[0] != how]
        for name, names in exits:
            if name == how:
                self.join_names(names)

    # --- names ------------------------------------------------------------------------------------------------

    def names_now(self) -> Names:
        """The current values of all names that can change, to be restored later."""
        held: dict[int, dict[str, Any]] = {id(names): names for names in self.namespaces}
        for scope in self._reader.reachable():
            held.setdefault(id(scope.names), scope.names)
        return [(names, dict(names)) for names in held.values()]

    @staticmethod
    def restore_names(names: Names) -> None:
        """Restore names. The dictionaries stay the same objects: modules share them."""
        for held, before in names:
            held.clear()
            held.update(before)

    def join_names(self, other: Names) -> None:
        """Join the current names with those in ``other``. Names whose values differ become unknown."""
        for held, then in other:
            if len(held) == len(then) and all(map(operator.is_, held.values(), then.values())):
                continue
            for name in {**held, **then}:
                first, second = held.get(name, UNBOUND), then.get(name, UNBOUND)
                if not same(first, second):
                    held[name] = (
                        first
                        if type(first) is Unknown
                        else Unknown(self._reader.place, self._reader.file, f"{name},")
                    )

    # --- containers -------------------------------------------------------------------------------------------

    def born(self, container: Any) -> Any:
        """Note where a container or object was made, unless that is known, and return it."""
        if self.births.get(id(container), (None,))[0] is container:
            return container
        self.births[id(container)] = (container, self._depth)
        if self._depth:
            self.watcher.born(container, self._depth)
        return container

    def require_mutable(self, container: Any) -> None:
        """Note a change of a container or object. If the change may not happen, its content is unknown from here on."""
        self.watcher.touched(container)
        for wanted in self.changes:
            wanted.append(container)
        known = self.births.get(id(container))
        born_in = known[1] if known is not None and known[0] is container else 0
        if self._depth > born_in:
            self.blur(container)

    def blur(self, container: Any) -> None:
        """Make a container or object unknown from here on: it was changed in an unknown way."""
        if type(container) is not Unknown:
            self.watcher.touched(container)
            self.blurred[id(container)] = container
