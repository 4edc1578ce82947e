"""What kernels send to other chips: which nodes reach which chips, the connections that takes, and the packets.

A chip is connected with its neighbours only, and the routers of the links carry packets on to where they are addressed. A
kernel that sends to other chips opens its connections where it begins and closes them where it ends: one for each direction
that its packets leave in, however many pipes and semaphores share it. How many a node has, which of them leads to which chip
and what each needs are arguments of the node's kernel, since they depend on how the chips are wired:

- the number of connections;
- for each chip of the mesh the connection that leads to it, where a node may have several;
- what each connection is made from.

Packets over one connection arrive in the order in which they were sent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, i64
from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import ancestors, inside
from ttl.analysis.network import Node, device_grid, place_of_index
from ttl.analysis.scalars import NODE, Slots, compile_scalar
from ttl.arch import Chip
from ttl.dialects import ttl as dialect
from ttl.dialects.queries import NodeOp
from ttl.dialects.structure import kernel_of
from ttl.passes.building import Building, Number
from ttl.passes.marks import REACHES
from ttl.passes.movement.nodes import address_on_another_chip, argument_among
from ttl.protocol.chips import chip_count
from ttl.protocol.grid import Grid, grid_size

DIRECTIONS = 4
"""How many neighbours a chip has at most."""

Reach = dict[Node, set[int]]
"""For each node that sends to other chips, which."""


class Links:
    """The connections of the kernels of one operation, and what goes over them."""

    def __init__(
        self, operation: dialect.OperationOp, target: Chip, reaches: Mapping[Operation, Reach]
    ) -> None:
        self.grid = operation.grid.extents
        self._packet_bytes = target.ethernet.packet_bytes
        self._reaches: dict[Operation, Reach] = {}
        slots = Slots(self.grid)
        for kernel in operation.kernels:
            reach = {node: set(chips) for node, chips in reaches.get(kernel, {}).items()}
            for node, chip in _reached_by_semaphores(kernel, slots):
                reach.setdefault(node, set()).add(chip)
            if reach:
                self._reaches[kernel] = reach

    def most(self, kernel: Operation) -> int:
        """The most connections that a node may have."""
        return most_links(self._reaches.get(kernel, {}).values())

    def begin_and_end(self) -> None:
        """Open the connections of kernels where they begin, and close them where they end."""
        for kernel, reach in self._reaches.items():
            assert isinstance(kernel, dialect.UserKernelOp)
            kernel.attributes[REACHES] = ArrayAttr(
                DenseArrayBase.from_list(i64, [chip, column, row, *sorted(reach[column, row, chip])])
                for column, row, chip in sorted(reach, key=lambda node: (node[2], node))
            )
            body = kernel.body.block
            build = Building(body.first_op, block=body, place=kernel)
            most = self.most(kernel)
            build.call("fabric_declare", most=most, first=1 if most == 1 else 1 + chip_count(self.grid))
            self._each(build, "fabric_connect", "fabric_open")
            self._each(Building(block=body, place=kernel), "fabric_close")

    def _each(self, build: Building, *functions: str) -> None:
        def body(inside: Building, link: SSAValue, _: object) -> tuple[()]:
            for function in functions:
                inside.call(function, link)
            return ()

        build.loop(0, build.ask("get_arg_val", 0), 1, (), body, name="link")

    # --- packets -------------------------------------------------------------------------------------------------

    def write_and_count(
        self,
        build: Building,
        to: tuple[Number, Number, Number],
        source: SSAValue,
        where: Number,
        nbytes: int,
        counter: SSAValue,
    ) -> None:
        """Write bytes of this node into the memory of a node of another chip, then add 1 to a semaphore of it.

        As many packets as that takes; the last one counts.
        """
        column, row, chip = to
        way = self._way(build, chip)
        whole = (nbytes - 1) // self._packet_bytes * self._packet_bytes

        def packet(inside: Building, sent: SSAValue, _: object) -> tuple[()]:
            there = address_on_another_chip(inside, column, row, inside.sum(where, sent))
            inside.call("fabric_write", *way, inside.sum(source, sent), self._packet_bytes, there)
            return ()

        if whole:
            build.loop(0, whole, self._packet_bytes, (), packet, name="sent")
        there = address_on_another_chip(build, column, row, build.sum(where, whole))
        count = address_on_another_chip(build, column, row, counter)
        build.call("fabric_write_and_count", *way, build.sum(source, whole), nbytes - whole, there, count, 1)

    def change(
        self,
        build: Building,
        to: tuple[Number, Number, Number],
        counter: SSAValue,
        value: Number,
        *,
        add: bool = True,
    ) -> None:
        """Add to a semaphore of a node of another chip, or set it."""
        there = address_on_another_chip(build, to[0], to[1], counter)
        build.call("fabric_count" if add else "fabric_set", *self._way(build, to[2]), there, value)

    def _way(self, build: Building, chip: Number) -> tuple[Number, Number, Number]:
        """The connection that leads to a chip, its number in the fabric and that of its mesh."""
        link: Number = 0
        if self.most(kernel_of(build.place)) > 1:
            link = build.ask("get_arg_val", build.sum(chip, 1))
            link.name_hint = "link"
        device = argument_among(build, [f"fabric_chip({n})" for n in range(chip_count(self.grid))], chip)
        device.name_hint = "device"
        return link, device, argument_among(build, ["fabric_mesh()"], 0)


def most_links(reaches: Iterable[Collection[int]]) -> int:
    """The most directions that packets of one node can leave in, however the chips are wired; given are the chips each reaches."""
    return min(DIRECTIONS, max(map(len, reaches), default=0))


# --- semaphores ---------------------------------------------------------------------------------------------------


def is_of_own_chip(remote: dialect.GetRemoteSemaphoreOp, grid: Grid) -> bool:
    """Whether a node is certainly on the chip of the kernel that names it: it is so in the text."""
    if chip_count(grid) == 1:
        return True
    coord = list(remote.node)
    mesh = len(grid) - 2
    return len(coord) == len(grid) and all(
        isinstance(value.owner, NodeOp)
        and value.owner.dims == len(grid)
        and value is value.owner.results[axis]
        for axis, value in enumerate(coord[:mesh])
    )


def across(operation: dialect.OperationOp) -> Iterator[dialect.CreateSemaphoreOp]:
    """The semaphores of a program that nodes of other chips may change."""
    for op, _ in _changes(operation, operation.grid.extents):
        owner = op.semaphore.owner
        assert isinstance(owner, dialect.CreateSemaphoreOp)
        yield owner


def _changes(root: Operation, grid: Grid) -> Iterator[tuple[dialect.GetRemoteSemaphoreOp, Operation]]:
    """Where semaphores of nodes that may be on other chips are changed."""
    for op in inside(root):
        if isinstance(op, dialect.SemaphoreSetOp | dialect.SemaphoreIncOp):
            remote = op.semaphore.owner
            if isinstance(remote, dialect.GetRemoteSemaphoreOp) and not is_of_own_chip(remote, grid):
                yield remote, op


def _reached_by_semaphores(kernel: Operation, slots: Slots) -> Iterator[tuple[Node, int]]:
    grid = slots.grid
    columns, rows = device_grid(grid)
    nodes = np.arange(slots.nodes)
    for remote, op in _changes(kernel, grid):
        may = np.ones(slots.nodes, bool)
        for inner, around in _branches(op, kernel):
            condition = _at_nodes(around.cond, slots, nodes)
            if condition is not None:
                may &= condition.astype(bool) == (inner is around.true_region)
        coord = [_at_nodes(value, slots, nodes) for value in remote.node]
        sizes = grid_size(grid, len(coord))
        index: Any = 0
        for value, extent in zip(coord, sizes, strict=True):
            index = None if index is None or value is None else index * extent + value
        for node in np.flatnonzero(may).tolist():
            place = place_of_index(node, grid)
            chips = range(chip_count(grid)) if index is None else [int(index[node]) // (columns * rows)]
            yield from ((place, chip) for chip in chips if chip != place[2])


def _branches(op: Operation, kernel: Operation) -> Iterator[tuple[Any, scf.IfOp]]:
    """The branches that an operation is in: the region of it, and the branch."""
    at = op
    for around in list(ancestors(op))[1:]:
        if around is kernel:
            return
        if isinstance(around, scf.IfOp):
            yield at.parent.parent if at.parent is not None else None, around
        at = around


def _at_nodes(value: SSAValue, slots: Slots, nodes: Any) -> Any:
    """A value at every node; None where it depends on more than the node."""
    scalar = compile_scalar(value, slots)
    if scalar is None or not scalar.slots <= {NODE}:
        return None
    environment = slots.environment()
    environment[NODE] = nodes
    return np.broadcast_to(np.asarray(scalar.evaluate(environment)), nodes.shape)
