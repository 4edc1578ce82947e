"""The blocks a kernel holds on one path: their states, the copies of them under way, and the order to release them in."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from xdsl.ir import Operation, SSAValue

from ttl.check.flow.facts import Facts
from ttl.dialects import ttl as dialect
from ttl.protocol.blocks import Acquired, Role


@dataclass(frozen=True, slots=True, eq=False)
class AcquireSite:
    """An operation that acquires blocks, with the properties that all of these blocks share."""

    op: dialect.AcquireOp
    role: Role
    table: tuple[int, ...]
    buffer: str
    block_count: int
    ring: tuple[SSAValue, bool]
    """The buffer, and whether the block is reserved: blocks of one ring are released in order."""
    inferred: dialect.ReleaseOp | None
    """The operation that releases the block, if the program leaves the release to the language."""

    @property
    def acquired(self) -> Acquired:
        """The method that acquires the blocks."""
        return "reserve" if self.role.is_reserve else "wait"


class BlockId(NamedTuple):
    """One of the blocks acquired at a place that a kernel may hold at the same time."""

    site: AcquireSite
    number: int


class CopyId(NamedTuple):
    """One of the copies of a block that start at a place; two numbers suffice, however many copies there are."""

    op: dialect.CopyOp
    block: BlockId
    number: int


class AcquiredBlock(NamedTuple):
    """A block: state, active copies (latest first), the releasing operation, states of its tiles (``IN_PARTS``)."""

    state: int
    copies: tuple[CopyId, ...] = ()
    released: Operation | None = None
    tiles: bytes = b""


class Holdings:
    """The blocks and copies that a kernel holds on one path."""

    __slots__ = ("blocks", "copies", "facts", "groups", "names", "rings", "starts")

    def __init__(self) -> None:
        self.facts: Facts = {}
        # The start of the sub-view that the next operation uses; None if it is not known.
        self.starts: tuple[int, ...] | None = None
        self.names: dict[SSAValue, BlockId | CopyId] = {}
        self.blocks: dict[BlockId, AcquiredBlock] = {}
        self.rings: dict[tuple[SSAValue, bool], tuple[BlockId, ...]] = {}
        self.copies: frozenset[CopyId] = frozenset()
        # The copies of a group; None for a group that was waited for.
        self.groups: dict[SSAValue, tuple[CopyId, ...] | None] = {}

    def copy(self) -> Self:
        """Return a copy that continues on another path."""
        other = type(self)()
        other.facts = dict(self.facts)
        other.names = dict(self.names)
        other.blocks = dict(self.blocks)
        other.rings = dict(self.rings)
        other.copies = self.copies
        other.groups = dict(self.groups)
        return other

    def key(self) -> Hashable:
        """A key that is equal for paths that continue in the same way."""
        return (
            frozenset(self.names.items()),
            frozenset(self.blocks.items()),
            frozenset(self.rings.items()),
            self.copies,
            frozenset(self.groups.items()),
        )

    def leave(self, born: Sequence[SSAValue]) -> None:
        """Forget values that go out of scope, and the blocks that are then neither held nor named."""
        for value in born:
            name = self.names.pop(value, None)
            self.groups.pop(value, None)
            if isinstance(name, BlockId):
                self.drop(name)

    def bind(self, targets: Sequence[SSAValue], sources: Sequence[SSAValue]) -> None:
        """Bind new names to values that control flow passes on."""
        result = [
            (source in self.groups, self.names.get(source), self.groups.get(source)) for source in sources
        ]
        for target, (is_group, name, group) in zip(targets, result):
            self.names.pop(target, None)
            self.groups.pop(target, None)
            if name is not None:
                self.names[target] = name
            if is_group:
                self.groups[target] = group

    def drop(self, block: BlockId) -> None:
        """Forget a block that nothing names any more, unless it is held."""
        if (
            block in self.blocks
            and block not in self.rings.get(block.site.ring, ())
            and block not in self.names.values()
        ):
            del self.blocks[block]
