"""The plan of an operation, and the functions that decide it: how the work is spread, which node reads a block, how
long it is kept.

The steps, in order: spread loops over nodes (``ttl.design.spread``), keep blocks that are read once
(``ttl.design.keeping``), share loads among neighbours (``_share_out``), divide loads between the data movement
kernels (``_divide``). Sizes are decided outside: each choice of them gives plans, and ``ttl.design.sizes`` compares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, Literal

from ttl.design.graph import (
    CarriedValue,
    Compute,
    Graph,
    Item,
    KeptPart,
    Load,
    Loop,
    Store,
    Sum,
    items,
    loops_in,
)
from ttl.design.keeping import ProgramWithParts, with_loads_outside
from ttl.design.spread import Nest, NodeShare, Spreading, iterations_of, nest_of, nests_of, share_of, variants
from ttl.design.sums import likeness, with_sum
from ttl.diag import Diagnostic
from ttl.diag.words import counted
from ttl.rows.types import BlockType
from ttl.rules import design as rules

# Buffers that the compiler may add: for the ones of reductions, for intermediate values, for words of pipes.
_OF_THE_COMPILER = 5

Way = Literal["", "rows", "columns", "all"]
"""The direction in which a block is multicast: to a row, to a column, to all nodes, or to none."""


@dataclass(eq=False, kw_only=True, slots=True)
class PlannedBuffer:
    """A dataflow buffer between a data movement kernel and the compute kernel."""

    name: str
    tensor: str
    shape: tuple[int, ...]
    type: BlockType
    block_count: int
    mover: int
    split: tuple[int, int] = (1, 1)
    """The number of parts of the grid, of which only the first has the buffer."""
    group: tuple[int, int] = (1, 1)
    """Columns and rows of the nodes that read the same block: one of them reads it and multicasts it."""
    item: Load | Store
    """The first item; others of the same tensor, shape and place share the buffer, in order."""
    transfers: int = 1
    iterations: int
    """The number of times that one node runs each item."""
    reasons: list[str] = field(default_factory=list)

    @property
    def way(self) -> Way:
        """The direction of the multicast."""
        columns, rows = self.group
        return ("all" if rows > 1 else "rows") if columns > 1 else "columns" if rows > 1 else ""

    @property
    def nbytes(self) -> int:
        """The bytes of L1 that it takes."""
        return self.type.nbytes * self.block_count


@dataclass(eq=False, kw_only=True, slots=True)
class DesignPlan:
    """The decisions of the designer."""

    graph: Graph
    body: list[Item]
    """The program; each load is at the place from which its block is kept."""
    spreading: Spreading
    nests: dict[Loop, Nest]
    buffers: dict[Load | Store, PlannedBuffer]
    grid: tuple[int, int]
    made: ProgramWithParts
    """The program with parts from which the body was made."""
    estimate: int = 0
    """The estimated cycles."""
    limited_by: str = ""
    sums: dict[CarriedValue, tuple[PlannedBuffer, PlannedBuffer]] = field(default_factory=dict)
    """For each sum over parts of the grid, the buffer of a part's own sum, and that of the others' sums."""
    banks: dict[Any, float] = field(default_factory=dict)
    """The cycles of the busiest bank of DRAM by buffer, cached for estimates."""

    def share_of(self, loop: Loop) -> NodeShare | None:
        """Return the share of a loop that one direction of the grid has; None for a loop that every node runs."""
        return share_of(loop, self.nests)

    def iterations_of(self, loop: Loop) -> int:
        """Return the number of a node's iterations of a loop."""
        return iterations_of(loop, self.nests)

    @property
    def label(self) -> str:
        """The choices of the plan, in the form that files have: ``m=2 n=2 k=8, 8x8, rows 1, multicast diagonal``."""
        values = [(knob, self.graph.choices[knob.key]) for knob in self.graph.knobs]
        steps = " ".join(
            f"{knob.name}={value}" for knob, value in values if knob.what != "spread" or not value
        )
        ways = {buffer.way for buffer in self.streams}
        divided = any(buffer.mover == 1 and isinstance(buffer.item, Load) for buffer in self.streams)
        parts = [
            steps,
            "x".join(map(str, self.grid)),
            "" if self.spreading.down is None else f"rows {self.spreading.down}",
            *(f"{self.parted} {nest.split[0]}x{nest.split[1]}" for nest in self.nests.values() if nest.parts),
        ]
        parts += [
            "multicast" if ways != {""} else "",
            "diagonal" if any(map(self.is_diagonal, self.streams)) else "",
        ]
        parts += [
            "divided" if divided else "",
            f"joined {' '.join(self.made.joined)}" * bool(self.made.joined),
        ]
        parts.append(f"kept {' '.join(self.made.kept)}" * bool(self.made.kept))
        return ", ".join(part for part in parts if part)

    @property
    def parted(self) -> str:
        """A description of the parts of the grid, for messages."""
        name = next(
            (
                loop.name
                for loop in items(self.body)
                if isinstance(loop, Loop) and loop.number == self.spreading.summed
            ),
            "",
        )
        return f"sums of {name}" if name else "parts"

    def is_diagonal(self, buffer: PlannedBuffer) -> bool:
        """Whether the nodes that read a buffer for several rows or columns lie on a diagonal."""
        others = self.grid[1] if buffer.way == "rows" else self.grid[0]
        return self.spreading.diagonal and buffer.way in ("rows", "columns") and others > 1

    @property
    def streams(self) -> list[PlannedBuffer]:
        """Every buffer of a load or store, once."""
        return list(dict.fromkeys(self.buffers.values()))

    @property
    def every_buffer(self) -> list[PlannedBuffer]:
        """All buffers, including those of sums."""
        return [*self.streams, *(buffer for pair in self.sums.values() for buffer in pair)]

    @property
    def writes_first(self) -> bool:
        """Whether the writing kernel is defined first, and gets the NoC for reads, because it reads more."""
        read = [0, 0]
        for buffer in self.streams:
            if isinstance(buffer.item, Load):
                read[buffer.mover] += (
                    buffer.iterations
                    * buffer.transfers
                    * buffer.type.nbytes
                    * prod(self.grid)
                    // prod(buffer.group)
                )
        return read[1] > read[0]

    @property
    def rings(self) -> int:
        """The number of dataflow buffers on the chip: its own, one for the messages of each net, and the compiler's."""
        nets = sum(bool(buffer.way) for buffer in self.streams) + bool(self.sums)
        return len(self.every_buffer) + nets + _OF_THE_COMPILER

    @property
    def nbytes(self) -> int:
        """The bytes of L1 that all buffers of a node take."""
        return sum(buffer.nbytes for buffer in self.every_buffer)


def require_plannable(graph: Graph) -> Diagnostic | None:
    """Return the finding about a program that has no plan with any sizes; ``dependences`` checks its use of memory."""
    if not any(isinstance(item, Store) for item in items(graph.body)):
        return rules.stores_nothing(graph.name).at(graph.span)
    for item in items(graph.body):
        if isinstance(item, Loop):
            if item.kind == "spatial" and item.carried:
                names = [carried.name for carried in item.carried]
                return rules.carried_over_nodes(item.what, names).at(item.span)
            for inner in items(item.body):
                if item.kind == "temporal" and isinstance(inner, Loop) and inner.kind == "spatial":
                    return rules.spatial_inside(inner.what).at(inner.span).also(item.span, "in this loop")
    return None


def plans(graph: Graph, spreading: Spreading, limit: tuple[int, int]) -> Iterator[DesignPlan]:
    """Yield plans for a spreading: with merged neighbouring loads, and with all parts that can be kept.

    ``others_like`` has the other variants.
    """
    yield plan(graph, replace(spreading, joined=True), limit)
    most = plan(graph, replace(spreading, joined=True, kept=tuple(graph.tensors)), limit)
    if most.made.kept:
        yield most


def others_like(known: DesignPlan, limit: tuple[int, int]) -> Iterator[DesignPlan]:
    """Yield plans that differ from a plan only in which node reads which block, or in how much of it at once."""
    graph, spreading = known.graph, known.spreading
    for variant in variants(spreading):
        draft = replace(known, spreading=variant, buffers={}, sums={})
        _buffers(draft)
        yield draft
    if known.made.joined and not known.made.kept:
        yield plan(graph, replace(spreading, joined=False), limit)
    if len(known.made.kept) > 1:
        for tensor in known.made.kept:
            yield plan(graph, replace(spreading, kept=(tensor,)), limit)


def plan(graph: Graph, spreading: Spreading, limit: tuple[int, int]) -> DesignPlan:
    """Make the plan for a spreading; ``limit`` is the largest number of columns and rows of nodes."""
    body = (
        graph.body if spreading.summed is None else with_sum(graph, spreading.summed, prod(spreading.split))
    )
    nests = {loop: nest_of(loop, spreading, limit) for loop in nests_of(body)}
    extents = [nest.extent for nest in nests.values()]
    grid = max((columns for columns, _ in extents), default=1), max((rows for _, rows in extents), default=1)
    outside = with_loads_outside(graph, body, nests, spreading)
    draft = DesignPlan(
        graph=graph, body=outside.body, spreading=spreading, nests=nests, buffers={}, grid=grid, made=outside
    )
    _buffers(draft)
    return draft


# --- buffers --------------------------------------------------------------------------------------------------


def _buffers(draft: DesignPlan) -> None:
    names: dict[str, int] = {}

    def numbered(name: str) -> str:
        names[name] = names.get(name, 0) + 1
        return f"{name}{names[name] if names[name] > 1 else ''}_dfb"

    def visit(body: list[Item], iterations: int, nest: Nest | None, of_all: bool = True) -> None:
        here: dict[Any, PlannedBuffer] = {}
        for item in body:
            if isinstance(item, Loop):
                own = draft.nests.get(item, nest)
                visit(item.body, iterations * draft.iterations_of(item), own, of_all)
            elif isinstance(item, Sum):
                for carried, _ in item.sums:
                    draft.sums[carried] = _of_sum(carried, item, iterations, draft.graph, numbered)
                visit(item.body, iterations, nest, False)
            elif isinstance(item, Load | Store):
                alike = (
                    item.tensor,
                    tuple((entry.size, entry.single) for entry in item.index),
                    loops_in(item.index),
                )
                shared = here.get(alike)
                if isinstance(item, Load) and shared is not None:
                    draft.buffers[item] = shared
                    shared.transfers += 1
                    shared.block_count += 2 if iterations > 1 else 1
                    continue
                buffer = PlannedBuffer(
                    name=numbered(item.tensor), tensor=item.tensor,
                    shape=tuple(entry.size for entry in item.index if not entry.single),
                    type=item.value.type, block_count=2 if iterations > 1 else 1, mover=int(isinstance(item, Store)), item=item, iterations=iterations,
                )  # fmt: skip
                if isinstance(item, Store):
                    buffer.type = item.value.type.with_dtype(draft.graph.tensors[item.tensor].dtype)
                draft.buffers[item] = buffer
                if isinstance(item, Load):
                    here[alike] = buffer
                if iterations == 1:
                    buffer.reasons.append(
                        "one block for a node, kept while it is used"
                        if isinstance(item, Load)
                        else "one block of a node"
                    )
                else:
                    buffer.reasons.append(
                        f"{iterations} blocks for a node, the next one comes while this one is used"
                    )
                if isinstance(item, Load) and draft.made.reasons.get(item):
                    buffer.reasons.append(draft.made.reasons[item])
                around = nest or (next(iter(draft.nests.values())) if len(draft.nests) == 1 else None)
                if not of_all:
                    buffer.split = draft.spreading.split
                elif isinstance(item, Load) and around is not None and draft.spreading.multicast:
                    _share_out(buffer, around, draft)

    visit(draft.body, 1, None)
    for buffer in draft.streams:
        if buffer.transfers > 1:
            buffer.reasons.append(f"{buffer.transfers} loads of such blocks go through it, in order")
    if draft.spreading.divided:
        _divide(draft)


def _of_sum(
    carried: CarriedValue, item: Sum, iterations: int, graph: Graph, numbered: Callable[[str], str]
) -> tuple[PlannedBuffer, PlannedBuffer]:
    """Return the buffer of a part's own sum, and that of the other parts' sums."""
    name, like = carried.name, likeness(graph, carried)
    ends: list[Load | Store] = [
        Store(carried.result, like, (), item.span),
        Load(carried.result, like, (), item.span),
    ]
    reasons = (
        f"{item.parts} parts of the grid have a sum each, which all but the first one send",
        f"the first part adds up the {counted(item.parts - 1, 'other sum')}",
    )
    first, second = (
        PlannedBuffer(
            name=numbered(name), tensor=like, shape=carried.result.type.shape, type=carried.result.type, block_count=2, mover=1,
            item=one, iterations=iterations, reasons=[reason],
        )
        for one, reason in zip(ends, reasons, strict=True)
    )  # fmt: skip
    return first, second


def moved(draft: DesignPlan, body: list[Item], mover: int) -> Iterator[Loop | Sum | list[Load | Store]]:
    """Yield the steps of a data movement kernel in a body: loops, sums, and groups of transfers that run at the same time.

    Loads that no other node waits for go together, if nothing is computed before the last of them.
    """
    group: list[Load | Store] = []
    for item in body:
        if isinstance(item, Loop | Sum):
            if not any(
                (isinstance(one, Load | Store) and draft.buffers[one].mover == mover)
                or (isinstance(one, Sum) and mover == 1)
                for one in items([item])
            ):
                continue
        elif isinstance(item, Compute | KeptPart):
            if group and not (isinstance(item, KeptPart) or item.op.is_view):
                yield group
                group = []
            continue
        elif draft.buffers[item].mover != mover:
            continue
        alone = isinstance(item, Loop | Sum | Store) or bool(draft.buffers[item].way)
        own = None if isinstance(item, Loop | Sum) else draft.buffers[item]
        if group and (alone or any(draft.buffers[one] is own for one in group)):
            yield group
            group = []
        if isinstance(item, Loop | Sum):
            yield item
        elif alone:
            yield [item]
        else:
            group.append(item)
    if group:
        yield group


def _share_out(buffer: PlannedBuffer, nest: Nest, draft: DesignPlan) -> None:
    """Let one node read and multicast a block that all nodes of a row, a column, the grid, or a part of these, read."""
    depends = loops_in(buffer.item.index)
    columns, rows = draft.grid
    if nest.down is not None:
        if draft.grid == nest.extent:
            wide, high = _alike(nest.across, depends), _alike(nest.down, depends)
            if nest.parts is not None and _alike(nest.parts, depends) == nest.parts.nodes:
                # Several parts may read the same block as well, in a direction in which all nodes of a part do.
                wide *= nest.split[0] if wide == nest.across.nodes else 1
                high *= nest.split[1] if high == nest.down.nodes else 1
            buffer.group = wide, high
    elif nest.across.nodes == columns * rows:
        # Nodes in line are numbered down the columns.
        alike = _alike(nest.across, depends)
        if rows % alike == 0:
            buffer.group = 1, alike
        elif alike % rows == 0:
            buffer.group = alike // rows, rows
    if buffer.way:
        wide, high = buffer.group
        where = {
            "rows": "the nodes of a row read" if wide == columns else f"{wide} nodes of a row read",
            "columns": "the nodes of a column read" if high == rows else f"{high} nodes of a column read",
            "all": "all nodes read" if buffer.group == draft.grid else f"{wide} x {high} nodes read",
        }[buffer.way]
        who = "one of them, on a diagonal," if draft.is_diagonal(buffer) else "the first one"
        buffer.reasons.append(f"{where} the same: {who} reads and multicasts")


def _alike(share: NodeShare, depends: frozenset[Any]) -> int:
    """Return the number of neighbouring nodes in a direction that read the same: only inner loops distinguish them."""
    used = [at for at, loop in enumerate(share.loops) if loop.number in depends]
    if not share.even:
        return 1
    if not used:
        return share.nodes
    inner = prod(loop.count for loop in share.loops[used[-1] + 1 :])
    return inner // share.iterations if inner % share.iterations == 0 else 1


def _divide(draft: DesignPlan) -> None:
    """Let the writing kernel take over loads, as long as it has less to move than the other one."""
    loads = [buffer for buffer in draft.streams if isinstance(buffer.item, Load)]
    moved = [
        0,
        sum(b.type.nbytes * b.iterations * b.transfers for b in draft.streams if isinstance(b.item, Store)),
    ]
    for number, buffer in enumerate(
        sorted(loads, key=lambda buffer: -buffer.type.nbytes * buffer.iterations * buffer.transfers)
    ):
        mover = 0 if number == 0 or moved[0] <= moved[1] else 1
        moved[mover] += buffer.type.nbytes * buffer.iterations * buffer.transfers
        if mover == 1:
            buffer.mover = 1
            buffer.reasons.append("read by the kernel that writes: both have about as much to move")
