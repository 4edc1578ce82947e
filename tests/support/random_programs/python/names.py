"""The names that a generated program has at a place, and what they hold."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

Kind = Literal[
    "int", "bool", "float", "str", "tuple", "list", "dict", "function", "block", "blocks", "maker", "iterator"
]
# How often the body of a loop may run in all, loops around it and calls included.
MOST_TURNS = 200
WORDS = ("up", "down", "left", "right")


@dataclass(frozen=True)
class Name:
    """A variable or function."""

    name: str
    kind: Kind
    level: int
    """How many functions are around its own."""
    size: int = 0
    """Of a tuple or list: how many numbers it holds; of a function: how many it takes."""
    turns: int = 1
    """Of a function: how often its innermost loop runs in one call."""
    fixed: bool = False
    """Nothing assigns it: the number of a loop, or of the node."""
    optional: int = 0
    """Of a function: how many of its parameters have defaults."""


@dataclass
class Place:
    """Where a statement is."""

    names: list[Name]
    level: int = 0
    turns: int = 1
    """How often it runs."""
    depth: int = 0
    """How many statements are around it in its function."""
    in_loop: bool = False
    in_function: bool = False
    by_node: bool = False
    """Whether it depends on the node if it runs, or how often."""
    nonlocals: set[str] = field(default_factory=set)
    """What the function assigns of the names around it."""
    hidden: set[str] = field(default_factory=set)
    """Names of functions around that it must not mention: it has its own ones further down."""
    is_file: bool = False
    """Whether it is in front of the operation, where no node is known."""
    iterators: list[str] = field(default_factory=list)
    """Iterators that were made in the same block."""

    def of(self, *kinds: Kind) -> list[Name]:
        """The names of a kind, the last assigned first, each once: an inner one hides an outer one."""
        found: dict[str, Name] = {}
        for each in reversed(self.names):
            found.setdefault(each.name, each)
        return [each for each in found.values() if each.kind in kinds and each.name not in self.hidden]

    def assignable(self, kind: Kind) -> list[Name]:
        """The variables of a kind that a statement here may assign."""
        return [
            each
            for each in self.of(kind)
            if not each.fixed and (each.level == self.level or each.name in self.nonlocals)
        ]

    def inside(self, *, turns: int = 1, loop: bool | None = None, by_node: bool = False) -> Place:
        """A block of this place: what it makes is not seen afterwards."""
        return Place(
            names=list(self.names),
            level=self.level,
            turns=self.turns * max(turns, 1),
            depth=self.depth + 1,
            in_loop=self.in_loop if loop is None else loop,
            in_function=self.in_function,
            by_node=self.by_node or by_node,
            nonlocals=self.nonlocals,
            hidden=self.hidden,
            is_file=self.is_file,
        )

    def inside_function(self, *, in_function: bool) -> Place:
        """The body of a function that is defined here. ``in_function``: it may return from anywhere in it."""
        return replace(
            self.inside(),
            level=self.level + 1,
            turns=1,
            depth=self.depth,
            in_loop=False,
            in_function=in_function,
            by_node=True,
            nonlocals=set(),
            hidden=set(self.hidden),
            iterators=[],
        )
