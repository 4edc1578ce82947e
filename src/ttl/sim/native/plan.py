"""Where and when the machine computes each value of a program.

Values whose rows can be computed one by one are grouped into segments, which run a few rows at a time. A value that one
segment computes and another (or a product, a transposition) reads goes through a buffer. Steps run by levels: a step of
one level reads results of lower levels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from ttl.sim.native.nodes import ROW_LOCAL, Extents, Format, ValueNode

_ALIGNMENT = 64
# Kinds that read their operands as a whole, in memory: products, transpositions and regrouping.
_WHOLE = frozenset({"transpose", "regroup", "product"})


@dataclass(eq=False, slots=True)
class Scratch:
    """A block in the scratch memory of a thread."""

    extents: Extents
    format: Format
    first: int  # the level it is written at
    last: int  # the last level it is read at
    offset: int = 0

    @property
    def bytes(self) -> int:
        """Size, rounded up so that the next buffer is aligned."""
        size = prod(self.extents) * (2 if self.format in (Format.BF16, Format.F16) else 4)
        return -(-size // _ALIGNMENT) * _ALIGNMENT


@dataclass(eq=False, slots=True)
class Segment:
    """A segment, which is computed row by row over the same matrices and rows; ``nodes`` are in order."""

    domain: tuple[int, int]
    nodes: list[ValueNode] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Level:
    """Steps that do not read one another's results."""

    wholes: list[ValueNode] = field(default_factory=list)
    sums: list[ValueNode] = field(default_factory=list)
    segments: dict[tuple[int, int], Segment] = field(default_factory=dict)


class SegmentPlan:
    """The values of a program with their levels and buffers."""

    def __init__(self, leaves: list[ValueNode], root: ValueNode, result: Extents, out_format: Format) -> None:
        self.leaves = leaves
        self.result = result
        self.out_format = out_format
        self.root = self._storable(root, out_format)
        self.nodes = _wrapped(_ordered(self.root))
        for node in self.nodes:
            for arg in node.args:
                arg.users.append(node)
        self._find_needs()
        self._find_columns()
        self.levels: list[Level] = []
        self._find_levels()
        self.buffers: list[Scratch] = []
        self._find_buffers()
        self.scratch_bytes = _place(self.buffers)

    def _storable(self, root: ValueNode, out_format: Format) -> ValueNode:
        """The root as a value that a step can write to the result."""
        if root.kind in ROW_LOCAL:
            return root
        if root.kind == "product" and out_format is Format.F32:
            return root
        return ValueNode("element", self.result, (root,), opcode="copy", format=root.format)

    def _find_needs(self) -> None:
        """Find out whether rows and columns of each value are distinguished, from the result back to the leaves."""
        self.root.needs_rows = self.root.needs_columns = True
        for node in reversed(self.nodes):
            if node.opcode in ("block_float", "pad"):
                node.needs_columns = True  # their results depend on the column
            rows, columns = node.needs_rows, node.needs_columns
            if node.kind in _WHOLE:
                rows = columns = True
            elif node.kind == "columns":
                columns = True
            elif node.kind == "spread":
                columns = False
            elif node.kind == "rows":
                rows, columns = rows or node.fixed[0], columns or node.fixed[1]
            elif node.kind == "view":
                rows, columns = rows and not node.fixed[0], columns and not node.fixed[1]
            for arg in node.args:
                arg.needs_rows |= rows
                arg.needs_columns |= columns

    def _find_columns(self) -> None:
        for node in self.nodes:
            if node.kind == "number" or node.kind == "spread":
                node.uniform = True
            elif node.kind == "view":
                node.uniform = node.fixed[1] or node.args[0].uniform
            elif node.kind == "element" and node.opcode != "block_float":
                node.uniform = all(arg.uniform for arg in node.args)
            node.column = node.uniform or (node.kind in ROW_LOCAL and not node.needs_columns)

    def _find_levels(self) -> None:
        for node in self.nodes:
            if node.kind in ("leaf", "number"):
                continue
            if node.kind == "view":
                node.level = node.args[0].level  # the level of the value that it is a view of
                continue
            node.level = max((_level_for(node, arg) for arg in node.args), default=0)
            while len(self.levels) <= node.level:
                self.levels.append(Level())
            level = self.levels[node.level]
            if node.kind in _WHOLE:
                level.wholes.append(node)
                continue
            if node.kind == "rows":
                level.sums.append(node)
            level.segments.setdefault(node.domain, Segment(node.domain)).nodes.append(node)

    def _find_buffers(self) -> None:
        last: dict[ValueNode, int] = {}
        for node in self.nodes:
            if node.kind == "view":
                continue
            for arg in node.args:
                source = arg.args[0] if arg.kind == "view" else arg
                if source.kind in ("leaf", "number") or (arg is source and together(node, arg)):
                    continue
                last[source] = max(last.get(source, 0), node.level)
        for node, level in last.items():
            node.buffer = len(self.buffers)
            self.buffers.append(Scratch(self._buffer_extents(node), _buffer_format(node), node.level, level))

    @staticmethod
    def _buffer_extents(node: ValueNode) -> Extents:
        outer, rows, columns = node.extents
        if node.kind in _WHOLE:
            return node.extents
        return outer, rows if node.needs_rows else 1, 1 if _is_one_column(node) else columns


def _ordered(root: ValueNode) -> list[ValueNode]:
    """The nodes from which the root is computed, and the root, operands first."""
    ordered: list[ValueNode] = []
    seen: set[int] = set()
    stack: list[tuple[ValueNode, bool]] = [(root, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            ordered.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((arg, False) for arg in reversed(node.args))
    return ordered


def _wrapped(nodes: list[ValueNode]) -> list[ValueNode]:
    """The nodes, with copies of the operands that products and moves cannot read as they are, operands first."""
    result: list[ValueNode] = []
    copies: dict[tuple[int, Format], ValueNode] = {}
    for node in nodes:
        if node.kind in _WHOLE:
            args = []
            for arg in node.args:
                if not _readable(node, arg):
                    narrow = node.kind != "product" or arg.format is not Format.F16
                    format = arg.format if narrow else Format.F32
                    copy = copies.get((id(arg), format))
                    if copy is None:
                        copy = copies[id(arg), format] = ValueNode(
                            "element", arg.extents, (arg,), opcode="copy"
                        )
                        copy.format = format
                        result.append(copy)
                    arg = copy
                args.append(arg)
            node.args = tuple(args)
        result.append(node)
    return result


def _readable(node: ValueNode, arg: ValueNode) -> bool:
    """Whether a product or a move can read an operand where it lies."""
    if arg.kind == "number":
        return False
    if node.kind != "product":
        return arg.kind != "view"
    return arg.format is not Format.F16 and not any(arg.fixed if arg.kind == "view" else ())


def together(node: ValueNode, arg: ValueNode) -> bool:
    """Whether one row segment computes both nodes."""
    return (
        arg.kind in ROW_LOCAL
        and node.kind not in _WHOLE
        and arg.level == node.level
        and arg.domain == node.domain
    )


def _level_for(node: ValueNode, arg: ValueNode) -> int:
    """The first level at which a node can read its operand."""
    if arg.kind == "view":
        arg = arg.args[0]
    elif arg.kind in ROW_LOCAL and node.kind not in _WHOLE and arg.domain == node.domain:
        return arg.level
    return 0 if arg.kind in ("leaf", "number") else arg.level + 1


def _is_one_column(node: ValueNode) -> bool:
    """Return whether column 0 suffices in memory: other columns are not read, or they are equal and not read from memory."""
    return not node.needs_columns or (node.uniform and not any(_reads_whole(user) for user in node.users))


def _reads_whole(node: ValueNode) -> bool:
    return node.kind in _WHOLE or (node.kind == "view" and any(_reads_whole(user) for user in node.users))


def _buffer_format(node: ValueNode) -> Format:
    """Return the format of a buffer: 16 bits where they hold the values exactly and whole blocks are read; else float32."""
    if node.kind in ("rows", "product") or (node.kind in ROW_LOCAL and _is_one_column(node)):
        return Format.F32
    return node.format if node.format in (Format.BF16, Format.F16) else Format.F32


def _place(buffers: list[Scratch]) -> int:
    """Set the offsets of the buffers and return the size of all; buffers not needed at the same time share memory."""
    placed: list[Scratch] = []
    total = 0
    for buffer in sorted(buffers, key=lambda item: -item.bytes):
        around = sorted(
            (item for item in placed if item.first <= buffer.last and buffer.first <= item.last),
            key=lambda item: item.offset,
        )
        offset = 0
        for scratch in around:
            if offset + buffer.bytes <= scratch.offset:
                break
            offset = max(offset, scratch.offset + scratch.bytes)
        buffer.offset = offset
        total = max(total, offset + buffer.bytes)
        placed.append(buffer)
    return total
