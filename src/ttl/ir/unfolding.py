"""The size of attributes when their aliases are written out.

Sixty lines that each use the one before twice are 2^60 parts.

Aliases share the attributes that they name, but hashing, comparing and printing do not: the unfolded size of a text is bounded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.ir import Attribute, Data, ParametrizedAttribute

from ttl.session.patience import LimitReached

# The limits: parts of one attribute; nesting of its parts; parts of all uses in a text, and how many more for each
# character of it.
MOST_PARTS = 100_000
DEEPEST = 64
_MOST_OF_TEXT = 1_000_000
_OF_CHARACTER = 20


@dataclass(frozen=True, slots=True)
class Extent:
    """The size of an attribute written out."""

    parts: int
    depth: int


class Unfolding:
    """Counts the parts of one text when its aliases are written out."""

    def __init__(self, characters: int) -> None:
        self.used = 0
        """The number of parts that all uses of aliases unfold to."""
        self._most = _MOST_OF_TEXT + _OF_CHARACTER * characters
        # By identity, because comparing attributes takes as long as they are large.
        self._known: dict[int, tuple[Attribute, Extent]] = {}

    def define(self, alias: str, attribute: Attribute) -> None:
        """Check the number and the nesting of the parts of a defined alias. Raises ``LimitReached``."""
        extent = self._extent_of(attribute)
        if extent.parts > MOST_PARTS:
            raise LimitReached(f"alias {alias} has more than {MOST_PARTS:,} parts when it is written out")
        if extent.depth > DEEPEST:
            raise LimitReached(
                f"alias {alias} has parts inside of more than {DEEPEST} others when it is written out"
            )

    def use(self, attribute: Attribute) -> None:
        """Count a use of an alias for an attribute. Raises ``LimitReached``."""
        known = self._known.get(id(attribute))
        self.repeat(known[1].parts if known is not None else 1)

    def repeat(self, parts: int) -> None:
        """Count parts that occur again. Raises ``LimitReached``."""
        self.used += parts
        if self.used > self._most:
            raise LimitReached(f"aliases have more than {self._most:,} parts when the text is written out")

    def _extent_of(self, attribute: Attribute) -> Extent:
        """Return the size of an attribute, computed with a stack of our own: Python's would overflow for deep ones."""
        known = self._known
        waiting = [attribute]
        while waiting:
            top = waiting[-1]
            inside = list(_parts(top))
            unknown = [part for part in inside if id(part) not in known]
            if unknown and id(top) not in known:
                waiting += unknown
                continue
            waiting.pop()
            extents = [known[id(part)][1] for part in inside]
            parts = 1 + sum(extent.parts for extent in extents)
            depth = 1 + max((extent.depth for extent in extents), default=0)
            known[id(top)] = (top, Extent(parts, depth))
        return known[id(attribute)][1]


def _parts(attribute: Attribute) -> Iterator[Attribute]:
    if isinstance(attribute, ParametrizedAttribute):
        yield from attribute.parameters
        return
    data = attribute.data if isinstance(attribute, Data) else ()
    if isinstance(data, Mapping):
        yield from (value for value in data.values() if isinstance(value, Attribute))
    elif isinstance(data, tuple):
        yield from (value for value in data if isinstance(value, Attribute))
