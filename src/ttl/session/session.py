"""``Session``: all state of a run of the tool besides its programs, its launches and the process.

A session has *parts*: the texts of files, the settings, messages already shown, parsed files, compiled kernels. Each is
declared in the module that it belongs to, as a ``Part``, and created on first use. Two sessions share no parts: an
editor that checks unsaved text, in parallel, has a session for each state of the text, and the cached state is dropped
with it. Most programs need no session of their own and use that of the process.

The current session is read only where it cannot be passed as an argument: in functions that a user's program calls
(``ttl``, ``ttnn``, the bindings), in passes, which pipelines call by the interface of xDSL, at the beginning of a verb
of the command line, and in functions that keep their results in a part of their own. Code that has the settings, or the
texts, passes them to the functions it calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache, wraps
from typing import Any, Generic, ParamSpec, TypeVar, cast

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")


class Part(Generic[T]):
    """The key of a value that each session has for itself; ``make`` creates the initial value."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], T]) -> None:
        self.make = make

    def get(self) -> T:
        """The value of the part in the current session."""
        value: T = (_CURRENT.get(None) or current()).parts[self]
        return value

    def set(self, value: T) -> None:
        """Set the value of the part in the current session."""
        current().kept[self] = value

    @contextmanager
    def given(self, value: T) -> Iterator[None]:
        """A context in which the value of the part is ``value``; the other parts of the session are shared."""
        with current().having(self, value).entered():
            yield


class _SessionParts(dict[Part[Any], Any]):
    """The values of a session's parts, created when they are first needed."""

    def __missing__(self, part: Part[T]) -> T:
        value: T = self.setdefault(part, part.make())
        return value


class _UnavailableParts(dict[Part[Any], Any]):
    """Parts with fixed values; all other parts are those of ``kept``."""

    __slots__ = ("kept",)
    kept: _SessionParts

    def __missing__(self, part: Part[T]) -> T:
        value: T = self.kept[part]
        return value


class Session:
    """The parts of one run. Threads may share a session if the values of its parts are safe for threads."""

    __slots__ = ("__weakref__", "kept", "parts")

    def __init__(
        self, given: Mapping[Part[Any], Any] | None = None, kept: _SessionParts | None = None
    ) -> None:
        """``given`` are fixed values of parts, such as the settings; ``kept`` are the parts of a session to share."""
        self.kept = _SessionParts() if kept is None else kept
        self.parts: dict[Part[Any], Any] = self.kept
        if given:
            self.parts = _UnavailableParts(given)
            self.parts.kept = self.kept

    def __getitem__(self, part: Part[T]) -> T:
        value: T = self.parts[part]
        return value

    def having(self, part: Part[T], value: T) -> Session:
        """This session with another value of one part. All other parts, also those created later, are shared."""
        given = self.parts if isinstance(self.parts, _UnavailableParts) else {}
        return Session({**given, part: value}, self.kept)

    @contextmanager
    def entered(self) -> Iterator[Session]:
        """A context in which this is the current session."""
        token = _CURRENT.set(self)
        try:
            yield self
        finally:
            _CURRENT.reset(token)


_CURRENT: ContextVar[Session] = ContextVar("ttl_session")


@cache
def _of_the_process() -> Session:
    return Session()


def current() -> Session:
    """The current session: the session that was entered, else that of the process."""
    session = _CURRENT.get(None)
    if session is None:
        session = _of_the_process()
        _CURRENT.set(session)
    return session


class SameObject:
    """An object as a key that is compared by identity, whatever its ``__eq__`` says."""

    __slots__ = ("it",)

    def __init__(self, it: Any) -> None:
        self.it = it

    def __hash__(self) -> int:
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameObject) and self.it is other.it


def cached(maxsize: int | None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Cache a function like ``functools.lru_cache``, with results that belong to the session.

    It is meant for results that depend on files, settings or earlier events of a run, or that hold a user's code. A
    function that depends on its arguments alone needs no session.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        results: Part[Callable[P, R]] = Part(lambda: cast("Callable[P, R]", lru_cache(maxsize)(function)))

        @wraps(function)
        def of_session(*args: P.args, **kwargs: P.kwargs) -> R:
            known: Callable[P, R] = (_CURRENT.get(None) or current()).kept[results]
            return known(*args, **kwargs)

        return of_session

    return decorate
