"""A pipe net on the chip: which nodes send to which, the numbers that they need, and its uses in an operation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from ttl.analysis.network import Area, Node, lattice_of, on_own_chip
from ttl.dialects import ttl as dialect
from ttl.dialects.pipes import IfPipeOp
from ttl.passes.movement.nodes import place_of_coordinate
from ttl.protocol.grid import Grid


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PipeEnds:
    """One pipe: the node that sends, and those that receive."""

    source: Node
    destinations: tuple[Node, ...]
    area: Area | None
    """The rectangle that the destinations on the sender's chip fill, in steps of ``steps``; None if they do not."""
    steps: tuple[int, int]
    """The steps from column to column and from row to row in the area."""
    written: dialect.PipeAttr

    @property
    def own(self) -> list[Node]:
        """The destinations on the sender's chip."""
        return on_own_chip(self.source, self.destinations)

    @property
    def far(self) -> list[Node]:
        """The destinations on other chips, in the order in which they are sent to: by chip, then by column and row."""
        others = [node for node in dict.fromkeys(self.destinations) if node[2] != self.source[2]]
        return sorted(others, key=lambda node: (node[2], node))

    @property
    def is_scattered(self) -> bool:
        """Whether the network of the chip cannot send to all destinations on the sender's chip at once."""
        return self.area is None and bool(self.own)

    @property
    def has_loop(self) -> bool:
        """Whether the source is a destination."""
        return self.source in self.destinations


class ChipNet:
    """The pipes of a net, by source and by destination, in the order of the list."""

    def __init__(self, pipes: Sequence[dialect.PipeAttr], grid: Grid) -> None:
        self.pipes = [_ends(pipe, grid) for pipe in pipes]
        self.sent: dict[Node, list[PipeEnds]] = defaultdict(list)
        self.received: dict[Node, list[PipeEnds]] = defaultdict(list)
        for pipe in self.pipes:
            self.sent[pipe.source].append(pipe)
            for node in pipe.destinations:
                self.received[node].append(pipe)
        self.slots = self._slots()

    @property
    def out_degree(self) -> int:
        """The most pipes that a node sends on."""
        return max(map(len, self.sent.values()), default=0)

    @property
    def in_degree(self) -> int:
        """The most pipes that a node receives from."""
        return max(map(len, self.received.values()), default=0)

    @property
    def nodes(self) -> set[Node]:
        """Nodes that take part."""
        return {*self.sent, *self.received}

    @property
    def chained(self) -> bool:
        """Whether a node sends on one pipe and receives from another."""
        return any(
            pipe not in self.sent[node] for node in [*self.sent] for pipe in self.received.get(node, ())
        )

    @property
    def multicast(self) -> bool:
        """Whether a pipe has more than one destination."""
        return any(len(pipe.destinations) > 1 for pipe in self.pipes)

    @property
    def is_across(self) -> bool:
        """Whether a pipe leads to another chip."""
        return any(pipe.far for pipe in self.pipes)

    @property
    def slot_count(self) -> int:
        """The most messages of different pipes that one node can be sent before it receives any."""
        return max(self.slots.values(), default=-1) + 1

    def place_among_sent(self, pipe: PipeEnds) -> int:
        """Return the position of a pipe among those of its source."""
        return self.sent[pipe.source].index(pipe)

    def _slots(self) -> dict[PipeEnds, int]:
        """A number for each pipe, which differs between pipes that share a destination."""
        slots: dict[PipeEnds, int] = {}
        for pipe in self.pipes:
            near = {other for node in pipe.destinations for other in self.received[node]}
            taken = {slots[other] for other in near if other in slots}
            slots[pipe] = next(number for number in range(len(self.pipes)) if number not in taken)
        return slots


def _ends(pipe: dialect.PipeAttr, grid: Grid) -> PipeEnds:
    axes = [
        item.indices if isinstance(item, dialect.SliceAttr) else range(item, item + 1) for item in pipe.dst
    ]
    source = place_of_coordinate(pipe.src, grid)
    nodes = tuple(place_of_coordinate(coord, grid) for coord in product(*axes))
    own = on_own_chip(source, nodes)
    lattice = lattice_of(own) if own else None
    area, steps = (None, (1, 1)) if lattice is None else lattice
    return PipeEnds(source=source, destinations=nodes, area=area, steps=steps, written=pipe)


@dataclass(slots=True)
class Uses:
    """The uses of a net in an operation."""

    made: dialect.CreatePipeNetOp
    net: ChipNet
    ifs: dict[str, list[IfPipeOp]] = field(default_factory=lambda: {"src": [], "dst": []})
    sends: list[dialect.CopyOp] = field(default_factory=list)
    receives: list[dialect.CopyOp] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the net."""
        return self.made.net_name.data


def uses_of(operation: dialect.OperationOp) -> list[Uses]:
    """Return the uses of each net of an operation."""
    nets = []
    for op in operation.body.block.ops:
        if not isinstance(op, dialect.CreatePipeNetOp):
            continue
        uses = Uses(op, ChipNet(op.pipes, operation.grid.extents))
        for use in op.result.uses:
            if isinstance(use.operation, IfPipeOp):
                uses.ifs[use.operation.END].append(use.operation)
                for item in use.operation.pipe.uses:
                    if isinstance(item.operation, dialect.CopyOp):
                        (uses.sends if use.operation.END == "src" else uses.receives).append(item.operation)
        nets.append(uses)
    return nets
