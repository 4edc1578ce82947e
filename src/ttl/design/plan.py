"""The plan of an operation: how the work is spread, what is read by whom and kept for how long. Data, and who decides it.

The steps, in order: which loops are spread over nodes (``_nest``), what is read once and kept (``_hoisted``), what
neighbours share (``_share_out``), which data movement kernel reads what (``_divide``). Sizes are decided outside: each choice
of them gives a plan, and ``ttl.design.sizes`` compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Any, Literal

from ttl.design.graph import Compute, Graph, Item, Load, Loop, Store, items, loops_in
from ttl.diag import Diagnostic
from ttl.rows.types import BlockType
from ttl.rules import design as rules

# Buffers that the compiler may add: ones for reductions, values that go through a buffer, words of pipes.
_OF_THE_COMPILER = 5

Way = Literal["", "rows", "columns", "all"]
"""Along what a block is multicast: to the nodes of a row, of a column, to all nodes, or to none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spreading:
    """Which way the loops of a nest are spread: the first ``down`` over rows of nodes, the others over columns; None: over all nodes in line."""

    down: int | None
    multicast: bool
    divided: bool
    """Whether loads are divided between both data movement kernels."""
    diagonal: bool = False
    """Whether the nodes that read for a row or a column are on a diagonal, so that they do not share links."""


@dataclass(eq=False, kw_only=True, slots=True)
class NodeShare:
    """What one direction of the grid has of some loops."""

    loops: tuple[Loop, ...]
    nodes: int
    turns: int
    """Of one node; the last ones may have fewer."""
    in_turn: bool = False
    """Whether nodes take turns one by one, not a piece each."""

    @property
    def total(self) -> int:
        """Turns of all nodes."""
        return prod(loop.count for loop in self.loops)

    @property
    def even(self) -> bool:
        """Whether all nodes have as many."""
        return self.turns * self.nodes == self.total


@dataclass(eq=False, kw_only=True, slots=True)
class Nest:
    """Spatial loops, one directly in the other, and how they are spread."""

    loops: tuple[Loop, ...]
    down: NodeShare | None
    """Rows of nodes; None: the nodes in line have all loops."""
    across: NodeShare


@dataclass(eq=False, kw_only=True, slots=True)
class PlannedBuffer:
    """A dataflow buffer between a data movement kernel and the compute kernel."""

    name: str
    tensor: str
    shape: tuple[int, ...]
    type: BlockType
    block_count: int
    mover: int
    group: tuple[int, int] = (1, 1)
    """Columns and rows of nodes that read the same, of which one reads and multicasts."""
    item: Load | Store
    """The first one; others of the same tensor, shape and place share the buffer, in order."""
    transfers: int = 1
    turns: int
    """Of one node: how often each of them is done."""
    reasons: list[str] = field(default_factory=list)

    @property
    def way(self) -> Way:
        """Along what it is multicast."""
        columns, rows = self.group
        return ("all" if rows > 1 else "rows") if columns > 1 else "columns" if rows > 1 else ""

    @property
    def nbytes(self) -> int:
        """Of L1."""
        return self.type.nbytes * self.block_count


@dataclass(eq=False, kw_only=True, slots=True)
class DesignPlan:
    """What the designer decided."""

    graph: Graph
    body: list[Item]
    """The program with loads where they are kept from."""
    spreading: Spreading
    nests: dict[Loop, Nest]
    buffers: dict[Load | Store, PlannedBuffer]
    grid: tuple[int, int]
    estimate: int = 0
    """Cycles."""
    limited_by: str = ""

    def share_of(self, loop: Loop) -> NodeShare | None:
        """What a direction of the grid has of a loop and those that are spread with it; None for a loop of every node."""
        for nest in self.nests.values():
            for share in (nest.down, nest.across):
                if share is not None and loop in share.loops:
                    return share
        return None

    @property
    def label(self) -> str:
        """What was chosen, in words that stand in files: ``m=2 n=2 k=8, 8x8, rows 1, multicast diagonal``."""
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
        ]
        parts += [
            "multicast" if ways != {""} else "",
            "diagonal" if any(map(self.is_diagonal, self.streams)) else "",
        ]
        return ", ".join(part for part in [*parts, "divided" if divided else ""] if part)

    def is_diagonal(self, buffer: PlannedBuffer) -> bool:
        """Whether the nodes that read a buffer for rows or columns, of which there are several, lie on a diagonal."""
        others = self.grid[1] if buffer.way == "rows" else self.grid[0]
        return self.spreading.diagonal and buffer.way in ("rows", "columns") and others > 1

    @property
    def streams(self) -> list[PlannedBuffer]:
        """Every buffer once."""
        return list(dict.fromkeys(self.buffers.values()))

    @property
    def writes_first(self) -> bool:
        """Whether the kernel that writes is defined first, and gets the NoC that reads go over: it reads more."""
        read = [0, 0]
        for buffer in self.streams:
            if isinstance(buffer.item, Load):
                read[buffer.mover] += (
                    buffer.turns
                    * buffer.transfers
                    * buffer.type.nbytes
                    * prod(self.grid)
                    // prod(buffer.group)
                )
        return read[1] > read[0]

    @property
    def rings(self) -> int:
        """Dataflow buffers that it takes on the chip: its own, one where messages of each net land, and the compiler's."""
        nets = sum(bool(buffer.way) for buffer in self.streams)
        return len(self.streams) + nets + _OF_THE_COMPILER

    @property
    def nbytes(self) -> int:
        """L1 of all buffers of a node."""
        return sum(buffer.nbytes for buffer in self.streams)


def require_plannable(graph: Graph) -> Diagnostic | None:
    """What no plan can do."""
    stored = {item.tensor: item for item in items(graph.body) if isinstance(item, Store)}
    if not stored:
        return rules.stores_nothing(graph.name).at(graph.span)
    for item in items(graph.body):
        if isinstance(item, Loop):
            if item.kind == "spatial" and item.carried:
                names = [carried.name for carried in item.carried]
                return rules.carried_over_nodes(item.what, names).at(item.span)
            for inner in items(item.body):
                if item.kind == "temporal" and isinstance(inner, Loop) and inner.kind == "spatial":
                    return rules.spatial_inside(inner.what).at(inner.span).also(item.span, "in this loop")
        if isinstance(item, Load) and item.tensor in stored and stored[item.tensor].index != item.index:
            return (
                rules.read_and_written(item.tensor)
                .at(item.span)
                .also(stored[item.tensor].span, "stored here")
            )
    spread = [item for item in graph.body if isinstance(item, Loop) and item.kind == "spatial"]
    outside = [item for item in graph.body if isinstance(item, Store)]
    if spread and outside:
        return rules.stored_by_all(outside[0].tensor).at(outside[0].span)
    for loop in spread:
        for item in items(loop.body):
            if isinstance(item, Store):
                missing = {one.number for one in _chain(loop)} - loops_in(item.index)
                if missing:
                    over = next(one.what for one in _chain(loop) if one.number in missing)
                    return rules.stored_by_several(item.tensor, over).at(item.span)
    return None


def decide_kinds(graph: Graph) -> None:
    """Loops that are to be spread if that can be: those that carry nothing, directly in one that is spread."""

    def visit(body: list[Item], spatial: bool) -> None:
        loops = [item for item in body if isinstance(item, Loop)]
        for loop in loops:
            if loop.kind == "spread":
                stores = any(
                    isinstance(item, Store) and loop.number in loops_in(item.index)
                    for item in items(loop.body)
                )
                loop.kind = (
                    "spatial" if spatial and not loop.carried and stores and len(loops) == 1 else "temporal"
                )
            visit(loop.body, loop.kind == "spatial")

    visit(graph.body, True)


def spreadings(graph: Graph) -> Iterator[Spreading]:
    """Every way to spread the nests of a program."""
    depth = max((len(_chain(loop)) for loop in _nests(graph.body)), default=0)
    for down in (None, *range(1, depth)):
        for multicast in (True, False):
            for divided in (True, False):
                for diagonal in (False, True) if multicast and down is not None else (False,):
                    yield Spreading(down=down, multicast=multicast, divided=divided, diagonal=diagonal)


def _nests(body: list[Item]) -> list[Loop]:
    return [item for item in body if isinstance(item, Loop) and item.kind == "spatial"]


def _chain(loop: Loop) -> tuple[Loop, ...]:
    """A spatial loop and those that are directly in it, one in the other."""
    chain = [loop]
    while len(_nests(chain[-1].body)) == 1 and not any(isinstance(item, Store) for item in chain[-1].body):
        chain.append(_nests(chain[-1].body)[0])
    return tuple(chain)


def plan(graph: Graph, spreading: Spreading, limit: tuple[int, int]) -> DesignPlan:
    """The plan for a way to spread; ``limit`` are the columns and rows of nodes at most."""
    nests = {loop: _nest(_chain(loop), spreading, limit) for loop in _nests(graph.body)}
    extents = [
        _in_line(nest.across.nodes, limit) if nest.down is None else (nest.across.nodes, nest.down.nodes)
        for nest in nests.values()
    ]
    grid = max((columns for columns, _ in extents), default=1), max((rows for _, rows in extents), default=1)
    draft = DesignPlan(graph=graph, body=graph.body, spreading=spreading, nests=nests, buffers={}, grid=grid)
    draft.body = _hoisted(graph.body, draft)
    _buffers(draft)
    return draft


def _in_line(nodes: int, limit: tuple[int, int]) -> tuple[int, int]:
    """Columns and rows for nodes in line, which go down one column after the other (``ttl.node(dims=1)``)."""
    return _rectangle(nodes, limit) or (-(-nodes // limit[1]), limit[1])


def _rectangle(nodes: int, limit: tuple[int, int]) -> tuple[int, int] | None:
    """The widest rectangle of exactly so many nodes; None where there is none."""
    for columns in range(min(nodes, limit[0]), 0, -1):
        if nodes % columns == 0 and nodes // columns <= limit[1]:
            return columns, nodes // columns
    return None


def _nest(chain: tuple[Loop, ...], spreading: Spreading, limit: tuple[int, int]) -> Nest:
    down = spreading.down
    if down is None or not 0 < down < len(chain):
        return Nest(loops=chain, down=None, across=_line(chain, spreading, limit))
    return Nest(
        loops=chain,
        down=_share(chain[:down], limit[1], spreading),
        across=_share(chain[down:], limit[0], spreading),
    )


def _share(loops: tuple[Loop, ...], most: int, spreading: Spreading) -> NodeShare:
    """Shares for as many nodes as there are; with multicast, all nodes have as many turns, so that they stay in step."""
    total = prod(loop.count for loop in loops)
    turns = -(-total // most)
    while spreading.multicast and total % turns:
        turns += 1
    return NodeShare(loops=loops, nodes=-(-total // turns), turns=turns)


def _line(loops: tuple[Loop, ...], spreading: Spreading, limit: tuple[int, int]) -> NodeShare:
    """The same for all nodes in line. With multicast, these are a rectangle; else they take turns one by one.

    What nodes do at the same time is then side by side in memory, and in different banks.
    """
    total, most = prod(loop.count for loop in loops), limit[0] * limit[1]
    turns = -(-total // most)
    if not spreading.multicast:
        return NodeShare(loops=loops, nodes=min(total, most), turns=turns, in_turn=True)
    while total % turns or _rectangle(total // turns, limit) is None:
        turns += 1
    return NodeShare(loops=loops, nodes=total // turns, turns=turns)


# --- what is read once ----------------------------------------------------------------------------------------


def _hoisted(body: list[Item], draft: DesignPlan) -> list[Item]:
    """The program with each load as far outside as the loops that its index depends on let it be."""
    together = {
        loop
        for nest in draft.nests.values()
        for share in (nest.down, nest.across)
        if share
        for loop in share.loops[1:]
    }
    stored = {item.tensor for item in items(body) if isinstance(item, Store)}

    def visit(body: list[Item], loop: Loop | None) -> tuple[list[Load], list[Item]]:
        outer: list[Load] = []
        kept: list[Item] = []
        for item in body:
            if isinstance(item, Loop):
                lifted, inner = visit(item.body, item)
                copy = Loop(
                    item.number,
                    item.name,
                    item.kind,
                    item.units,
                    item.step,
                    item.span,
                    item.what,
                    item.carried,
                    inner,
                )
                _renew(draft, item, copy)
                for load in lifted:
                    (outer if _leaves(load, loop) else kept).append(load)
                kept.append(copy)
            elif isinstance(item, Load) and _leaves(item, loop):
                outer.append(item)
            else:
                kept.append(item)
        return outer, kept

    def _leaves(load: Load, loop: Loop | None) -> bool:
        """Whether a load need not be in a loop. Loops that are spread together are one."""
        if loop is None or load.tensor in stored or (loop in draft.nests and len(draft.nests) > 1):
            return False
        if loop.number in loops_in(load.index) or turns_of(loop, draft) == 1:
            return False
        return not (loop in together and loops_in(load.index) & _around(loop, draft))

    outer, kept = visit(body, None)
    return [*outer, *kept]


def _around(loop: Loop, draft: DesignPlan) -> frozenset[int]:
    """The loops that are spread together with one."""
    share = draft.share_of(loop)
    return frozenset() if share is None else frozenset(one.number for one in share.loops)


def _renew(draft: DesignPlan, old: Loop, new: Loop) -> None:
    """A loop is another object now, in nests, too."""
    for first, nest in list(draft.nests.items()):
        nest.loops = tuple(new if one is old else one for one in nest.loops)
        for share in (nest.down, nest.across):
            if share is not None:
                share.loops = tuple(new if one is old else one for one in share.loops)
        if first is old:
            draft.nests[new] = draft.nests.pop(old)


# --- buffers --------------------------------------------------------------------------------------------------


def _buffers(draft: DesignPlan) -> None:
    names: dict[str, int] = {}

    def visit(body: list[Item], turns: int, nest: Nest | None) -> None:
        here: dict[Any, PlannedBuffer] = {}
        for item in body:
            if isinstance(item, Loop):
                own = draft.nests.get(item, nest)
                visit(item.body, turns * turns_of(item, draft), own)
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
                    shared.block_count += 2 if turns > 1 else 1
                    continue
                names[item.tensor] = names.get(item.tensor, 0) + 1
                number = "" if names[item.tensor] == 1 else str(names[item.tensor])
                buffer = PlannedBuffer(
                    name=f"{item.tensor}{number}_dfb", tensor=item.tensor,
                    shape=tuple(entry.size for entry in item.index if not entry.single),
                    type=item.value.type, block_count=2 if turns > 1 else 1, mover=int(isinstance(item, Store)), item=item, turns=turns,
                )  # fmt: skip
                if isinstance(item, Store):
                    buffer.type = item.value.type.with_dtype(draft.graph.tensors[item.tensor].dtype)
                draft.buffers[item] = buffer
                if isinstance(item, Load):
                    here[alike] = buffer
                if turns == 1:
                    buffer.reasons.append(
                        "one block for a node, kept while it is used"
                        if isinstance(item, Load)
                        else "one block of a node"
                    )
                else:
                    buffer.reasons.append(
                        f"{turns} blocks for a node, the next one comes while this one is used"
                    )
                around = nest or (next(iter(draft.nests.values())) if len(draft.nests) == 1 else None)
                if isinstance(item, Load) and around is not None and draft.spreading.multicast:
                    _share_out(buffer, around, draft)

    visit(draft.body, 1, None)
    for buffer in draft.streams:
        if buffer.transfers > 1:
            buffer.reasons.append(f"{buffer.transfers} loads of such blocks go through it, in order")
    if draft.spreading.divided:
        _divide(draft)


def moved(draft: DesignPlan, body: list[Item], mover: int) -> Iterator[Loop | list[Load | Store]]:
    """What a data movement kernel does in a body: loops, and transfers that are under way at the same time.

    Loads that no other node waits for go together, if nothing is computed before the last of them.
    """
    group: list[Load | Store] = []
    for item in body:
        if isinstance(item, Loop):
            if not any(
                isinstance(one, Load | Store) and draft.buffers[one].mover == mover
                for one in items(item.body)
            ):
                continue
        elif isinstance(item, Compute):
            if group and not item.op.is_view:
                yield group
                group = []
            continue
        elif draft.buffers[item].mover != mover:
            continue
        alone = isinstance(item, Loop | Store) or bool(draft.buffers[item].way)
        own = None if isinstance(item, Loop) else draft.buffers[item]
        if group and (alone or any(draft.buffers[one] is own for one in group)):
            yield group
            group = []
        if isinstance(item, Loop):
            yield item
        elif alone:
            yield [item]
        else:
            group.append(item)
    if group:
        yield group


def turns_of(loop: Loop, draft: DesignPlan) -> int:
    """How often a node goes through a loop; of loops that are spread together, the first one has all turns."""
    share = draft.share_of(loop)
    if share is None:
        return loop.count
    return share.turns if share.loops[0] is loop else 1


def _share_out(buffer: PlannedBuffer, nest: Nest, draft: DesignPlan) -> None:
    """Multicast what all nodes of a row, of a column, of the grid or of a part of them read alike."""
    depends = loops_in(buffer.item.index)
    columns, rows = draft.grid
    if nest.down is not None:
        if draft.grid == (nest.across.nodes, nest.down.nodes):
            buffer.group = _alike(nest.across, depends), _alike(nest.down, depends)
    elif nest.across.nodes == columns * rows:
        # In line, nodes go down a column first.
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
    """How many nodes of a direction, one after the other, read the same: those whose turns differ in inner loops only."""
    used = [at for at, loop in enumerate(share.loops) if loop.number in depends]
    if not share.even:
        return 1
    if not used:
        return share.nodes
    inner = prod(loop.count for loop in share.loops[used[-1] + 1 :])
    return inner // share.turns if inner % share.turns == 0 else 1


def _divide(draft: DesignPlan) -> None:
    """Let the writing kernel take loads, as long as it has less to move than the other one."""
    loads = [buffer for buffer in draft.streams if isinstance(buffer.item, Load)]
    moved = [
        0,
        sum(b.type.nbytes * b.turns * b.transfers for b in draft.streams if isinstance(b.item, Store)),
    ]
    for number, buffer in enumerate(
        sorted(loads, key=lambda buffer: -buffer.type.nbytes * buffer.turns * buffer.transfers)
    ):
        mover = 0 if number == 0 or moved[0] <= moved[1] else 1
        moved[mover] += buffer.type.nbytes * buffer.turns * buffer.transfers
        if mover == 1:
            buffer.mover = 1
            buffer.reasons.append("read by the kernel that writes: both have about as much to move")
