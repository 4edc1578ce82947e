"""Messages of kernels to other chips: which nodes reach which chips, the connections for that, and the packets.

A chip is connected with its neighbours only, and the routers of the links carry packets on to where they are addressed.
A kernel that sends to other chips opens its connections where it begins and closes them where it ends: one for each
direction that its packets leave in, however many pipes and semaphores share it. How many connections a node has, which
of them leads to which chip, and the parameters of each are arguments of the node's kernel, since they depend on how the
chips are wired:

- the number of connections;
- whether another kernel of the chip has to use one of their links, where there may be one: a link takes one connection at a
  time, so that these kernels take turns then, and open and close the connection around each message;
- for each chip of the mesh the connection that leads to it, where a node may have several;
- the parameters of each connection.

Packets over one connection arrive in the order in which they were sent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, StringAttr, UnitAttr, i64
from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import ancestors, inside
from ttl.analysis.network import Node, device_grid, place_of_index
from ttl.analysis.scalars import NODE, Slots, compile_scalar
from ttl.arch import Chip
from ttl.dialects import ttl as dialect
from ttl.dialects.queries import NodeOp
from ttl.dialects.structure import kernel_of
from ttl.dialects.ttkernel import TableOp
from ttl.passes.building import Building, Number
from ttl.passes.marks import ACROSS, MADE_BY, REACHES, WHY
from ttl.passes.movement.nodes import (
    address_across,
    address_on_another_chip,
    argument_among,
    column,
    node_address,
    row,
)
from ttl.passes.names import UniqueNames
from ttl.protocol.chips import chip_count
from ttl.protocol.grid import Grid, grid_size, linear_index

# The most packets of a kernel that may be on their way to the router: the pool has as many headers for each processor.
_HEADERS = 8

DIRECTIONS = 4
"""The most neighbours that a chip has."""

_WORDS = {
    "turn": "has its number while it waits for a link that others use, too",
    "seen": "reads the numbers of others",
}

Place = tuple[int, int]
"""Column and row on a chip."""
Way = tuple[Number, Number, Number]
"""The connection that leads to a chip, the number of the chip in the fabric, and that of its mesh."""
Reach = dict[Node, set[int]]
"""For each node that sends to other chips, the numbers of these chips."""


class Links:
    """The connections of the kernels of one operation, and the packets over them."""

    def __init__(
        self, operation: dialect.OperationOp, target: Chip, reaches: Mapping[Operation, Reach]
    ) -> None:
        self.grid = operation.grid.extents
        self._packet_bytes = target.ethernet.packet_bytes
        self._reaches: dict[Operation, Reach] = {}
        self._words: dict[tuple[Operation, str], str] = {}
        self._counted: dict[Operation, list[tuple[object, str]]] = {}
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

    @property
    def _sharing(self) -> list[tuple[Operation, Place]]:
        """Every kernel that may have to share a link, once with the place of each node of it; of all chips together."""
        return [
            (kernel, place)
            for kernel, reach in self._reaches.items()
            for place in sorted({node[:2] for node in reach})
        ]

    def begin_and_end(self) -> None:
        """Open the connections of kernels where they begin, and close them where they end."""
        shares = len(self._sharing) > 1
        for kernel, counted in self._counted.items():
            assert isinstance(kernel, dialect.UserKernelOp)
            body = kernel.body.block
            build = Building(body.first_op, block=body, place=kernel)
            build.call("declare_message_counts", count=len(counted))
        for kernel, reach in self._reaches.items():
            assert isinstance(kernel, dialect.UserKernelOp)
            kernel.attributes[REACHES] = ArrayAttr(
                DenseArrayBase.from_list(i64, [chip, column, row, *sorted(reach[column, row, chip])])
                for column, row, chip in sorted(reach, key=lambda node: (node[2], node))
            )
            body = kernel.body.block
            build = Building(body.first_op, block=body, place=kernel)
            most = self.most(kernel)
            build.call(
                "fabric_declare",
                headers=_HEADERS,
                most=most,
                first=_first_table(shares) + (chip_count(self.grid) if most > 1 else 0),
            )
            self._each(build, "fabric_connect")
            end = Building(block=body, place=kernel)
            if shares:
                self._know_the_others(build)
                build, end = (at.when(at.compare(at.ask("get_arg_val", 1), "eq", 0)) for at in (build, end))
            _left(end)
            self._each(build, "fabric_open")
            self._each(end, "fabric_close")

    def _each(self, build: Building, function: str) -> None:
        def body(inside: Building, link: SSAValue, _: object) -> tuple[()]:
            inside.call(function, link)
            return ()

        build.loop(0, build.ask("get_arg_val", 0), 1, (), body, name="link")

    def next(self, build: Building, net: object, end: str) -> SSAValue:
        """The number of the next message of a net, at one of its ends."""
        counted = self._counted.setdefault(kernel_of(build.place), [])
        if (net, end) not in counted:
            counted.append((net, end))
        number = build.ask("next_message", i=counted.index((net, end)))
        number.name_hint = f"{end}_number"
        return number

    # --- who shares a link ---------------------------------------------------------------------------------------

    def _know_the_others(self, build: Building) -> None:
        """Note the addresses of the numbers that kernels of this chip take to wait for their use of a link."""
        build.call("fabric_declare_turns", count=len(self._sharing))
        first = 0
        for kernel, reach in self._reaches.items():
            places = sorted({node[:2] for node in reach})
            word = address_across(build, [self._word(kernel, "turn")])

            def note(inside: Building, n: SSAValue, _: object) -> tuple[()]:
                column, row = self._place(inside, n, places)  # noqa: B023  # used at once
                inside.call("fabric_turn", inside.sum(n, first), node_address(inside, column, row, word))  # noqa: B023
                return ()

            build.loop(0, len(places), 1, (), note, name="n")
            first += len(places)

    def _place(self, build: Building, number: Number, places: Sequence[Place]) -> tuple[Number, Number]:
        """The column and row of the node with a number in a list of places."""
        columns, rows = device_grid(self.grid)
        if len(places) == columns * rows:
            return build.quotient(number, rows), build.remainder(number, rows)
        result = [
            build.result(TableOp([place[axis] for place in places], build.value(number), "nodes"))
            for axis in (0, 1)
        ]
        return result[0], result[1]

    def _take_turn(self, build: Building, link: Number) -> None:
        kernel = kernel_of(build.place)
        columns, rows = device_grid(self.grid)
        at = build.sum(build.product(column(build, self.grid), rows), row(build, self.grid))
        numbers = [0] * (columns * rows)
        for number, (owner, place) in enumerate(self._sharing):
            if owner is kernel:
                numbers[place[0] * rows + place[1]] = number
        first = numbers[0]
        mine: Number = build.sum(at, first)
        if numbers != [*range(first, first + len(numbers))]:
            mine = build.result(TableOp(numbers, build.value(at), "turns"))
        own = build.ask("semaphore_at", address_across(build, [self._word(kernel, "turn")]))
        seen = address_across(build, [self._word(kernel, "seen")])
        build.call("fabric_take_turn", mine, own, seen, count=len(self._sharing))
        build.call("fabric_open", link)

    def _end_turn(self, build: Building, link: Number) -> None:
        build.call("fabric_close", link)
        word = address_across(build, [self._word(kernel_of(build.place), "turn")])
        build.call("noc_semaphore_set", build.ask("semaphore_at", word), 0)

    def _word(self, kernel: Operation, what: str) -> str:
        """A semaphore of the host by which a kernel takes turns: for its own number, or for reading those of others."""
        assert isinstance(kernel, dialect.UserKernelOp)
        if (kernel, what) not in self._words:
            why = f"a semaphore where {kernel.kernel_name} {_WORDS[what]}"
            self._words[kernel, what] = made_across(kernel, f"{kernel.kernel_name}_{what}", why)
        return self._words[kernel, what]

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

        The bytes go in as many packets as they need; the last packet also counts.
        """
        column, row, chip = to
        whole = (nbytes - 1) // self._packet_bytes * self._packet_bytes

        packets = whole // self._packet_bytes

        def send(build: Building, way: Way) -> None:
            link, *to_chip = way

            def packet(inside: Building, n: SSAValue, _: object) -> tuple[()]:
                header: Number = n
                if packets > _HEADERS:
                    header = inside.remainder(n, _HEADERS)
                    _left(inside.when(inside.compare(header, "eq", 0)))
                sent = inside.product(n, self._packet_bytes)
                there = address_on_another_chip(inside, column, row, inside.sum(where, sent))
                inside.call(
                    "fabric_write",
                    link,
                    header,
                    *to_chip,
                    inside.sum(source, sent),
                    self._packet_bytes,
                    there,
                )
                return ()

            if packets:
                build.loop(0, packets, 1, (), packet, name="packet")
            if packets and packets % _HEADERS == 0:
                _left(build)
            there = address_on_another_chip(build, column, row, build.sum(where, whole))
            count = address_on_another_chip(build, column, row, counter)
            last = (build.sum(source, whole), nbytes - whole, there, count, 1)
            build.call("fabric_write_and_count", link, packets % _HEADERS, *to_chip, *last)

        self._send(build, chip, send)

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

        def send(build: Building, way: Way) -> None:
            there = address_on_another_chip(build, to[0], to[1], counter)
            link, *to_chip = way
            build.call("fabric_count" if add else "fabric_set", link, 0, *to_chip, there, value)

        self._send(build, to[2], send)

    def _send(self, build: Building, chip: Number, send: Callable[[Building, Way], None]) -> None:
        """Send packets to a chip, alone on the link where others share it."""
        way = self._way(build, chip)
        shared = None
        if len(self._sharing) > 1:
            shared = build.compare(build.ask("get_arg_val", 1), "ne", 0)
            self._take_turn(build.when(shared), way[0])
        _left(build)
        send(build, way)
        if shared is not None:
            end = build.when(shared)
            _left(end)
            self._end_turn(end, way[0])

    def _way(self, build: Building, chip: Number) -> Way:
        """The connection that leads to a chip, the number of the chip in the fabric, and that of its mesh."""
        link: Number = 0
        if self.most(kernel_of(build.place)) > 1:
            link = build.ask("get_arg_val", build.sum(chip, _first_table(len(self._sharing) > 1)))
            link.name_hint = "link"
        device = argument_among(build, [f"fabric_chip({n})" for n in range(chip_count(self.grid))], chip)
        device.name_hint = "device"
        return link, device, argument_among(build, ["fabric_mesh()"], 0)


def _first_table(shares: bool) -> int:
    """Return the number of arguments before the table of the connections that lead to each chip."""
    return 2 if shares else 1


def _left(build: Building) -> None:
    """Wait until a packet has left: its header is used again."""
    build.barrier("noc_async_writes_flushed", "the header of a packet is used again")


def made_across(kernel: dialect.UserKernelOp, name: str, why: str) -> str:
    """Make a semaphore of the host for the compiler, and return its name."""
    operation = kernel.parent_op()
    assert isinstance(operation, dialect.OperationOp)
    ops = [op for op in operation.body.block.ops if isinstance(op, dialect.CreateSemaphoreOp)]
    names = UniqueNames(op.semaphore_name.data for op in ops)
    semaphore = dialect.CreateSemaphoreOp(initial_value=0, name=names.unique(name))
    semaphore.location = kernel.location
    semaphore.attributes |= {ACROSS: UnitAttr(), MADE_BY: StringAttr("compiler"), WHY: StringAttr(why)}
    operation.body.block.insert_op_before(semaphore, operation.kernels[0])
    return semaphore.semaphore_name.data


def most_links(reaches: Iterable[Collection[int]]) -> int:
    """The most directions in which packets of a node can leave, however the chips are wired.

    ``reaches`` has the chips that each node reaches.
    """
    return min(DIRECTIONS, max(map(len, reaches), default=0))


# --- semaphores ---------------------------------------------------------------------------------------------------


def is_of_own_chip(remote: dialect.GetRemoteSemaphoreOp, grid: Grid) -> bool:
    """Whether a node is certainly on the chip of the kernel: its mesh coordinates are those of the kernel's node."""
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


Remote = dialect.GetRemoteSemaphoreOp | dialect.GetRemoteMulticastSemaphoreOp


def _changes(root: Operation, grid: Grid) -> Iterator[tuple[Remote, Operation]]:
    """Yield semaphores of nodes that may be on other chips, each with an operation that changes it."""
    for op in inside(root) if chip_count(grid) > 1 else ():
        if isinstance(op, dialect.SemaphoreSetOp | dialect.SemaphoreIncOp):
            remote = op.semaphore.owner
            if isinstance(remote, dialect.GetRemoteMulticastSemaphoreOp) or (
                isinstance(remote, dialect.GetRemoteSemaphoreOp) and not is_of_own_chip(remote, grid)
            ):
                yield remote, op


def _reached_by_semaphores(kernel: Operation, slots: Slots) -> Iterator[tuple[Node, int]]:
    grid = slots.grid
    columns, rows = device_grid(grid)
    for remote, op in _changes(kernel, grid):
        may = set(range(slots.nodes))
        for inner, around in _branches(op, kernel):
            condition = _at_nodes(around.cond, slots)
            if condition is not None:
                may = {node for node in may if bool(condition[node]) == (inner is around.true_region)}
        one = remote.node if isinstance(remote, dialect.GetRemoteSemaphoreOp) else None
        coord = [_at_nodes(value, slots) for value in one or ()]
        known = [values for values in coord if values is not None]
        sizes = grid_size(grid, len(coord)) if coord else ()
        for node in sorted(may):
            place = place_of_index(node, grid)
            chips: Sequence[int] = range(chip_count(grid))
            if one is not None and len(known) == len(coord):
                chips = [linear_index(tuple(values[node] for values in known), sizes) // (columns * rows)]
            yield from ((place, chip) for chip in chips if chip != place[2])


def _branches(op: Operation, kernel: Operation) -> Iterator[tuple[Any, scf.IfOp]]:
    """Yield the branches around an operation, each as the region that the operation is in and the branch."""
    at = op
    for around in list(ancestors(op))[1:]:
        if around is kernel:
            return
        if isinstance(around, scf.IfOp):
            yield at.parent.parent if at.parent is not None else None, around
        at = around


def _at_nodes(value: SSAValue, slots: Slots) -> list[int] | None:
    """A value at every node; None where it depends on more than the node."""
    scalar = compile_scalar(value, slots)
    if scalar is None or not scalar.slots <= {NODE}:
        return None
    return [int(scalar.evaluate(slots.environment(node))) for node in range(slots.nodes)]
