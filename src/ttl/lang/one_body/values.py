"""The possible values of the names in a body, as far as they matter for threads: a set of values for each name."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from ttl.lang.one_body.names import DefinedFunction
from ttl.lang.one_body.threads import ThreadCell

Part = tuple[int, int]
"""A statement, by identity, and the number of its head."""


@dataclass(eq=False, slots=True)
class PlainValue:
    """A number, a text, a shape: the same on every thread."""


PLAIN = PlainValue()


@dataclass(eq=False, slots=True)
class OutsideObject:
    """An object of the program from outside the body."""

    value: Any


@dataclass(eq=False, slots=True)
class OfTensor:
    """A tensor, or a part of one. ``tensor`` is equal for objects that may be the same tensor."""

    tensor: object


@dataclass(eq=False, slots=True)
class OfBuffer:
    """A dataflow buffer, identified by the place that makes it; ``several``: the place makes more than one."""

    place: object
    several: bool = False


@dataclass(eq=False, slots=True)
class OfNet:
    """A pipe net."""

    place: object


@dataclass(eq=False, slots=True)
class PipeEnd:
    """The pipe with which a condition function is called."""

    net: object
    sends: bool


@dataclass(eq=False, slots=True)
class OfSemaphore:
    """A semaphore."""


@dataclass(eq=False, slots=True)
class ThreadValue:
    """A value that only one thread has: a block, a transfer, a result of computing with blocks. ``cell`` is its origin."""

    cell: ThreadCell
    what: str
    node: ast.AST
    is_block: bool = False


@dataclass(eq=False, slots=True)
class Collected:
    """A container or object of the body, with all values in it; ``kind`` is its class, if the program defines it."""

    values: set[Value] = field(default_factory=set)
    items: tuple[Values, ...] | None = None
    """The values at each position, if the program lists them."""
    kind: Any = None


@dataclass(eq=False, slots=True)
class LocalFunction:
    """A function that is defined in the body, or outside of it; ``frame`` has the names around it."""

    defined: DefinedFunction
    frame: BodyFrame | None
    receiver: frozenset[Value] | None = None


@dataclass(eq=False, slots=True)
class Method:
    """``receiver.name``, to be called."""

    receivers: frozenset[Value]
    name: str


Value = (
    PlainValue
    | OutsideObject
    | OfTensor
    | OfBuffer
    | OfNet
    | PipeEnd
    | OfSemaphore
    | ThreadValue
    | Collected
    | LocalFunction
    | Method
)
Values = frozenset[Value]
ANY: Values = frozenset({PLAIN})


@dataclass(eq=False, slots=True)
class BodyFrame:
    """The names of one call of a function."""

    defined: DefinedFunction
    local: frozenset[str]
    parent: BodyFrame | None
    names: dict[str, Values] = field(default_factory=dict)
    returned: set[Value] = field(default_factory=set)
    definitions: dict[str, frozenset[Part]] = field(default_factory=dict)
    """The statements that may have assigned each name its value, or changed the content of the value."""

    def holder(self, name: str) -> BodyFrame | None:
        """The frame that has a name; None for a name from outside."""
        frame: BodyFrame | None = self
        while frame is not None and name not in frame.local:
            frame = frame.parent
        return frame


def members(values: Values) -> Values:
    """Return the possible members of values that are indexed or iterated over."""
    result: set[Value] = set()
    for value in values:
        if isinstance(value, Collected):
            result |= value.values
            result.add(value)
        elif isinstance(value, OfTensor | ThreadValue | PipeEnd):
            result.add(value)
    return frozenset(result) or ANY
