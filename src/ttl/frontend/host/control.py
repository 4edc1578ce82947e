"""Control flow of host code: loops that are followed or widened, and ``try``, which differs from that in kernels."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from ttl.frontend.assignments import assign
from ttl.frontend.domain import Repetition, Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.flow import apart, course
from ttl.frontend.host.courses import ITERATOR, PathStates, ProgramEnded
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.source.scopes import assigned, leaves

# The most iterations of a loop that are read.
_MOST_ITERATIONS = 256


def _bind(reader: Evaluator, name: str, value: Any) -> None:
    reader.domain.bind(ast.Name(name, ast.Store()), value)


def try_(reader: Evaluator, courses: PathStates, statement: ast.Try) -> Signals:
    """Read a ``try``. If its body may raise, the handlers are read, too."""
    known = courses.unknowns
    ended: ProgramEnded | None = None
    signals: Signals = {}
    courses.handlers += bool(statement.handlers)
    before = courses.names_now()
    depth = len(courses.changes)
    courses.changes.append([])
    try:
        signals = apart(reader, statement.body)
    except ProgramEnded as raised:
        ended = raised
    finally:
        courses.handlers -= bool(statement.handlers)
        changed = courses.changes[depth]
        del courses.changes[depth:]
    if ended is not None and statement.handlers:
        ended = None
        signals = _handled(reader, courses, statement.handlers)
    elif ended is None and courses.unknowns != known and statement.handlers:
        reached = signals
        for container in changed:
            courses.blur(container)

        def handled() -> Signals:
            # It is unknown where the body raised: a name may have its value from before the body or from its end.
            courses.join_names(before)
            return _handled(reader, courses, statement.handlers)

        signals = courses.either_way(lambda: reached, handled)
    elif ended is None and not signals:
        signals = apart(reader, statement.orelse)
    last = apart(reader, statement.finalbody)
    if ended is not None and not last:
        raise ended
    return last or signals


def _handled(reader: Evaluator, courses: PathStates, handlers: list[ast.ExceptHandler]) -> Signals:
    """Read the handlers of a ``try``, one of which runs."""
    first = handlers[0]
    if first.name is not None:
        _bind(reader, first.name, Unknown(first, reader.file, "an exception"))
    if len(handlers) == 1:
        return apart(reader, first.body)
    return courses.either_way(course(reader, first.body), lambda: _handled(reader, courses, handlers[1:]))


class HostLoop(Repetition):
    """A loop that is followed for some iterations, or read once for any number of them if that is not enough."""

    most = _MOST_ITERATIONS

    def __init__(self, reader: Evaluator, courses: PathStates, statement: ast.For | ast.While) -> None:
        self._reader = reader
        self._courses = courses
        self._statement: Any = statement
        self._members: list[Any] = []
        self._iterator: Any = None
        self._depth = 0

    def __enter__(self) -> HostLoop:
        self._courses.exits.append([])
        self._depth = len(self._courses.changes)
        self._courses.changes.append([])
        return self

    def __exit__(self, *raised: object) -> None:
        if self._iterator is not None and (raised[0] is not None or leaves(self._statement)):
            self._courses.blur(self._iterator)  # the number of members left is not known
        del self._courses.changes[self._depth :]
        self._courses.exits.pop()

    def whole(self, iterated: Any) -> Signals | None:
        """Read a loop over unknown members as a whole; return None if they are known."""
        if type(iterated) is not Unknown:
            self._iterator = iterated if type(iterated) is ITERATOR else None
            try:
                self._members = self._reader.domain.members(iterated, self._statement.iter)
                return None
            except NotKnown as stopped:
                iterated = stopped.origin
        return self._once_or_not(lambda: assign(self._reader, self._statement.target, iterated))

    def members(self, iterated: Any) -> Iterable[Any]:
        """Return the members. If there are too many, all that the loop changes is unknown after the first ones."""
        yield from self._members[:_MOST_ITERATIONS]
        if len(self._members) > _MOST_ITERATIONS:
            self._forget()

    def undecided(self, condition: Any) -> Signals:
        """Read a loop whose condition is unknown."""
        return self._once_or_not(lambda: None)

    def perhaps_left(self, signals: Signals) -> None:
        """Read a loop that may or may not have been left, and may or may not continue."""
        self.widened()

    def widened(self) -> None:
        """Assume that a loop with too many iterations ends."""
        self._forget()
        self.left()

    def continued(self, running: Any = True) -> None:
        """Join the states at each ``continue``."""
        self._courses.join_exits("continue")

    def left(self) -> None:
        """Join the states at each ``break``."""
        self._courses.join_exits("break")

    def _once_or_not(self, start: Callable[[], None]) -> Signals:
        """Read the body once, for any number of iterations."""
        reader, statement = self._reader, self._statement

        def once() -> Signals:
            start()
            signals = apart(reader, statement.body)
            self._forget_names()
            return {name: True for name in signals if name in ("return", "end")}

        signals = self._courses.perhaps(once)
        if signals or not statement.orelse:
            return signals
        exits = self._courses.exits.pop()  # ``break`` in the ``else`` leaves the loop around this one
        try:
            if "break" in leaves(statement):
                return self._courses.perhaps(course(reader, statement.orelse))
            return apart(reader, statement.orelse)
        finally:
            self._courses.exits.append(exits)

    def _forget(self) -> None:
        """Make everything unknown that the loop assigns and changes."""
        self._forget_names()
        for changed in self._courses.changes[self._depth]:
            self._courses.blur(changed)

    def _forget_names(self) -> None:
        for name in assigned(*self._statement.body):
            _bind(self._reader, name, Unknown(self._statement, self._reader.file, name))
